// Heap memory is shared as soon as another thread has its address.
// expect: source bug=race executions=2 line=@race fork replay [options: --keep-going]
// expect: dpor bug=race executions=2 line=@race [options: --keep-going]
#include <pthread.h>
#include <stdlib.h>

static void *set(void *number)
{
	*(int *)number = 1; // @race
	return NULL;
}

int main(void)
{
	int *number = malloc(sizeof *number);
	pthread_t t1, t2;

	pthread_create(&t1, NULL, set, number);
	pthread_create(&t2, NULL, set, number);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	free(number);
	return 0;
}
