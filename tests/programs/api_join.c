// Joining without waiting, and joining with a time limit.
// covers: pthread_tryjoin_np pthread_timedjoin_np pthread_clockjoin_np
// misuse: pthread_tryjoin_np pthread_timedjoin_np pthread_clockjoin_np
// expect: source verified executions=2 [args: try_join]
// expect: dpor verified executions=2 [args: try_join]
// expect: all verified executions=6 [args: try_join]
// expect: source bug=exit executions=5 [args: try_join_both] [options: --keep-going]
// expect: dpor bug=exit executions=5 [args: try_join_both] [options: --keep-going]
// expect: all bug=exit executions=10 [args: try_join_both] [options: --keep-going]
// expect: source verified executions=2 [args: timed_join]
// expect: dpor verified executions=2 [args: timed_join]
// expect: all verified executions=6 [args: timed_join]
// expect: source bug=exit executions=5 [args: timed_join_both] [options: --keep-going]
// expect: dpor bug=exit executions=5 [args: timed_join_both] [options: --keep-going]
// expect: all bug=exit executions=10 [args: timed_join_both] [options: --keep-going]
// expect: source verified executions=1 [args: timed_join_both] [options: --timeouts=never]
// expect: dpor verified executions=1 [args: timed_join_both] [options: --timeouts=never]
// expect: all verified executions=1 [args: timed_join_both] [options: --timeouts=never]
// expect: source verified executions=1 [args: timed_join_both] [options: --timeouts=last-resort]
// expect: dpor verified executions=1 [args: timed_join_both] [options: --timeouts=last-resort]
// expect: all verified executions=1 [args: timed_join_both] [options: --timeouts=last-resort]
// expect: source verified executions=1 [args: must_time_out] [options: --timeouts=last-resort]
// expect: dpor verified executions=1 [args: must_time_out] [options: --timeouts=last-resort]
// expect: all verified executions=1 [args: must_time_out] [options: --timeouts=last-resort]
// expect: source bug=deadlock executions=1 [args: must_time_out] [options: --timeouts=never]
// expect: dpor bug=deadlock executions=1 [args: must_time_out] [options: --timeouts=never]
// expect: all bug=deadlock executions=1 [args: must_time_out] [options: --timeouts=never]
// expect: source verified executions=2 [args: clock_join]
// expect: dpor verified executions=2 [args: clock_join]
// expect: all verified executions=6 [args: clock_join]
// expect: source verified executions=1 [args: errors]
// expect: source bug=lock executions=1 line=@try_unknown [args: try_unknown] [says: no thread]
// expect: source bug=lock executions=1 line=@timed_unknown [args: timed_unknown] [says: no thread]
// expect: source bug=lock executions=1 line=@clock_unknown [args: clock_unknown] [says: no thread]
// expect: source bug=lock executions=1 line=@try_twice [args: try_twice] [says: joined already]
// expect: source bug=lock executions=1 line=@timed_twice [args: timed_twice] [says: joined already]
// expect: source bug=lock executions=1 line=@clock_twice [args: clock_twice] [says: joined already]
// expect: source bug=lock executions=1 line=@try_detached [args: try_detached] [says: detached thread]
// expect: source bug=crash executions=5 line=@try_bad_result [args: try_bad_result]
// expect: source bug=crash executions=1 line=@timed_bad_time [args: timed_bad_time]
#include "api.h"

#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int word;

static void *work(void *argument)
{
	pthread_mutex_lock(&mutex);
	word++;
	pthread_mutex_unlock(&mutex);
	return argument;
}

CASE(try_join)
{
	pthread_t thread = start(work, &word);
	void *result = NULL;
	int error = pthread_tryjoin_np(thread, &result);

	assert(error == 0 || error == EBUSY);
	assert(error ? result == NULL : result == &word && word == 1);
	if (error)
		assert(finish(thread) == &word);
	assert(word == 1);
}

