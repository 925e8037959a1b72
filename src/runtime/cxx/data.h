/* What cxx/ keeps in the runtime's own memory. */
#ifndef INSPECT_RUNTIME_CXX_DATA_H
#define INSPECT_RUNTIME_CXX_DATA_H

#include <stdbool.h>
#include <stdint.h>

struct tree_node;

/* Of a thread. */
struct thread_cxx {
	struct destructor *destructors; /* of its thread_local objects (cxx.c) */
	uint64_t no_exception[16]; /* zeros: where the C++ library looks for what it keeps about its own exceptions */
	uint64_t exception[8] __attribute__((aligned(16))); /* of a forced unwinding (core/cancel.c) */
};

/* Of the process: functions of the C++ library, NULL when there is none (containers.c, exceptions.c). */
struct cxx {
	void (*tree_insert)(bool, struct tree_node *, struct tree_node *, struct tree_node *);
	struct tree_node *(*tree_erase)(struct tree_node *, struct tree_node *);
	void (*exception_release)(void **);
	void (*end_catch)(void);
};

#endif
