// volatile makes no access atomic: still a race.
// expect: source bug=race executions=2 line=@race fork [options: --keep-going]
// expect: dpor bug=race executions=2 line=@race [options: --keep-going]
#include <pthread.h>

static volatile int stop;

static void *set(void *unused)
{
	stop = 1; // @race
	return unused;
}

static void *look(void *unused)
{
	return stop ? unused : NULL; // @race
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, set, NULL);
	pthread_create(&t2, NULL, look, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return 0;
}
