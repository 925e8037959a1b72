#include "code.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ALONE = 4000, MAX_CHOICES = 16, MAX_VALUE = 20000 };
enum status { ABSENT, RUNNING, SLEEPING, ENDED };
enum outcome { WENT_ON, ASSERTED, GAVE_UP };

/*
 * What one access has to know about others: for each thread and plain location, whether its last read and its last
 * write happen before.  One bit each.
 */
typedef uint16_t view;
static_assert(THREADS * PLAINS * 2 <= 8 * sizeof(view), "a bit for each");

struct state {
	int16_t registers[THREADS][REGISTERS];
	int16_t x[LOCATIONS], y[PLAINS];
	uint16_t pc[THREADS];
	uint8_t status[THREADS];
	uint8_t depth[THREADS]; /* of atomic blocks in which the thread waits */
	uint8_t owner[MUTEXES]; /* a thread's number and 1; 0: nobody */
	uint8_t tokens[SEMAPHORES], files, descriptors;
	int16_t page;
	uint16_t is_protected;
	/* what happens before: a thread's next operation; who acquires from there */
	view seen[THREADS], location[LOCATIONS], mutex[MUTEXES], semaphore[SEMAPHORES];
};

/* Choices of one step, in order: those that were made before, then zeros. */
struct script {
	uint8_t chosen[MAX_CHOICES], limit[MAX_CHOICES];
	unsigned count, at;
};

struct machine {
	const struct code *code;
	struct answer *answer;
	unsigned max_states;
	struct state *states;
	bool *can_end, *can_write;
	unsigned count;
	uint32_t *table; /* of states, by hash: number and 1 */
	size_t table_size;
	struct edge {
		uint32_t from, to;
	} *edges;
	size_t nedges, max_edges;
	char (*ends)[MAX_LINE];
	size_t nends, max_ends;
	bool wrote; /* in this step */
	bool unordered, adjacent; /* two plain accesses that are not ordered; that are next at the same time */
};

/* --- one operation --- */

int evaluate(enum binary operator, int a, int b, bool *failed)
{
	switch (operator) {
	case B_ADD: return a + b;
	case B_SUB: return a - b;
	case B_AND: return a & b;
	case B_XOR: return a ^ b;
	case B_MOD: *failed |= b == 0; return b ? a % b : 0;
	case B_EQ: return a == b;
	case B_NE: return a != b;
	case B_LT: return a < b;
	case B_GT: return a > b;
	case B_BOTH: return a && b;
	case B_EITHER: return a || b;
	case BINARIES: break;
	}
	abort();
}

static unsigned choose(struct script *script, unsigned limit)
{
	assert(script->at < MAX_CHOICES && limit > 0);
	if (script->at == script->count) {
		script->chosen[script->count] = 0;
		script->limit[script->count++] = (uint8_t)limit;
	}
	return script->chosen[script->at++];
}

/* The next choices in order; false when all were made. */
static bool next_script(struct script *script)
{
	script->at = 0;
	while (script->count && script->chosen[script->count - 1] + 1u >= script->limit[script->count - 1])
		script->count--;
	if (!script->count)
		return false;
	script->chosen[script->count - 1]++;
	return true;
}

static unsigned object_of(const struct state *state, unsigned t, const struct op *op)
{
	return op->object + (op->index == NO_REGISTER ? 0u : (unsigned)state->registers[t][op->index] & 1u);
}

static bool releases(const struct op *op)
{
	return op->order != RELAXED;
}

/* An acquire, if the order is one. */
static void acquire(struct state *state, unsigned t, const struct op *op, unsigned x)
{
	if (op->order != RELAXED)
		state->seen[t] |= state->location[x];
}

static int fetch(enum fetch operator, int old, int operand)
{
	switch (operator) {
	case F_ADD: return old + operand;
	case F_SUB: return old - operand;
	case F_OR: return old | operand;
	case F_AND: return old & operand;
	case F_XOR: return old ^ operand;
	case FETCHES: break;
	}
	abort();
}

