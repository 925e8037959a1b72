// Accesses beside a block: the size that was asked for counts, to the byte.
// expect: source bug=memory executions=1 line=@use replay fork [cc: -DWAY=1] [says: write of 1 byte, right after the end of a block of 10 bytes (allocated by main at memory_overflow.c:30)]
// expect: source bug=memory executions=1 line=@use [cc: -DWAY=2] [says: read of 1 byte, 1 byte before the start of a block of 10 bytes]
// expect: source bug=memory executions=1 line=@use [cc: -DWAY=3] [says: write of 4 bytes that goes 2 bytes beyond the end of a block of 10 bytes]
// expect: source bug=memory executions=1 line=@use [cc: -DWAY=4] [says: write of 8 bytes, right after the end of a block of 80 bytes]
// expect: source bug=memory executions=1 line=@use [cc: -DWAY=5] [says: write of 11 bytes that goes 1 byte beyond the end of a block of 10 bytes]
// expect: source bug=memory executions=1 line=@use [cc: -DWAY=6] [says: read of 16 bytes that goes 6 bytes beyond the end of a block of 10 bytes]
// expect: source bug=memory executions=1 line=@use [cc: -DWAY=7] [says: write of 12 bytes that goes 2 bytes beyond]
// expect: source bug=memory executions=1 line=@use [cc: -DWAY=8] [says: write of 1 byte, right after the end of a block of 0 bytes]
// expect: source bug=memory executions=1 line=@use [cc: -DWAY=9] [says: write of 1 byte, right after the end of a block of 100 bytes]
// expect: source bug=memory executions=1 line=@use [cc: -DWAY=10] [says: write of 1 byte, 1 byte before the start of a block of 100 bytes]
// expect: source bug=memory executions=1 line=@use [cc: -DWAY=11] [says: write of 1 byte, right after the end of a block of 5 bytes]
// expect: source bug=memory executions=1 line=@use [cc: -DWAY=12] [says: write of 1 byte, right after the end of a block of 70000 bytes]
// expect: source bug=memory executions=1 line=@use [cc: -DWAY=13] [says: read of 8 bytes, 24 bytes before the start of a block of 10 bytes]
// expect: source bug=memory executions=1 line=@use [cc: -DWAY=14] [says: write of 1 byte, 6 bytes after the end of a block of 10 bytes]
// expect: source bug=memory executions=1 line=@use [cc: -DWAY=15] [says: write of 1 byte, right after the end of a block of 10 bytes (allocated by main at]
#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static void *in_thread(void *block)
{
	((char *)block)[10] = 1; // @use
	return NULL;
}

int main(void)
{
	char *volatile block = malloc(10), bytes[16] = "";
	block[0] = block[9] = 1;
#if WAY == 1
	block[10] = 1; // @use
#elif WAY == 2
	return block[-1]; // @use
#elif WAY == 3
	*(int *)(block + 8) = 1; // @use
#elif WAY == 4
	long *numbers = calloc(10, sizeof *numbers);
	for (int i = 0; i <= 10; i++)
		numbers[i] = i; // @use
#elif WAY == 5
	memcpy(block, bytes, 11); // @use
#elif WAY == 6
	memcpy(bytes, block, 16); // @use
#elif WAY == 7
	memset(block, 0, 12); // @use
#elif WAY == 8
	block = malloc(0);
	*block = 1; // @use
#elif WAY == 9
	block = aligned_alloc(64, 100);
	block[0] = block[99] = 1;
	block[100] = 1; // @use
#elif WAY == 10
	if (posix_memalign((void **)&block, 4096, 100))
		return 1;
	block[0] = block[99] = 1;
	block[-1] = 1; // @use
#elif WAY == 11
	block = realloc(block, 5);
	block[4] = 1;
	block[5] = 1; // @use
#elif WAY == 12
	block = malloc(70000);
	block[69999] = 1;
	block[malloc_usable_size(block)] = 1; // @use
#elif WAY == 13
	return (int)*(long *)(block - 24); // @use
#elif WAY == 14
	block[16] = 1; // @use
#elif WAY == 15
	pthread_t thread;
	pthread_create(&thread, NULL, in_thread, block);
	pthread_join(thread, NULL);
#endif
	(void)in_thread, (void)bytes;
	return 0;
}
