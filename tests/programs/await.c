// Flags that are waited for.  Which of the values that a flag had a thread would have gone on with decides before which
// writes it could have come: one execution for each.
// expect: optimal verified executions=1 fork
// expect: all verified executions=1 [options: --awaits]
// expect: optimal verified executions=3 [cc: -DVALUES=3]
// expect: source verified executions=3 blocked=0 [cc: -DVALUES=3]
// expect: dpor verified executions=3 blocked=0 [cc: -DVALUES=3]
// expect: all verified executions=6 [cc: -DVALUES=3] [options: --awaits]
// expect: optimal verified executions=2 [cc: -DODD]
// expect: all verified executions=4 [cc: -DODD] [options: --awaits]
// expect: all verified executions=3 blocked=1
// expect: all verified executions=15 blocked=4 [cc: -DODD]
// expect: optimal bug=livelock executions=1 line=@look replay [cc: -DNEVER]
// expect: optimal bug=race executions=1 blocked=1 line=@plain [cc: -DPLAIN] [options: --keep-going]
#include <pthread.h>
#include <stdatomic.h>

#ifndef VALUES
#define VALUES 1
#endif

#ifdef PLAIN
static int flag;
#define get() flag
#define set(value) (flag = (value))
#else
static atomic_int flag;
#define get() atomic_load(&flag)
#define set(value) atomic_store(&flag, value)
#endif

static int went_on(void)
{
#ifdef NEVER
	return get() == -1; // @look
#elif defined ODD
	return get() % 2; /* once between the two, once after */
#else
	return get();
#endif
}

static void *wait_for_it(void *unused)
{
	while (!went_on())
		;
	return unused;
}

static void *announce(void *unused)
{
	for (int i = 1; i <= VALUES; i++)
		set(i); // @plain
#ifdef ODD
	set(2);
	set(3);
#endif
	return unused;
}

int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, wait_for_it, NULL);
	pthread_create(&threads[1], NULL, announce, NULL);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	return 0;
}
