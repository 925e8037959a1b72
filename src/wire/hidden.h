/* The pieces of hidden state of the C library, as objects that can be accessed (wire/hidden.def). */
#ifndef INSPECT_WIRE_HIDDEN_H
#define INSPECT_WIRE_HIDDEN_H

enum hidden_state {
#define HIDDEN(id, name) HIDDEN_##id,
#include "wire/hidden.def"
#undef HIDDEN
	HIDDEN_COUNT
};

#endif
