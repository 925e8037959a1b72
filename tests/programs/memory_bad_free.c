// Frees that are none: what the pointer is, is said.
// expect: source bug=memory executions=1 line=@free replay [cc: -DWAY=1] [says: free of a pointer that malloc did not return: it points 4 bytes into a block of 10 bytes (allocated by main at memory_bad_free.c:18)]
// expect: source bug=memory executions=1 line=@free [cc: -DWAY=2] [says: it points to the stack of main]
// expect: source bug=memory executions=1 line=@free [cc: -DWAY=3] [says: it points to a global variable]
// expect: source bug=memory executions=1 line=@free [cc: -DWAY=4] [says: realloc of a pointer that malloc did not return: it points 1 byte into a block of 10 bytes]
// expect: source bug=memory executions=1 line=@free fork [cc: -DWAY=5] [says: free of a block that is free already (allocated by main at memory_bad_free.c:18, freed by main at memory_bad_free.c:30)]
// expect: source bug=memory executions=1 line=@free [cc: -DWAY=6] [says: free of a block that is free already (allocated by main at memory_bad_free.c:18, freed by main at memory_bad_free.c:33)]
// expect: source bug=memory executions=1 line=@free [cc: -DWAY=7] [says: free of a pointer that malloc did not return]
// expect: source bug=memory executions=1 line=@free [cc: -DWAY=8] [says: it points 16 bytes into a block of 64 bytes that was freed]
// expect: source verified executions=1 [cc: -DWAY=9]
#include <stdlib.h>

static int global[8];

int main(void)
{
	int local[8] = {0};
	char *volatile block = malloc(10);
#if WAY == 1
	free(block + 4); // @free
#elif WAY == 2
	block = (char *)local;
	free(block); // @free
#elif WAY == 3
	block = (char *)global;
	free(block); // @free
#elif WAY == 4
	block = realloc(block + 1, 5); // @free
#elif WAY == 5
	free(block);
	free(block); // @free
#elif WAY == 6
	char *other = realloc(block, 20);
	free(block); // @free
	free(other);
#elif WAY == 7
	block = (char *)16;
	free(block); // @free
#elif WAY == 8
	block = aligned_alloc(32, 64);
	free(block);
	free(block + 16); // @free
#elif WAY == 9
	free(block);
	free(NULL);
	block = realloc(NULL, 3);
	block = realloc(block, 0);
	free(aligned_alloc(4096, 1));
	free(malloc(0));
#endif
	(void)local, (void)global;
	return 0;
}
