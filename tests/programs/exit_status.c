// The exit status depends on the schedule: 1 or 2; 0 or 2 (ZERO=0), 1 or 0 (ZERO=1).
// expect: source verified executions=2
// expect: - verified executions=2 [options: --exit-status=mixed]
// expect: source bug=exit executions=2 fork replay [options: --keep-going --exit-status=same]
// expect: dpor bug=exit executions=2 [options: --keep-going --exit-status=same]
// expect: source bug=exit executions=2 [options: --exit-status=same]
// expect: source verified executions=2 [options: --exit-status=any]
// expect: source bug=exit executions=2 [options: --exit-status=zero --keep-going]
// expect: source bug=exit executions=2 fork replay [cc: -DZERO=0] [options: --keep-going]
// expect: source bug=exit executions=2 replay [cc: -DZERO=1] [options: --keep-going]
// expect: - bug=exit executions=2 [cc: -DZERO=0] [options: --exit-status=mixed]
// expect: - bug=exit executions=2 [cc: -DZERO=1] [options: --exit-status=same]
// expect: - verified executions=2 [cc: -DZERO=1] [options: --exit-status=any]
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#ifndef ZERO
#define ZERO -1
#endif

static atomic_int last;

static void *set(void *value)
{
	last = (int)(intptr_t)value;
	return NULL;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, set, (void *)(ZERO == 0 ? 0L : 1L));
	pthread_create(&t2, NULL, set, (void *)(ZERO == 1 ? 0L : 2L));
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return last;
}
