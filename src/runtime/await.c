/*
 * Busy waiting.  A loop whose round changed nothing (the thread wrote nothing, and carries the
 * same values into the next round) will go round the same way until something that it read is
 * changed by somebody else.  The round might as well not have happened: the execution in which
 * the thread came later, after that change, has the same outcome.
 *
 * So a thread awaits: when it comes to the head of such a loop it tries its round (trial.c).
 * If that would come to nothing, its first operation is not enabled.  It is tried again, by
 * whoever runs then, when the location has another value; what is known of a value is kept, and
 * goes into the trace, since the explorer must know with which of the values that the location
 * had the thread could have gone on.
 *
 * That needs rounds that look at one atomic location only, and are recognised: a loop becomes
 * an await when a round of it was first seen to be for nothing, and the search starts again.
 *
 * In other loops, a thread that has gone round for nothing does not go on in this execution: it
 * stays in EV_SPIN for ever, as if it had assumed that its round would succeed.  The others go
 * on to their end (cutting the execution short would lose what races with what they still do).
 * Then it was redundant, ENDING_SPUN, unless nobody is left who could make the change: a livelock.
 *
 * A compare-and-swap that failed, an exchange that put back what was there and a failed attempt
 * to lock count as reads.
 */
#include "runtime/runtime.h"

enum { LARGEST_READ = 64 };

/* What the thread would read there now. */
static uint64_t hash_memory(uint64_t address, uint32_t size)
{
	uint64_t hash = size;

	rt->touching = true;
	for (uint32_t i = 0; i < size; i++)
		hash = (hash ^ ((volatile uint8_t *)address)[i]) * 0x100000001b3ull;
	rt->touching = false;
	return hash;
}

/* The bytes that tell the state of a synchronisation object; 0: they are not known. */
static uint32_t size_of_object(unsigned object_class)
{
	switch (object_class) {
	case OBJECT_MUTEX: return sizeof(int);
	case OBJECT_SEM: return sizeof(uint32_t);
	case OBJECT_RWLOCK: return sizeof(int); /* once; read-write locks are longer, but see below */
	}
	return 0;
}

static void remember_read(uint64_t address, uint32_t size, uint32_t site, bool atomic)
{
	struct thread *thread = self();

	if (size > LARGEST_READ || address >= STREAM_ADDRESS) { /* the latter is no memory at all */
		rt->changed = 1;
		return;
	}
	thread->reads_done[thread->nreads++ % MAX_READS] = (struct read_done){
		.address = address, .size = size, .site = site, .hash = hash_memory(address, size), .atomic = atomic};
}

void await_note(const struct op *op)
{
	const struct event_info *info = &event_table[op->kind];
	bool looks = info->effect == EFFECT_TEST || info->effect == EFFECT_READ_TEST;
	uint32_t size = size_of_object(info->object_class);

	if (!self()->nloops)
		return;
	if (self()->shares_reads) {
		self()->shares_reads = false;
		update_owner();
	}
	if (info->object_class == OBJECT_MEMORY && info->effect == EFFECT_READ)
		remember_read(op->object, op->size, op->site, !event_is(op->kind, EV_PLAIN));
	else if (info->object_class == OBJECT_RWLOCK && looks)
		remember_read(op->object, sizeof(pthread_rwlock_t), op->site, false);
	else if (looks && size)
		remember_read(op->object, size, op->site, false);
	else if (op->kind != EV_KEY_USE)
		rt->changed = 1;
}

static bool has_changed(const struct read_done *read)
{
	return hash_memory(read->address, read->size) != read->hash;
}

/* Has anything that the thread read in its last round been changed? */
static bool round_has_changed(const struct thread *thread)
{
	for (uint32_t i = thread->spin_from; i < thread->nreads; i++)
		if (has_changed(&thread->reads_done[i % MAX_READS]))
			return true;
	return false;
}

bool await_is_over(void)
{
	for (uint64_t left = rt->spinning; left; left &= left - 1)
		if (round_has_changed(&rt->threads[__builtin_ctzll(left)]))
			return true;
	return false;
}

/* The thread will not go on in this execution. */
static void spin(struct thread *thread, uint32_t from)
{
	uint32_t last = (thread->nreads - 1) % MAX_READS;
	struct op op = {.kind = EV_SPIN,
			.site = thread->reads_done[last].site,
			.object = thread->reads_done[last].address};

	thread->spin_from = from;
	rt->spinning |= bit(rt->current);
	point(&op);
}

/* --- awaits --- */

static bool is_await_site(uint32_t site)
{
	return site < MAX_AWAIT_SITES && rt->channel->await_sites[site / 8] >> site % 8 & 1;
}

