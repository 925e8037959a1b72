// A blocked signal waits: harmless for ever, deadly as soon as it is unblocked, and gone with the execution.
// expect: source verified executions=2 fork [cc: -DUNBLOCK=0]
// expect: source bug=crash executions=2 [cc: -DUNBLOCK=1] [options: --keep-going] [says: SIGUSR1]
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

static atomic_int x;

static void *change(void *unused)
{
	x++;
	return unused;
}

int main(void)
{
	sigset_t set;
	pthread_t thread;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	pthread_create(&thread, NULL, change, NULL);
	raise(SIGUSR1);
	x++;
	pthread_join(thread, NULL);
	if (UNBLOCK)
		sigprocmask(SIG_UNBLOCK, &set, NULL);
	return 0;
}
