/*
 * The state of the program as a hash, kept up to date while it runs (wire/states.h).
 *
 * A state is what all that can still happen depends on: memory, what each thread is about to do
 * and knows, the synchronisation objects (which are memory), and what the runtime keeps for
 * each thread.
 *
 * Memory is a sum over the words that were written: each write takes the word's old value out
 * and puts the new one in.  The old value is taken out when the write is announced; the new one
 * is there at the latest when the thread comes back to the runtime.
 *
 * What a thread knows: in programs built with state capture, what is live, as instrumented code
 * tells it (LIVE in wire/hooks.h); in others, all that it has ever seen.  The latter is never
 * wrong, but it takes fewer states for equal.
 *
 * After something that nothing is known about (a call of a library that nobody has looked into), and
 * inside an atomic block (the steps after its beginning count as part of that one, stateful.c), a state
 * is equal only to one that the same step has led to from the same state.
 */
#include "common/invariant.h"
#include "runtime/arch/arch.h"
#include "runtime/core/runtime.h"
#include "runtime/core/schedule.h"
#include "runtime/state/state.h"

#include <errno.h>
#include <string.h>

/* --- hashing --- */

static inline uint64_t scramble(uint64_t x)
{
	x = (x ^ x >> 32) * 0xd6e8feb86659fd93ull;
	x = (x ^ x >> 29) * 0xa0761d6478bd642full;
	return x ^ x >> 32;
}

static inline struct state mix(uint64_t place, uint64_t value)
{
	return (struct state){scramble(value ^ place * 0x9e3779b97f4a7c15ull),
			      scramble((value + 0x8ebc6af09c88c6e3ull) ^ place * 0xe7037ed1a0b428dbull)};
}

static inline void add(struct state *sum, struct state term)
{
	sum->a += term.a;
	sum->b += term.b;
}

static inline void subtract(struct state *sum, struct state term)
{
	sum->a -= term.a;
	sum->b -= term.b;
}

/* In the order in which it is called.  What comes of it goes through finish() before it is added to anything. */
static inline void chain(struct state *state, uint64_t value)
{
	state->a = (state->a ^ value) * 0x589965cc75374cc3ull;
	state->a ^= state->a >> 32;
	state->b = (state->b + value + 0x1d8e4e27c47d124full) * 0xeb44accab455d165ull;
	state->b ^= state->b >> 29;
}

static inline struct state finish(struct state state)
{
	return (struct state){scramble(state.a), scramble(state.b)};
}

static void chain_text(struct state *state, const void *text, uint64_t size)
{
	const uint8_t *bytes = text;
	uint64_t word;

	for (; size >= sizeof word; size -= sizeof word, bytes += sizeof word) {
		memcpy(&word, bytes, sizeof word);
		chain(state, word);
	}
	word = 0;
	memcpy(&word, bytes, size);
	chain(state, word ^ size << 56);
}

/* --- memory --- */

/* All words that the range touches. */
static inline struct state sum_of(uint64_t address, uint64_t size)
{
	uint64_t end = (address + size + 7) & ~7ull;
	struct state sum = {0, 0};

	rt->memory.touching = true;
	for (uint64_t word = address & ~7ull; word < end; word += 8)
		add(&sum, mix(word, *(volatile uint64_t *)word));
	rt->memory.touching = false;
	return sum;
}

void state_close(void)
{
	invariant(rt->states.nopen <= MAX_OPEN);
	for (uint32_t i = 0; i < rt->states.nopen; i++) {
		add(&rt->states.memory, sum_of(rt->states.open[i].start, rt->states.open[i].size));
		if (__builtin_expect(rt->channel->exact_states, 0))
			exact_close(rt->states.open[i].start, rt->states.open[i].size);
	}
	rt->states.nopen = 0;
}

static bool is_open(uint64_t address, uint64_t size)
{
	for (uint32_t i = 0; i < rt->states.nopen; i++) {
		const struct region *open = &rt->states.open[i];
		if (address - open->start < open->size && address + size <= open->start + open->size)
			return true;
	}
	return false;
}

