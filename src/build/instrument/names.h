/*
 * Readable names of memory: "counter", "table[3]", "table[]" (the index is not
 * constant), "queue.head", "node->next", "*p", "head->items[].key".
 *
 * A name says how the source reaches the memory, as far as debug information
 * tells; it is for people, and nothing may depend on it.
 */
#ifndef INSPECT_BUILD_INSTRUMENT_NAMES_H
#define INSPECT_BUILD_INSTRUMENT_NAMES_H

#include "build/instrument/instrument.h"
#include "build/instrument/map.h"

#define NAME_SIZE 160 /* longer names are cut */

struct namer {
	struct program *program;
	struct map places; /* see di_collect_locals */
	struct map values;
};

void namer_init(struct namer *namer, struct program *program);
void namer_release(struct namer *namer);

/* What a load, store or atomic operation of `type` at `pointer` touches; "" when unknown. */
void name_access(struct namer *namer, LLVMValueRef pointer, LLVMTypeRef type, char name[NAME_SIZE]);

/* What a block operation of `size` bytes (0: unknown) at `pointer` touches. */
void name_block(struct namer *namer, LLVMValueRef pointer, uint64_t size, char name[NAME_SIZE]);

/*
 * What a library call is about: the object of its first pointer argument
 * ("q->lock" for pthread_mutex_lock(&q->lock)), the thread for pthread_join, the
 * start function for pthread_create.
 */
void name_call(struct namer *namer, LLVMValueRef call, char name[NAME_SIZE]);

#endif
