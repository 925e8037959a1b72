/*
 * A second oracle that shares nothing with Inspect: the meaning of the instructions, spelt out again, and
 * every order of their operations, in a graph of states.  It knows the ends that a program can come to,
 * for programs without the more exotic instructions.
 *
 * It sees what --search=all gets wrong as well: what the runtime does, whom a signal may wake, what comes
 * of busy waiting.
 */
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hidden.h"

enum { MAX_STATES = 60000, MAX_ENDS = 1 << 20 };

/* One thread.  Its next operation is phase `phase' of step `pc'. */
struct thread {
	uint64_t seen;
	int32_t last, value; /* value: inside an instruction */
	uint8_t pc, phase, count; /* count: rounds of an instruction's own loop */
	uint8_t ended, joined, waits, woken; /* waits: for condition variable number, + 1 */
	uint8_t held, reading, writing; /* sets of locks */
	uint8_t depth; /* of atomic blocks */
	uint8_t rounds[MAX_LENGTH];
};

/* All of it, without pointers: it is hashed. */
struct state {
	struct thread threads[MAX_SECTIONS];
	uint32_t versions[SORTS][OBJECTS];
	int32_t plain[OBJECTS], atomics[OBJECTS];
	int32_t next, serving; /* of tickets */
	uint8_t mutexes[OBJECTS], words[OBJECTS], semaphores[OBJECTS];
	uint8_t writers[OBJECTS], readers[OBJECTS];
	uint8_t spin, recursive, arrived[2];
	uint8_t owner; /* whose atomic block it is in which nobody else moves, + 1 */
	char printed[64];
};

enum {
	PHASE_END = 200,
	PHASE_EXIT = 201,
	PHASE_PRINT = 202
}; /* of main: about to exit, to print; of all: about to fail */

struct model {
	const struct program *program;
	uint64_t *visited; /* hashes, MAX_STATES * 2 */
	unsigned nvisited;
	bool too_large;
	char *ends; /* lines */
	size_t length;
};

/* --- which programs --- */

static bool is_modelled(unsigned instruction)
{
	if (instruction == ONCE || instruction == WAIT_CROSSED || instruction == ASSUME || instruction == AWAIT_TWO)
		return false;
	return instruction < FIRST_TIMED || (instruction >= FIRST_AWAITING && instruction < FIRST_HEAP) ||
	       instruction == JOIN || instruction == RELEASE;
}

static bool program_is_modelled(const struct program *program)
{
	for (unsigned i = 0; i < INSTRUCTIONS; i++)
		if (!is_modelled(i) && program_uses(program, i))
			return false;
	return !strstr(program->options, "--spurious-wakeups") ||
	       !(program_uses(program, WAIT) || program_uses(program, WAIT_ATOMICALLY));
}

/* --- what threads see: as in program.c --- */

static const uint64_t prime = 0x100000001b3ull;

static void see(struct thread *thread, int value)
{
	thread->seen = (thread->seen ^ (unsigned)value) * prime + 1;
	thread->last = value;
}

static void look_at(struct state *state, struct thread *thread, enum object sort, unsigned object)
{
	thread->seen = (thread->seen ^ state->versions[sort][object]) * prime + 2;
}

static void change(struct state *state, struct thread *thread, enum object sort, unsigned object)
{
	thread->seen = (thread->seen ^ ++state->versions[sort][object]) * prime + 3;
}

static void attempted(struct state *state, struct thread *thread, enum object sort, unsigned object, bool success)
{
	if (success)
		change(state, thread, sort, object);
	else
		look_at(state, thread, sort, object);
}

static void read_plain(struct state *state, struct thread *thread, unsigned object)
{
	look_at(state, thread, OF_PLAIN, object);
	see(thread, state->plain[object]);
}

static void write_plain(struct state *state, struct thread *thread, unsigned object, int value)
{
	state->plain[object] = value;
	change(state, thread, OF_PLAIN, object);
}

static void load(struct state *state, struct thread *thread, unsigned object)
{
	look_at(state, thread, OF_ATOMICS, object);
	see(thread, state->atomics[object]);
}

static void store(struct state *state, struct thread *thread, unsigned object, int value)
{
	state->atomics[object] = value;
	change(state, thread, OF_ATOMICS, object);
}

