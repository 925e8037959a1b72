// The smallest known reason for wakeup trees (POPL 2014): source sets know that s must be able to write x first, but not how
// it gets there, and begin executions that turn out to be redundant.
// expect: optimal verified executions=5 fork
// expect: optimal verified executions=5 [cc: -DBACKWARDS]
// expect: optimal verified executions=5 [options: --seed=1]
// expect: optimal verified executions=5 [options: --seed=2]
// expect: optimal verified executions=5 fork [cc: -DBACKWARDS] [options: --seed=3]
// expect: source verified executions=5 blocked=3
// expect: dpor verified executions=5 blocked=6
// expect: all verified executions=503
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y, z;

static void *p(void *unused)
{
	atomic_store(&x, 1);
	return unused;
}

static void *q(void *unused)
{
	atomic_store(&y, 1);
	return unused;
}

static void *r(void *unused)
{
	if (!atomic_load(&y))
		atomic_store(&z, 1);
	return unused;
}

static void *s(void *unused)
{
	if (atomic_load(&z) && !atomic_load(&y))
		atomic_store(&x, 2);
	return unused;
}

int main(void)
{
#ifdef BACKWARDS
	void *(*const all[])(void *) = {s, r, q, p};
#else
	void *(*const all[])(void *) = {p, q, r, s};
#endif
	pthread_t threads[4];

	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, all[i], NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
