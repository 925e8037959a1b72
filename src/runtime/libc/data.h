/* What libc/ keeps in the runtime's own memory. */
#ifndef INSPECT_RUNTIME_LIBC_DATA_H
#define INSPECT_RUNTIME_LIBC_DATA_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

enum { MAX_STREAM_LOCKS = 256 };

/* Of the execution: what functions keep from call to call. */
struct libc {
	char *strtok_place; /* string.c */
};

/* Locks of streams, at places that follow from the streams' addresses (streamlock.c); no resume point once they are used. */
struct stream_locks {
	bool used;
	struct stream_lock {
		const void *stream; /* NULL: free */
		pthread_mutex_t mutex;
	} table[MAX_STREAM_LOCKS];
};

#endif
