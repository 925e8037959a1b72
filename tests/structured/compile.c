#include "code.h"

#include <assert.h>
#include <string.h>

enum { MAX_SCOPES = 32, MAX_BREAKS = 32, HELPER_LOCALS = LOCALS, FIRST_FREE = 2 * LOCALS };

/* Where a break, a continue and a return lead to. */
struct entered {
	enum scope scope;
	uint8_t mutex, counter;
	uint16_t breaks[MAX_BREAKS], continues[MAX_BREAKS]; /* jumps without a target yet */
	unsigned nbreaks, ncontinues;
};

struct compiler {
	const struct program *program;
	struct code *code;
	bool failed;
	uint16_t node;
	uint8_t locals; /* first register of the function */
	uint8_t free; /* first register that is not in use */
	/* of the helper that is being expanded */
	uint8_t result, object, index;
	uint16_t returns[MAX_BREAKS];
	unsigned nreturns;
	unsigned bottom; /* its first scope */
	unsigned nscopes;
	struct entered scopes[MAX_SCOPES];
};

/* --- emitting --- */

static uint16_t emit(struct compiler *compiler, struct op op)
{
	struct code *code = compiler->code;

	op.node = compiler->node;
	if (code->count == MAX_CODE) {
		compiler->failed = true;
		return 0;
	}
	code->ops[code->count] = op;
	return (uint16_t)code->count++;
}

static uint16_t here(const struct compiler *compiler)
{
	return (uint16_t)compiler->code->count;
}

static uint16_t jump(struct compiler *compiler, uint16_t target)
{
	return emit(compiler, (struct op){.code = OP_JUMP, .target = target});
}

static uint16_t jump_if_zero(struct compiler *compiler, uint8_t value)
{
	return emit(compiler, (struct op){.code = OP_ZERO, .a = value});
}

static void land(struct compiler *compiler, uint16_t at)
{
	compiler->code->ops[at].target = here(compiler);
}

static void remember(struct compiler *compiler, uint16_t *list, unsigned *count, uint16_t at)
{
	if (*count == MAX_BREAKS)
		compiler->failed = true;
	else
		list[(*count)++] = at;
}

static uint8_t take_register(struct compiler *compiler)
{
	if (compiler->free == REGISTERS) {
		compiler->failed = true;
		return 0;
	}
	return compiler->free++;
}

/* --- expressions --- */

static void expression(struct compiler *compiler, uint16_t at, uint8_t dst);

static uint8_t value_of(struct compiler *compiler, uint16_t at)
{
	uint8_t value = take_register(compiler);

	expression(compiler, at, value);
	return value;
}

static void move(struct compiler *compiler, uint8_t dst, uint8_t from)
{
	emit(compiler, (struct op){.code = OP_MOVE, .dst = dst, .a = from});
}

static void constant(struct compiler *compiler, uint8_t dst, int value)
{
	emit(compiler, (struct op){.code = OP_CONST, .dst = dst, .imm = (int16_t)value});
}

/* C evaluates the second side only if it matters; the result is 0 or 1. */
static void lazy(struct compiler *compiler, const struct node *node, uint8_t dst)
{
	uint8_t one = value_of(compiler, node->kid[0]), zero = take_register(compiler);
	uint16_t skip, over = 0;

	if (node->a == B_EITHER) {
		skip = jump_if_zero(compiler, one);
		over = jump(compiler, 0);
		land(compiler, skip);
	} else {
		over = jump_if_zero(compiler, one);
	}
	expression(compiler, node->kid[1], one);
	land(compiler, over);
	constant(compiler, zero, 0);
	emit(compiler, (struct op){.code = OP_BINARY, .dst = dst, .a = one, .b = zero, .imm = B_NE});
}

static void binary(struct compiler *compiler, const struct node *node, uint8_t dst)
{
	if (node->a == B_BOTH || node->a == B_EITHER) {
		lazy(compiler, node, dst);
		return;
	}
	uint8_t a = value_of(compiler, node->kid[0]), b = value_of(compiler, node->kid[1]);
	emit(compiler, (struct op){.code = OP_BINARY, .dst = dst, .a = a, .b = b, .imm = node->a});
}

static void conditional(struct compiler *compiler, const struct node *node, uint8_t dst)
{
	uint16_t other = jump_if_zero(compiler, value_of(compiler, node->kid[0])), end;

	expression(compiler, node->kid[1], dst);
	end = jump(compiler, 0);
	land(compiler, other);
	expression(compiler, node->kid[2], dst);
	land(compiler, end);
}

