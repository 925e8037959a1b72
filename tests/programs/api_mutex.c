// Mutexes of all kinds: what lock, trylock and unlock say, and what must not be done.
// covers: pthread_mutex_init pthread_mutex_destroy pthread_mutex_lock pthread_mutex_trylock pthread_mutex_unlock
// misuse: pthread_mutex_init pthread_mutex_destroy pthread_mutex_lock pthread_mutex_trylock pthread_mutex_unlock
// expect: source verified executions=6 [args: exclusion]
// expect: dpor verified executions=6 [args: exclusion]
// expect: all verified executions=14 [args: exclusion]
// expect: source verified executions=4 [args: kinds]
// expect: dpor verified executions=4 [args: kinds]
// expect: all verified executions=4 [args: kinds]
// expect: source bug=lock executions=1 [args: recursive]
// expect: dpor bug=lock executions=1 [args: recursive]
// expect: all bug=lock executions=1 [args: recursive]
// expect: source verified executions=1 [args: error_checking]
// expect: dpor verified executions=1 [args: error_checking]
// expect: all verified executions=1 [args: error_checking]
// expect: source verified executions=4 [args: try_lock]
// expect: dpor verified executions=4 blocked=2 [args: try_lock]
// expect: all verified executions=10 [args: try_lock]
// expect: source bug=exit executions=3 [args: try_lock_both] [options: --keep-going]
// expect: dpor bug=exit executions=3 [args: try_lock_both] [options: --keep-going]
// expect: all bug=exit executions=3 [args: try_lock_both] [options: --keep-going]
// expect: source verified executions=1 [args: reuse]
// expect: source bug=deadlock,lock executions=1 [args: owner_ends] line=@owner_ends
// expect: dpor bug=deadlock,lock executions=1 [args: owner_ends] line=@owner_ends
// expect: all bug=deadlock,lock executions=1 [args: owner_ends] line=@owner_ends
// expect: source bug=lock executions=4 [args: destroy_race] [options: --keep-going] line=@destroy_race [says: that is held]
// expect: dpor bug=lock executions=4 [args: destroy_race] [options: --keep-going] line=@destroy_race [says: that is held]
// expect: all bug=lock executions=6 [args: destroy_race] [options: --keep-going] line=@destroy_race [says: that is held]
// expect: source bug=deadlock executions=1 line=@relock_normal [args: relock_normal]
// expect: source bug=deadlock executions=1 line=@relock_adaptive [args: relock_adaptive]
// expect: source bug=lock executions=1 line=@unlock_unlocked [args: unlock_unlocked] [says: does not hold]
// expect: source bug=lock executions=1 line=@unlock_others [args: unlock_others] [says: does not hold]
// expect: source bug=lock executions=1 line=@destroy_held [args: destroy_held] [says: that is held]
// expect: source bug=lock executions=1 line=@destroy_destroyed [args: destroy_destroyed] [says: pthread_mutex_destroy of a mutex that was destroyed]
// expect: source bug=lock executions=1 line=@lock_destroyed [args: lock_destroyed] [says: pthread_mutex_lock of a mutex that was destroyed]
// expect: source bug=lock executions=1 line=@trylock_destroyed [args: trylock_destroyed] [says: pthread_mutex_trylock of a mutex that was destroyed]
// expect: source bug=lock executions=1 line=@unlock_destroyed [args: unlock_destroyed] [says: pthread_mutex_unlock of a mutex that was destroyed]
// expect: source bug=lock executions=1 line=@init_twice [args: init_twice] [says: initialised already]
// expect: source bug=lock executions=1 line=@init_held [args: init_held] [says: does not hold]
// expect: source bug=lock executions=1 line=@lock_garbage [args: lock_garbage] [says: pthread_mutex_lock of a mutex that was never initialised]
// expect: source bug=lock executions=1 line=@trylock_garbage [args: trylock_garbage] [says: pthread_mutex_trylock of a mutex that was never initialised]
// expect: source bug=lock executions=1 line=@unlock_garbage [args: unlock_garbage] [says: pthread_mutex_unlock of a mutex that was never initialised]
// expect: source bug=lock executions=1 line=@destroy_garbage [args: destroy_garbage] [says: pthread_mutex_destroy of a mutex that was never initialised]
// expect: source bug=crash executions=1 line=@init_null [args: init_null]
// expect: source bug=crash executions=1 line=@lock_null [args: lock_null]
// expect: source bug=crash executions=1 line=@trylock_null [args: trylock_null]
// expect: source bug=crash executions=1 line=@unlock_null [args: unlock_null]
// expect: source bug=crash executions=1 line=@destroy_null [args: destroy_null]
// expect: source bug=crash executions=1 line=@init_bad_attributes [args: init_bad_attributes]
// expect: source verified executions=1 [args: garbage_attributes]
// expect: source verified executions=1 [args: reuse_of_freed]
#include "api.h"

