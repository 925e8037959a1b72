/*
 * Busy waiting.  A loop whose round changed nothing (the thread wrote nothing, and carries the
 * same values into the next round) will go round the same way until something that it read is
 * changed by somebody else.  The round might as well not have happened: the execution in which
 * the thread came later, after that change, has the same outcome.
 *
 * So a thread that has gone round for nothing does not go on in this execution: it stays in
 * EV_SPIN for ever, as if it had assumed that its round would succeed.  The others go on to
 * their end (cutting the execution short would lose what races with what they still do).  Then
 * it was redundant, ENDING_SPUN, unless nobody is left who could make the change: a livelock.
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

static void remember_read(uint64_t address, uint32_t size, uint32_t site)
{
	struct thread *thread = self();

	if (size > LARGEST_READ || address >= STREAM_ADDRESS) { /* the latter is no memory at all */
		rt->changed = 1;
		return;
	}
	thread->reads_done[thread->nreads++ % MAX_READS] =
		(struct read_done){.address = address, .size = size, .site = site, .hash = hash_memory(address, size)};
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
		remember_read(op->object, op->size, op->site);
	else if (info->object_class == OBJECT_RWLOCK && looks)
		remember_read(op->object, sizeof(pthread_rwlock_t), op->site);
	else if (looks && size)
		remember_read(op->object, size, op->site);
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

static struct loop *find_loop(struct thread *thread, uint32_t site, uint64_t frame)
{
	for (uint32_t i = 0; i < thread->nloops && i < MAX_LOOPS; i++)
		if (thread->loops[i].site == site && thread->loops[i].frame == frame)
			return &thread->loops[i];
	return NULL;
}

void __inspect_loop(uint32_t site, uint32_t again, uint64_t state)
{
	struct thread *thread = self();

	rt->current_site = site; /* of a round that never ends */
	if (rt->phase != PHASE_RUN || rt->nthreads < 2)
		return;
	uint64_t frame = (uint64_t)__builtin_frame_address(0);
	if (rt->changed) {
		rt->changed = 0;
		thread->changes++;
	}
	struct loop *loop = find_loop(thread, site, frame);
	uint32_t nreads = loop ? thread->nreads - loop->nreads : 0;
	if (again && loop && loop->state == state && loop->changes == thread->changes && nreads && nreads <= MAX_READS)
		spin(thread, loop->nreads);
	if (again && loop && loop->state == state && loop->changes == thread->changes && !nreads) {
		/* if it waits at all, then for memory that it thinks its own: let others see it */
		thread->shares_reads = true;
		update_owner();
	}
	if (!loop)
		loop = &thread->loops[thread->nloops++ % MAX_LOOPS];
	*loop = (struct loop){
		.site = site, .frame = frame, .state = state, .changes = thread->changes, .nreads = thread->nreads};
}