/* Ranges that are open at the same time have no word in common. */
static bool overlaps_open(uint64_t address, uint64_t size)
{
	for (uint32_t i = 0; i < rt->states.nopen; i++) {
		const struct region *open = &rt->states.open[i];
		if ((address & ~7ull) < open->start + open->size + 7 && (open->start & ~7ull) < address + size + 7)
			return true;
	}
	return false;
}

void state_open_more(uint64_t address, uint64_t size)
{
	if (!size || address >= STREAM_ADDRESS || is_open(address, size))
		return;
	if (rt->states.nopen == MAX_OPEN || overlaps_open(address, size))
		state_close();
	if (__builtin_expect(rt->channel->exact_states, 0))
		exact_open(address, size);
	subtract(&rt->states.memory, sum_of(address, size));
	invariant(rt->states.nopen < MAX_OPEN);
	rt->states.open[rt->states.nopen++] = (struct region){.start = address, .size = size};
}

void state_open_range(uint64_t address, uint64_t size)
{
	state_close();
	state_open_more(address, size);
}

/* --- what is no memory --- */

void state_hidden(uint64_t what)
{
	/* with which arguments, the thread knows */
	chain(&rt->states.hidden, what);
	chain(&rt->states.hidden, self()->states.known.a);
	chain(&rt->states.hidden, self()->states.known.b);
	chain(&self()->states.known, rt->states.hidden.a);
}

void state_of_another_changes(unsigned thread)
{
	invariant(thread < MAX_THREADS);
	rt->states.stale |= bit(thread);
}

void state_private(uint64_t what)
{
	chain(&self()->states.kept, what);
}

void state_block(uint64_t block, uint64_t what)
{
	add(&rt->states.memory, mix(block + 1, what)); /* no word has this address */
}

void state_of_its_own(uint64_t words[2])
{
	chain(&rt->states.path, 1);
	words[0] = rt->states.path.a;
	words[1] = rt->states.path.b;
}

void state_unknown(void)
{
	rt->states.lost = true;
}

/*
 * What the program tells to be live is so before a call of ours.  What is seen during the call, between one
 * operation and the next, comes to that, until the program tells again.
 */
void state_saw(const void *text, uint64_t size)
{
	struct state known = {rt->live_values[0], rt->live_values[1]};

	chain_text(&known, text, size);
	rt->live_values[0] = known.a;
	rt->live_values[1] = known.b;
}

static void observe_inside(const struct event *event)
{
	uint32_t outcome = event->op.kind | (uint32_t)event->choice << 8;
	const struct event_info *info = &event_table[event->op.kind];

	state_saw(&outcome, sizeof outcome);
	if (info->object_class != OBJECT_MEMORY || info->effect == EFFECT_WRITE || event->op.object >= STREAM_ADDRESS ||
	    is_dead_stack(event->op.object))
		return;
	rt->memory.touching = true;
	state_saw((const void *)event->op.object, event->op.size);
	rt->memory.touching = false;
}

/* Threads whose part of the state the operation may change, besides the running one and those that it will name itself. */
static uint64_t may_change(unsigned kind)
{
	switch (event_table[kind].object_class) {
	case OBJECT_MEMORY:
	case OBJECT_MUTEX:
	case OBJECT_RWLOCK:
	case OBJECT_SEM: return 0;
	}
	switch (kind) {
	case EV_JOIN: /* state_of_another_changes() names the one that was joined, */
	case EV_COND_WAIT:
	case EV_COND_SIGNAL: /* those that are woken */
	case EV_COND_BROADCAST:
	case EV_COND_SIGNAL_NONE:
	case EV_COND_BROADCAST_NONE: return rt->await.waiting;
	}
	invariant(rt->channel->nnames >= 1 && rt->channel->nnames <= MAX_THREADS);
	return UINT64_MAX >> (MAX_THREADS - rt->channel->nnames);
}

