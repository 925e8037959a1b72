/*
 * System calls as operations: what of the state that the kernel keeps for the process, and of the file system, a call looks
 * at and changes (EV_SYSTEM).
 *
 * Of such an operation `object` is the set of objects that it changes, `object2` the set of those that it only looks at, and
 * `target` the call (enum system_call).  Two of them conflict if one changes what the other one has in either set.  A set has
 * a bit for each row of wire/system.def, some for descriptors (a descriptor and the position in the file that it was opened
 * for), and some for the contents of files.  That several share a bit makes more operations conflict, never fewer.
 *
 * Like memory, an object is a thread's own until another thread uses it: for that it has an address (channel.h: owners),
 * which is nobody's memory.
 */
#ifndef INSPECT_WIRE_SYSTEM_H
#define INSPECT_WIRE_SYSTEM_H

#include <stdint.h>

#include "wire/channel.h"

enum system_object {
#define SYSTEM_OBJECT(id, number, name) SYSTEM_##id = number,
#include "wire/system.def"
#undef SYSTEM_OBJECT
	FIRST_DESCRIPTOR = 8,
	DESCRIPTOR_OBJECTS = 24,
	FIRST_FILE = 32,
	FILE_OBJECTS = 32,
	SYSTEM_OBJECTS = 64,
};

#define SYSTEM_BIT(object) (1ull << (object))
#define ALL_DESCRIPTORS (((1ull << DESCRIPTOR_OBJECTS) - 1) << FIRST_DESCRIPTOR)
#define ALL_FILES (((1ull << FILE_OBJECTS) - 1) << FIRST_FILE)

enum system_call {
#define SYSTEM_CALL(name) CALL_##name,
#include "wire/system_calls.def"
#undef SYSTEM_CALL
	SYSTEM_CALLS
};

static inline uint64_t system_address(unsigned object)
{
	return SYSTEM_ADDRESS + object * GRANULE;
}

#endif