/* The operation on the node's location; whatever its index needs is computed before. */
static struct op located(struct compiler *compiler, const struct node *node, enum opcode code)
{
	struct op op = {.code = (uint8_t)code, .order = (uint8_t)node->b, .index = NO_REGISTER, .other = NO_REGISTER};

	if (node->a == PARAMETER) {
		op.object = compiler->object;
		op.index = compiler->index;
	} else {
		op.object = (uint8_t)node->a;
		if (node->kid[0])
			op.index = value_of(compiler, node->kid[0]);
	}
	return op;
}

static void access_location(struct compiler *compiler, const struct node *node, enum opcode code, uint8_t dst)
{
	struct op op = located(compiler, node, code);

	op.dst = dst;
	op.imm = node->c;
	if (node->kid[1])
		op.a = value_of(compiler, node->kid[1]);
	emit(compiler, op);
}

static void swap_if(struct compiler *compiler, const struct node *node, uint8_t dst)
{
	struct op op = located(compiler, node, OP_CAS);

	op.dst = dst;
	if (node->kind == K_CAS) {
		op.b = value_of(compiler, node->kid[1]);
		op.a = value_of(compiler, node->kid[2]);
	} else {
		op.a = value_of(compiler, node->kid[1]);
		op.b = op.other = (uint8_t)(compiler->locals + node->c);
	}
	emit(compiler, op);
}

static void statements(struct compiler *compiler, uint16_t first);

/* Helpers are expanded where they are called. */
static void call(struct compiler *compiler, const struct node *node, uint8_t dst)
{
	struct op op = located(compiler, node, OP_LOAD);
	uint8_t argument = value_of(compiler, node->kid[1]), locals = compiler->locals;
	unsigned bottom = compiler->bottom;

	compiler->object = op.object;
	compiler->index = op.index;
	compiler->locals = HELPER_LOCALS;
	compiler->result = dst;
	compiler->nreturns = 0;
	compiler->bottom = compiler->nscopes;
	move(compiler, HELPER_LOCALS, argument);
	for (unsigned i = 1; i < LOCALS; i++)
		constant(compiler, (uint8_t)(HELPER_LOCALS + i), 0);
	constant(compiler, dst, 0);
	statements(compiler, compiler->program->body[THREADS + node->b]);
	for (unsigned i = 0; i < compiler->nreturns; i++)
		land(compiler, compiler->returns[i]);
	compiler->locals = locals;
	compiler->bottom = bottom;
}

static void simple(struct compiler *compiler, const struct node *node, enum opcode code, uint8_t dst)
{
	emit(compiler, (struct op){.code = (uint8_t)code,
				   .dst = dst,
				   .object = (uint8_t)node->a,
				   .index = NO_REGISTER,
				   .imm = code == OP_CHOOSE ? node->a : node->b});
}

static void with_operand(struct compiler *compiler, const struct node *node, enum opcode code, uint8_t dst)
{
	uint8_t operand = value_of(compiler, node->kid[0]);

	emit(compiler, (struct op){.code = (uint8_t)code, .dst = dst, .a = operand, .index = NO_REGISTER});
}

static uint8_t counter_of(const struct compiler *compiler)
{
	for (unsigned i = compiler->nscopes; i-- > compiler->bottom;)
		if (compiler->scopes[i].counter)
			return compiler->scopes[i].counter;
	assert(!"a counter outside of its loop");
	return 0;
}