/* What the thread learns from the operation that it is about to perform. */
void state_observe(const struct event *event)
{
	struct state *known = &self()->states.known;
	const struct op *op = &event->op;
	const struct event_info *info = &event_table[op->kind];

	chain(&rt->states.path, rt->current | (uint64_t)event->choice << 8);
	rt->states.stale |= may_change(op->kind);
	if (rt->states.live && !rt->outside)
		return;
	if (rt->states.live) {
		observe_inside(event);
		return;
	}
	chain(known, op->kind | (uint64_t)event->choice << 8 | (uint64_t)op->site << 32);
	chain(known, op->object);
	if (info->object_class == OBJECT_MEMORY && (op->object >= STREAM_ADDRESS || is_dead_stack(op->object)))
		return;
	rt->memory.touching = true;
	if (info->object_class == OBJECT_MEMORY && op->kind != EV_WRITE && op->kind != EV_ATOMIC_STORE &&
	    op->kind != EV_FREE && !event_takes_away(op->kind))
		chain_text(known, (const void *)op->object, op->size);
	else if (info->object_class != OBJECT_MEMORY && sync_object_size(op))
		chain_text(known, (const void *)op->object, sync_object_size(op));
	rt->memory.touching = false;
}

/* --- the whole --- */

static int *errno_of(const struct thread *thread)
{
	return (int *)(thread->thread_pointer + rt->states.errno_offset);
}

static uint64_t flags_of(const struct thread *thread)
{
	return thread->state | thread->detached << 4 | thread->joined << 5 | thread->waiting << 6 | thread->timed << 8 |
	       thread->cancel.disabled << 12 | thread->cancel.asynchronous << 13 | thread->cancel.pending << 14 |
	       thread->cancel.possible << 15 | thread->ending << 16 | (uint64_t)thread->nchildren << 17 |
	       (uint64_t)thread->atomic_depth << 33 | (uint64_t)thread->left << 49;
}

static void chain_op(struct state *state, const struct op *op)
{
	chain(state, op->kind | op->order << 8 | (uint64_t)op->choices << 16 | (uint64_t)op->site << 32);
	chain(state, op->object);
	chain(state, op->object2 ^ (uint64_t)op->size << 32 ^ op->target);
}

/* What most threads have nothing of. */
static void chain_rest(struct state *state, const struct thread *thread)
{
	int error = *errno_of(thread);

	if (!(thread->sync.wait_cond | thread->sync.wait_mutex | thread->sync.passed_over | thread->system.signal_mask |
	      thread->system.clock | (uint64_t)thread->sync.robust | (uint64_t)thread->cancel.cleanups | thread->joins |
	      thread->sync.ntimeouts | thread->sync.nheld | (unsigned)error))
		return;
	chain(state, thread->sync.wait_cond);
	chain(state, thread->sync.wait_mutex);
	chain(state, thread->sync.passed_over);
	chain(state, thread->system.signal_mask);
	chain(state, thread->system.clock);
	chain(state, (uint64_t)thread->sync.robust);
	chain(state, (uint64_t)thread->cancel.cleanups);
	chain(state, thread->joins);
	chain(state, (unsigned)error | (uint64_t)thread->sync.ntimeouts << 32);
	for (uint32_t i = 0; i < thread->sync.ntimeouts; i++)
		chain(state, thread->sync_lists.timeouts[i]);
	for (uint32_t i = 0; i < thread->sync.nheld; i++) {
		chain(state, thread->sync_lists.reads[i].rwlock);
		chain(state, thread->sync_lists.reads[i].count);
	}
}

/*
 * What a thread has read that stays in its loop, for the rest of the execution or until it may go on: whether that was in
 * vain, and when it may, depends on it.
 */
static void chain_reads(struct state *state, const struct thread *thread)
{
	invariant(thread->rounds.spin_from <= thread->rounds.nreads);
	for (uint32_t i = thread->rounds.spin_from; i < thread->rounds.nreads; i++) {
		chain(state, thread->round_lists.reads[i % MAX_READS].address);
		chain(state, thread->round_lists.reads[i % MAX_READS].hash);
	}
}

