/*
 * The guest: code and memory of the explorer in the executor's process, at the addresses that they have in the explorer.
 *
 * Between two executions the executor calls `go_on`, which takes in the one and makes the plan of the next, instead of
 * handing the turn to the explorer and waiting for it. When it says no, the explorer goes on where it has stopped. The guest
 * has no C library: it works on what it finds in its memory (storage/memory.h) and in the channel.
 */
#ifndef INSPECT_WIRE_GUEST_H
#define INSPECT_WIRE_GUEST_H

#include <stdbool.h>
#include <stdint.h>

/* A part of the explorer's executable file, as the loader has mapped it. */
struct guest_part {
	uint64_t address, offset; /* of whole pages */
	uint64_t in_file, in_memory; /* bytes from the address on */
	uint32_t protection; /* PROT_READ … */
};

#define MAX_GUEST_PARTS 8

struct guest {
	void (*begin)(void); /* called once, in the zygote; NULL: there is no guest */
	bool (*go_on)(void *context); /* NULL: not for now */
	void *context;
	uint32_t at_work; /* go_on() has been called and has not returned */
	const char *broken; /* what does not hold, where the guest has ended its process: a text in its code */
	uint64_t executions; /* that were run so */
	int32_t code, memory; /* files */
	uint32_t nparts;
	struct guest_part parts[MAX_GUEST_PARTS];
};

#endif