static void expression(struct compiler *compiler, uint16_t at, uint8_t dst)
{
	const struct node *node = &compiler->program->nodes[at];
	uint8_t saved = compiler->free;

	compiler->node = at;
	switch (node->kind) {
	case K_CONST: constant(compiler, dst, node->a); break;
	case K_LOCAL: move(compiler, dst, (uint8_t)(compiler->locals + node->a)); break;
	case K_COUNTER: move(compiler, dst, counter_of(compiler)); break;
	case K_SET:
		expression(compiler, node->kid[0], dst);
		move(compiler, (uint8_t)(compiler->locals + node->a), dst);
		break;
	case K_BINARY: binary(compiler, node, dst); break;
	case K_COND: conditional(compiler, node, dst); break;
	case K_LOAD: access_location(compiler, node, OP_LOAD, dst); break;
	case K_EXCHANGE: access_location(compiler, node, OP_EXCHANGE, dst); break;
	case K_FETCH: access_location(compiler, node, OP_FETCH, dst); break;
	case K_CAS:
	case K_CAS_LOCAL: swap_if(compiler, node, dst); break;
	case K_READ: access_location(compiler, node, OP_READ, dst); break;
	case K_TRYWAIT: simple(compiler, node, OP_TRYWAIT, dst); break;
	case K_CHOOSE: simple(compiler, node, OP_CHOOSE, dst); break;
	case K_CALL: call(compiler, node, dst); break;
	case K_CREATE: simple(compiler, node, OP_CREATE, dst); break;
	case K_UNLINK: simple(compiler, node, OP_UNLINK, dst); break;
	case K_EXISTS: simple(compiler, node, OP_EXISTS, dst); break;
	case K_DUP: simple(compiler, node, OP_DUP, dst); break;
	case K_CLOSE: with_operand(compiler, node, OP_CLOSE, dst); break;
	case K_OPENED: with_operand(compiler, node, OP_OPENED, dst); break;
	case K_TOUCH: simple(compiler, node, OP_TOUCH, dst); break;
	default: assert(!"an expression");
	}
	compiler->free = saved;
}

/* --- statements --- */

static struct entered *enter(struct compiler *compiler, enum scope scope, uint8_t mutex)
{
	static struct entered none;

	if (compiler->nscopes == MAX_SCOPES) {
		compiler->failed = true;
		return &none;
	}
	struct entered *entered = &compiler->scopes[compiler->nscopes++];
	*entered = (struct entered){.scope = scope, .mutex = mutex};
	return entered;
}

static void body(struct compiler *compiler, const struct node *node, unsigned kid)
{
	enter(compiler, scope_of(node->kind, kid), (uint8_t)node->a);
	statements(compiler, node->kid[kid]);
	compiler->nscopes--;
}

/* A loop's body; returns its scope, whose breaks are to be landed. */
static struct entered *loop_body(struct compiler *compiler, const struct node *node, unsigned kid, uint8_t counter)
{
	struct entered *entered = enter(compiler, SCOPE_LOOP, 0);

	entered->counter = counter;
	statements(compiler, node->kid[kid]);
	compiler->nscopes--;
	for (unsigned i = 0; i < entered->ncontinues; i++)
		land(compiler, entered->continues[i]);
	return entered;
}

static void land_breaks(struct compiler *compiler, const struct entered *entered)
{
	for (unsigned i = 0; i < entered->nbreaks; i++)
		land(compiler, entered->breaks[i]);
}

static void unlock(struct compiler *compiler, uint8_t mutex)
{
	emit(compiler, (struct op){.code = OP_UNLOCK, .object = mutex, .index = NO_REGISTER});
}

static void release(struct compiler *compiler, const struct entered *entered)
{
	if (entered->scope == SCOPE_LOCK)
		unlock(compiler, entered->mutex);
	else if (entered->scope == SCOPE_ATOMIC)
		emit(compiler, (struct op){.code = OP_END});
}

static void leave_loop(struct compiler *compiler, bool again)
{
	unsigned i = compiler->nscopes;

	while (i-- > compiler->bottom && compiler->scopes[i].scope != SCOPE_LOOP)
		release(compiler, &compiler->scopes[i]);
	assert(i < compiler->nscopes && compiler->scopes[i].scope == SCOPE_LOOP);
	struct entered *loop = &compiler->scopes[i];
	uint16_t at = jump(compiler, 0);
	if (again)
		remember(compiler, loop->continues, &loop->ncontinues, at);
	else
		remember(compiler, loop->breaks, &loop->nbreaks, at);
}

static void leave_helper(struct compiler *compiler, const struct node *node)
{
	uint8_t value = value_of(compiler, node->kid[0]);

	for (unsigned i = compiler->nscopes; i-- > compiler->bottom;)
		release(compiler, &compiler->scopes[i]);
	move(compiler, compiler->result, value);
	remember(compiler, compiler->returns, &compiler->nreturns, jump(compiler, 0));
}

static void branch(struct compiler *compiler, const struct node *node)
{
	uint16_t other = jump_if_zero(compiler, value_of(compiler, node->kid[0])), end;

	body(compiler, node, 1);
	end = jump(compiler, 0);
	land(compiler, other);
	body(compiler, node, 2);
	land(compiler, end);
}

