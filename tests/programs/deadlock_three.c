// A cycle of three locks: of the eight ways to order the three pairs one is impossible to complete.
// expect: source bug=deadlock executions=7 fork replay [options: --keep-going]
// expect: dpor bug=deadlock executions=7 blocked=1 [options: --keep-going]
#include <pthread.h>
#include <stdint.h>

static pthread_mutex_t lock[3] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};

static void *both(void *argument)
{
	intptr_t i = (intptr_t)argument;

	pthread_mutex_lock(&lock[i]);
	pthread_mutex_lock(&lock[(i + 1) % 3]);
	pthread_mutex_unlock(&lock[(i + 1) % 3]);
	pthread_mutex_unlock(&lock[i]);
	return NULL;
}

int main(void)
{
	pthread_t threads[3];

	for (intptr_t i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, both, (void *)i);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
