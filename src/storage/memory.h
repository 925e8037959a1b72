/*
 * The memory of a search: all that lives from one execution to the next.
 *
 * It is taken in blocks, as with malloc(). Where memory_share() was called they lie in a mapping at a fixed address, which
 * other processes can have as well, at the same place: one of them goes on with the search where another has left it.
 * Only one of them uses it at a time.
 *
 * A block that was taken before memory_share(), or in a process that does not call it, is one of malloc()'s. There is no
 * end to the memory: where none is left, the command ends with failure().
 */
#ifndef INSPECT_STORAGE_MEMORY_H
#define INSPECT_STORAGE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/* Where the mapping is, in every process; nothing else may be there (wire/channel.h). */
#define MEMORY_ADDRESS 0x150000000000ull
#define MEMORY_SIZE (1ull << 38)

void *memory_new(size_t size);
void *memory_new_clear(size_t count, size_t size);
/* The block with another size, perhaps at another place; what is new is not set to anything. NULL is a block of no size. */
void *memory_resize(void *block, size_t size);
void memory_free(void *block);

/*
 * From now on blocks come from the mapping, and it is there that stop_due() looks (common/stopping.h). False, and nothing has
 * changed, where the system does not let us have it.
 */
bool memory_share(void);
/* The file that is mapped, which stays open; -1: memory_share() was not called. */
int memory_file(void);
/* Whoever was using it has gone in the middle of that: what is in blocks stays, and none of them is used again. */
void memory_abandon(void);
/* memory_share() in another process, which has the mapping already. */
void memory_join(void);

#endif