/* A store begins a new release sequence, or none; an update goes on with the one that is there. */
static void access_atomic(struct state *state, unsigned t, const struct op *op)
{
	unsigned x = object_of(state, t, op);
	int16_t *registers = state->registers[t], old = state->x[x], value = registers[op->a];

	switch (op->code) {
	case OP_LOAD:
	case OP_AWAIT: break;
	case OP_STORE:
		state->x[x] = value;
		state->location[x] = releases(op) ? state->seen[t] : 0;
		return;
	case OP_EXCHANGE: state->x[x] = value; break;
	case OP_FETCH: state->x[x] = (int16_t)fetch((enum fetch)op->imm, old, value); break;
	case OP_CAS:
		registers[op->dst] = old == registers[op->b];
		acquire(state, t, op, x);
		if (!registers[op->dst] && op->other != NO_REGISTER)
			registers[op->other] = old;
		if (registers[op->dst]) {
			state->x[x] = value;
			state->location[x] |= releases(op) ? state->seen[t] : 0;
		}
		return;
	}
	acquire(state, t, op, x);
	if (op->code != OP_LOAD && op->code != OP_AWAIT && releases(op))
		state->location[x] |= state->seen[t];
	registers[op->dst] = old;
}

static view bit_of(unsigned t, unsigned y, bool write)
{
	return (view)(1u << ((t * PLAINS + y) * 2 + write));
}

/* Nobody else knows of this access yet, and so of no earlier one of its kind. */
static void forget(struct state *state, view bit)
{
	view keep = (view)~bit;

	for (unsigned i = 0; i < THREADS; i++)
		state->seen[i] &= keep;
	for (unsigned i = 0; i < LOCATIONS; i++)
		state->location[i] &= keep;
	for (unsigned i = 0; i < MUTEXES; i++)
		state->mutex[i] &= keep;
	for (unsigned i = 0; i < SEMAPHORES; i++)
		state->semaphore[i] &= keep;
}

static void access_plain(struct machine *machine, struct state *state, unsigned t, const struct op *op)
{
	unsigned y = object_of(state, t, op);
	bool write = op->code == OP_WRITE;

	for (unsigned u = 0; u < THREADS; u++) {
		view conflicting = bit_of(u, y, true) | (write ? bit_of(u, y, false) : 0);
		if (u != t && state->seen[u] & conflicting & ~state->seen[t])
			machine->unordered = true;
	}
	forget(state, bit_of(t, y, write));
	state->seen[t] |= bit_of(t, y, write);
	if (write)
		state->y[y] = state->registers[t][op->a];
	else
		state->registers[t][op->dst] = state->y[y];
}

static void wake(struct state *state, unsigned t, const struct op *op, struct script *script)
{
	unsigned waiting[THREADS], n = 0;

	for (unsigned u = 0; u < THREADS; u++)
		if (state->status[u] == SLEEPING)
			waiting[n++] = u;
	if (!n)
		return;
	unsigned chosen = op->code == OP_SIGNAL ? choose(script, n) : 0;
	for (unsigned i = 0; i < n; i++) {
		if (op->code == OP_SIGNAL && i != chosen)
			continue;
		state->status[waiting[i]] = RUNNING;
		state->seen[waiting[i]] |= state->seen[t];
	}
}

static void leave_mutex(struct state *state, unsigned t, unsigned mutex)
{
	assert(state->owner[mutex] == t + 1);
	state->owner[mutex] = 0;
	state->mutex[mutex] = state->seen[t];
}

static void enter_mutex(struct state *state, unsigned t, unsigned mutex)
{
	assert(!state->owner[mutex]);
	state->owner[mutex] = (uint8_t)(t + 1);
	state->seen[t] |= state->mutex[mutex];
}

static void take_token(struct state *state, unsigned t, unsigned semaphore)
{
	assert(state->tokens[semaphore]);
	state->tokens[semaphore]--;
	state->seen[t] |= state->semaphore[semaphore];
}

