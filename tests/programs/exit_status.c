// The exit status depends on the schedule.
// expect: source bug=exit executions=2 fork replay [options: --keep-going]
// expect: dpor bug=exit executions=2 [options: --keep-going]
// expect: source bug=exit executions=2
// expect: source verified executions=2 [options: --exit-status=any]
// expect: source bug=exit executions=2 [options: --exit-status=zero --keep-going]
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

static atomic_int last;

static void *set(void *value)
{
	last = (int)(intptr_t)value;
	return NULL;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, set, (void *)1);
	pthread_create(&t2, NULL, set, (void *)2);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return last;
}
