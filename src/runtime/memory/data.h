/* What memory/ keeps in the runtime's own memory. */
#ifndef INSPECT_RUNTIME_MEMORY_DATA_H
#define INSPECT_RUNTIME_MEMORY_DATA_H

#include <stdbool.h>
#include <stdint.h>

/* A piece of memory. */
struct region {
	uint64_t start, size;
};

/* Of the execution: who runs, as the hooks must know it for each access (access.c). */
struct memory {
	uint64_t stack_low; /* of the running thread */
	uint32_t owner; /* of memory: the running thread's number + 1; nobody while it shares what it reads */
	bool stack_is_shared; /* some piece of its stack */
	bool took_away; /* somebody has unmapped or protected memory: memory_is_there() has to look */
	bool touching; /* the runtime itself reads the program's memory: a fault is the program's */
};

enum { MAX_TEMPORARIES = 256 };

/* Large copies that are mapped for a call (arguments.c): never rolled back, and no resume point is made while there is one. */
struct temporaries {
	struct region table[MAX_TEMPORARIES]; /* size 0: free */
	uint32_t count; /* of those that are not */
};

/* While leaks are looked for at the end of an execution (leaks.c). */
struct leaks {
	uint32_t unscanned; /* a list of blocks that are reachable */
	uint64_t scan_start, scan_end; /* … and the block found last */
};

#endif