static void use_file(struct state *state, unsigned t, const struct op *op)
{
	unsigned file = 1u << op->object;
	bool there = state->files & file;

	state->registers[t][op->dst] = op->code == OP_CREATE ? !there : there;
	if (op->code == OP_CREATE)
		state->files |= (uint8_t)file;
	else if (op->code == OP_UNLINK)
		state->files &= (uint8_t)~file;
}

/* The number that is the lowest of those that are free; all that follows is too large when there is none. */
static void take_descriptor(struct machine *machine, struct state *state, int16_t *result)
{
	unsigned number = 0;

	while (state->descriptors & 1u << number)
		number++;
	if (number == DESCRIPTORS)
		machine->answer->too_large = true;
	state->descriptors |= (uint8_t)(1u << number);
	*result = (int16_t)number;
}

static void use_descriptor(struct state *state, unsigned t, const struct op *op)
{
	unsigned bit = 1u << (state->registers[t][op->a] & (DESCRIPTORS - 1));

	state->registers[t][op->dst] = (state->descriptors & bit) != 0;
	if (op->code == OP_CLOSE)
		state->descriptors &= (uint8_t)~bit;
}

static void use_page(struct state *state, unsigned t, const struct op *op)
{
	switch (op->code) {
	case OP_TOUCH: state->registers[t][op->dst] = state->page; break;
	case OP_FILL: state->page = state->registers[t][op->a]; break;
	case OP_PROTECT: state->is_protected = !op->object; break;
	case OP_RENEW: state->page = 0, state->is_protected = 0; break;
	}
}

/* Begins or joins a thread. */
static void use_thread(struct machine *machine, struct state *state, unsigned t, const struct op *op);

/* A write counts as one even if it changes nothing, and so does a choice, which might be another; an update only if it does. */
static bool is_write(enum opcode code)
{
	return code == OP_STORE || code == OP_WRITE || code == OP_POST || code == OP_SIGNAL || code == OP_BROADCAST ||
	       code == OP_FILL || code == OP_PROTECT || code == OP_RENEW || code == OP_CHOOSE;
}

/*
 * Where weaker orders are used, an update that leaves the value as it is may let somebody see what came before it: a program
 * that does nothing else all the time may be taken for one that gets on.
 */
static bool may_tell(const struct code *code, enum opcode opcode)
{
	return code->weak && (opcode == OP_EXCHANGE || opcode == OP_FETCH || opcode == OP_CAS);
}

static bool values_differ(const struct state *a, const struct state *b)
{
	return memcmp(a->x, b->x, sizeof a->x) || memcmp(a->y, b->y, sizeof a->y) ||
	       memcmp(a->tokens, b->tokens, sizeof a->tokens) || a->files != b->files ||
	       a->descriptors != b->descriptors;
}

/* It can be performed; the thread goes on behind it. */
static void perform(struct machine *machine, struct state *state, unsigned t, struct script *script)
{
	const struct op *op = &machine->code->ops[state->pc[t]++];
	int16_t *result = &state->registers[t][op->dst];

	machine->wrote |= is_write(op->code) || may_tell(machine->code, op->code);
	switch (op->code) {
	case OP_READ:
	case OP_WRITE: access_plain(machine, state, t, op); break;
	case OP_LOCK: enter_mutex(state, t, op->object); break;
	case OP_UNLOCK: leave_mutex(state, t, op->object); break;
	case OP_TRYLOCK:
		*result = !state->owner[op->object];
		if (*result)
			enter_mutex(state, t, op->object);
		break;
	case OP_POST:
		state->tokens[op->object]++;
		state->semaphore[op->object] |= state->seen[t];
		break;
	case OP_WAIT: take_token(state, t, op->object); break;
	case OP_TRYWAIT:
		*result = state->tokens[op->object] > 0;
		if (*result)
			take_token(state, t, op->object);
		break;
	case OP_SLEEP:
		leave_mutex(state, t, (unsigned)op->imm);
		state->status[t] = SLEEPING;
		break;
	case OP_SIGNAL:
	case OP_BROADCAST: wake(state, t, op, script); break;
	case OP_CHOOSE: *result = (int16_t)choose(script, (unsigned)op->imm); break;
	case OP_CREATE:
	case OP_UNLINK:
	case OP_EXISTS: use_file(state, t, op); break;
	case OP_DUP: take_descriptor(machine, state, result); break;
	case OP_CLOSE:
	case OP_OPENED: use_descriptor(state, t, op); break;
	case OP_TOUCH:
	case OP_FILL:
	case OP_PROTECT:
	case OP_RENEW: use_page(state, t, op); break;
	case OP_SPAWN:
	case OP_JOIN: use_thread(machine, state, t, op); break;
	default: access_atomic(state, t, op);
	}
}

