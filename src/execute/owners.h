/*
 * Who accesses what memory (enum owner in wire/channel.h): a table with a byte for each granule, most of which was never
 * written.
 *
 * The program's processes fill in that of their channel.  Memory that two threads access is shared, be it in two
 * different executions.  Where several processes explore, each knows only of its own: the balancer has a table
 * of all of them.
 */
#ifndef INSPECT_EXECUTE_OWNERS_H
#define INSPECT_EXECUTE_OWNERS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/pack.h"

struct executor;

/* A sparse file that is mapped. */
struct owners {
	int fd;
	off_t offset; /* of the table in the file */
	uint8_t *table;
};

/* That of the executor's channel. */
struct owners owners_of(const struct executor *executor);
/* One of its own, empty; free it with owners_release(). */
struct owners owners_new(void);
void owners_release(struct owners *owners);

/* What is shared, or what belongs to one thread, with its number. */
void owners_pack_shared(const struct owners *owners, struct buffer *buffer);
void owners_pack_private(const struct owners *owners, struct buffer *buffer);

/* What owners_pack_shared() packed is shared here as well. */
void owners_unpack_shared(const struct owners *owners, struct packed *packed);
/*
 * Add what owners_pack_private() packed.  What belongs to somebody else here, or is shared, is shared; true if there is
 * any, and then it is packed into `contested` as by owners_pack_shared().
 */
bool owners_add_private(const struct owners *owners, struct packed *packed, struct buffer *contested);

/* Nobody owns what is not shared: the numbers of the threads were other ones. */
void owners_forget_private(const struct owners *owners);

#endif
