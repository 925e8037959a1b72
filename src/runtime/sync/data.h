/* What sync/ keeps in the runtime's own memory.  The state of an object itself is in the object, in the program's memory. */
#ifndef INSPECT_RUNTIME_SYNC_DATA_H
#define INSPECT_RUNTIME_SYNC_DATA_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

enum { MAX_TIMEOUTS = 64, MAX_HELD_READS = 16 };

/* Of the execution: lists in memory of the program's heap. */
struct sync {
	struct key *keys; /* keys.c; NULL before the first one is made */
	struct named_semaphore *named; /* all that were opened in this execution (sem.c) */
};

/* Of a thread: what it waits for, and what it holds. */
struct thread_sync {
	uint64_t wait_cond, wait_mutex; /* the condition variable or futex it waits on, and with which mutex */
	uint64_t passed_over; /* the others that waited when it was chosen by a signal, until it has returned */
	pthread_mutex_t *robust; /* robust mutexes it holds, a list (mutex.c) */
	void **specific; /* values of keys (keys.c), nspecific of them */
	uint32_t nspecific;
	uint32_t ntimeouts, nheld; /* of struct sync_lists */
};

/* Read locks of one rwlock that a thread holds. */
struct held_read {
	uint64_t rwlock;
	uint32_t count; /* 0: unused */
};

/* Of a thread, and not cleared when it begins. */
struct sync_lists {
	uint64_t timeouts[MAX_TIMEOUTS]; /* where it has timed out freely (timeout.c) */
	struct held_read reads[MAX_HELD_READS]; /* rwlock.c */
};

enum { MAX_OBJECTS = 4096, OBJECT_PLACES_LOG = 13, OBJECT_PLACES = 1 << OBJECT_PLACES_LOG };

/* Of the process: synchronisation objects of this or an earlier execution (objects.c). */
struct objects {
	bool full; /* there are more */
	uint32_t count;
	uint64_t known[MAX_OBJECTS];
	uint32_t places[OBJECT_PLACES]; /* hash table by word: index into known, + 1 */
};

_Static_assert(MAX_OBJECTS < OBJECT_PLACES, "a search in the table comes to an end");

#endif
