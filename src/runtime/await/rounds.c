/*
 * Rounds of loops that are for nothing.  A loop whose round changed nothing (the thread wrote nothing, and
 * carries the same values into the next round) will go round the same way until something that
 * it read is changed by somebody else.  The round might as well not have happened: the execution in
 * which the thread came later, after that change, has the same outcome.
 *
 * So a thread that has gone round for nothing does not go on in this execution: it stays in EV_SPIN
 * for ever, as if it had assumed that its round would succeed.  The others go on to their end (cutting
 * the execution short would lose what races with what they still do).  Then it was redundant,
 * ENDING_SPUN, unless nobody is left who could make the change: a livelock.  Of loops that look at one
 * atomic location not even that round is needed: await.c.
 *
 * What counts as changing nothing:
 *  - an update that fails or leaves what was there, a failed attempt to lock, to join;
 *  - a section: a lock that was taken in the round and given back in it.  While the thread has it others
 *    can only wait, unless they ask whether they would have to: then the round was seen, and counts.
 *    A lock that the thread had before and gives back for a moment lets others in, and counts;
 *  - output to stdout and stderr, of which nobody here sees the order or the amount either.
 *
 * The clock is what nobody else changes.  A round that read it goes on, much later by that clock, a few times.
 */
#include "common/hash.h"
#include "common/invariant.h"
#include "runtime/await/await.h"
#include "runtime/core/primitive.h"
#include "runtime/core/runtime.h"
#include "runtime/core/schedule.h"
#include "runtime/core/thread.h"
#include "runtime/memory/memory.h"
#include "runtime/process/process.h"
#include "runtime/sync/sync.h"

#include <errno.h>
#include <stdio.h>

enum { LARGEST_READ = 64 };

/* --- what a round has looked at --- */

/* What the thread would read there now. */
static uint64_t hash_memory(uint64_t address, uint32_t size)
{
	if (!size) /* a thread: has it ended? */
		return thread_has_ended((unsigned)address);
	if (!memory_is_there(address, size))
		return 0;
	rt->memory.touching = true;
	uint64_t hash = hash_bytes(size, (const void *)address, size);
	rt->memory.touching = false;
	return hash;
}

/* The bytes that tell the state of a synchronisation object; 0: they are not known. */
static uint32_t size_of_object(const struct op *op)
{
	return event_table[op->kind].object_class != OBJECT_NONE && op->object ? primitive_of(op)->telling : 0;
}

static void remember_look(const struct op *op, uint64_t address, uint32_t size)
{
	struct thread *thread = self();
	bool memory = event_table[op->kind].object_class == OBJECT_MEMORY;
	bool atomic = memory && !event_is(op->kind, EV_PLAIN);

	thread->round_lists.reads[thread->rounds.nreads++ % MAX_READS] =
		(struct read_done){.address = address,
				   .size = size,
				   .site = op->site,
				   .hash = hash_memory(address, size),
				   .memory = memory,
				   .atomic = atomic,
				   .update = op->kind == EV_ATOMIC_CAS_FAIL || op->kind == EV_ATOMIC_RMW_SAME};
}

static bool is_output(const struct op *op)
{
	uint64_t stream = op->object - STREAM_ADDRESS;

	return op->kind == EV_ATOMIC_LOAD && (stream == (uint64_t)stdout || stream == (uint64_t)stderr);
}

static void note_read(const struct op *op)
{
	if (is_output(op))
		return;
	if (op->size > LARGEST_READ || op->object >= STREAM_ADDRESS) /* the latter is no memory at all */
		rt->changed = 1;
	else
		remember_look(op, op->object, op->size);
}

static bool has_changed(const struct read_done *read)
{
	return hash_memory(read->address, read->size) != read->hash;
}

/* Has anything that the thread has read since then been changed? */
static bool have_reads_changed(const struct thread *thread, uint32_t from)
{
	invariant(from <= thread->rounds.nreads);
	for (uint32_t i = from; i < thread->rounds.nreads; i++)
		if (has_changed(&thread->round_lists.reads[i % MAX_READS]))
			return true;
	return false;
}

bool round_may_differ(const struct thread *thread)
{
	return have_reads_changed(thread, thread->rounds.spin_from);
}

/* Who goes round without a look at anything does so for ever: there is no other execution that would be better. */
bool rounds_are_redundant(void)
{
	for (uint64_t left = rt->await.spinning; left; left &= left - 1) {
		const struct thread *thread = &rt->threads[__builtin_ctzll(left)];
		if (thread->rounds.nreads != thread->rounds.spin_from)
			return true;
	}
	return false;
}

