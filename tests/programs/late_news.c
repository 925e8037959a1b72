// A bug is found, and only then, in another interleaving, the program does what it was not known to do: the search starts
// again, with more visible operations and so many more executions that it is stopped before it gets there once more.  What was
// found stays, and can be replayed.
//   CASE 1: a data race, then main ends before the process
//   CASE 2: an assertion that fails, then the same
//   CASE 3: a deadlock of two threads, then the same
//   CASE 4: the assertion fails in the very execution in which main ends before the process
//   CASE 5: the same with a variable on main's stack that another thread writes to in no other execution
//   CASE 6: the same with a thread that asks whether another one has ended
//   CASE 7: a data race on such a variable
// expect: - bug=race executions=20 line=@race replay [cc: -DCASE=1] [options: --keep-going --max-executions=20]
// expect: - bug=race executions=69 line=@race replay [cc: -DCASE=1] [options: --keep-going]
// expect: - bug=race executions=3 line=@race replay [cc: -DCASE=1]
// expect: - bug=race executions=20 line=@race replay [cc: -DCASE=1] [options: --keep-going --max-executions=20 --checkpoints=1]
// expect: - bug=assertion executions=20 line=@assertion replay [cc: -DCASE=2] [options: --keep-going --max-executions=20]
// expect: - bug=deadlock executions=20 line=@stuck replay [cc: -DCASE=3] [options: --keep-going --max-executions=20]
// expect: - bug=assertion executions=20 line=@late replay [cc: -DCASE=4] [options: --keep-going --max-executions=20]
// expect: - bug=assertion executions=4 line=@late replay [cc: -DCASE=4]
// expect: - bug=assertion executions=4 line=@written replay [cc: -DCASE=5]
// expect: - bug=assertion executions=10 line=@written replay [cc: -DCASE=5] [options: --keep-going]
// expect: - bug=assertion executions=5 line=@asked replay [cc: -DCASE=6]
// expect: - bug=assertion executions=320 line=@asked replay [cc: -DCASE=6] [options: --keep-going]
// expect: - bug=race executions=4 line=@local replay [cc: -DCASE=7]
// expect: - bug=race executions=5 line=@local replay [cc: -DCASE=7] [options: --keep-going]
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { IDLE = 4 };

static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER, right = PTHREAD_MUTEX_INITIALIZER;
static atomic_int first, second, late;
static int shared, *local;
static pthread_t beginner;

static void both(pthread_mutex_t *one, pthread_mutex_t *other)
{
	pthread_mutex_lock(one);
	pthread_mutex_lock(other); // @stuck
	pthread_mutex_unlock(other);
	pthread_mutex_unlock(one);
}

static void *begin(void *unused)
{
	atomic_store(&first, 1);
	if (CASE == 1)
		shared = 1; // @race
	if (CASE == 3)
		both(&left, &right);
	return unused;
}

static void *follow(void *unused)
{
	atomic_store(&second, 1);
	return unused;
}

/* By default both have been set; the first is unset in later executions, and only after those neither is set. */
static void *look(void *unused)
{
	int before_first = !atomic_load(&first), before_second = !atomic_load(&second);

	if (before_first && !before_second) {
		if (CASE == 1)
			shared = 2; // @race
		assert(CASE != 2); // @assertion
		if (CASE == 3)
			both(&right, &left);
	}
	if (!before_first || !before_second)
		return unused;
	if (CASE == 5) {
		*local = 1;
		assert(*local != 1); // @written
	}
	if (CASE == 6) {
		int error = pthread_tryjoin_np(beginner, NULL);
		assert(error == 0); // @asked
	}
	if (CASE == 7)
		*local = 1; // @local
	if (CASE < 5)
		atomic_store(&late, 1);
	return unused;
}

static void *idle(void *unused)
{
	return unused;
}

static void *outlive(void *main_thread)
{
	pthread_join(*(pthread_t *)main_thread, NULL);
	assert(CASE != 4); // @late
	return NULL;
}

int main(void)
{
	static void *(*const functions[])(void *) = {begin, follow, look, idle, idle, idle, CASE == 4 ? outlive : idle};
	static pthread_t self;
	int mine = 0;
	pthread_t threads[3 + IDLE];

	self = pthread_self();
	local = &mine;
	for (int i = 0; i < 3 + IDLE; i++)
		pthread_create(i ? &threads[i] : &beginner, NULL, functions[i], &self);
	if (CASE == 7)
		mine = 2; // @local
	for (int i = CASE == 6; i < 3; i++)
		pthread_join(i ? threads[i] : beginner, NULL);
	if (atomic_load(&late))
		pthread_exit(NULL);
	return 0;
}