static void add(struct state *state, struct thread *thread, unsigned object, int value)
{
	int old = state->atomics[object];

	store(state, thread, object, old + value);
	see(thread, old);
}

/* --- from one operation to the next --- */

static bool is_bit(unsigned set, unsigned bit)
{
	return set >> bit & 1;
}

static bool does_nothing(const struct state *state, unsigned self, struct step step)
{
	const struct thread *thread = &state->threads[self];
	bool held = is_bit(thread->held, step.operand);

	switch (step.instruction) {
	case LOCK:
	case TRYLOCK:
	case TRYLOCK_LOOP:
	case LOCK_OFTEN: return held;
	case UNLOCK:
	case WAIT: return !held;
	case READ_LOCK:
	case WRITE_LOCK:
	case TRY_READ_LOCK:
	case TRY_WRITE_LOCK:
	case NESTED_READ:
	case WRITE_BETWEEN: return is_bit(thread->reading | thread->writing, step.operand);
	case RW_UNLOCK: return !is_bit(thread->reading | thread->writing, step.operand);
	case RELEASE: return !(thread->held | thread->reading | thread->writing);
	case JOIN: return step.operand == self || step.operand == 0;
	case FENCE: return true;
	}
	return false;
}

static bool main_joins_all(const struct program *program)
{
	const struct section *main = &program->sections[0];
	unsigned joined = 0;

	for (unsigned i = 0; i < main->length; i++) {
		if (main->steps[i].instruction == SKIP_IF)
			return false;
		if (main->steps[i].instruction == JOIN)
			joined |= 1u << main->steps[i].operand;
	}
	for (unsigned i = 1; i < program->nsections; i++)
		if (!is_bit(joined, i))
			return false;
	return true;
}

static void print(const struct model *model, struct state *state)
{
	int n = sprintf(state->printed, "main saw %llx", (unsigned long long)state->threads[0].seen);

	if (main_joins_all(model->program))
		for (unsigned i = 0; i < OBJECTS; i++)
			n += snprintf(state->printed + n, sizeof state->printed - (size_t)n, " %d,%d", state->plain[i],
				      state->atomics[i]);
}

/* The thread leaves an atomic block, of those that it is in. */
static void end_block(struct state *state, unsigned self, unsigned depth)
{
	state->threads[self].depth = (uint8_t)depth;
	if (!depth && state->owner == self + 1)
		state->owner = 0;
}

/* What is no operation: a block inside another, and the end of one. */
static bool passes(struct state *state, unsigned self, struct step step)
{
	struct thread *thread = &state->threads[self];

	if (step.instruction == END_BLOCK)
		end_block(state, self, thread->depth ? thread->depth - 1u : 0);
	else if (step.instruction == BEGIN_BLOCK && thread->depth)
		thread->depth++;
	else
		return does_nothing(state, self, step);
	return true;
}

/* An instruction that is an atomic block. */
static bool is_block(unsigned instruction)
{
	return instruction >= ATOMIC_BLOCK && instruction <= WAIT_ATOMICALLY;
}

static void finish(struct state *state, unsigned self)
{
	end_block(state, self, 0);
	state->threads[self].phase = self ? PHASE_EXIT : PHASE_PRINT;
	state->threads[self].ended = self != 0;
}

/* Go to the next step that has an operation. */
static void advance(const struct model *model, struct state *state, unsigned self)
{
	const struct section *section = &model->program->sections[self];
	struct thread *thread = &state->threads[self];

	thread->phase = thread->count = 0;
	thread->value = 0;
	for (;; thread->pc++) {
		if (thread->pc >= section->length) {
			thread->pc = (uint8_t)section->length;
			finish(state, self);
			return;
		}
		struct step step = section->steps[thread->pc];
		if (step.instruction == SKIP_IF)
			thread->pc = (uint8_t)(thread->pc + (unsigned)thread->last % 2);
		else if (step.instruction == AGAIN && thread->pc && thread->rounds[thread->pc]++ < step.value)
			thread->pc = (uint8_t)(thread->pc - 2); /* 0 becomes 255, and 0 again */
		else if (step.instruction != AGAIN && !passes(state, self, step))
			break;
	}
	if (is_block(section->steps[thread->pc].instruction) && thread->depth) /* its beginning is no operation */
		thread->depth += thread->phase = 1;
}

