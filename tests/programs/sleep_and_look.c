// Loops that sleep and look again: where nobody looks at a clock, to sleep brings a thread nowhere.
// (From sources each time, so with flags of their own: then the search may turn to states.)
//   CASE 1: the lock is given back while it sleeps      2: it looks through a function that writes to a variable
//   CASE 3: the loop has two ways in                    4: nobody sets it
//   CASE 5: somebody looks at a clock
// expect: - verified executions=3 [cc: -DCASE=1]
// expect: - verified executions=3 [cc: -DCASE=1 -DONCE_MORE] [options: --seed=1]
// expect: - verified executions=3 [cc: -DCASE=1] [options: --stateful]
// expect: - verified executions=2 [cc: -DCASE=2]
// expect: - verified executions=2 [cc: -DCASE=2 -DONCE_MORE] [options: --seed=1]
// expect: - verified executions=2 [cc: -DCASE=3]
// expect: - verified executions=2 [cc: -DCASE=3 -DONCE_MORE] [options: --seed=1]
// expect: - bug=livelock executions=3 [cc: -DCASE=4]
// expect: - bug=livelock executions=3 [cc: -DCASE=4] [options: --stateful]
// expect: - bug=assertion executions=2 line=@later [cc: -DCASE=5] [options: --max-time=20]
#include <assert.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int ready;

static void look(int *seen)
{
	pthread_mutex_lock(&mutex);
	*seen = ready;
	pthread_mutex_unlock(&mutex);
}

static void *wait_for_it(void *unused)
{
	int seen = 0;

#if CASE == 2 || CASE == 4
	do {
		usleep(10);
		look(&seen);
	} while (!seen);
#elif CASE == 3
	goto inside;
	while (!seen) {
		usleep(10);
	inside:
		look(&seen);
	}
#else
	time_t began = CASE == 5 ? time(NULL) : 0;
	pthread_mutex_lock(&mutex);
	while (!ready) {
		pthread_mutex_unlock(&mutex);
		sleep(1);
		pthread_mutex_lock(&mutex);
	}
	pthread_mutex_unlock(&mutex);
	assert(CASE != 5 || time(NULL) < began + 1); // @later
#endif
	(void)seen, (void)look;
	return unused;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, wait_for_it, NULL);
	pthread_mutex_lock(&mutex);
	ready = CASE != 4;
	pthread_mutex_unlock(&mutex);
	pthread_join(thread, NULL);
}
