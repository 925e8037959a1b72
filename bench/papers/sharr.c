// expect: - verified executions=1 [options: --stateful]
// expect: - verified executions=1
/*
 * Two threads that go through an array, each over elements of its own: after the example of Gueta, Flanagan,
 * Yahav and Sagiv, "Cartesian partial-order reduction for software model checking" (SPIN 2007).  Accesses to different
 * elements do not conflict, so one execution stands for all, with or without states.
 */
#include <pthread.h>

#ifndef N
#define N 64
#endif

static int array[N];

static void *go(void *first)
{
	for (int i = (int)(long)first; i < N; i += 2)
		array[i] = i + 1;
	return NULL;
}

int main(void)
{
	pthread_t even, odd;

	pthread_create(&even, NULL, go, (void *)0L);
	pthread_create(&odd, NULL, go, (void *)1L);
	pthread_join(even, NULL);
	pthread_join(odd, NULL);
	return 0;
}