uint64_t rounds_late(void)
{
	uint64_t late = 0;

	for (uint64_t left = rt->await.spinning; left; left &= left - 1) {
		const struct thread *thread = &rt->threads[__builtin_ctzll(left)];
		if (have_reads_changed(thread, thread->rounds.spin_from))
			late |= left & -left;
	}
	return late;
}

/* --- sections --- */

/* Is it an object that can be taken and given back? */
static bool is_lock(const struct op *op)
{
	switch (op->kind) {
	case EV_MUTEX_OWNER_DIED:
	case EV_MUTEX_LOCK_LOST:
	case EV_ONCE_BEGIN:
	case EV_ONCE_END: return false;
	}
	return op->object && object_is(event_table[op->kind].object, OBJECT_SECTION);
}

/* What it says about its last owner changes when it is taken. */
static bool is_robust_mutex(const struct op *op)
{
	return (op->kind == EV_MUTEX_LOCK || op->kind == EV_MUTEX_TRYLOCK || op->kind == EV_MUTEX_TIMEDLOCK) &&
	       mutex_is_robust(op->object);
}

static bool takes(const struct op *op)
{
	unsigned effect = event_table[op->kind].effect;

	return effect == EFFECT_ACQUIRE || effect == EFFECT_TRY_ACQUIRE || effect == EFFECT_READ_ACQUIRE ||
	       effect == EFFECT_TRY_READ_ACQUIRE;
}

static bool gives_back(const struct op *op)
{
	unsigned effect = event_table[op->kind].effect;

	return effect == EFFECT_RELEASE || effect == EFFECT_READ_RELEASE;
}

static void begin_section(struct thread *thread, uint64_t object)
{
	invariant(thread->rounds.nsections <= MAX_SECTIONS);
	if (thread->rounds.nsections == MAX_SECTIONS) {
		rt->changed = 1;
		return;
	}
	thread->round_lists.sections[thread->rounds.nsections++] =
		(struct section){.object = object, .began = ++thread->rounds.moment};
}

/* For loops whose round began inside the section its end is a change. */
static void change_rounds_since(struct thread *thread, uint64_t moment)
{
	for (uint32_t i = 0; i < thread->rounds.nloops; i++)
		if (thread->round_lists.loops[i].moment > moment)
			thread->round_lists.loops[i].changes = NO_ROUND;
}

static void end_section(struct thread *thread, uint64_t object)
{
	uint32_t i = thread->rounds.nsections;

	while (i && thread->round_lists.sections[i - 1].object != object)
		i--;
	if (!i) { /* it was begun before any loop */
		rt->changed = 1;
		return;
	}
	change_rounds_since(thread, thread->round_lists.sections[i - 1].began);
	for (thread->rounds.nsections--; i <= thread->rounds.nsections; i++)
		thread->round_lists.sections[i - 1] = thread->round_lists.sections[i];
}

/* Somebody has seen that the object is taken: so those who have taken it have done something. */
static void see_sections(uint64_t object)
{
	for (uint64_t left = rt->schedule.live & ~bit(rt->current); left; left &= left - 1) {
		struct thread *thread = &rt->threads[__builtin_ctzll(left)];
		for (uint32_t i = 0; i < thread->rounds.nsections; i++)
			if (thread->round_lists.sections[i].object == object)
				thread->changed = true;
	}
}

/* --- operations --- */

static bool looks(const struct op *op)
{
	unsigned effect = event_table[op->kind].effect;

	return effect == EFFECT_TEST || effect == EFFECT_READ_TEST;
}

static void note_in_loop(const struct op *op)
{
	const struct event_info *info = &event_table[op->kind];

	if (info->object_class == OBJECT_SYSTEM)
		return; /* round_note_system() will tell */
	if (info->object_class == OBJECT_MEMORY && info->effect == EFFECT_READ)
		note_read(op);
	else if (looks(op) && size_of_object(op))
		remember_look(op, op->object, size_of_object(op));
	else if (op->kind == EV_TRYJOIN_FAIL)
		remember_look(op, op->object, 0);
	else if (op->kind == EV_CANCEL_POINT)
		remember_look(op, (uint64_t)&self()->cancel.pending, sizeof self()->cancel.pending);
	else if (is_lock(op) && takes(op) && !is_robust_mutex(op))
		begin_section(self(), op->object);
	else if (is_lock(op) && gives_back(op))
		end_section(self(), op->object);
	else if (op->kind != EV_KEY_USE)
		rt->changed = 1;
}

void round_note(const struct op *op)
{
	if (looks(op) && size_of_object(op))
		see_sections(op->object);
	if (self()->rounds.nloops)
		note_in_loop(op);
}