static void while_loop(struct compiler *compiler, const struct node *node)
{
	uint16_t start = here(compiler), end = jump_if_zero(compiler, value_of(compiler, node->kid[0]));
	struct entered *loop = loop_body(compiler, node, 1, 0);

	jump(compiler, start);
	land(compiler, end);
	land_breaks(compiler, loop);
}

static void do_loop(struct compiler *compiler, const struct node *node)
{
	uint16_t start = here(compiler);
	struct entered *loop = loop_body(compiler, node, 0, 0);
	struct entered breaks = *loop;
	uint16_t end = jump_if_zero(compiler, value_of(compiler, node->kid[1]));

	jump(compiler, start);
	land(compiler, end);
	land_breaks(compiler, &breaks);
}

static void endless_loop(struct compiler *compiler, const struct node *node)
{
	uint16_t start = here(compiler);
	struct entered *loop = loop_body(compiler, node, 0, 0);

	jump(compiler, start);
	land_breaks(compiler, loop);
}

static void for_loop(struct compiler *compiler, const struct node *node)
{
	uint8_t counter = take_register(compiler), limit = take_register(compiler);

	constant(compiler, counter, 0);
	uint16_t start = here(compiler);
	constant(compiler, limit, node->a);
	emit(compiler, (struct op){.code = OP_BINARY, .dst = limit, .a = counter, .b = limit, .imm = B_LT});
	uint16_t end = jump_if_zero(compiler, limit);
	struct entered *loop = loop_body(compiler, node, 0, counter);
	constant(compiler, limit, 1);
	emit(compiler, (struct op){.code = OP_BINARY, .dst = counter, .a = counter, .b = limit, .imm = B_ADD});
	jump(compiler, start);
	land(compiler, end);
	land_breaks(compiler, loop);
}

static uint8_t trylock(struct compiler *compiler, const struct node *node)
{
	uint8_t got = take_register(compiler);

	emit(compiler, (struct op){.code = OP_TRYLOCK, .dst = got, .object = (uint8_t)node->a, .index = NO_REGISTER});
	return got;
}

static void locked(struct compiler *compiler, const struct node *node, unsigned kid)
{
	body(compiler, node, kid);
	unlock(compiler, (uint8_t)node->a);
}

static void trylock_branch(struct compiler *compiler, const struct node *node)
{
	uint16_t other = jump_if_zero(compiler, trylock(compiler, node)), end;

	locked(compiler, node, 0);
	end = jump(compiler, 0);
	land(compiler, other);
	body(compiler, node, 1);
	land(compiler, end);
}

static void trylock_loop(struct compiler *compiler, const struct node *node)
{
	uint16_t start = here(compiler), again = jump_if_zero(compiler, trylock(compiler, node)),
		 end = jump(compiler, 0);

	land(compiler, again);
	struct entered *loop = loop_body(compiler, node, 0, 0);
	jump(compiler, start);
	land(compiler, end);
	land_breaks(compiler, loop);
	locked(compiler, node, 1);
}

static void count(struct compiler *compiler, const struct node *node)
{
	uint8_t local = (uint8_t)(compiler->locals + node->a), other = take_register(compiler), end = 0;
	uint16_t skip = 0;

	if (node->kind == K_BUMP) {
		end = take_register(compiler);
		constant(compiler, other, 2);
		emit(compiler, (struct op){.code = OP_BINARY, .dst = end, .a = local, .b = other, .imm = B_LT});
		skip = jump_if_zero(compiler, end);
	}
	constant(compiler, other, 1);
	emit(compiler, (struct op){.code = OP_BINARY, .dst = local, .a = local, .b = other, .imm = B_ADD});
	if (node->kind == K_BUMP)
		land(compiler, skip);
}

static void sleep_on(struct compiler *compiler, const struct node *node)
{
	simple(compiler, node, OP_SLEEP, 0);
	emit(compiler, (struct op){.code = OP_LOCK, .object = (uint8_t)node->b, .index = NO_REGISTER});
}

static void atomic_block(struct compiler *compiler, const struct node *node)
{
	emit(compiler, (struct op){.code = OP_BEGIN});
	body(compiler, node, 0);
	emit(compiler, (struct op){.code = OP_END});
}

static void assertion(struct compiler *compiler, uint16_t at)
{
	uint8_t value = value_of(compiler, compiler->program->nodes[at].kid[0]);

	compiler->node = at;
	emit(compiler, (struct op){.code = OP_ASSERT, .a = value});
}

