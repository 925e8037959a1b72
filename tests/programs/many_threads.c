// 64 threads are the limit, main among them; the 65th is a clear error.
// expect: source verified executions=1 fork [args: 63]
// expect: dpor verified executions=1 [args: 63]
// expect: source error [args: 64] [says: 64 threads]
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

static int slot[64];

static void *set(void *argument)
{
	slot[(intptr_t)argument] = 1;
	return argument;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 63;
	pthread_t threads[64];

	for (intptr_t i = 0; i < n; i++)
		pthread_create(&threads[i], NULL, set, (void *)i);
	for (int i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < n; i++)
		assert(slot[i] == 1);
	return 0;
}
