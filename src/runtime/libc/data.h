/* What libc/ keeps in the runtime's own memory. */
#ifndef INSPECT_RUNTIME_LIBC_DATA_H
#define INSPECT_RUNTIME_LIBC_DATA_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "runtime/memory/data.h"

enum { MAX_STREAM_LOCKS = 256, MAX_TEMPORARIES = 256 };

/* Of the execution: what functions keep from call to call. */
struct libc {
	char *strtok_place; /* string.c */
};

/* Large copies that are mapped for a call (announce.c): never rolled back, and no checkpoint is made while there is one. */
struct temporaries {
	struct region table[MAX_TEMPORARIES]; /* size 0: free */
	uint32_t count; /* of those that are not */
};

/* Locks of streams, at places that follow from the streams' addresses (streamlock.c); no checkpoint once they are used. */
struct stream_locks {
	bool used;
	struct stream_lock {
		const void *stream; /* NULL: free */
		pthread_mutex_t mutex;
	} table[MAX_STREAM_LOCKS];
};

#endif