static void done(const struct model *model, struct state *state, unsigned self)
{
	state->threads[self].pc++;
	advance(model, state, self);
}

/* --- one operation: can it be performed, and in how many ways --- */

static unsigned waiters(const struct state *state, unsigned cond)
{
	unsigned count = 0;

	for (unsigned i = 0; i < MAX_SECTIONS; i++)
		count += state->threads[i].waits == cond + 1;
	return count;
}

static bool can_begin(const struct state *state, struct step step)
{
	unsigned object = step.operand;

	switch (step.instruction) {
	case LOCK:
	case TRYLOCK_LOOP: return !state->mutexes[object];
	case TAKE: return state->semaphores[object];
	case READ_LOCK: return !state->writers[object];
	case WRITE_LOCK:
	case WRITE_BETWEEN: return !state->writers[object] && !state->readers[object];
	case SPIN: return !state->spin;
	case RECURSE: return !state->recursive;
	case JOIN: return state->threads[object].ended;
	case AWAIT: return state->atomics[object] >= step.value;
	case EXCHANGE_LOCK:
	case CAS_LOCK: return !state->words[object];
	}
	return true;
}

/* Atomic blocks that may have to wait: begin, add, take the semaphore or lock, wait, wake, unlock; load. */
enum { BLOCK_ADDS = 1, BLOCK_TAKES, BLOCK_WAITS, BLOCK_WAKES, BLOCK_UNLOCKS, BLOCK_LOADS };

static bool can_go_on(const struct state *state, const struct thread *thread, struct step step)
{
	if (step.instruction == TAKE_ATOMICALLY)
		return thread->phase != BLOCK_TAKES || state->semaphores[step.operand];
	if (step.instruction == ATOMIC_BLOCK || (thread->phase != BLOCK_TAKES && thread->phase != BLOCK_WAKES))
		return true;
	return !state->mutexes[step.operand] && (thread->phase == BLOCK_TAKES || thread->woken);
}

static unsigned ways(const struct model *model, const struct state *state, unsigned self)
{
	const struct thread *thread = &state->threads[self];
	struct step step;

	if (thread->ended)
		return 0;
	if (thread->phase >= PHASE_END)
		return 1;
	step = model->program->sections[self].steps[thread->pc];
	switch (step.instruction) {
	case SIGNAL: return waiters(state, step.operand) ? waiters(state, step.operand) : 1;
	case CHOOSE: return step.value + 1u;
	case CHOOSE_OFTEN: return thread->phase ? 1 : 2;
	case WAIT: return !thread->phase || (thread->woken && !state->mutexes[step.operand]);
	case ARRIVE:
	case ARRIVE_OF_THREE: return !thread->phase || thread->woken;
	case NESTED_READ: return thread->phase > 1 || !state->writers[step.operand];
	case LOCK_OFTEN: return thread->phase || !state->mutexes[step.operand];
	case TICKET_LOCK: return thread->phase != 1 || state->serving == thread->value;
	case ATOMIC_BLOCK ... WAIT_ATOMICALLY: return can_go_on(state, thread, step);
	}
	return thread->phase || can_begin(state, step);
}

/* --- performing it --- */

static void wake(struct state *state, unsigned cond, unsigned which)
{
	for (unsigned i = 0; i < MAX_SECTIONS; i++) {
		if (state->threads[i].waits != cond + 1 || which--)
			continue;
		state->threads[i].waits = 0;
		state->threads[i].woken = 1;
	}
}

static void unlock(struct state *state, struct thread *thread, unsigned object)
{
	state->mutexes[object] = 0;
	thread->held &= (uint8_t)~(1u << object);
}

static void unlock_rwlock(struct state *state, struct thread *thread, unsigned object)
{
	if (is_bit(thread->writing, object))
		state->writers[object] = 0;
	else
		state->readers[object]--;
	thread->reading &= (uint8_t)~(1u << object);
	thread->writing &= (uint8_t)~(1u << object);
}

/* Each of these performs one operation and says whether the instruction is done. */

