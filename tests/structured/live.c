#include "code.h"

static uint64_t bit(uint8_t reg)
{
	return reg == NO_REGISTER ? 0 : 1ull << reg;
}

/* Of what is live after it.  What a thread does by itself needs its operands only if its result matters. */
static uint64_t live_before(const struct op *op, uint64_t live)
{
	switch (op->code) {
	case OP_CONST: return live & ~bit(op->dst);
	case OP_MOVE: return live & bit(op->dst) ? (live & ~bit(op->dst)) | bit(op->a) : live;
	case OP_BINARY: return live & bit(op->dst) ? (live & ~bit(op->dst)) | bit(op->a) | bit(op->b) : live;
	case OP_ZERO:
	case OP_ASSERT: return live | bit(op->a);
	case OP_STORE:
	case OP_WRITE: return live | bit(op->a) | bit(op->index);
	case OP_EXCHANGE:
	case OP_FETCH: return (live & ~bit(op->dst)) | bit(op->a) | bit(op->index);
	case OP_CAS: return (live & ~bit(op->dst)) | bit(op->a) | bit(op->b) | bit(op->index) | bit(op->other);
	case OP_LOAD:
	case OP_AWAIT:
	case OP_READ: return (live & ~bit(op->dst)) | bit(op->index);
	case OP_TRYLOCK:
	case OP_TRYWAIT:
	case OP_CHOOSE:
	case OP_CREATE:
	case OP_UNLINK:
	case OP_EXISTS:
	case OP_DUP:
	case OP_TOUCH: return live & ~bit(op->dst);
	case OP_CLOSE:
	case OP_OPENED: return (live & ~bit(op->dst)) | bit(op->a);
	case OP_FILL: return live | bit(op->a);
	default: return live;
	}
}

static uint64_t live_after(const struct code *code, unsigned at)
{
	const struct op *op = &code->ops[at];
	uint64_t live = op->code == OP_JUMP || op->code == OP_EXIT ? 0 : code->ops[at + 1].live;

	if (op->code == OP_JUMP || op->code == OP_ZERO)
		live |= code->ops[op->target].live;
	return op->code == OP_EXIT ? code->live[op->imm] : live;
}

void find_live(struct code *code)
{
	for (bool changed = true; changed;) {
		changed = false;
		for (unsigned i = code->count; i-- > 0;) {
			uint64_t live = live_before(&code->ops[i], live_after(code, i));
			changed |= live != code->ops[i].live;
			code->ops[i].live = live;
		}
	}
}