/* --- one step --- */

/* What the thread does by itself; false if it is not such an operation. */
static bool perform_alone(const struct machine *machine, struct state *state, unsigned t, bool *failed)
{
	const struct op *op = &machine->code->ops[state->pc[t]];
	int16_t *registers = state->registers[t];

	switch (op->code) {
	case OP_CONST: registers[op->dst] = op->imm; break;
	case OP_MOVE: registers[op->dst] = registers[op->a]; break;
	case OP_BINARY: {
		int value = evaluate((enum binary)op->imm, registers[op->a], registers[op->b], failed);
		*failed |= value > MAX_VALUE || value < -MAX_VALUE;
		registers[op->dst] = (int16_t)value;
		break;
	}
	case OP_JUMP: state->pc[t] = op->target; return true;
	case OP_ZERO: state->pc[t] = registers[op->a] ? state->pc[t] + 1 : op->target; return true;
	case OP_ASSERT:
		if (!registers[op->a])
			return false;
		break;
	default: return false;
	}
	state->pc[t]++;
	return true;
}

/* Up to the next shared operation.  False if that does not come. */
static bool run_alone(const struct machine *machine, struct state *state, unsigned t)
{
	bool failed = false;
	unsigned left = MAX_ALONE;

	while (left && !failed && perform_alone(machine, state, t, &failed))
		left--;
	return left && !failed;
}

/* What will not be used any more makes no difference between states. */
static void clean(const struct machine *machine, struct state *state, unsigned t)
{
	const struct op *op = &machine->code->ops[state->pc[t]];

	if (op->code == OP_EXIT)
		state->status[t] = ENDED;
	for (unsigned i = 0; i < REGISTERS; i++)
		if (!(op->live & 1ull << i))
			state->registers[t][i] = 0;
}

static void use_thread(struct machine *machine, struct state *state, unsigned t, const struct op *op)
{
	unsigned other = op->object;

	if (op->code == OP_JOIN) {
		state->seen[t] |= state->seen[other];
		return;
	}
	state->seen[other] = state->seen[t];
	state->status[other] = RUNNING;
	state->pc[other] = (uint16_t)machine->code->start[other];
	if (run_alone(machine, state, other))
		clean(machine, state, other);
	else
		machine->answer->too_large = true;
}

/* The next operation is an assertion that does not hold, or an access to a protected page. */
static bool ends_program(const struct machine *machine, const struct state *state, unsigned t)
{
	uint8_t code = machine->code->ops[state->pc[t]].code;

	return code == OP_ASSERT || ((code == OP_TOUCH || code == OP_FILL) && state->is_protected);
}

static bool is_enabled(const struct machine *machine, const struct state *state, unsigned t);

/* To its end, or to where it has to wait. */
static enum outcome perform_block(struct machine *machine, struct state *state, unsigned t, struct script *script)
{
	unsigned depth = state->depth[t], left = MAX_ALONE;

	do {
		const struct op *op = &machine->code->ops[state->pc[t]];
		if (ends_program(machine, state, t))
			return ASSERTED;
		if (!is_enabled(machine, state, t))
			break;
		if (op->code == OP_BEGIN || op->code == OP_END) {
			depth += op->code == OP_BEGIN ? 1u : -1u;
			state->pc[t]++;
		} else {
			perform(machine, state, t, script);
		}
		if (!--left || !run_alone(machine, state, t))
			return GAVE_UP;
	} while (depth);
	state->depth[t] = (uint8_t)depth;
	return WENT_ON;
}

