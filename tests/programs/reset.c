// Every execution begins with fresh memory: globals, statics, the heap, stdio and environment.
// expect: source verified executions=6 fork
// expect: dpor verified executions=6
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int zero, one = 1;
static char large[100000];
static char *first_block;

static void *disturb(void *unused)
{
	static int calls;

	pthread_mutex_lock(&mutex);
	one += ++calls;
	zero -= calls;
	memset(large, calls, sizeof large);
	printf("partial line without an end %d", calls);
	setenv("DISTURBED", "1", 1);
	free(malloc(100000));
	pthread_mutex_unlock(&mutex);
	return unused;
}

int main(void)
{
	pthread_t threads[3];

	assert(zero == 0 && one == 1 && first_block == NULL && getenv("DISTURBED") == NULL);
	for (size_t i = 0; i < sizeof large; i += 1000)
		assert(large[i] == 0);
	first_block = malloc(10);
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, disturb, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	assert(zero == -6 && one == 7 && large[0] == 3);
	return 0;
}
