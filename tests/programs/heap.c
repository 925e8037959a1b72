// The heap in threads: the same schedule gives the same addresses, and what one thread allocates another may free.
// expect: source verified executions=2 fork
// expect: dpor verified executions=2
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static char *handed;

static void allocate_and_free(void)
{
	char *blocks[8];

	for (int i = 0; i < 8; i++) {
		blocks[i] = malloc(1u << (4 + i));
		assert(((uintptr_t)blocks[i] & 15) == 0);
		memset(blocks[i], i, 1u << (4 + i));
	}
	for (int i = 7; i >= 0; i--)
		free(blocks[i]);
	blocks[0] = calloc(3, 1000);
	for (int i = 0; i < 3000; i++)
		assert(blocks[0][i] == 0);
	blocks[0][2999] = 9;
	blocks[0] = realloc(blocks[0], 100000);
	assert(blocks[0][2999] == 9);
	free(blocks[0]);
}

/* The first one leaves a block, the second one takes it and frees it. */
static void *work(void *unused)
{
	char *block;

	allocate_and_free();
	pthread_mutex_lock(&mutex);
	block = handed;
	handed = block ? NULL : strdup("block");
	pthread_mutex_unlock(&mutex);
	free(block);
	return unused;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, work, NULL);
	pthread_create(&t2, NULL, work, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	assert(handed == NULL);
	return 0;
}
