/*
 * Awaits.  A round of a loop that is for nothing (rounds.c) might as well not have happened: the
 * execution in which the thread came later, after the change that it waits for, has the same outcome.
 *
 * So a thread awaits: when it comes to the head of such a loop it tries its round (trial.c).
 * If that would come to nothing, its first operation is not enabled.  It is tried again, by
 * whoever runs then, when the location has another value; what is known of a value is kept, and
 * goes into the trace, since the explorer must know with which of the values that the location
 * had the thread could have gone on.
 *
 * That needs rounds that look at one atomic location only, and once, and are recognised: a loop becomes
 * an await when a round of it was first seen to be for nothing, and the search starts again.
 */
#include "common/invariant.h"
#include "runtime/await/await.h"
#include "runtime/core/runtime.h"
#include "runtime/core/schedule.h"
#include "runtime/memory/memory.h"
#include "runtime/process/process.h"

static bool is_await_site(uint32_t site)
{
	return site < MAX_AWAIT_SITES && rt->channel->await_sites[site / 8] >> site % 8 & 1;
}

void await_learn(uint32_t site)
{
	if (site >= MAX_AWAIT_SITES || is_await_site(site) || rt->channel->no_awaits)
		return;
	need_plan();
	rt->channel->await_sites[site / 8] |= (uint8_t)(1u << site % 8);
	announce_news();
}

static uint64_t load_location(const struct await_location *location)
{
	uint64_t value = 0;

	invariant(location->size && location->size <= sizeof value);
	if (!memory_is_there(location->address, location->size))
		return value; /* it will not be awaited for long */
	rt->memory.touching = true;
	__builtin_memcpy(&value, (const void *)location->address, location->size);
	rt->memory.touching = false;
	return value;
}

static void store_location(const struct await_location *location, uint64_t value)
{
	invariant(location->size && location->size <= sizeof value);
	if (!memory_is_there(location->address, location->size))
		return;
	rt->memory.touching = true;
	__builtin_memcpy((void *)location->address, &value, location->size);
	rt->memory.touching = false;
}

static bool ranges_overlap(const struct op *op, const struct await_location *location)
{
	return op->object < location->address + location->size && location->address < op->object + op->size;
}

/* Who spins there does so in another way from now on. */
static void mark_location(uint32_t location, uint32_t flag)
{
	need_plan();
	rt->channel->await_locations[location].flags |= flag;
	announce_news();
}

/* The operation's location among those that are awaited, -1 if it cannot be; new ones are added. */
static int find_location(const struct op *op)
{
	struct channel *channel = rt->channel;

	for (uint32_t i = 0; i < channel->nawait_locations; i++) {
		struct await_location *location = &channel->await_locations[i];
		if (location->address == op->object && location->size == op->size)
			return location->flags & AWAIT_MIXED ? -1 : (int)i;
		if (ranges_overlap(op, location)) {
			mark_location(i, AWAIT_MIXED);
			return -1;
		}
	}
	if (channel->nawait_locations < MAX_AWAIT_LOCATIONS) {
		need_plan();
		channel->await_locations[channel->nawait_locations++] =
			(struct await_location){.address = op->object, .size = op->size};
		announce_news(); /* writes of it were not noted */
	}
	return -1;
}

void await_note_write(const struct op *op, uint32_t event)
{
	struct channel *channel = rt->channel;
	struct trace *trace = &channel->trace;

	for (uint32_t i = 0; i < channel->nawait_locations; i++) {
		struct await_location *location = &channel->await_locations[i];
		if (location->flags & AWAIT_MIXED || !ranges_overlap(op, location))
			continue;
		need_plan();
		bool whole =
			op->object <= location->address && op->object + op->size >= location->address + location->size;
		if (!whole || (event_is(op->kind, EV_PLAIN) && op->kind != EV_FREE) || op->kind == EV_UNMAP ||
		    op->kind == EV_PROTECT) {
			mark_location(i, AWAIT_MIXED);
			continue;
		}
		if (rt->standalone)
			continue;
		if (trace->nawait_writes == MAX_EVENTS + MAX_THREADS) /* one free can end many locations */
			fail_execution("more writes of what is awaited than there is room for");
		trace->await_writes[trace->nawait_writes++] = (struct await_write){.value = load_location(location),
										   .event = event,
										   .previous = rt->await.last_write[i]};
		rt->await.last_write[i] = trace->nawait_writes;
	}
}

static int find_value(const struct await *known, uint64_t value)
{
	for (uint32_t i = 0; i < known->nvalues; i++)
		if (known->values[i] == value)
			return (int)i;
	return -1;
}

static bool joins(const struct awaited *awaited)
{
	return rt->trial.joins && !(rt->channel->await_locations[awaited->location].flags & AWAIT_APART);
}