/* Who looks at files in a loop waits for somebody to change something about them. */
void round_note_system(bool changed)
{
	struct op op = {.kind = EV_SYSTEM, .site = rt->current_site};

	if (changed) {
		rt->system.changes++;
		rt->changed = 1;
	} else if (self()->rounds.nloops) {
		remember_look(&op, (uint64_t)&rt->system.changes, sizeof rt->system.changes);
	}
}

/* --- loops --- */

/* Frames below have been left, and so have the loops in them. */
static void forget_left(struct thread *thread, uint64_t frame)
{
	while (thread->rounds.nloops && thread->round_lists.loops[thread->rounds.nloops - 1].frame < frame)
		thread->rounds.nloops--;
}

static int find_loop(const struct thread *thread, uint32_t site, uint64_t frame)
{
	for (uint32_t i = thread->rounds.nloops; i-- > 0;)
		if (thread->round_lists.loops[i].site == site && thread->round_lists.loops[i].frame == frame)
			return (int)i;
	return -1;
}

/* The thread is at the head of the loop again, or for the first time: those inside have been left. */
static struct loop *enter_loop(struct thread *thread, int known)
{
	debug_invariant(thread->rounds.nloops <= MAX_LOOPS);
	debug_invariant(known < (int)thread->rounds.nloops);
	if (known >= 0) {
		thread->rounds.nloops = (uint32_t)known + 1;
	} else if (thread->rounds.nloops == MAX_LOOPS) { /* the one around all others is forgotten */
		for (uint32_t i = 1; i < MAX_LOOPS; i++)
			thread->round_lists.loops[i - 1] = thread->round_lists.loops[i];
	} else {
		thread->rounds.nloops++;
	}
	if (thread->rounds.nloops == 1 && known < 0)
		thread->rounds.nsections = thread->rounds.nreads = 0; /* of loops that were left */
	return &thread->round_lists.loops[thread->rounds.nloops - 1];
}

static bool section_is_open(const struct thread *thread, uint64_t since)
{
	return thread->rounds.nsections && thread->round_lists.sections[thread->rounds.nsections - 1].began > since;
}

/* Did the last round change nothing, as far as is known? */
static bool was_for_nothing(const struct thread *thread, const struct loop *loop, uint64_t state)
{
	return loop->state == state && loop->changes == thread->rounds.changes &&
	       thread->rounds.nreads - loop->nreads <= MAX_READS && !section_is_open(thread, loop->moment);
}

/* Did it look at one atomic location and nothing else, once, or twice when it tried to update it? */
static bool looked_at_one(const struct thread *thread, uint32_t from)
{
	const struct read_done *first = &thread->round_lists.reads[from % MAX_READS];

	for (uint32_t i = from; i < thread->rounds.nreads; i++) {
		const struct read_done *read = &thread->round_lists.reads[i % MAX_READS];
		if (!read->atomic || read->size > 8 || read->address != first->address || read->size != first->size)
			return false;
	}
	return thread->rounds.nreads == from + 1 ||
	       (thread->rounds.nreads == from + 2 && thread->round_lists.reads[(from + 1) % MAX_READS].update);
}

/*
 * The thread will not go on in this execution.  Inside its atomic block it will: it cannot come to the loop later without
 * others having seen what the block did before.  So it waits there for a change, and whoever moves in between is
 * tried before and after it goes on.
 */
static void spin_for_good(struct thread *thread, uint32_t from)
{
	const struct read_done *last = &thread->round_lists.reads[(thread->rounds.nreads - 1) % MAX_READS];
	struct op op = {.kind = thread->atomic_depth ? EV_RESUME : EV_SPIN, .site = rt->current_site};

	if (thread->rounds.nreads != from) {
		op.site = last->site;
		op.object = last->address;
	}

	thread->rounds.spin_from = from;
	invariant(from <= thread->rounds.nreads);
	if (!thread->atomic_depth) {
		rt->await.spinning |= bit(rt->current);
		point(&op);
		return;
	}
	rt->await.resuming |= bit(rt->current);
	point(&op);
	rt->await.resuming &= ~bit(rt->current);
}

/* What the thread waits for may be that time passes: then much of it does.  False if that was in vain before. */
static bool time_passes(const struct thread *thread, struct loop *loop)
{
	if (thread->rounds.clock_reads == loop->clock_reads || rt->channel->modes.timeouts == TIMEOUTS_NEVER)
		return false;
	return clock_jump(loop->jumps++);
}

/* In the next round. */
static void share_reads(struct thread *thread, bool share)
{
	if (thread->rounds.shares_reads == share)
		return;
	thread->rounds.shares_reads = share;
	update_owner();
}

