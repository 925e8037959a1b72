/*
 * flockfile.  A stream's lock is a recursive mutex of the runtime's, at a place that follows
 * from the stream's address, so that it is the same in every schedule.
 *
 * In a program that calls flockfile every use of a stream takes the lock; in all others
 * nobody could notice, and nothing is done: threads that only print stay independent.
 */
#define _GNU_SOURCE
#include "runtime/libc/libc.h"
#include "runtime/core/anomaly.h"
#include "runtime/libc/leftovers.h"

extern const char __inspect_locks_streams __attribute__((weak));

static struct stream_lock *place_of(const FILE *stream)
{
	return &rt->stream_locks.table[(uint64_t)stream / 32 % MAX_STREAM_LOCKS];
}

static pthread_mutex_t *lock_of(const FILE *stream)
{
	struct stream_lock *lock = place_of(stream);

	if (!lock->stream) {
		*lock = (struct stream_lock){.stream = stream};
		lock->mutex.__data.__kind = PTHREAD_MUTEX_RECURSIVE;
		rt->stream_locks.used = true;
	}
	if (lock->stream != stream)
		anomaly(EV_REFUSED, "flockfile in a program with so many streams is not supported");
	return &lock->mutex;
}

void stream_locks_reset(void)
{
	if (rt->stream_locks.used)
		memset(rt->stream_locks.table, 0, sizeof rt->stream_locks.table);
	rt->stream_locks.used = false;
}

void stream_enter(FILE *stream)
{
	if (&__inspect_locks_streams)
		pthread_mutex_lock(lock_of(stream));
}

void stream_leave(FILE **stream)
{
	if (&__inspect_locks_streams)
		pthread_mutex_unlock(lock_of(*stream));
}

/* The stream is closed: its place may be another's. */
void stream_forget(FILE *stream)
{
	struct stream_lock *lock = place_of(stream);

	if (lock->stream == stream && !lock->mutex.__data.__lock)
		lock->stream = NULL;
}

void WRAP(flockfile)(FILE *stream)
{
	pthread_mutex_lock(lock_of(stream));
}

int WRAP(ftrylockfile)(FILE *stream)
{
	return pthread_mutex_trylock(lock_of(stream));
}

void WRAP(funlockfile)(FILE *stream)
{
	pthread_mutex_unlock(lock_of(stream));
}