/* A thread that has ended is what a join makes of it. */
static struct state state_of_thread(unsigned number)
{
	const struct thread *thread = &rt->threads[number];
	struct state state = {number, flags_of(thread)};

	if (thread->state == THREAD_FREE)
		return (struct state){0, 0};
	if (thread->state == THREAD_EXITED) {
		chain(&state, flags_of(thread));
		chain(&state, (uint64_t)thread->result);
		chain(&state, thread->system.clock);
		chain(&state, thread->joins);
		return finish(state);
	}
	chain(&state, flags_of(thread));
	chain_op(&state, &thread->pending);
	chain(&state, thread->states.known.a + thread->states.kept.a);
	chain(&state, thread->states.known.b + (thread->states.kept.b << 1));
	chain_rest(&state, thread);
	if (__builtin_expect((rt->await.spinning | rt->await.resuming) >> number & 1, 0))
		chain_reads(&state, thread);
	return finish(state);
}

/* Those who may have changed since the last time: of the others the sum has what it needs. */
static void update_threads(void)
{
	for (uint64_t left = rt->states.stale | bit(rt->current); left; left &= left - 1) {
		unsigned i = (unsigned)__builtin_ctzll(left);
		struct state now = state_of_thread(i);
		debug_invariant(rt->threads[i].state != THREAD_FREE || state_equal(now, (struct state){0, 0}));
		subtract(&rt->states.threads, rt->threads[i].states.part);
		add(&rt->states.threads, now);
		rt->threads[i].states.part = now;
	}
	rt->states.stale = 0;
}

static struct state state_now(void)
{
	struct state sum;

	state_close();
	update_threads();
	sum = rt->states.memory;
	add(&sum, rt->states.threads);
	add(&sum, finish(rt->states.hidden));
	if (rt->signals.pending)
		add(&sum, mix(1, rt->signals.pending));
	if (rt->exit.handlers != rt->beginning.exit_handlers || rt->exit.owner >= 0)
		add(&sum, mix(3, (uint64_t)rt->exit.handlers ^ (uint64_t)(rt->exit.owner + 1) << 56));
	if (rt->schedule.quiet)
		add(&sum, mix(2, rt->schedule.quiet));
	return sum;
}

/*
 * Of threads that nobody said had changed, too, what the sum has must be right.  What a thread that awaits is about to do
 * follows from the memory that it looks at: there the sum may have what it was before.
 */
static void expect_parts(void)
{
	for (unsigned i = 0; i < rt->channel->nnames; i++)
		if (!(rt->await.waiting >> i & 1) && !state_equal(rt->threads[i].states.part, state_of_thread(i)) &&
		    !rt->channel->silent)
			rt->channel->silent = (uint64_t)&rt->threads[i];
}

/* Is the state known by the way to it only? */
static bool is_by_way(void)
{
	return rt->states.lost || rt->schedule.atomic_owner >= 0;
}

static void publish_state(uint32_t event)
{
	struct channel *channel = rt->channel;
	uint64_t start = channel->exact_used;

	channel->exact_at[event] = start;
	exact_put(0);
	if (is_by_way()) {
		exact_put(rt->states.path.a);
	} else {
		exact_put_memory();
		expect_parts();
		for (unsigned i = 0; i < channel->nnames; i++) {
			if (rt->threads[i].state == THREAD_FREE)
				continue;
			exact_put(i);
			exact_put(rt->threads[i].states.part.a);
			exact_put(rt->threads[i].states.part.b);
		}
		exact_put(rt->states.hidden.a);
		exact_put(rt->signals.pending);
		exact_put((uint64_t)rt->exit.handlers);
		exact_put((uint64_t)(rt->exit.owner + 1));
		exact_put(rt->schedule.quiet);
	}
	channel->exact[start] = channel->exact_used - start;
}