/* The trial with this value has ended. */
static void learn_value(struct awaited *awaited, uint64_t value)
{
	struct await *known = &awaited->known;
	bool joined = joins(awaited);

	invariant(known->nvalues <= MAX_AWAIT_VALUES);
	if (find_value(known, value) >= 0)
		return;
	if (known->nvalues == MAX_AWAIT_VALUES) { /* what was not tried is not known */
		mark_location(awaited->location, AWAIT_MIXED);
		return;
	}
	known->values[known->nvalues] = value;
	known->fails |= (uint32_t)rt->trial.fails << known->nvalues;
	known->writes |= (uint32_t)(rt->trial.writes || joined) << known->nvalues;
	awaited->joins |= (uint32_t)joined << known->nvalues;
	known->nvalues++;
}

static void put_value(const struct awaited *awaited, uint64_t value)
{
	invariant(awaited->location < rt->channel->nawait_locations);
	store_location(&rt->channel->await_locations[awaited->location], value);
}

/* Put a value that the location had before in its place for a trial, one that was not tried yet. */
static bool try_old_value(struct thread *thread)
{
	const struct trace *trace = the_trace();
	struct awaited *awaited = &thread->awaited;

	for (uint32_t i = rt->await.last_write[awaited->location]; i; i = trace->await_writes[i - 1].previous) {
		invariant(i <= trace->nawait_writes && trace->await_writes[i - 1].previous < i);
		uint64_t value = trace->await_writes[i - 1].value;
		if (find_value(&awaited->known, value) >= 0)
			continue;
		if (awaited->known.nvalues == MAX_AWAIT_VALUES) {
			mark_location(awaited->location, AWAIT_MIXED);
			return false;
		}
		awaited->value = value;
		put_value(awaited, value);
		return true;
	}
	return false;
}

/*
 * Prepare the next trial in which the location has one value when it is looked at and another when it is updated.  All pairs
 * of values that it had count: some execution may have them in that order.
 */
static bool try_pair(struct thread *thread)
{
	struct awaited *awaited = &thread->awaited;
	uint32_t *load = &awaited->pair[0], *update = &awaited->pair[1];

	for (; awaited->joins && *load < awaited->known.nvalues; ++*load, *update = 0) {
		for (; *update < awaited->known.nvalues; ++*update) {
			bool old = *load < awaited->nchecked && *update < awaited->nchecked;
			if (*load == *update || old || !(awaited->joins >> *load & 1))
				continue;
			awaited->moves = true;
			put_value(awaited, awaited->known.values[*load]);
			return true;
		}
	}
	awaited->nchecked = awaited->known.nvalues;
	return false;
}

void await_move(const struct thread *thread)
{
	invariant(thread->awaited.moves);
	invariant(thread->awaited.pair[1] < thread->awaited.known.nvalues);
	put_value(&thread->awaited, thread->awaited.known.values[thread->awaited.pair[1]]);
}

/* The trial that try_pair() prepared has ended. */
static void learn_pair(struct awaited *awaited)
{
	invariant(awaited->pair[0] != awaited->pair[1]);
	awaited->moves = false;
	awaited->pair[1]++;
	if (rt->trial.fails)
		return;
	awaited->joins = 0; /* no need to try others */
	if (!(rt->channel->await_locations[awaited->location].flags & AWAIT_APART))
		mark_location(awaited->location, AWAIT_APART);
}

/* The first trial has ended, with the value that is there now: is this a wait for an atomic location? */
static bool begin_await(struct thread *thread)
{
	const struct trial *trial = &rt->trial;
	int location = trial->seen ? find_location(&trial->first.op) : -1;

	if (location < 0)
		return false;
	thread->awaited.location = (uint32_t)location;
	thread->awaited.known.nvalues = thread->awaited.known.fails = thread->awaited.known.writes = 0;
	thread->awaited.joins = thread->awaited.nchecked = 0;
	thread->awaited.moves = false;
	return true;
}

/* What the trial has found, with the value that is there now. */
static void take_result(struct thread *thread)
{
	const struct trial *trial = &rt->trial;
	bool joined = joins(&thread->awaited);

	thread->await.ready = !trial->fails;
	thread->await.skip = joined;
	thread->awaited.weaker = joined && trial->weaker;
	announce_as(thread, joined ? &trial->joined : &trial->first);
	if (thread->awaited.weaker)
		thread->pending.order = trial->joined.op.order == ORDER_RELEASE ? ORDER_ACQ_REL : ORDER_ACQUIRE;
}

/* The thread waits to be chosen; others make it try its round. */
static void wait_at_head(struct thread *thread)
{
	struct op first = thread->pending;

	invariant(!thread->await.waits);
	thread->await.waits = true;
	rt->await.waiting |= bit(rt->current);
	wait_to_be_chosen(&first);
}

