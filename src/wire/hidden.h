/* The pieces of hidden state of the C library, as objects that can be accessed (wire/hidden.def). */
#ifndef INSPECT_WIRE_HIDDEN_H
#define INSPECT_WIRE_HIDDEN_H

#include "wire/channel.h"

enum hidden_state {
#define HIDDEN(id, name, promise) HIDDEN_##id,
#include "wire/hidden.def"
#undef HIDDEN
	HIDDEN_COUNT
};

/* Is unsynchronised use of it safe with glibc, though not by POSIX? */
static inline bool hidden_is_safe(uint64_t address)
{
	enum { UNSAFE, SAFE };
	static const bool safe[] = {
#define HIDDEN(id, name, promise) promise,
#include "wire/hidden.def"
#undef HIDDEN
	};

	return address >= HIDDEN_ADDRESS && (address - HIDDEN_ADDRESS) / HIDDEN_SIZE < HIDDEN_COUNT &&
	       safe[(address - HIDDEN_ADDRESS) / HIDDEN_SIZE];
}

#endif