#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t recursive_mutex = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_mutex_t checking_mutex = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static pthread_mutex_t adaptive_mutex = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP;
static int word;

static void *increment(void *argument)
{
	pthread_mutex_t *lock = argument;

	assert(pthread_mutex_lock(lock) == 0);
	word++;
	assert(pthread_mutex_unlock(lock) == 0);
	return NULL;
}

CASE(exclusion)
{
	pthread_t first = start(increment, &mutex), second = start(increment, &mutex);

	increment(&mutex);
	finish(first);
	finish(second);
	assert(word == 3);
}

static void use_kind(int kind)
{
	pthread_mutexattr_t attributes;
	pthread_mutex_t lock;

	assert(pthread_mutexattr_init(&attributes) == 0);
	assert(pthread_mutexattr_settype(&attributes, kind) == 0);
	assert(pthread_mutex_init(&lock, &attributes) == 0);
	assert(pthread_mutexattr_destroy(&attributes) == 0);
	pthread_t thread = start(increment, &lock);
	increment(&lock);
	finish(thread);
	assert(pthread_mutex_destroy(&lock) == 0);
}

CASE(kinds)
{
	use_kind(PTHREAD_MUTEX_NORMAL);
	use_kind(PTHREAD_MUTEX_ERRORCHECK);
	assert(word == 4);
}

static void *try_recursive(void *argument)
{
	return (void *)(long)pthread_mutex_trylock(argument);
}

CASE(recursive)
{
	for (int i = 0; i < 3; i++)
		assert(pthread_mutex_lock(&recursive_mutex) == 0);
	assert(pthread_mutex_trylock(&recursive_mutex) == 0);
	for (int i = 0; i < 4; i++) {
		assert(finish(start(try_recursive, &recursive_mutex)) == (void *)EBUSY);
		assert(pthread_mutex_unlock(&recursive_mutex) == 0);
	}
	assert(pthread_mutex_unlock(&recursive_mutex) == EPERM);
	assert(finish(start(try_recursive, &recursive_mutex)) == NULL); /* and it keeps it */
	assert(pthread_mutex_unlock(&recursive_mutex) == EPERM);
	assert(pthread_mutex_trylock(&recursive_mutex) == EBUSY);
}

static void *unlock_others_checked(void *unused)
{
	assert(pthread_mutex_unlock(&checking_mutex) == EPERM);
	return unused;
}

CASE(error_checking)
{
	assert(pthread_mutex_unlock(&checking_mutex) == EPERM);
	assert(pthread_mutex_lock(&checking_mutex) == 0);
	assert(pthread_mutex_lock(&checking_mutex) == EDEADLK);
	assert(pthread_mutex_trylock(&checking_mutex) == EBUSY);
	finish(start(unlock_others_checked, NULL));
	assert(pthread_mutex_unlock(&checking_mutex) == 0);
	finish(start(unlock_others_checked, NULL));
}

static void *try_increment(void *unused)
{
	int error = pthread_mutex_trylock(&mutex);

	assert(error == 0 || error == EBUSY);
	if (!error) {
		word++;
		assert(pthread_mutex_trylock(&mutex) == EBUSY);
		assert(pthread_mutex_unlock(&mutex) == 0);
	}
	(void)unused;
	return (void *)(long)error;
}

CASE(try_lock)
{
	pthread_t thread = start(try_increment, NULL);
	int tried = try_increment(NULL) == NULL;

	tried += finish(thread) == NULL;
	assert(tried == word && word >= 1);
}

CASE(try_lock_both)
{
	pthread_t thread = start(increment, &mutex);
	int error = pthread_mutex_trylock(&mutex);

	if (!error)
		pthread_mutex_unlock(&mutex);
	finish(thread);
	exit(error == EBUSY);
}