/* Did the round look at one atomic location and nothing else? */
static bool looks_at_one(const struct thread *thread, uint32_t from)
{
	const struct read_done *first = &thread->reads_done[from % MAX_READS];

	for (uint32_t i = from; i < thread->nreads; i++) {
		const struct read_done *read = &thread->reads_done[i % MAX_READS];
		if (!read->atomic || read->size > 8 || read->address != first->address || read->size != first->size)
			return false;
	}
	return true;
}

static void learn_site(uint32_t site)
{
	if (site >= MAX_AWAIT_SITES || is_await_site(site) || rt->channel->no_awaits)
		return;
	need_plan();
	rt->channel->await_sites[site / 8] |= (uint8_t)(1u << site % 8);
	announce_news();
}

static uint64_t load(const struct await_location *location)
{
	uint64_t value = 0;

	rt->touching = true;
	__builtin_memcpy(&value, (const void *)location->address, location->size);
	rt->touching = false;
	return value;
}

static void store(const struct await_location *location, uint64_t value)
{
	rt->touching = true;
	__builtin_memcpy((void *)location->address, &value, location->size);
	rt->touching = false;
}

static bool ranges_overlap(const struct op *op, const struct await_location *location)
{
	return op->object < location->address + location->size && location->address < op->object + op->size;
}

