// Two threads call exit: the first one runs the handlers, each once, and the other waits for the end of the process.
// expect: optimal verified executions=2 [cc: -DONCE] fork
// expect: source verified executions=2 [cc: -DONCE]
// expect: dpor verified executions=2 [cc: -DONCE]
// expect: all verified executions=2 [cc: -DONCE]
// expect: - verified executions=2 [cc: -DONCE] [options: --stateful --exact-states]
// expect: - verified executions=2 [cc: -DONCE] [options: --seed=5]
// expect: - verified executions=2 [cc: -DONCE] [options: --jobs=2]
// expect: - bug=exit executions=2 [cc: -DSTATUS] [options: --keep-going] replay
// expect: - bug=deadlock executions=4 [cc: -DJOIN] line=@wait [options: --keep-going] replay [says: the thread that called exit first does not come to it]
// expect: - verified executions=1 [cc: -DAGAIN]
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifdef STATUS
#define OTHER_STATUS 1
#else
#define OTHER_STATUS 0
#endif

static atomic_int runs;
#ifdef JOIN
static _Atomic pthread_t other;
#endif

static void handler(void)
{
	runs++;
	assert(runs == 1);
#ifdef JOIN
	pthread_t thread = other;
	if (thread && !pthread_equal(pthread_self(), thread))
		pthread_join(thread, NULL);
#endif
#ifdef AGAIN
	exit(0); // the handlers that are left are still to be run
#endif
}

static void *end(void *unused)
{
#ifndef AGAIN
	exit(OTHER_STATUS); // @wait
#endif
	return unused;
}

int main(void)
{
	pthread_t thread;

	atexit(handler);
	pthread_create(&thread, NULL, end, NULL);
#ifdef JOIN
	other = thread;
#endif
	return 0;
}
