/*
 * What the balancer and its workers say to each other.  A message is a kind, the epoch and the unit it is about, and
 * what the table says, packed (common/pack.h).
 *
 * An epoch ends when the search starts again because something thought private is shared, or the like.  What
 * belongs to another epoch, or to a unit that its sender no longer has, is not listened to; but what was found stays found.
 */
#ifndef INSPECT_CLUSTER_SHARE_MESSAGE_H
#define INSPECT_CLUSTER_SHARE_MESSAGE_H

#include "common/invariant.h"
#include "common/pack.h"

/* MESSAGE(id, contents) */
#define MESSAGES(MESSAGE)                                                                                               \
	/* to a worker */                                                                                               \
	MESSAGE(START) /* start the program */                                                                          \
	MESSAGE(SETUP) /* what it is all about (setup.h): before anything else, with MPI */                             \
	MESSAGE(UNIT) /* what to explore: facts if they are new, names, exit status, fresh or not, path, nodes, rest */ \
	MESSAGE(PUBLISH) /* give something away as soon as you can */                                                   \
	MESSAGE(KNOWN) /* node, what is claimed there */                                                                \
	MESSAGE(SYNCED) /* names, exit status, memory that others have accessed elsewhere */                            \
	MESSAGE(COMMIT) /* report where you are */                                                                      \
	MESSAGE(DROP) /* forget your unit: it does not count */                                                         \
	MESSAGE(QUIT)                                                                                                   \
	/* to the balancer */                                                                                           \
	MESSAGE(HELLO) /* version */                                                                                    \
	MESSAGE(READY) /* the program has been started */                                                               \
	MESSAGE(TROUBLE) /* exit status or 0, a line for the user: from workers that must not print, with MPI */        \
	MESSAGE(BYE) /* the last one, with MPI */                                                                       \
	MESSAGE(STARTED) /* the first operation of the unit */                                                          \
	MESSAGE(OFFER) /* node, offer */                                                                                \
	MESSAGE(REPORT) /* tally, how many nodes become public, nodes, rest */                                          \
	MESSAGE(GIVE) /* a unit that has nothing in common with others: nodes */                                        \
	MESSAGE(DONE) /* tally */                                                                                       \
	MESSAGE(SYNC) /* names, exit status, who has accessed what memory */                                            \
	MESSAGE(NEWS) /* facts */                                                                                       \
	MESSAGE(FINDING)                                                                                                \
	MESSAGE(BROKEN) /* why, refusal */                                                                              \
	MESSAGE(STATUS) /* executions, …: since the last report */

enum message_kind {
#define MESSAGE(id) MESSAGE_##id,
	MESSAGES(MESSAGE)
#undef MESSAGE
		MESSAGE_KINDS
};

struct message {
	enum message_kind kind;
	uint64_t epoch, unit;
	struct packed contents;
};

/* Begin one; what follows is added to the buffer. */
static inline void message_begin(struct buffer *buffer, enum message_kind kind, uint64_t epoch, uint64_t unit)
{
	invariant(kind < MESSAGE_KINDS);
	buffer_clear(buffer);
	pack_number(buffer, kind);
	pack_number(buffer, epoch);
	pack_number(buffer, unit);
}

/* False when it is none. */
static inline bool message_read(struct message *message, const void *data, size_t size)
{
	message->contents = packed_from(data, size);
	message->kind = (enum message_kind)unpack_number(&message->contents);
	message->epoch = unpack_number(&message->contents);
	message->unit = unpack_number(&message->contents);
	return !message->contents.broken && message->kind < MESSAGE_KINDS;
}

#endif