static bool do_basic(struct state *state, struct thread *thread, struct step step, unsigned way)
{
	unsigned object = step.operand;
	bool success;

	switch (step.instruction) {
	case READ: read_plain(state, thread, object); break;
	case WRITE: write_plain(state, thread, object, step.value); break;
	case LOAD: load(state, thread, object); break;
	case STORE: store(state, thread, object, step.value); break;
	case ADD: add(state, thread, object, step.value); break;
	case CAS:
		success = state->atomics[object] == step.value - 1;
		if (success)
			state->atomics[object] = step.value;
		attempted(state, thread, OF_ATOMICS, object, success);
		see(thread, success);
		break;
	case LOCK:
	case TRYLOCK:
		success = !state->mutexes[object];
		attempted(state, thread, OF_MUTEXES, object, success);
		thread->held |= (uint8_t)(success << object);
		state->mutexes[object] = 1;
		if (step.instruction == TRYLOCK)
			see(thread, !success);
		break;
	case UNLOCK: unlock(state, thread, object); break;
	case ASSERT:
		load(state, thread, object);
		thread->phase = PHASE_END;
		return thread->last != 3;
	case SIGNAL:
		if (waiters(state, object))
			wake(state, object, way);
		break;
	case BROADCAST:
		while (waiters(state, object))
			wake(state, object, 0);
		break;
	}
	return true;
}

/* Read and write, the operations number `from' and from + 1. */
static bool increment(struct state *state, struct thread *thread, unsigned object, unsigned from)
{
	if (thread->phase == from)
		read_plain(state, thread, object);
	else if (thread->phase == from + 1)
		write_plain(state, thread, object, thread->last + 1);
	else
		return false;
	thread->phase++;
	return true;
}

static bool do_wait(struct state *state, struct thread *thread, struct step step)
{
	if (!thread->phase++) {
		state->mutexes[step.operand] = 0;
		thread->waits = (uint8_t)(step.operand + 1);
		thread->woken = 0;
		return false;
	}
	state->mutexes[step.operand] = 1;
	thread->woken = 0;
	change(state, thread, OF_MUTEXES, step.operand);
	see(thread, 0);
	return true;
}

static bool do_semaphore(struct state *state, struct thread *thread, struct step step)
{
	uint8_t *value = &state->semaphores[step.operand];
	bool success = *value;

	switch (step.instruction) {
	case POST: ++*value; break;
	case GET_VALUE:
		look_at(state, thread, OF_SEMAPHORES, step.operand);
		see(thread, *value);
		break;
	default:
		*value = (uint8_t)(*value - success);
		attempted(state, thread, OF_SEMAPHORES, step.operand, success);
		see(thread, !success);
	}
	return true;
}

static bool do_nested_read(struct state *state, struct thread *thread, unsigned object)
{
	switch (thread->phase++) {
	case 0:
	case 1: state->readers[object]++; return false;
	case 2: read_plain(state, thread, object); return false;
	}
	state->readers[object]--;
	return thread->phase == 5;
}

static bool do_write_between(struct state *state, struct thread *thread, struct step step)
{
	switch (thread->phase++) {
	case 0:
		state->writers[step.operand] = 1;
		change(state, thread, OF_RWLOCKS, step.operand);
		return false;
	case 1: write_plain(state, thread, step.operand, step.value); return false;
	}
	state->writers[step.operand] = 0;
	return true;
}

static bool do_rwlock(struct state *state, struct thread *thread, struct step step)
{
	unsigned object = step.operand;
	bool reads = step.instruction == READ_LOCK || step.instruction == TRY_READ_LOCK;
	bool success = !state->writers[object] && (reads || !state->readers[object]);

	switch (step.instruction) {
	case RW_UNLOCK: unlock_rwlock(state, thread, object); return true;
	case NESTED_READ: return do_nested_read(state, thread, object);
	case WRITE_BETWEEN: return do_write_between(state, thread, step);
	}
	if (success && reads) {
		state->readers[object]++;
		thread->reading |= (uint8_t)(1u << object);
	} else if (success) {
		state->writers[object] = 1;
		thread->writing |= (uint8_t)(1u << object);
	}
	attempted(state, thread, OF_RWLOCKS, object, success && !reads);
	see(thread, !success);
	return true;
}

/* At a barrier of two, or of three. */
static bool do_arrive(struct state *state, struct thread *thread, unsigned barrier)
{
	if (thread->phase++) {
		thread->woken = 0;
		see(thread, 0);
		return true;
	}
	thread->waits = (uint8_t)(OBJECTS + barrier + 1);
	if (++state->arrived[barrier] < 2 + barrier)
		return false;
	state->arrived[barrier] = 0;
	thread->waits = 0;
	for (unsigned i = 0; i <= barrier; i++)
		wake(state, OBJECTS + barrier, 0);
	see(thread, 1);
	return true;
}

