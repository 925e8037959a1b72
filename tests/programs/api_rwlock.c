// Read-write locks: readers together, a writer alone.
// covers: pthread_rwlock_init pthread_rwlock_destroy pthread_rwlock_rdlock pthread_rwlock_wrlock
// covers: pthread_rwlock_tryrdlock pthread_rwlock_trywrlock pthread_rwlock_unlock
// misuse: pthread_rwlock_init pthread_rwlock_destroy pthread_rwlock_rdlock pthread_rwlock_wrlock
// misuse: pthread_rwlock_tryrdlock pthread_rwlock_trywrlock pthread_rwlock_unlock
// expect: source verified executions=6 [args: exclusion]
// expect: dpor verified executions=6 [args: exclusion]
// expect: all verified executions=14 [args: exclusion]
// expect: source verified executions=2 [args: readers_together]
// expect: dpor verified executions=2 [args: readers_together]
// expect: all verified executions=70 [args: readers_together]
// expect: source verified executions=1 [args: write_means_alone]
// expect: dpor verified executions=1 [args: write_means_alone]
// expect: all verified executions=1 [args: write_means_alone]
// expect: source verified executions=6 [args: try]
// expect: dpor verified executions=6 [args: try]
// expect: all verified executions=15 [args: try]
// expect: source bug=exit executions=3 [args: try_both] [options: --keep-going]
// expect: dpor bug=exit executions=3 [args: try_both] [options: --keep-going]
// expect: all bug=exit executions=3 [args: try_both] [options: --keep-going]
// expect: source verified executions=1 [args: again]
// expect: source verified executions=1 [args: kinds]
// expect: source bug=deadlock executions=1 [args: upgrade] [options: --keep-going] line=@upgrade
// expect: dpor bug=deadlock executions=1 [args: upgrade] [options: --keep-going] line=@upgrade
// expect: all bug=deadlock executions=1 [args: upgrade] [options: --keep-going] line=@upgrade
// expect: source bug=lock executions=1 line=@unlock_unlocked [args: unlock_unlocked] [says: does not hold]
// expect: source bug=lock executions=1 line=@unlock_others [args: unlock_others] [says: does not hold]
// expect: source bug=lock executions=1 line=@unlock_twice [args: unlock_twice] [says: does not hold]
// expect: source bug=lock executions=1 line=@destroy_held [args: destroy_held] [says: that is held]
// expect: source bug=lock executions=1 line=@destroy_read [args: destroy_read] [says: that is held]
// expect: source bug=lock executions=1 line=@destroy_destroyed [args: destroy_destroyed] [says: was destroyed]
// expect: source bug=lock executions=1 line=@rdlock_destroyed [args: rdlock_destroyed] [says: was destroyed]
// expect: source bug=lock executions=1 line=@wrlock_destroyed [args: wrlock_destroyed] [says: was destroyed]
// expect: source bug=lock executions=1 line=@tryrdlock_destroyed [args: tryrdlock_destroyed] [says: was destroyed]
// expect: source bug=lock executions=1 line=@trywrlock_destroyed [args: trywrlock_destroyed] [says: was destroyed]
// expect: source bug=lock executions=1 line=@unlock_destroyed [args: unlock_destroyed] [says: was destroyed]
// expect: source bug=lock executions=1 line=@init_twice [args: init_twice] [says: initialised already]
// expect: source bug=lock executions=1 line=@rdlock_garbage [args: rdlock_garbage] [says: never initialised]
// expect: source bug=lock executions=1 line=@wrlock_garbage [args: wrlock_garbage] [says: never initialised]
// expect: source bug=lock executions=1 line=@tryrdlock_garbage [args: tryrdlock_garbage] [says: never initialised]
// expect: source bug=lock executions=1 line=@trywrlock_garbage [args: trywrlock_garbage] [says: never initialised]
// expect: source bug=lock executions=1 line=@unlock_garbage [args: unlock_garbage] [says: never initialised]
// expect: source bug=lock executions=1 line=@destroy_garbage [args: destroy_garbage] [says: never initialised]
// expect: source bug=crash executions=1 line=@init_null [args: init_null]
// expect: source bug=crash executions=1 line=@init_bad_attributes [args: init_bad_attributes]
// expect: source bug=crash executions=1 line=@destroy_null [args: destroy_null]
// expect: source bug=crash executions=1 line=@rdlock_null [args: rdlock_null]
// expect: source bug=crash executions=1 line=@wrlock_null [args: wrlock_null]
// expect: source bug=crash executions=1 line=@tryrdlock_null [args: tryrdlock_null]
// expect: source bug=crash executions=1 line=@trywrlock_null [args: trywrlock_null]
// expect: source bug=crash executions=1 line=@unlock_null [args: unlock_null]
#include "api.h"

