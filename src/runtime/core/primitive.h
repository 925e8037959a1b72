/*
 * What the scheduler must know of a kind of object (wire/objects.def), said by the
 * file that has its functions.  There is one `primitive_…` for each row; a part that
 * is NULL or 0 is not needed for operations on objects of that kind.
 *
 * The functions depend on nothing but the state of the program, change nothing, and
 * are called for operations of any thread, at any time in an execution, on objects
 * whose memory can be read.
 */
#ifndef INSPECT_RUNTIME_CORE_PRIMITIVE_H
#define INSPECT_RUNTIME_CORE_PRIMITIVE_H

#include "runtime/core/runtime.h"

#pragma GCC visibility push(hidden)

struct primitive {
	/* Can the operation, which is EV_BLOCKING, be performed as what it is?  A wait that nobody has ended yet never can. */
	bool (*ready)(const struct op *op);
	/* What the thread's pending operation turns out to be, if it is ready or never waits. */
	enum event_kind (*kind)(const struct thread *thread);
	/* Of an arrival (events.def, .last): how many are missing, itself among them.  This is the event's value. */
	uint32_t (*missing)(const struct op *op);
	/* What the event has as its value otherwise: for those who read the trace; whether the thread waits is ready()'s. */
	uint64_t (*value)(const struct op *op);
	/* What a write over the object would do harm to: "a mutex that is locked"; NULL: nothing. */
	const char *(*in_use)(uint64_t object);
	uint16_t size; /* of the object in memory */
	/*
	 * So many of its bytes say what state it is in, so that a loop that looks at it and finds it unchanged has made a
	 * round for nothing; 0: that is not known, and each look counts as a change.
	 */
	uint16_t telling;
};

#define OBJECT(id, ...) extern const struct primitive primitive_##id;
#include "wire/objects.def"
#undef OBJECT

extern const struct primitive *const primitive_table[OBJECT_KINDS];

static inline const struct primitive *primitive_of(const struct op *op)
{
	return primitive_table[event_table[op->kind].object];
}

#pragma GCC visibility pop

#endif