static enum outcome step(struct machine *machine, struct state *state, unsigned t, struct script *script)
{
	enum outcome outcome = WENT_ON;

	if (ends_program(machine, state, t))
		return ASSERTED;
	if (machine->code->ops[state->pc[t]].code == OP_BEGIN || state->depth[t])
		outcome = perform_block(machine, state, t, script);
	else
		perform(machine, state, t, script);
	if (outcome != WENT_ON)
		return outcome;
	if (!run_alone(machine, state, t))
		return GAVE_UP;
	for (unsigned i = 0; i < LOCATIONS; i++)
		if (state->x[i] > MAX_VALUE || state->x[i] < -MAX_VALUE)
			return GAVE_UP;
	clean(machine, state, t);
	return WENT_ON;
}

static bool is_enabled(const struct machine *machine, const struct state *state, unsigned t)
{
	const struct op *op = &machine->code->ops[state->pc[t]];

	if (state->status[t] != RUNNING)
		return false;
	switch (op->code) {
	case OP_LOCK: return !state->owner[op->object];
	case OP_WAIT: return state->tokens[op->object] > 0;
	case OP_AWAIT: return state->x[object_of(state, t, op)] == op->imm;
	case OP_JOIN: return state->status[op->object] == ENDED;
	default: return true;
	}
}

/* --- all states --- */

static uint64_t hash(const struct state *state)
{
	const unsigned char *bytes = (const unsigned char *)state;
	uint64_t value = 1469598103934665603ull;

	for (size_t i = 0; i < sizeof *state; i += 2) {
		uint16_t word;
		memcpy(&word, bytes + i, 2);
		value = (value ^ word) * 1099511628211ull;
	}
	return value ^ value >> 32;
}
static_assert(sizeof(struct state) % 2 == 0, "hashed in pairs of bytes");

static uint32_t *slot_of(struct machine *machine, const struct state *state)
{
	size_t at = hash(state) & (machine->table_size - 1);

	while (machine->table[at] && memcmp(&machine->states[machine->table[at] - 1], state, sizeof *state))
		at = (at + 1) & (machine->table_size - 1);
	return &machine->table[at];
}

/* The number of the state, which may be new. */
static uint32_t number_of(struct machine *machine, const struct state *state)
{
	uint32_t *slot = slot_of(machine, state);

	if (!*slot) {
		if (machine->count == machine->max_states) {
			machine->answer->too_large = true;
			return 0;
		}
		machine->states[machine->count] = *state;
		*slot = ++machine->count;
	}
	return *slot - 1;
}

static void add_edge(struct machine *machine, uint32_t from, uint32_t to)
{
	if (machine->nedges == machine->max_edges) {
		machine->max_edges = machine->max_edges * 2 + 1024;
		machine->edges = realloc(machine->edges, machine->max_edges * sizeof *machine->edges);
		if (!machine->edges)
			abort();
	}
	machine->edges[machine->nedges++] = (struct edge){from, to};
}

static void add_site(struct answer *answer, uint16_t site)
{
	for (unsigned i = 0; i < answer->nsites; i++)
		if (answer->sites[i] == site)
			return;
	if (answer->nsites == MAX_SITES)
		answer->too_large = true;
	else
		answer->sites[answer->nsites++] = site;
}

/* As report() in print.c has it. */
static void add_end(struct machine *machine, const struct state *state)
{
	unsigned long ended[THREADS] = {0};

	if (machine->nends == machine->max_ends) {
		machine->max_ends = machine->max_ends * 2 + 64;
		machine->ends = realloc(machine->ends, machine->max_ends * sizeof *machine->ends);
		if (!machine->ends)
			abort();
	}
	for (unsigned t = 0; t < THREADS; t++)
		for (unsigned i = 0; i < LOCALS; i++)
			if (machine->code->live[t] & 1u << i)
				ended[t] |= (unsigned long)(unsigned char)state->registers[t][i] << 8 * i;
	const int16_t *x = state->x, *y = state->y;
	snprintf(machine->ends[machine->nends++], MAX_LINE, "%lx %lx %lx x %d %d %d %d y %d %d f %d", ended[0],
		 ended[1], ended[2], x[0], x[1], x[2], x[3], y[0], y[1],
		 state->files | state->descriptors << FILES | (state->page & 255) << 8);
}