/* A lock, an increment, an unlock. */
static bool do_locked(struct state *state, struct thread *thread, unsigned object, uint8_t *lock)
{
	if (increment(state, thread, object, 1))
		return false;
	*lock = !thread->phase;
	return thread->phase++ != 0;
}

static bool do_try_spin(struct state *state, struct thread *thread, unsigned object)
{
	if (!thread->phase) {
		see(thread, state->spin);
		if (state->spin)
			return true;
	}
	return do_locked(state, thread, object, &state->spin);
}

static bool do_choose(struct state *state, struct thread *thread, struct step step, unsigned way)
{
	if (step.instruction == CHOOSE) {
		see(thread, (int)way);
		return true;
	}
	switch (thread->phase++) {
	case 0: return !way;
	case 1: return state->atomics[step.operand] >= step.value;
	}
	add(state, thread, step.operand, 1);
	thread->phase = 0;
	return false;
}

static bool increment_atomically(struct state *state, struct thread *thread, struct step step)
{
	if (increment(state, thread, step.operand, 1))
		return false;
	if (thread->phase++)
		add(state, thread, step.operand, step.value);
	else
		thread->depth = 1;
	return thread->phase > 3;
}

static void take_atomically(struct state *state, struct thread *thread, struct step step)
{
	if (step.instruction == TAKE_ATOMICALLY) {
		do_semaphore(state, thread, (struct step){.instruction = TAKE, .operand = step.operand});
		thread->phase = BLOCK_LOADS;
		return;
	}
	do_basic(state, thread, (struct step){.instruction = LOCK, .operand = step.operand}, 0);
	thread->phase = step.instruction == WAIT_ATOMICALLY ? BLOCK_WAITS : BLOCK_UNLOCKS;
}

static bool wait_atomically(struct state *state, struct thread *thread, struct step step)
{
	bool skips = step.instruction != TAKE_ATOMICALLY && is_bit(thread->held, step.operand);
	uint8_t phase = thread->phase++;

	switch (phase) {
	case 0: thread->depth = 1; break;
	case BLOCK_ADDS:
		add(state, thread, 0, 1);
		if (skips)
			thread->phase = BLOCK_LOADS;
		break;
	case BLOCK_TAKES: take_atomically(state, thread, step); break;
	case BLOCK_WAITS:
	case BLOCK_WAKES:
		thread->phase = phase - BLOCK_WAITS;
		do_wait(state, thread, step);
		thread->phase = (uint8_t)(phase + 1);
		break;
	case BLOCK_UNLOCKS: unlock(state, thread, step.operand); break;
	case BLOCK_LOADS: load(state, thread, 1); return true;
	}
	return false;
}

static bool do_block(struct state *state, struct thread *thread, struct step step)
{
	bool done = step.instruction == ATOMIC_BLOCK ? increment_atomically(state, thread, step)
						     : wait_atomically(state, thread, step);

	if (done)
		end_block(state, (unsigned)(thread - state->threads), thread->depth - 1u);
	return done;
}

static bool do_ticket(struct state *state, struct thread *thread, unsigned object)
{
	if (increment(state, thread, object, 2))
		return false;
	switch (thread->phase++) {
	case 0:
		thread->value = state->next++;
		see(thread, thread->value);
		return false;
	case 1: return false;
	}
	state->serving = thread->value + 1;
	return true;
}

static bool do_await(struct state *state, struct thread *thread, struct step step)
{
	unsigned object = step.operand;

	switch (step.instruction) {
	case AWAIT: look_at(state, thread, OF_ATOMICS, object); return true;
	case TICKET_LOCK: return do_ticket(state, thread, object);
	case TRYLOCK_LOOP:
		if (!thread->phase++) {
			state->mutexes[object] = 1;
			change(state, thread, OF_MUTEXES, object);
			return false;
		}
		state->mutexes[object] = 0;
		return true;
	}
	if (!thread->phase)
		change(state, thread, OF_WORDS, object);
	return do_locked(state, thread, object, &state->words[object]);
}

