// Robust mutexes: the owner ends, the next one repairs it or nobody can have it any more.
// covers: pthread_mutex_consistent pthread_mutexattr_setrobust
// misuse: pthread_mutex_consistent
// expect: source verified executions=1 [args: owner_died]
// expect: dpor verified executions=1 [args: owner_died]
// expect: all verified executions=1 [args: owner_died]
// expect: source verified executions=4 [args: not_recoverable]
// expect: dpor verified executions=4 [args: not_recoverable]
// expect: all verified executions=10 [args: not_recoverable]
// expect: source verified executions=1 [args: error_codes]
// expect: dpor verified executions=1 [args: error_codes]
// expect: all verified executions=1 [args: error_codes]
// expect: source verified executions=2 [args: repaired_by_one]
// expect: dpor verified executions=2 [args: repaired_by_one]
// expect: all verified executions=5 [args: repaired_by_one]
// expect: source verified executions=2 [args: died_while_others_wait]
// expect: dpor verified executions=2 [args: died_while_others_wait]
// expect: all verified executions=2 [args: died_while_others_wait]
// expect: source verified executions=1 [args: two_held]
// expect: dpor verified executions=1 [args: two_held]
// expect: all verified executions=1 [args: two_held]
// expect: source bug=assertion executions=2 [args: forgotten_check] [options: --keep-going] line=@forgotten_check
// expect: dpor bug=assertion executions=2 [args: forgotten_check] [options: --keep-going] line=@forgotten_check
// expect: all bug=assertion executions=2 [args: forgotten_check] [options: --keep-going] line=@forgotten_check
// expect: source verified executions=1 [args: consistent_errors]
// expect: source bug=crash executions=1 line=@consistent_null [args: consistent_null]
// expect: source bug=lock executions=1 line=@consistent_destroyed [args: consistent_destroyed] [says: was destroyed]
// expect: source bug=lock executions=1 line=@consistent_garbage [args: consistent_garbage] [says: never initialised]
// expect: source bug=assertion executions=8 [args: lost_is_not_held] [options: --keep-going] line=@lost_is_not_held
// expect: dpor bug=assertion executions=8 [args: lost_is_not_held] [options: --keep-going] line=@lost_is_not_held
// expect: all bug=assertion executions=13 [args: lost_is_not_held] [options: --keep-going] line=@lost_is_not_held
#include "api.h"

static pthread_mutex_t mutex, other;
static int word;

static void make(pthread_mutex_t *lock, int type)
{
	pthread_mutexattr_t attributes;
	int robust;

	assert(pthread_mutexattr_init(&attributes) == 0);
	assert(pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST) == 0);
	assert(pthread_mutexattr_getrobust(&attributes, &robust) == 0 && robust == PTHREAD_MUTEX_ROBUST);
	assert(pthread_mutexattr_settype(&attributes, type) == 0);
	assert(pthread_mutex_init(lock, &attributes) == 0);
}

static void *lock_and_end(void *unused)
{
	assert(pthread_mutex_lock(&mutex) == 0);
	word++;
	return unused;
}

CASE(owner_died)
{
	make(&mutex, PTHREAD_MUTEX_NORMAL);
	finish(start(lock_and_end, NULL));
	assert(pthread_mutex_lock(&mutex) == EOWNERDEAD);
	assert(pthread_mutex_consistent(&mutex) == 0);
	assert(pthread_mutex_unlock(&mutex) == 0);
	assert(pthread_mutex_lock(&mutex) == 0);
	assert(pthread_mutex_unlock(&mutex) == 0);
	finish(start(lock_and_end, NULL));
	assert(pthread_mutex_trylock(&mutex) == EOWNERDEAD);
	assert(pthread_mutex_consistent(&mutex) == 0);
	assert(pthread_mutex_unlock(&mutex) == 0);
	assert(pthread_mutex_destroy(&mutex) == 0);
	assert(word == 2);
}

static void *find_it_lost(void *unused)
{
	assert(pthread_mutex_lock(&mutex) == ENOTRECOVERABLE);
	assert(pthread_mutex_trylock(&mutex) == ENOTRECOVERABLE);
	return unused;
}

CASE(not_recoverable)
{
	make(&mutex, PTHREAD_MUTEX_NORMAL);
	finish(start(lock_and_end, NULL));
	assert(pthread_mutex_lock(&mutex) == EOWNERDEAD);
	assert(pthread_mutex_unlock(&mutex) == 0);
	pthread_t first = start(find_it_lost, NULL), second = start(find_it_lost, NULL);
	finish(first);
	finish(second);
	assert(pthread_mutex_destroy(&mutex) == 0);
}

/* Nobody holds what is lost: the others come in between. */
static void *write_twice(void *unused)
{
	assert(pthread_mutex_lock(&mutex) == ENOTRECOVERABLE);
	__atomic_store_n(&word, 1, __ATOMIC_SEQ_CST);
	__atomic_store_n(&word, 2, __ATOMIC_SEQ_CST);
	return unused;
}