static bool looked_at_memory_only(const struct thread *thread, uint32_t from)
{
	for (uint32_t i = from; i < thread->rounds.nreads; i++)
		if (!thread->round_lists.reads[i % MAX_READS].memory)
			return false;
	return true;
}

/*
 * With --stateful the thread goes on: the state at the end of its next round is known.  To leave it behind would be wrong, since
 * what a round has read is no part of the states in its middle: one that has read what is there no longer would stand for
 * others that go round for ever.
 *
 * It is left behind where no state comes again (the program does not tell what is live, or time has passed), and where it has tried
 * to get a lock in vain: with a scheduler that lets it try only when somebody else has the lock it could go on so for ever, and that is no livelock.
 */
static bool is_recognised(const struct thread *thread, const struct loop *loop)
{
	enum { MANY_ROUNDS = 16 }; /* if so many, while nobody else moved, have come to no known state, none will */

	if (!rt->channel->stateful ||
	    thread->rounds.nreads == loop->nreads) /* in the latter case it comes to no state at all */
		return false;
	if (have_reads_changed(thread, loop->nreads))
		return true;
	return rt->states.live && !rt->states.lost && loop->alone < MANY_ROUNDS &&
	       thread->system.clock == loop->clock && looked_at_memory_only(thread, loop->nreads);
}

/* `shared`: all that the thread has read in the round was visible. */
static void end_round(struct thread *thread, struct loop *loop, bool shared)
{
	bool looked = thread->rounds.nreads != loop->nreads;

	debug_invariant(loop->nreads <= thread->rounds.nreads);
	debug_invariant(thread->rounds.nreads - loop->nreads <= MAX_READS);
	if (time_passes(thread, loop))
		return;
	if (!looked && !shared) { /* if it waits at all, then for memory that it thinks its own: let others see it */
		share_reads(thread, true);
		return;
	}
	loop->alone = loop->switches == rt->schedule.switches ? loop->alone + 1 : 1;
	loop->switches = rt->schedule.switches;
	if (loop->rounds++ < rt->channel->modes.idle_rounds)
		return;
	if (looked && looked_at_one(thread, loop->nreads))
		await_learn(loop->site);
	if (thread->atomic_depth || !is_recognised(thread, loop))
		spin_for_good(thread, loop->nreads);
}

/* What the thread knows that is in none of its variables, and that functions of the runtime change. */
static uint64_t hidden_state(const struct thread *thread)
{
	uint64_t state = (uint64_t)(unsigned)errno << 2 | thread->cancel.disabled << 1 | thread->cancel.asynchronous;

	return (state * 0x9e3779b97f4a7c15ull ^ thread->system.signal_mask) * 0xc2b2ae3d27d4eb4full;
}

void __inspect_loop(uint32_t site, uint32_t again, uint64_t state, void *stack_frame)
{
	struct thread *thread = self();
	uint64_t frame = (uint64_t)__builtin_frame_address(0);

	rt->current_site = site; /* of a round that never ends */
	if (rt->phase != PHASE_RUN || rt->nthreads < 2)
		return;
	state ^= hidden_state(thread);
	if (__builtin_expect(rt->trial.active, 0)) {
		trial_loop(&(struct loop){.site = site, .frame = frame, .state = state}, again);
		return;
	}
	if (rt->changed) {
		rt->changed = 0;
		thread->rounds.changes++;
	}
	bool shared = thread->rounds.shares_reads;
	share_reads(thread, false);
	forget_left(thread, frame);
	int known = find_loop(thread, site, frame);
	struct loop *loop = enter_loop(thread, known);
	if (!again || known < 0)
		*loop = (struct loop){.site = site, .frame = frame};
	else if (was_for_nothing(thread, loop, state))
		end_round(thread, loop, shared);
	else
		loop->rounds = 0;
	loop->state = state;
	loop->changes = thread->rounds.changes;
	loop->nreads = thread->rounds.nreads;
	loop->moment = ++thread->rounds.moment;
	loop->clock_reads = thread->rounds.clock_reads;
	loop->clock = thread->system.clock;
	await_at_head(loop, stack_frame);
}

void __inspect_loop_exit(uint32_t site)
{
	struct thread *thread = self();
	uint64_t frame = (uint64_t)__builtin_frame_address(0);

	if (__builtin_expect(rt->trial.active, 0)) {
		if (rt->trial.head.site == site)
			trial_end(false);
		return;
	}
	int known = rt->phase == PHASE_RUN ? find_loop(thread, site, frame) : -1;
	if (known < 0)
		return;
	thread->rounds.nloops = (uint32_t)known;
	share_reads(thread, false);
}