static bool do_cas_loop(struct state *state, struct thread *thread, struct step step)
{
	int32_t *atomic = &state->atomics[step.operand];

	if (!thread->phase++ || *atomic != thread->value) {
		thread->count = (uint8_t)(thread->count + (thread->phase > 1));
		thread->phase = 1;
		thread->value = *atomic;
		return false;
	}
	store(state, thread, step.operand, *atomic + step.value);
	see(thread, thread->count);
	return true;
}

static bool do_lock_often(struct state *state, struct thread *thread, struct step step)
{
	if (!thread->phase)
		change(state, thread, OF_MUTEXES, step.operand);
	if (!do_locked(state, thread, step.operand, &state->mutexes[step.operand]))
		return false;
	thread->phase = 0;
	return ++thread->count >= step.value;
}

static bool do_loop(struct state *state, struct thread *thread, struct step step)
{
	switch (step.instruction) {
	case CAS_LOOP: return do_cas_loop(state, thread, step);
	case LOCK_OFTEN: return do_lock_often(state, thread, step);
	case ADD_OFTEN: add(state, thread, step.operand, 1); return ++thread->count >= step.value;
	}
	if (state->atomics[step.operand] != step.value && thread->count < 2) {
		thread->count++;
		return false;
	}
	see(thread, thread->count);
	return true;
}

static bool do_order(struct state *state, struct thread *thread, struct step step)
{
	switch (step.instruction) {
	case STORE_RELAXED:
	case STORE_RELEASE: store(state, thread, step.operand, step.value); break;
	case ADD_RELAXED: add(state, thread, step.operand, step.value); break;
	default: load(state, thread, step.operand);
	}
	return true;
}

static bool do_join(struct state *state, struct thread *thread, unsigned target)
{
	bool joined = state->threads[target].joined;

	state->threads[target].joined = 1;
	thread->phase = PHASE_END;
	thread->seen = thread->seen * prime + state->threads[target].seen;
	return !joined;
}

/* One lock at a time. */
static bool do_release(struct state *state, struct thread *thread)
{
	for (unsigned i = 0; i < 2 * OBJECTS; i++) {
		if (i < OBJECTS ? is_bit(thread->held, i) : is_bit(thread->reading | thread->writing, i - OBJECTS)) {
			if (i < OBJECTS)
				unlock(state, thread, i);
			else
				unlock_rwlock(state, thread, i - OBJECTS);
			break;
		}
	}
	return !(thread->held | thread->reading | thread->writing);
}

static bool do_step(struct state *state, struct thread *thread, struct step step, unsigned way)
{
	switch (step.instruction) {
	case INCREMENT: increment(state, thread, step.operand, 0); return thread->phase == 2;
	case WAIT: return do_wait(state, thread, step);
	case FIRST_SEMAPHORES ... BEFORE_RWLOCKS: return do_semaphore(state, thread, step);
	case FIRST_RWLOCKS ... BEFORE_MEETING: return do_rwlock(state, thread, step);
	case ARRIVE: return do_arrive(state, thread, 0);
	case ARRIVE_OF_THREE: return do_arrive(state, thread, 1);
	case SPIN: return do_locked(state, thread, step.operand, &state->spin);
	case TRY_SPIN: return do_try_spin(state, thread, step.operand);
	case RECURSE: return do_locked(state, thread, step.operand, &state->recursive);
	case CHOOSE:
	case CHOOSE_OFTEN: return do_choose(state, thread, step, way);
	case FIRST_AWAITING ... BEFORE_LOOPS: return do_await(state, thread, step);
	case FIRST_LOOPS ... BEFORE_ORDERS: return do_loop(state, thread, step);
	case FIRST_ORDERS ... BEFORE_HEAP: return do_order(state, thread, step);
	case POST_TOO: return do_semaphore(state, thread, (struct step){.instruction = POST, .operand = step.operand});
	case BEGIN_BLOCK: thread->depth = 1; return true;
	case ATOMIC_BLOCK ... WAIT_ATOMICALLY: return do_block(state, thread, step);
	case JOIN: return do_join(state, thread, step.operand);
	case RELEASE: return do_release(state, thread);
	}
	return do_basic(state, thread, step, way);
}

/* --- the graph --- */