CASE(try_join_both)
{
	exit(pthread_tryjoin_np(start(work, NULL), NULL) == EBUSY);
}

CASE(timed_join)
{
	pthread_t thread = start(work, &word);
	struct timespec until = in_seconds(CLOCK_REALTIME, 1);
	void *result = NULL;
	int error = pthread_timedjoin_np(thread, &result, &until);

	assert(error == 0 || error == ETIMEDOUT);
	assert(error ? result == NULL : result == &word && word == 1);
	struct timespec now = in_seconds(CLOCK_REALTIME, 0);
	assert(!error || now.tv_sec > until.tv_sec || (now.tv_sec == until.tv_sec && now.tv_nsec >= until.tv_nsec));
	if (error)
		assert(finish(thread) == &word);
}

CASE(timed_join_both)
{
	struct timespec until = in_seconds(CLOCK_REALTIME, 1);

	exit(pthread_timedjoin_np(start(work, NULL), NULL, &until) == ETIMEDOUT);
}

/* The thread ends only after the time limit was reached. */
CASE(must_time_out)
{
	struct timespec until = in_seconds(CLOCK_REALTIME, 1);

	pthread_mutex_lock(&mutex);
	pthread_t thread = start(work, NULL);
	assert(pthread_timedjoin_np(thread, NULL, &until) == ETIMEDOUT);
	pthread_mutex_unlock(&mutex);
	finish(thread);
}

CASE(clock_join)
{
	pthread_t thread = start(work, &word);
	struct timespec until = in_seconds(CLOCK_MONOTONIC, 1);
	void *result = NULL;
	int error = pthread_clockjoin_np(thread, &result, CLOCK_MONOTONIC, &until);

	assert(error == 0 || error == ETIMEDOUT);
	if (error) /* without a time it is a join */
		assert(pthread_clockjoin_np(thread, &result, CLOCK_MONOTONIC, NULL) == 0);
	assert(result == &word && word == 1);
}

CASE(errors)
{
	struct timespec until = {0}, bad = {.tv_nsec = 1000000000};
	pthread_t self = pthread_self(), thread = start(work, NULL);

	assert(pthread_tryjoin_np(self, NULL) == EDEADLK);
	assert(pthread_timedjoin_np(self, NULL, &until) == EDEADLK);
	assert(pthread_clockjoin_np(self, NULL, CLOCK_MONOTONIC, &until) == EDEADLK);
	assert(pthread_timedjoin_np(thread, NULL, &bad) == EINVAL);
	assert(pthread_clockjoin_np(thread, NULL, CLOCK_THREAD_CPUTIME_ID, &until) == EINVAL);
	finish(thread);
}

static struct timespec never;

static pthread_t joined(void)
{
	pthread_t thread = start(work, NULL);

	finish(thread);
	return thread;
}

static pthread_t detached(void)
{
	pthread_t thread = start(work, NULL);

	pthread_detach(thread);
	return thread;
}

MISUSE(try_unknown, pthread_tryjoin_np(0, NULL)); // @try_unknown
MISUSE(timed_unknown, pthread_timedjoin_np(0, NULL, &never)); // @timed_unknown
MISUSE(clock_unknown, pthread_clockjoin_np(0, NULL, CLOCK_MONOTONIC, &never)); // @clock_unknown
MISUSE(try_twice, pthread_tryjoin_np(joined(), NULL)); // @try_twice
MISUSE(timed_twice, pthread_timedjoin_np(joined(), NULL, &never)); // @timed_twice
MISUSE(clock_twice, pthread_clockjoin_np(joined(), NULL, CLOCK_REALTIME, &never)); // @clock_twice
MISUSE(try_detached, pthread_tryjoin_np(detached(), NULL)); // @try_detached
MISUSE(try_bad_result, pthread_tryjoin_np(start(work, NULL), (void **)8)); // @try_bad_result
MISUSE(timed_bad_time, pthread_timedjoin_np(start(work, NULL), NULL, (void *)8)); // @timed_bad_time