static void look_for_races(struct machine *machine, const struct state *state)
{
	const struct op *ops = machine->code->ops;

	for (unsigned t = 1; t < THREADS; t++) {
		for (unsigned u = 0; u < t; u++) {
			const struct op *a = &ops[state->pc[t]], *b = &ops[state->pc[u]];
			if (state->status[t] != RUNNING || state->status[u] != RUNNING)
				continue;
			if ((a->code != OP_READ && a->code != OP_WRITE) || (b->code != OP_READ && b->code != OP_WRITE))
				continue;
			if ((a->code == OP_WRITE || b->code == OP_WRITE) &&
			    object_of(state, t, a) == object_of(state, u, b))
				machine->adjacent = true;
		}
	}
}

static void take_steps(struct machine *machine, uint32_t from, unsigned t)
{
	struct script script = {.count = 0};

	do {
		struct state next = machine->states[from];
		machine->wrote = false;
		switch (step(machine, &next, t, &script)) {
		case ASSERTED:
			add_site(machine->answer, machine->code->ops[next.pc[t]].node);
			machine->can_end[from] = true;
			break;
		case GAVE_UP: machine->answer->too_large = true; return;
		case WENT_ON:
			machine->can_write[from] |= machine->wrote || values_differ(&machine->states[from], &next);
			add_edge(machine, from, number_of(machine, &next));
			break;
		}
	} while (next_script(&script) && !machine->answer->too_large);
}

static bool somebody_awaits(const struct machine *machine, const struct state *state)
{
	for (unsigned t = 0; t < THREADS; t++)
		if (state->status[t] == RUNNING && machine->code->ops[state->pc[t]].code == OP_AWAIT)
			return true;
	return false;
}

static void explore(struct machine *machine, uint32_t from)
{
	bool anybody = false;

	look_for_races(machine, &machine->states[from]);
	if (machine->states[from].status[0] == ENDED) {
		add_end(machine, &machine->states[from]);
		machine->can_end[from] = true;
		return;
	}
	for (unsigned t = 0; t < THREADS && !machine->answer->too_large; t++) {
		if (!is_enabled(machine, &machine->states[from], t))
			continue;
		anybody = true;
		take_steps(machine, from, t);
	}
	if (!anybody) {
		bool spins = somebody_awaits(machine, &machine->states[from]);
		machine->answer->deadlock |= !spins;
		machine->answer->livelock |= spins;
		machine->answer->quiet_livelock |= spins;
		machine->can_end[from] = true;
	}
}

static void start(struct machine *machine)
{
	struct state state;

	memset(&state, 0, sizeof state);
	for (unsigned i = 0; i < LOCATIONS; i++)
		state.x[i] = machine->code->initial[i];
	for (unsigned i = 0; i < SEMAPHORES; i++)
		state.tokens[i] = (uint8_t)machine->code->tokens[i];
	state.status[0] = RUNNING;
	if (!run_alone(machine, &state, 0)) {
		machine->answer->too_large = true;
		return;
	}
	clean(machine, &state, 0);
	number_of(machine, &state);
}

/* --- what follows from them --- */

static int by_number(const void *a, const void *b)
{
	const struct edge *one = a, *other = b;

	return one->to < other->to ? -1 : one->to > other->to;
}