static void statement(struct compiler *compiler, uint16_t at)
{
	const struct node *node = &compiler->program->nodes[at];
	uint8_t saved = compiler->free;

	compiler->node = at;
	switch (node->kind) {
	case K_EVAL: value_of(compiler, node->kid[0]); break;
	case K_STORE: access_location(compiler, node, OP_STORE, 0); break;
	case K_WRITE: access_location(compiler, node, OP_WRITE, 0); break;
	case K_FILL: with_operand(compiler, node, OP_FILL, 0); break;
	case K_PROTECT: simple(compiler, node, OP_PROTECT, 0); break;
	case K_RENEW: simple(compiler, node, OP_RENEW, 0); break;
	case K_COUNT:
	case K_BUMP: count(compiler, node); break;
	case K_ASSERT: assertion(compiler, at); break;
	case K_YIELD: break;
	case K_IF: branch(compiler, node); break;
	case K_FOR: for_loop(compiler, node); break;
	case K_WHILE: while_loop(compiler, node); break;
	case K_DO: do_loop(compiler, node); break;
	case K_LOOP: endless_loop(compiler, node); break;
	case K_BREAK: leave_loop(compiler, false); break;
	case K_CONTINUE: leave_loop(compiler, true); break;
	case K_RETURN: leave_helper(compiler, node); break;
	case K_LOCKED:
		simple(compiler, node, OP_LOCK, 0);
		locked(compiler, node, 0);
		break;
	case K_TRYLOCK: trylock_branch(compiler, node); break;
	case K_POLLOCK: trylock_loop(compiler, node); break;
	case K_POST: simple(compiler, node, OP_POST, 0); break;
	case K_WAIT: simple(compiler, node, OP_WAIT, 0); break;
	case K_SLEEP: sleep_on(compiler, node); break;
	case K_SIGNAL: simple(compiler, node, OP_SIGNAL, 0); break;
	case K_BROADCAST: simple(compiler, node, OP_BROADCAST, 0); break;
	case K_AWAIT: access_location(compiler, node, OP_AWAIT, take_register(compiler)); break;
	case K_ATOMIC: atomic_block(compiler, node); break;
	case K_SPAWN: simple(compiler, node, OP_SPAWN, 0); break;
	case K_JOIN: simple(compiler, node, OP_JOIN, 0); break;
	default: assert(!"a statement");
	}
	compiler->free = saved;
}

static void statements(struct compiler *compiler, uint16_t first)
{
	for (uint16_t at = first; at && !compiler->failed; at = compiler->program->nodes[at].next)
		statement(compiler, at);
}

/* --- programs --- */

/* Whoever was created is joined in the end. */
static void join_all(struct compiler *compiler)
{
	const struct program *program = compiler->program;
	unsigned left = 0;

	for (uint16_t at = program->body[0]; at; at = program->nodes[at].next) {
		if (program->nodes[at].kind == K_SPAWN)
			left |= 1u << program->nodes[at].a;
		else if (program->nodes[at].kind == K_JOIN)
			left &= ~(1u << program->nodes[at].a);
	}
	for (unsigned t = 1; t < THREADS; t++)
		if (left & 1u << t)
			emit(compiler, (struct op){.code = OP_JOIN, .object = (uint8_t)t, .index = NO_REGISTER});
}

bool compile(struct code *code, const struct program *program)
{
	struct compiler compiler = {.program = program, .code = code};

	assert(program_is_valid(program));
	code->count = 0;
	memcpy(code->live, program->live, sizeof code->live);
	memcpy(code->initial, program->initial, sizeof code->initial);
	memcpy(code->tokens, program->tokens, sizeof code->tokens);
	code->weak = program_is_weak(program);
	code->vague = program_uses(program, K_TRYLOCK) || program_uses(program, K_POLLOCK) ||
		      program_uses(program, K_TRYWAIT) || program_uses(program, K_ATOMIC) ||
		      program_uses(program, K_SLEEP) || program_has_system_calls(program);
	for (unsigned t = 0; t < THREADS; t++) {
		compiler.free = FIRST_FREE;
		code->start[t] = code->count;
		statements(&compiler, program->body[t]);
		if (t == 0)
			join_all(&compiler);
		emit(&compiler, (struct op){.code = OP_EXIT, .imm = (int16_t)t});
	}
	if (!compiler.failed)
		find_live(code);
	return !compiler.failed;
}
