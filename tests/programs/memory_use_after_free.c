// A block is used after it was freed, by one thread alone: every kind of access, and the old pointer after realloc.
// expect: source bug=memory executions=1 line=@use replay fork [cc: -DWAY=1] [says: read of 4 bytes in a block of 24 bytes that was freed (allocated by main at memory_use_after_free.c:29, freed by main at memory_use_after_free.c:31)]
// expect: source bug=memory executions=1 line=@use [cc: -DWAY=2] [says: write of 4 bytes in a block of 24 bytes that was freed]
// expect: source bug=memory executions=1 line=@use [cc: -DWAY=3] [says: atomic load of 4 bytes in a block]
// expect: source bug=memory executions=1 line=@use [cc: -DWAY=4] [says: atomic update of 4 bytes in a block]
// expect: source bug=memory executions=1 line=@use [cc: -DWAY=5] [says: compare-and-swap of 4 bytes in a block]
// expect: source bug=memory executions=1 line=@use [cc: -DWAY=6] [says: read of 24 bytes in a block]
// expect: source bug=memory executions=1 line=@use [cc: -DWAY=7] [says: write of 24 bytes in a block]
// expect: source bug=memory executions=1 line=@use [cc: -DWAY=8] [says: write of 8 bytes in a block]
// expect: source bug=memory executions=1 line=@use [cc: -DWAY=9] [says: read of 4 bytes in a block of 24 bytes that was freed]
// expect: source bug=memory executions=1 line=@use [cc: -DWAY=10] [says: read of 4 bytes in a block of 24 bytes that was freed]
// expect: source bug=memory executions=1 line=@use [cc: -DWAY=11] [says: read of 4 bytes in a block of 24 bytes that was freed]
// expect: source bug=memory executions=1 line=@use [cc: -DWAY=12] [says: atomic store of 4 bytes in a block]
// expect: source bug=memory executions=1 line=@use fork [cc: -DWAY=13] [says: read of 4 bytes in a block]
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static char copy[24];
static int *late;

static void in_handler(void)
{
	late[1]++; // @use
}

int main(void)
{
	int *block = malloc(24), *other = NULL;
	block[0] = 7;
	free(block);
#if WAY == 1
	return block[5]; // @use
#elif WAY == 2
	block[0] = 1; // @use
#elif WAY == 3
	return atomic_load((_Atomic int *)block); // @use
#elif WAY == 4
	atomic_fetch_add((_Atomic int *)block, 1); // @use
#elif WAY == 5
	atomic_compare_exchange_strong((_Atomic int *)block, &copy[0] == NULL ? block : (int[]){7}, 8); // @use
#elif WAY == 6
	memcpy(copy, block, sizeof copy); // @use
#elif WAY == 7
	memcpy(block, copy, sizeof copy); // @use
#elif WAY == 8
	memset(block, 0, 8); // @use
#elif WAY == 9
	other = malloc(24);
	other[0] = block[0]; // @use
#elif WAY == 10
	/* many more are allocated and freed, and still the block is not used again */
	for (int i = 0; i < 1000; i++)
		free(malloc(24));
	return block[0]; // @use
#elif WAY == 11
	other = malloc(24);
	other[0] = 3;
	block = realloc(other, 12);
	return block[0] + other[0]; // @use
#elif WAY == 12
	atomic_store((_Atomic int *)block, 1); // @use
#elif WAY == 13
	late = block;
	atexit(in_handler);
#endif
	free(other);
	(void)in_handler;
	return 0;
}