/* The operation's location among those that are awaited, -1 if it cannot be; new ones are added. */
static int find_location(const struct op *op)
{
	struct channel *channel = rt->channel;

	for (uint32_t i = 0; i < channel->nawait_locations; i++) {
		struct await_location *location = &channel->await_locations[i];
		if (location->address == op->object && location->size == op->size)
			return location->mixed ? -1 : (int)i;
		if (ranges_overlap(op, location)) {
			need_plan();
			location->mixed = 1;
			announce_news();
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
		if (location->mixed || !ranges_overlap(op, location))
			continue;
		need_plan();
		bool whole =
			op->object <= location->address && op->object + op->size >= location->address + location->size;
		if (!whole || (event_is(op->kind, EV_PLAIN) && op->kind != EV_FREE)) {
			location->mixed = 1;
			announce_news();
			continue;
		}
		if (rt->standalone)
			continue;
		if (trace->nawait_writes == MAX_EVENTS + MAX_THREADS) /* one free can end many locations */
			fail_execution("more writes of what is awaited than there is room for");
		trace->await_writes[trace->nawait_writes++] = (struct await_write){.value = load(location),
										   .event = event,
										   .previous = rt->last_await_write[i]};
		rt->last_await_write[i] = trace->nawait_writes;
	}
}

static int find_value(const struct await *known, uint64_t value)
{
	for (uint32_t i = 0; i < known->nvalues; i++)
		if (known->values[i] == value)
			return (int)i;
	return -1;
}

static void learn_value(struct await *known, uint64_t value)
{
	if (known->nvalues == MAX_AWAIT_VALUES || find_value(known, value) >= 0)
		return;
	known->values[known->nvalues] = value;
	known->fails |= (uint32_t)rt->trial.fails << known->nvalues;
	known->writes |= (uint32_t)rt->trial.writes << known->nvalues;
	known->nvalues++;
}

/* Put a value that the location had before in its place for a trial, one that was not tried yet. */
static bool try_old_value(struct thread *thread)
{
	const struct trace *trace = &rt->channel->trace;
	struct awaited *awaited = &thread->awaited;

	for (uint32_t i = rt->last_await_write[awaited->location]; i; i = trace->await_writes[i - 1].previous) {
		uint64_t value = trace->await_writes[i - 1].value;
		if (awaited->known.nvalues == MAX_AWAIT_VALUES || find_value(&awaited->known, value) >= 0)
			continue;
		awaited->value = value;
		store(&rt->channel->await_locations[awaited->location], value);
		return true;
	}
	return false;
}

/* The first trial has ended, with the value that is there now: is this a wait for an atomic location? */
static bool begin_await(struct thread *thread)
{
	const struct trial *trial = &rt->trial;
	int location = trial->seen ? find_location(&trial->first) : -1;

	if (location < 0)
		return false;
	thread->awaited.location = (uint32_t)location;
	thread->awaited.known.nvalues = thread->awaited.known.fails = thread->awaited.known.writes = 0;
	thread->awaited.value = load(&rt->channel->await_locations[location]);
	return true;
}

/* What the trial has found, with the value that is there now. */
static void take_result(struct thread *thread)
{
	const struct trial *trial = &rt->trial;

	thread->ready = !trial->fails;
	thread->pending = trial->first;
	thread->expected = trial->expected;
	thread->failure_order = trial->failure_order;
	thread->update = trial->update;
	thread->skip = trial->nreads;
}

/* The thread waits to be chosen; others make it try its round. */
static void wait_at_head(struct thread *thread)
{
	struct op first = thread->pending;

	thread->awaits = true;
	rt->awaiting |= bit(rt->current);
	wait_to_be_chosen(&first);
}

static void stop_waiting(struct thread *thread)
{
	thread->awaits = false;
	thread->chosen = true;
	rt->awaiting &= ~bit(rt->current);
}

/*
 * A trial has ended.  True when another one is to be made, after having waited for that if
 * need be; false when the thread is to go on for good.
 */
static bool next_trial(struct thread *thread)
{
	struct awaited *awaited = &thread->awaited;

	if (thread->awaits) { /* somebody asked for it */
		const struct await_location *location = &rt->channel->await_locations[awaited->location];
		unsigned asker = (unsigned)rt->asker;
		learn_value(&awaited->known, load(location));
		take_result(thread);
		rt->asker = -1;
		switch_to(asker);
	} else {
		bool first = !thread->trying;
		uint64_t now;
		if (first && !begin_await(thread))
			return false;
		const struct await_location *location = &rt->channel->await_locations[awaited->location];
		if (first) {
			thread->trying = true;
			take_result(thread);
			thread->now = awaited->value;
		}
		learn_value(&awaited->known, awaited->value);
		now = thread->now;
		if (try_old_value(thread))
			return true;
		if (!first)
			store(location, now);
		thread->trying = false;
		awaited->value = now;
		wait_at_head(thread);
	}
	if (rt->asker >= 0)
		return true;
	stop_waiting(thread);
	return false;
}

static void await(const struct loop *head, const void *frame)
{
	do {
		if (!arch_mark(&rt->trial.mark)) {
			trial_begin(head, frame);
			return;
		}
	} while (next_trial(self()));
}

void await_refresh(void)
{
	for (uint64_t left = rt->awaiting & ~bit(rt->current); left; left &= left - 1) {
		unsigned i = (unsigned)__builtin_ctzll(left);
		struct thread *thread = &rt->threads[i];
		uint64_t value = load(&rt->channel->await_locations[thread->awaited.location]);
		if (value == thread->awaited.value)
			continue;
		thread->awaited.value = value;
		int known = find_value(&thread->awaited.known, value);
		if (known >= 0 && thread->awaited.known.fails >> known & 1) {
			thread->ready = false;
		} else { /* what it would begin with may be another operation */
			rt->asker = (int32_t)rt->current;
			switch_to(i);
		}
		refresh_thread(i);
	}
}

uint32_t await_publish(const struct thread *thread)
{
	struct trace *trace = &rt->channel->trace;

	if (rt->standalone) /* nobody reads it */
		return 0;
	need_plan();
	if (trace->nawaits == MAX_AWAITS)
		fail_execution("more busy waiting in one execution than there is room for");
	struct await *await = &trace->awaits[trace->nawaits++];
	await->nvalues = thread->awaited.known.nvalues;
	await->fails = thread->awaited.known.fails;
	await->writes = thread->awaited.known.writes;
	await->write = rt->last_await_write[thread->awaited.location];
	__builtin_memcpy(await->values, thread->awaited.known.values, await->nvalues * sizeof *await->values);
	return trace->nawaits;
}

/* --- loops --- */

static struct loop *find_loop(struct thread *thread, uint32_t site, uint64_t frame)
{
	for (uint32_t i = 0; i < thread->nloops && i < MAX_LOOPS; i++)
		if (thread->loops[i].site == site && thread->loops[i].frame == frame)
			return &thread->loops[i];
	return NULL;
}

void __inspect_loop(uint32_t site, uint32_t again, uint64_t state, void *stack_frame)
{
	struct thread *thread = self();
	uint64_t frame = (uint64_t)__builtin_frame_address(0);

	rt->current_site = site; /* of a round that never ends */
	if (rt->phase != PHASE_RUN || rt->nthreads < 2)
		return;
	if (__builtin_expect(rt->trial.active, 0)) {
		trial_loop(&(struct loop){.site = site, .frame = frame, .state = state}, again);
		return;
	}
	if (rt->changed) {
		rt->changed = 0;
		thread->changes++;
	}
	struct loop *loop = find_loop(thread, site, frame);
	uint32_t nreads = loop ? thread->nreads - loop->nreads : 0;
	if (again && loop && loop->state == state && loop->changes == thread->changes && nreads &&
	    nreads <= MAX_READS) {
		if (looks_at_one(thread, loop->nreads))
			learn_site(site);
		spin(thread, loop->nreads);
	} else if (again && loop && loop->state == state && loop->changes == thread->changes && !nreads) {
		/* if it waits at all, then for memory that it thinks its own: let others see it */
		thread->shares_reads = true;
		update_owner();
	}
	if (!loop)
		loop = &thread->loops[thread->nloops++ % MAX_LOOPS];
	*loop = (struct loop){
		.site = site, .frame = frame, .state = state, .changes = thread->changes, .nreads = thread->nreads};
	if (is_await_site(site) && !thread->chosen && !thread->atomic_depth && !thread->cancel_asynchronous &&
	    trial_is_possible(stack_frame))
		await(loop, stack_frame);
}
