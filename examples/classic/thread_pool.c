/*
 * A thread pool: workers take jobs out of a queue until the pool is shut down.
 *
 * Correct: shutting down wakes all workers.
 * Fault:   it wakes one, as submitting a job does.  If two workers sleep at that moment, one
 *          sleeps for ever and main waits for it in pthread_join: a deadlock that depends on timing.
 *
 *     inspect check examples/classic/thread_pool.c
 *     inspect check -DFAULTY examples/classic/thread_pool.c
 */
// expect: source verified executions=20 fork [cc: -DWORKERS=1 -DJOBS=2]
// expect: source verified executions=104 [cc: -DWORKERS=2 -DJOBS=1]
// expect: source verified executions=1176 [cc: -DWORKERS=2 -DJOBS=2]
// expect: dpor verified executions=20 [cc: -DWORKERS=1 -DJOBS=2]
// expect: dpor verified executions=104 [cc: -DWORKERS=2 -DJOBS=1]
// expect: dpor verified executions=1176 [cc: -DWORKERS=2 -DJOBS=2]
// expect: all verified executions=34 [cc: -DWORKERS=1 -DJOBS=1]
// expect: all verified executions=13592 [cc: -DWORKERS=2 -DJOBS=1]
// expect: source verified executions=20 [cc: -DFAULTY -DWORKERS=1 -DJOBS=2]
// expect: source bug=deadlock executions=11 line=@sleep replay [cc: -DFAULTY]
// expect: source bug=deadlock executions=104 line=@sleep [cc: -DFAULTY -DJOBS=1] [options: --keep-going]
// expect: source bug=deadlock executions=1176 line=@sleep [cc: -DFAULTY] [options: --keep-going]
// expect: dpor bug=deadlock executions=104 line=@sleep [cc: -DFAULTY -DJOBS=1] [options: --keep-going]
// expect: all bug=deadlock executions=12640 line=@sleep [cc: -DFAULTY -DJOBS=1] [options: --keep-going]
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#ifndef WORKERS
#define WORKERS 2
#endif
#ifndef JOBS
#define JOBS 2
#endif

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER;
static int queue[JOBS], head, tail;
static bool closed;
static int done[JOBS];

static bool take(int *job)
{
	bool found;

	pthread_mutex_lock(&mutex);
	while (head == tail && !closed)
		pthread_cond_wait(&work, &mutex); // @sleep
	found = head != tail;
	if (found)
		*job = queue[head++];
	pthread_mutex_unlock(&mutex);
	return found;
}

static void submit(int job)
{
	pthread_mutex_lock(&mutex);
	queue[tail++] = job;
	pthread_cond_signal(&work);
	pthread_mutex_unlock(&mutex);
}

static void shut_down(void)
{
	pthread_mutex_lock(&mutex);
	closed = true;
#ifdef FAULTY
	pthread_cond_signal(&work);
#else
	pthread_cond_broadcast(&work);
#endif
	pthread_mutex_unlock(&mutex);
}

static void *worker(void *unused)
{
	int job;

	while (take(&job))
		done[job]++; /* nobody else has this job */
	return unused;
}

int main(void)
{
	pthread_t workers[WORKERS];

	for (int i = 0; i < WORKERS; i++)
		pthread_create(&workers[i], NULL, worker, NULL);
	for (int i = 0; i < JOBS; i++)
		submit(i);
	shut_down();
	for (int i = 0; i < WORKERS; i++)
		pthread_join(workers[i], NULL);
	for (int i = 0; i < JOBS; i++)
		assert(done[i] == 1);
	return 0;
}