void state_capture(void)
{
	uint64_t start = rt->channel->profiling ? ticks_now() : 0;
	struct state now = is_by_way() ? finish(rt->states.path) : state_now();

	now.b += !state_is_known(now);
	invariant(rt->nevents <= MAX_EVENTS + MAX_THREADS);
	invariant(state_is_known(now));
	the_trace()->states[rt->nevents] = rt->states.path = now;
	if (__builtin_expect(rt->channel->exact_states, 0))
		publish_state(rt->nevents);
	if (start)
		span_add(&rt->channel->profile.capture, ticks_now() - start);
}

void state_skip(uint32_t event)
{
	if (self()->await.chosen) { /* on its way to the operation that it was chosen for: the state was that one's */
		the_trace()->states[event + 1] = the_trace()->states[event];
		if (rt->channel->exact_states)
			rt->channel->exact_at[event + 1] = rt->channel->exact_at[event];
	}
	the_trace()->states[event] = (struct state){0, 0};
}

void state_begin(void)
{
	extern const uint32_t keeps_state __asm__(KEEPS_STATE) __attribute__((weak));

	if (rt->channel->exact_states)
		exact_begin();
	for (unsigned i = 0; i < rt->channel->nnames; i++)
		rt->threads[i].states.part = (struct state){0, 0};
	rt->states = (struct states){.kept = true,
				     .live = &keeps_state != NULL,
				     .errno_offset = (uint64_t)&errno - arch_thread_pointer()};
}

/* --- states that were met before --- */

enum { TRIES = 8 }; /* places in which a state may be noted */

/* An entry of the table that is of this execution, and not left over: its state belongs there. */
static bool is_of_now(uint64_t place)
{
	uint32_t event = rt->seen.places[place & rt->seen.mask];

	return event < rt->nevents && ((place - the_trace()->states[event].a) & rt->seen.mask) < TRIES;
}

/* All places are taken: look at the whole execution. */
static bool came_anywhere(struct state state)
{
	for (uint32_t i = 0; i < rt->nevents; i++)
		if (state_equal(the_trace()->states[i], state))
			return true;
	return false;
}

/*
 * Has this execution been in the state before that was captured last?  The table is never
 * cleared: an entry counts only if the trace still says the same.  It is as large as executions
 * are long: what does not fit into the cache costs more than all the rest.
 */
bool state_comes_again(void)
{
	enum { LEAST = 1024 };
	_Static_assert(STATE_PLACES % LEAST == 0 && STATE_PLACES / LEAST == 1 << 12, "so often four times as large");
	uint32_t n = rt->nevents, *free = NULL;
	struct state now = the_trace()->states[n];

	if (rt->seen.mask < LEAST - 1)
		rt->seen.mask = LEAST - 1;
	if (n > rt->seen.mask / 4 && 4ull * rt->seen.mask < STATE_PLACES)
		rt->seen.mask = 4 * rt->seen.mask + 3;
	invariant(!(rt->seen.mask & (rt->seen.mask + 1)) && rt->seen.mask < STATE_PLACES);
	for (unsigned i = 0; i < TRIES; i++) {
		uint32_t *place = &rt->seen.places[(now.a + i) & rt->seen.mask];
		if (*place < n && state_equal(the_trace()->states[*place], now))
			return true;
		if (!free && !is_of_now(now.a + i))
			free = place;
	}
	if (!free)
		return came_anywhere(now);
	*free = n;
	return false;
}

const struct state_slot *state_known(void)
{
	const struct channel *channel = rt->channel;
	uint32_t mask = channel->state_slots - 1;
	struct state now = the_trace()->states[rt->nevents];

	if (!channel->state_slots)
		return NULL;
	invariant(!(channel->state_slots & mask));
	for (uint64_t i = now.a;; i++) {
		const struct state_slot *slot = &channel->states[i & mask];
		if (!state_is_known(slot->state))
			return NULL;
		if (state_equal(slot->state, now))
			return slot;
	}
}