CASE(reuse)
{
	pthread_mutex_t *lock = malloc(sizeof *lock);

	for (int i = 0; i < 2; i++) {
		assert(pthread_mutex_init(lock, NULL) == 0);
		increment(lock);
		assert(pthread_mutex_destroy(lock) == 0);
	}
	assert(pthread_mutex_destroy(&mutex) == 0);
	assert(pthread_mutex_init(&mutex, NULL) == 0);
	increment(&mutex);
	free(lock);
}

/* A block that was freed with a mutex in it is a new block when it comes again. */
CASE(reuse_of_freed)
{
	for (int i = 0; i < 3; i++) {
		pthread_mutex_t *lock = malloc(sizeof *lock);
		assert(pthread_mutex_init(lock, NULL) == 0);
		free(lock);
	}
}

static void *lock_and_end(void *unused)
{
	pthread_mutex_lock(&mutex);
	return unused;
}

CASE(owner_ends)
{
	finish(start(lock_and_end, NULL));
	pthread_mutex_lock(&mutex); // @owner_ends
}

static void *tell_locked(void *unused)
{
	pthread_mutex_lock(&mutex);
	__atomic_store_n(&word, 1, __ATOMIC_SEQ_CST);
	pthread_mutex_unlock(&mutex);
	return unused;
}

/* Told before it was unlocked: that the mutex is free is not known yet. */
CASE(destroy_race)
{
	pthread_t thread = start(tell_locked, NULL);

	if (!__atomic_load_n(&word, __ATOMIC_SEQ_CST))
		finish(thread);
	pthread_mutex_destroy(&mutex); // @destroy_race
}

static pthread_mutex_t *destroyed(void)
{
	pthread_mutex_destroy(&mutex);
	return &mutex;
}

static pthread_mutex_t *garbage(void)
{
	return memset(&mutex, 0xff, sizeof mutex);
}

static pthread_mutex_t *held(pthread_mutex_t *lock)
{
	pthread_mutex_lock(lock);
	return lock;
}

static pthread_mutex_t *held_by_another(void)
{
	finish(start(lock_and_end, NULL));
	return &mutex;
}

static pthread_mutex_t *initialised(void)
{
	pthread_mutex_init(&mutex, NULL);
	return &mutex;
}

MISUSE(relock_normal, pthread_mutex_lock(held(&mutex))); // @relock_normal
MISUSE(relock_adaptive, pthread_mutex_lock(held(&adaptive_mutex))); // @relock_adaptive
MISUSE(unlock_unlocked, pthread_mutex_unlock(&mutex)); // @unlock_unlocked
MISUSE(unlock_others, pthread_mutex_unlock(held_by_another())); // @unlock_others
MISUSE(destroy_held, pthread_mutex_destroy(held(&recursive_mutex))); // @destroy_held
MISUSE(destroy_destroyed, pthread_mutex_destroy(destroyed())); // @destroy_destroyed
MISUSE(lock_destroyed, pthread_mutex_lock(destroyed())); // @lock_destroyed
MISUSE(trylock_destroyed, pthread_mutex_trylock(destroyed())); // @trylock_destroyed
MISUSE(unlock_destroyed, pthread_mutex_unlock(destroyed())); // @unlock_destroyed
MISUSE(init_twice, pthread_mutex_init(initialised(), NULL)); // @init_twice
MISUSE(init_held, pthread_mutex_init(held(&mutex), NULL); pthread_mutex_unlock(&mutex)); // @init_held
MISUSE(lock_garbage, pthread_mutex_lock(garbage())); // @lock_garbage
MISUSE(trylock_garbage, pthread_mutex_trylock(garbage())); // @trylock_garbage
MISUSE(unlock_garbage, pthread_mutex_unlock(garbage())); // @unlock_garbage
MISUSE(destroy_garbage, pthread_mutex_destroy(garbage())); // @destroy_garbage
MISUSE(init_null, pthread_mutex_init(NULL, NULL)); // @init_null
MISUSE(lock_null, pthread_mutex_lock(NULL)); // @lock_null
MISUSE(trylock_null, pthread_mutex_trylock(NULL)); // @trylock_null
MISUSE(unlock_null, pthread_mutex_unlock(NULL)); // @unlock_null
MISUSE(destroy_null, pthread_mutex_destroy(NULL)); // @destroy_null
MISUSE(init_bad_attributes, pthread_mutex_init(&mutex, (void *)8)); // @init_bad_attributes

CASE(garbage_attributes)
{
	pthread_mutexattr_t attributes;

	memset(&attributes, 0xff, sizeof attributes);
	assert(pthread_mutex_init(&mutex, &attributes) == EINVAL);
}