CASE(lost_is_not_held)
{
	make(&mutex, PTHREAD_MUTEX_NORMAL);
	finish(start(lock_and_end, NULL));
	word = 0;
	assert(pthread_mutex_lock(&mutex) == EOWNERDEAD && pthread_mutex_unlock(&mutex) == 0);
	pthread_t thread = start(write_twice, NULL);
	assert(pthread_mutex_lock(&mutex) == ENOTRECOVERABLE);
	assert(__atomic_load_n(&word, __ATOMIC_SEQ_CST) != 1); // @lost_is_not_held
	finish(thread);
}

/* An owner that dies in EOWNERDEAD leaves it as it was; a recursive one forgets its count. */
static void *inherit_and_end(void *unused)
{
	assert(pthread_mutex_lock(&mutex) == EOWNERDEAD);
	assert(pthread_mutex_lock(&mutex) == 0);
	return unused;
}

CASE(error_codes)
{
	make(&mutex, PTHREAD_MUTEX_RECURSIVE);
	assert(pthread_mutex_unlock(&mutex) == EPERM);
	finish(start(lock_and_end, NULL));
	finish(start(inherit_and_end, NULL));
	assert(pthread_mutex_lock(&mutex) == EOWNERDEAD);
	assert(pthread_mutex_lock(&mutex) == 0);
	assert(pthread_mutex_consistent(&mutex) == 0);
	assert(pthread_mutex_unlock(&mutex) == 0);
	assert(pthread_mutex_unlock(&mutex) == 0);
	assert(pthread_mutex_unlock(&mutex) == EPERM);
}

static int repaired;

static void *lock_or_repair(void *unused)
{
	int error = pthread_mutex_lock(&mutex);

	assert(error == 0 || error == EOWNERDEAD);
	if (error) {
		repaired++;
		assert(pthread_mutex_consistent(&mutex) == 0);
	}
	assert(repaired == 1);
	assert(pthread_mutex_unlock(&mutex) == 0);
	return unused;
}

CASE(repaired_by_one)
{
	make(&mutex, PTHREAD_MUTEX_NORMAL);
	finish(start(lock_and_end, NULL));
	pthread_t first = start(lock_or_repair, NULL), second = start(lock_or_repair, NULL);
	finish(first);
	finish(second);
	assert(repaired == 1);
}

/* Whoever comes after the owner's end finds it so; who came before, does not. */
CASE(died_while_others_wait)
{
	make(&mutex, PTHREAD_MUTEX_NORMAL);
	pthread_t thread = start(lock_and_end, NULL);
	int error = pthread_mutex_lock(&mutex);

	assert(error == (word ? EOWNERDEAD : 0));
	if (error)
		assert(pthread_mutex_consistent(&mutex) == 0);
	assert(pthread_mutex_unlock(&mutex) == 0);
	finish(thread);
}

static void *lock_two_and_exit(void *unused)
{
	assert(pthread_mutex_lock(&mutex) == 0);
	assert(pthread_mutex_lock(&other) == 0);
	pthread_exit(unused);
}

CASE(two_held)
{
	make(&mutex, PTHREAD_MUTEX_NORMAL);
	make(&other, PTHREAD_MUTEX_ERRORCHECK);
	finish(start(lock_two_and_exit, NULL));
	assert(pthread_mutex_lock(&other) == EOWNERDEAD);
	assert(pthread_mutex_lock(&mutex) == EOWNERDEAD);
	assert(pthread_mutex_consistent(&other) == 0);
	assert(pthread_mutex_unlock(&mutex) == 0);
	assert(pthread_mutex_unlock(&other) == 0);
	assert(pthread_mutex_lock(&mutex) == ENOTRECOVERABLE);
	assert(pthread_mutex_lock(&other) == 0);
}

CASE(forgotten_check)
{
	make(&mutex, PTHREAD_MUTEX_NORMAL);
	pthread_t thread = start(lock_and_end, NULL);

	assert(pthread_mutex_lock(&mutex) == 0); // @forgotten_check
	assert(pthread_mutex_unlock(&mutex) == 0);
	finish(thread);
}

CASE(consistent_errors)
{
	static pthread_mutex_t normal = PTHREAD_MUTEX_INITIALIZER;

	make(&mutex, PTHREAD_MUTEX_NORMAL);
	assert(pthread_mutex_consistent(&normal) == EINVAL); /* not robust */
	assert(pthread_mutex_consistent(&mutex) == EINVAL); /* not held */
	assert(pthread_mutex_lock(&mutex) == 0);
	assert(pthread_mutex_consistent(&mutex) == EINVAL); /* nobody died */
	assert(pthread_mutex_unlock(&mutex) == 0);
	finish(start(lock_and_end, NULL));
	assert(pthread_mutex_consistent(&mutex) == EINVAL); /* not held yet */
}

static pthread_mutex_t *destroyed(void)
{
	make(&mutex, PTHREAD_MUTEX_NORMAL);
	pthread_mutex_destroy(&mutex);
	return &mutex;
}

MISUSE(consistent_null, pthread_mutex_consistent(NULL)); // @consistent_null
MISUSE(consistent_destroyed, pthread_mutex_consistent(destroyed())); // @consistent_destroyed
MISUSE(consistent_garbage, pthread_mutex_consistent(memset(&mutex, 0xff, sizeof mutex))); // @consistent_garbage