static void add_end(struct model *model, const char *kind, const struct state *state)
{
	if (model->length + 200 > MAX_ENDS) {
		model->too_large = true;
		return;
	}
	model->length += (size_t)sprintf(model->ends + model->length, "%s: %s\n", kind, state->printed);
}

static void end_process(struct model *model, const struct state *state, unsigned self)
{
	const struct thread *thread = &state->threads[self];

	if (thread->phase == PHASE_EXIT)
		add_end(model, "exit 0", state);
	else if (model->program->sections[self].steps[thread->pc].instruction == ASSERT)
		add_end(model, "assertion failed", state);
	else
		add_end(model, "misuse", state);
}

static uint64_t hash_state(const struct state *state)
{
	const unsigned char *bytes = (const unsigned char *)state;
	uint64_t hash = 0, word;

	_Static_assert(sizeof *state % sizeof word == 0, "hashed by words");
	for (size_t i = 0; i < sizeof *state; i += sizeof word) {
		memcpy(&word, bytes + i, sizeof word);
		hash = (hash ^ word) * 0x9e3779b97f4a7c15ull;
		hash ^= hash >> 29;
	}
	return hash ? hash : 1;
}

/* True when the state is new. */
static bool visit(struct model *model, const struct state *state)
{
	uint64_t hash = hash_state(state), i = hash, size = 2 * MAX_STATES;

	while (model->visited[i % size] && model->visited[i % size] != hash)
		i++;
	if (model->visited[i % size])
		return false;
	model->visited[i % size] = hash;
	model->too_large |= ++model->nvisited >= MAX_STATES;
	return true;
}

static bool spins(const struct model *model, const struct state *state, unsigned self)
{
	const struct thread *thread = &state->threads[self];
	unsigned instruction = thread->ended || thread->phase >= PHASE_END
				       ? END
				       : model->program->sections[self].steps[thread->pc].instruction;

	return instruction >= FIRST_AWAITING && instruction <= BEFORE_LOOPS;
}

static void explore(struct model *model, const struct state *state);

/* An atomic block that has to wait: it goes on with the next operation of its thread. */
static void let_others_in(const struct model *model, struct state *state)
{
	if (state->owner && !ways(model, state, state->owner - 1u))
		state->owner = 0;
}

static bool explore_thread(struct model *model, const struct state *state, unsigned self)
{
	unsigned count = ways(model, state, self);

	if (state->threads[self].phase == PHASE_PRINT) {
		struct state after;
		memcpy(&after, state, sizeof after);
		after.threads[self].phase = PHASE_EXIT;
		print(model, &after);
		explore(model, &after);
		return true;
	}
	if (count && state->threads[self].phase >= PHASE_END) {
		end_process(model, state, self);
		return true;
	}
	for (unsigned way = 0; way < count; way++) {
		struct state after;
		memcpy(&after, state, sizeof after);
		struct thread *thread = &after.threads[self];
		bool is_done = do_step(&after, thread, model->program->sections[self].steps[thread->pc], way);
		if (thread->depth)
			after.owner = (uint8_t)(self + 1);
		if (is_done)
			done(model, &after, self);
		let_others_in(model, &after);
		explore(model, &after);
	}
	return count != 0;
}

static void explore(struct model *model, const struct state *state)
{
	bool moves = false, spinning = false;

	if (model->too_large || !visit(model, state))
		return;
	for (unsigned i = 0; i < model->program->nsections; i++) {
		if (!state->owner || state->owner == i + 1)
			moves |= explore_thread(model, state, i);
		spinning |= spins(model, state, i);
	}
	if (!moves)
		add_end(model, spinning ? "livelock" : "deadlock", state);
}

char *model_ends(const struct program *program)
{
	struct model model = {.program = program};
	struct state state;

	if (!program_is_modelled(program))
		return NULL;
	model.visited = calloc(2 * MAX_STATES, sizeof *model.visited);
	model.ends = calloc(1, MAX_ENDS);
	if (!model.visited || !model.ends)
		abort();
	memset(&state, 0, sizeof state);
	for (unsigned i = 0; i < OBJECTS; i++)
		state.semaphores[i] = (uint8_t)i;
	for (unsigned i = 0; i < program->nsections; i++)
		advance(&model, &state, i);
	explore(&model, &state);
	free(model.visited);
	if (!model.too_large)
		return model.ends;
	free(model.ends);
	return NULL;
}
