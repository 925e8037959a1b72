// Spin locks.
// covers: pthread_spin_init pthread_spin_destroy pthread_spin_lock pthread_spin_trylock pthread_spin_unlock
// misuse: pthread_spin_init pthread_spin_destroy pthread_spin_lock pthread_spin_trylock pthread_spin_unlock
// expect: source verified executions=6 [args: exclusion]
// expect: dpor verified executions=6 [args: exclusion]
// expect: all verified executions=14 [args: exclusion]
// expect: source bug=exit executions=3 [args: try_both] [options: --keep-going]
// expect: dpor bug=exit executions=3 [args: try_both] [options: --keep-going]
// expect: all bug=exit executions=3 [args: try_both] [options: --keep-going]
// expect: source verified executions=1 [args: errors]
// expect: source bug=deadlock executions=1 line=@relock [args: relock]
// expect: source bug=lock executions=1 line=@unlock_unlocked [args: unlock_unlocked] [says: does not hold]
// expect: source bug=lock executions=1 line=@unlock_others [args: unlock_others] [says: does not hold]
// expect: source bug=lock executions=1 line=@destroy_held [args: destroy_held] [says: that is held]
// expect: source bug=lock executions=1 line=@destroy_destroyed [args: destroy_destroyed] [says: was destroyed]
// expect: source bug=lock executions=1 line=@lock_destroyed [args: lock_destroyed] [says: was destroyed]
// expect: source bug=lock executions=1 line=@trylock_destroyed [args: trylock_destroyed] [says: was destroyed]
// expect: source bug=lock executions=1 line=@unlock_destroyed [args: unlock_destroyed] [says: was destroyed]
// expect: source bug=lock executions=1 line=@init_twice [args: init_twice] [says: initialised already]
// expect: source bug=lock executions=1 line=@lock_fresh [args: lock_fresh] [says: never initialised]
// expect: source bug=lock executions=1 line=@trylock_fresh [args: trylock_fresh] [says: never initialised]
// expect: source bug=lock executions=1 line=@unlock_fresh [args: unlock_fresh] [says: never initialised]
// expect: source bug=lock executions=1 line=@destroy_fresh [args: destroy_fresh] [says: never initialised]
// expect: source bug=lock executions=1 line=@lock_garbage [args: lock_garbage] [says: never initialised]
// expect: source bug=crash executions=1 line=@init_null [args: init_null]
// expect: source bug=crash executions=1 line=@lock_null [args: lock_null]
// expect: source bug=crash executions=1 line=@trylock_null [args: trylock_null]
// expect: source bug=crash executions=1 line=@unlock_null [args: unlock_null]
// expect: source bug=crash executions=1 line=@destroy_null [args: destroy_null]
#include "api.h"

#include <stdlib.h>

static pthread_spinlock_t spin;
static int word;

static void *increment(void *unused)
{
	assert(pthread_spin_lock(&spin) == 0);
	word++;
	assert(pthread_spin_unlock(&spin) == 0);
	return unused;
}

CASE(exclusion)
{
	assert(pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE) == 0);
	pthread_t first = start(increment, NULL), second = start(increment, NULL);
	increment(NULL);
	finish(first);
	finish(second);
	assert(word == 3);
	assert(pthread_spin_destroy(&spin) == 0);
	assert(pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE) == 0);
}

CASE(try_both)
{
	pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
	pthread_t thread = start(increment, NULL);
	int error = pthread_spin_trylock(&spin);

	assert(error == 0 || error == EBUSY);
	if (!error) {
		assert(pthread_spin_trylock(&spin) == EBUSY);
		assert(pthread_spin_unlock(&spin) == 0);
	}
	finish(thread);
	exit(error == EBUSY);
}

CASE(errors)
{
	assert(pthread_spin_init(&spin, 7) == EINVAL);
}

static pthread_spinlock_t *initialised(void)
{
	pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
	return &spin;
}

static pthread_spinlock_t *destroyed(void)
{
	pthread_spin_destroy(initialised());
	return &spin;
}

static pthread_spinlock_t *held(void)
{
	pthread_spin_lock(initialised());
	return &spin;
}

static void *lock_and_end(void *unused)
{
	pthread_spin_lock(&spin);
	return unused;
}

static pthread_spinlock_t *others(void)
{
	initialised();
	finish(start(lock_and_end, NULL));
	return &spin;
}

static pthread_spinlock_t *garbage(void)
{
	spin = -1;
	return &spin;
}

MISUSE(relock, pthread_spin_lock(held())); // @relock
MISUSE(unlock_unlocked, pthread_spin_unlock(initialised())); // @unlock_unlocked
MISUSE(unlock_others, pthread_spin_unlock(others())); // @unlock_others
MISUSE(destroy_held, pthread_spin_destroy(held())); // @destroy_held
MISUSE(destroy_destroyed, pthread_spin_destroy(destroyed())); // @destroy_destroyed
MISUSE(lock_destroyed, pthread_spin_lock(destroyed())); // @lock_destroyed
MISUSE(trylock_destroyed, pthread_spin_trylock(destroyed())); // @trylock_destroyed
MISUSE(unlock_destroyed, pthread_spin_unlock(destroyed())); // @unlock_destroyed
MISUSE(init_twice, pthread_spin_init(initialised(), 0)); // @init_twice
MISUSE(lock_fresh, pthread_spin_lock(&spin)); // @lock_fresh
MISUSE(trylock_fresh, pthread_spin_trylock(&spin)); // @trylock_fresh
MISUSE(unlock_fresh, pthread_spin_unlock(&spin)); // @unlock_fresh
MISUSE(destroy_fresh, pthread_spin_destroy(&spin)); // @destroy_fresh
MISUSE(lock_garbage, pthread_spin_lock(garbage())); // @lock_garbage
MISUSE(init_null, pthread_spin_init(NULL, 0)); // @init_null
MISUSE(lock_null, pthread_spin_lock(NULL)); // @lock_null
MISUSE(trylock_null, pthread_spin_trylock(NULL)); // @trylock_null
MISUSE(unlock_null, pthread_spin_unlock(NULL)); // @unlock_null
MISUSE(destroy_null, pthread_spin_destroy(NULL)); // @destroy_null