/* Where the edges that lead to a state begin, in the order of by_number(). */
static size_t *index_edges(struct machine *machine)
{
	size_t *first = calloc(machine->count + 1, sizeof *first);

	if (!first)
		abort();
	if (machine->nedges)
		qsort(machine->edges, machine->nedges, sizeof *machine->edges, by_number);
	for (size_t i = 0; i < machine->nedges; i++)
		first[machine->edges[i].to + 1] = i + 1;
	for (unsigned i = 1; i <= machine->count; i++)
		if (first[i] < first[i - 1])
			first[i] = first[i - 1];
	return first;
}

/* Marks are carried back to all states from which a marked one can be reached.  Are there states without? */
static bool some_without(struct machine *machine, const size_t *first, bool *marked)
{
	uint32_t *stack = malloc((machine->count + 1) * sizeof *stack);
	unsigned depth = 0, reached = 0;

	if (!stack)
		abort();
	for (unsigned i = 0; i < machine->count; i++)
		if (marked[i])
			stack[depth++] = i;
	while (depth) {
		uint32_t at = stack[--depth];
		reached++;
		for (size_t i = first[at]; i < first[at + 1]; i++) {
			uint32_t from = machine->edges[i].from;
			if (!marked[from])
				stack[depth++] = from;
			marked[from] = true;
		}
	}
	free(stack);
	return reached < machine->count;
}

/* Who can come to no end goes round for ever; quietly, if nobody there can ever write anything. */
static void find_livelocks(struct machine *machine)
{
	size_t *first = index_edges(machine);

	machine->answer->livelock |= some_without(machine, first, machine->can_end);
	for (unsigned i = 0; i < machine->count; i++)
		machine->can_write[i] |= machine->can_end[i];
	machine->answer->quiet_livelock |= some_without(machine, first, machine->can_write);
	free(first);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(a, b);
}

static char *join_ends(struct machine *machine)
{
	char *text = malloc(machine->nends * (MAX_LINE + 1) + 1), *out = text;

	if (!text)
		abort();
	if (machine->nends)
		qsort(machine->ends, machine->nends, sizeof *machine->ends, by_text);
	*out = 0;
	for (size_t i = 0; i < machine->nends; i++)
		if (!i || strcmp(machine->ends[i], machine->ends[i - 1]))
			out += sprintf(out, "%s\n", machine->ends[i]);
	return text;
}

/*
 * Two accesses that are next at the same time are a race by every definition.  In a program without weak orders, and
 * where nothing can be learned from an attempt that failed, races by happens-before are there only together with those.
 */
static void judge(struct machine *machine)
{
	struct answer *answer = machine->answer;

	assert(machine->unordered || !machine->adjacent);
	assert(machine->adjacent || !machine->unordered || machine->code->weak || machine->code->vague);
	find_livelocks(machine);
	answer->race = machine->adjacent || (machine->unordered && !machine->code->vague);
	answer->race_allowed = machine->unordered;
	answer->race_hidden = !machine->adjacent;
	answer->ends = join_ends(machine);
}

void interpret(const struct code *code, unsigned max_states, struct answer *answer)
{
	struct machine machine = {.code = code, .answer = answer, .max_states = max_states, .table_size = 1024};

	while (machine.table_size < 2 * (size_t)max_states)
		machine.table_size *= 2;
	*answer = (struct answer){.too_large = false};
	machine.states = malloc((max_states + 1) * sizeof *machine.states);
	machine.can_end = calloc(max_states + 1, sizeof *machine.can_end);
	machine.can_write = calloc(max_states + 1, sizeof *machine.can_write);
	machine.table = calloc(machine.table_size, sizeof *machine.table);
	if (!machine.states || !machine.can_end || !machine.can_write || !machine.table)
		abort();
	start(&machine);
	for (uint32_t at = 0; at < machine.count && !answer->too_large; at++)
		explore(&machine, at);
	answer->states = machine.count;
	if (!answer->too_large)
		judge(&machine);
	free(machine.states);
	free(machine.can_end);
	free(machine.can_write);
	free(machine.table);
	free(machine.edges);
	free(machine.ends);
}

void answer_release(struct answer *answer)
{
	free(answer->ends);
	*answer = (struct answer){.too_large = false};
}