/*
 * What the load of a joined operation acquires it acquires now, from who wrote the value last.  Had it been there before, the load could
 * have come then, and acquired less.
 */
static void check_return(const struct awaited *awaited)
{
	const struct trace *trace = the_trace();

	for (uint32_t i = rt->await.last_write[awaited->location]; i; i = trace->await_writes[i - 1].previous) {
		invariant(i <= trace->nawait_writes && trace->await_writes[i - 1].previous < i);
		if (trace->await_writes[i - 1].value != awaited->value)
			continue;
		mark_location(awaited->location, AWAIT_APART);
		return;
	}
}

static void stop_waiting(struct thread *thread)
{
	invariant(thread->await.waits && thread->await.ready);
	thread->await.waits = false;
	thread->await.chosen = true;
	rt->await.waiting &= ~bit(rt->current);
	if (thread->awaited.weaker)
		check_return(&thread->awaited);
}

/* The first of several trials: what it has found holds now. */
static bool begin_trying(struct thread *thread)
{
	struct awaited *awaited = &thread->awaited;

	if (!thread->await.waits && !begin_await(thread))
		return false;
	thread->await.trying = true;
	thread->await.now = awaited->value = load_location(&rt->channel->await_locations[awaited->location]);
	awaited->pair[0] = awaited->pair[1] = 0;
	take_result(thread);
	learn_value(awaited, thread->await.now);
	return true;
}

/*
 * A trial has ended.  True when another one is to be made, after having waited for that if
 * need be; false when the thread is to go on for good.
 */
static bool next_trial(struct thread *thread)
{
	struct awaited *awaited = &thread->awaited;

	if (!thread->await.trying) {
		if (!begin_trying(thread))
			return false;
	} else if (awaited->moves) {
		learn_pair(awaited);
	} else {
		learn_value(awaited, awaited->value);
	}
	if ((!thread->await.waits && try_old_value(thread)) || try_pair(thread))
		return true;
	put_value(awaited, thread->await.now);
	thread->await.trying = false;
	awaited->value = thread->await.now;
	if (thread->await.waits) { /* somebody asked for it */
		unsigned asker = (unsigned)rt->await.asker;
		invariant(asker < MAX_THREADS && asker != rt->current);
		rt->await.asker = -1;
		switch_to(asker);
	} else {
		wait_at_head(thread);
	}
	if (rt->await.asker >= 0)
		return true;
	stop_waiting(thread);
	return false;
}

static bool is_possible(const struct thread *thread, uint32_t site, const void *frame)
{
	return is_await_site(site) && !thread->await.chosen && !thread->atomic_depth && !thread->cancel.asynchronous &&
	       trial_is_possible(frame);
}

void await_at_head(const struct loop *head, const void *frame)
{
	if (!is_possible(self(), head->site, frame))
		return;
	do {
		if (!arch_mark(&rt->trial.mark)) {
			trial_begin(head, frame);
			return;
		}
	} while (next_trial(self()));
}

void await_refresh(void)
{
	for (uint64_t left = rt->await.waiting & ~bit(rt->current); left; left &= left - 1) {
		unsigned i = (unsigned)__builtin_ctzll(left);
		struct thread *thread = &rt->threads[i];
		invariant(thread->await.waits && thread->awaited.location < rt->channel->nawait_locations);
		uint64_t value = load_location(&rt->channel->await_locations[thread->awaited.location]);
		if (value == thread->awaited.value)
			continue;
		thread->awaited.value = value;
		int known = find_value(&thread->awaited.known, value);
		if (known >= 0 && thread->awaited.known.fails >> known & 1) {
			thread->await.ready = false;
		} else { /* what it would begin with may be another operation */
			rt->await.asker = (int32_t)rt->current;
			switch_to(i);
			invariant(rt->await.asker == -1);
		}
		reconsider_thread(i);
	}
}

uint32_t await_publish(const struct thread *thread)
{
	struct trace *trace = the_trace();

	if (rt->standalone) /* nobody reads it */
		return 0;
	need_plan();
	if (trace->nawaits == MAX_AWAITS)
		fail_execution("more busy waiting in one execution than there is room for");
	struct await *await = &trace->awaits[trace->nawaits++];
	invariant(thread->awaited.known.nvalues <= MAX_AWAIT_VALUES);
	invariant(thread->awaited.location < rt->channel->nawait_locations);
	await->nvalues = thread->awaited.known.nvalues;
	await->fails = thread->awaited.known.fails;
	await->writes = thread->awaited.known.writes;
	await->write = rt->await.last_write[thread->awaited.location];
	__builtin_memcpy(await->values, thread->awaited.known.values, await->nvalues * sizeof *await->values);
	return trace->nawaits;
}