#include <stdlib.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int word, readers;

static void *write_it(void *unused)
{
	assert(pthread_rwlock_wrlock(&lock) == 0);
	word++;
	assert(pthread_rwlock_unlock(&lock) == 0);
	return unused;
}

static void *read_it(void *unused)
{
	assert(pthread_rwlock_rdlock(&lock) == 0);
	int before = word;
	assert(word == before);
	assert(pthread_rwlock_unlock(&lock) == 0);
	return unused;
}

CASE(exclusion)
{
	pthread_t first = start(write_it, NULL), second = start(read_it, NULL);

	write_it(NULL);
	finish(first);
	finish(second);
	assert(word == 2);
}

/* Each waits inside until the other has come: that works only if both can be in. */
static void *meet(void *unused)
{
	static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	static pthread_cond_t both = PTHREAD_COND_INITIALIZER;

	pthread_rwlock_rdlock(&lock);
	pthread_mutex_lock(&mutex);
	if (++readers == 2)
		pthread_cond_signal(&both);
	while (readers < 2)
		pthread_cond_wait(&both, &mutex);
	pthread_mutex_unlock(&mutex);
	pthread_rwlock_unlock(&lock);
	return unused;
}

CASE(readers_together)
{
	pthread_t thread = start(meet, NULL);

	meet(NULL);
	finish(thread);
}

static void *try_all(void *expected)
{
	assert(pthread_rwlock_trywrlock(&lock) == EBUSY);
	int error = pthread_rwlock_tryrdlock(&lock);
	assert(error == *(int *)expected);
	if (!error)
		assert(pthread_rwlock_unlock(&lock) == 0);
	return NULL;
}

CASE(write_means_alone)
{
	int busy = EBUSY, fine = 0;

	assert(pthread_rwlock_wrlock(&lock) == 0);
	assert(pthread_rwlock_wrlock(&lock) == EDEADLK);
	assert(pthread_rwlock_rdlock(&lock) == EDEADLK);
	assert(pthread_rwlock_tryrdlock(&lock) == EBUSY);
	finish(start(try_all, &busy));
	assert(pthread_rwlock_unlock(&lock) == 0);
	assert(pthread_rwlock_rdlock(&lock) == 0);
	finish(start(try_all, &fine));
	assert(pthread_rwlock_unlock(&lock) == 0);
}

CASE(try)
{
	pthread_t thread = start(write_it, NULL);
	int error = pthread_rwlock_tryrdlock(&lock);

	assert(error == 0 || error == EBUSY);
	int seen = error ? 0 : word;
	if (!error)
		assert(pthread_rwlock_unlock(&lock) == 0);
	error = pthread_rwlock_trywrlock(&lock);
	if (!error) {
		assert(word >= seen);
		assert(pthread_rwlock_unlock(&lock) == 0);
	}
	finish(thread);
}

CASE(try_both)
{
	pthread_t thread = start(write_it, NULL);
	int error = pthread_rwlock_tryrdlock(&lock);

	if (!error)
		pthread_rwlock_unlock(&lock);
	finish(thread);
	exit(error == EBUSY);
}

/* Read locks count. */
CASE(again)
{
	for (int i = 0; i < 3; i++)
		assert(pthread_rwlock_rdlock(&lock) == 0);
	assert(pthread_rwlock_tryrdlock(&lock) == 0);
	for (int i = 0; i < 4; i++) {
		assert(pthread_rwlock_trywrlock(&lock) == EBUSY);
		assert(pthread_rwlock_unlock(&lock) == 0);
	}
	assert(pthread_rwlock_trywrlock(&lock) == 0);
	assert(pthread_rwlock_unlock(&lock) == 0);
	assert(pthread_rwlock_destroy(&lock) == 0);
	assert(pthread_rwlock_init(&lock, NULL) == 0);
	assert(pthread_rwlock_trywrlock(&lock) == 0);
}

