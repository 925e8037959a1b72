/*
 * What was learned about the program in earlier executions and holds for all further ones: the numbers of its
 * threads, which memory is shared, what it uses, where it waits by looking again and again.  Whoever
 * explores a part of the search, or runs a schedule that somebody found, must know the same.
 */
#ifndef INSPECT_EXECUTE_FACTS_H
#define INSPECT_EXECUTE_FACTS_H

#include "common/pack.h"
#include "execute/executor.h"

/*
 * Everything but the names of threads; unpacked, it is added to what is known already.  Packed again it is the same
 * unless more was known.
 */
void facts_pack(const struct executor *executor, struct buffer *buffer);
void facts_unpack(struct executor *executor, struct packed *packed);

/* Numbers that were given to threads. */
struct names {
	uint32_t count;
	struct thread_name items[MAX_THREADS];
};

void names_get(const struct executor *executor, struct names *names);
void names_put(struct executor *executor, const struct names *names);
/* Add those that are missing; false when there are too many. */
bool names_add(struct names *names, const struct names *more);
/* Does the first begin with the second? */
bool names_begin_with(const struct names *names, const struct names *first);

/* One more of the facts: for replaying a schedule. */
void facts_share(struct channel *channel, struct shared_piece piece);
void facts_await(struct channel *channel, uint32_t site);

#endif