CASE(kinds)
{
	pthread_rwlock_t writer_first = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
	pthread_rwlockattr_t attributes;

	assert(pthread_rwlock_rdlock(&writer_first) == 0 && pthread_rwlock_unlock(&writer_first) == 0);
	assert(pthread_rwlockattr_init(&attributes) == 0);
	assert(pthread_rwlockattr_setkind_np(&attributes, PTHREAD_RWLOCK_PREFER_WRITER_NP) == 0);
	assert(pthread_rwlock_init(&lock, &attributes) == 0);
	assert(pthread_rwlock_wrlock(&lock) == 0 && pthread_rwlock_unlock(&lock) == 0);
	memset(&attributes, 0xff, sizeof attributes);
	assert(pthread_rwlock_init(&writer_first, &attributes) == EINVAL);
}

static void *upgrade_it(void *unused)
{
	pthread_rwlock_rdlock(&lock);
	pthread_rwlock_wrlock(&lock); // @upgrade
	pthread_rwlock_unlock(&lock);
	return unused;
}

CASE(upgrade)
{
	finish(start(upgrade_it, NULL));
}

static pthread_rwlock_t *destroyed(void)
{
	pthread_rwlock_destroy(&lock);
	return &lock;
}

static pthread_rwlock_t *garbage(void)
{
	return memset(&lock, 0xff, sizeof lock);
}

static pthread_rwlock_t *reading(void)
{
	pthread_rwlock_rdlock(&lock);
	return &lock;
}

static pthread_rwlock_t *writing(void)
{
	pthread_rwlock_wrlock(&lock);
	return &lock;
}

static pthread_rwlock_t *initialised(void)
{
	pthread_rwlock_init(&lock, NULL);
	return &lock;
}

static void *read_and_end(void *unused)
{
	pthread_rwlock_rdlock(&lock);
	return unused;
}

static pthread_rwlock_t *others(void)
{
	finish(start(read_and_end, NULL));
	return &lock;
}

static pthread_rwlock_t *unlocked(void)
{
	pthread_rwlock_unlock(reading());
	return &lock;
}

MISUSE(unlock_unlocked, pthread_rwlock_unlock(&lock)); // @unlock_unlocked
MISUSE(unlock_others, pthread_rwlock_unlock(others())); // @unlock_others
MISUSE(unlock_twice, pthread_rwlock_unlock(unlocked())); // @unlock_twice
MISUSE(destroy_held, pthread_rwlock_destroy(writing())); // @destroy_held
MISUSE(destroy_read, pthread_rwlock_destroy(reading())); // @destroy_read
MISUSE(destroy_destroyed, pthread_rwlock_destroy(destroyed())); // @destroy_destroyed
MISUSE(rdlock_destroyed, pthread_rwlock_rdlock(destroyed())); // @rdlock_destroyed
MISUSE(wrlock_destroyed, pthread_rwlock_wrlock(destroyed())); // @wrlock_destroyed
MISUSE(tryrdlock_destroyed, pthread_rwlock_tryrdlock(destroyed())); // @tryrdlock_destroyed
MISUSE(trywrlock_destroyed, pthread_rwlock_trywrlock(destroyed())); // @trywrlock_destroyed
MISUSE(unlock_destroyed, pthread_rwlock_unlock(destroyed())); // @unlock_destroyed
MISUSE(init_twice, pthread_rwlock_init(initialised(), NULL)); // @init_twice
MISUSE(rdlock_garbage, pthread_rwlock_rdlock(garbage())); // @rdlock_garbage
MISUSE(wrlock_garbage, pthread_rwlock_wrlock(garbage())); // @wrlock_garbage
MISUSE(tryrdlock_garbage, pthread_rwlock_tryrdlock(garbage())); // @tryrdlock_garbage
MISUSE(trywrlock_garbage, pthread_rwlock_trywrlock(garbage())); // @trywrlock_garbage
MISUSE(unlock_garbage, pthread_rwlock_unlock(garbage())); // @unlock_garbage
MISUSE(destroy_garbage, pthread_rwlock_destroy(garbage())); // @destroy_garbage
MISUSE(init_null, pthread_rwlock_init(NULL, NULL)); // @init_null
MISUSE(init_bad_attributes, pthread_rwlock_init(&lock, (void *)8)); // @init_bad_attributes
MISUSE(destroy_null, pthread_rwlock_destroy(NULL)); // @destroy_null
MISUSE(rdlock_null, pthread_rwlock_rdlock(NULL)); // @rdlock_null
MISUSE(wrlock_null, pthread_rwlock_wrlock(NULL)); // @wrlock_null
MISUSE(tryrdlock_null, pthread_rwlock_tryrdlock(NULL)); // @tryrdlock_null
MISUSE(trywrlock_null, pthread_rwlock_trywrlock(NULL)); // @trywrlock_null
MISUSE(unlock_null, pthread_rwlock_unlock(NULL)); // @unlock_null
