#include "explore/weak.h"

#include <stdlib.h>
#include <string.h>

#include "common/trouble.h"

typedef uint32_t clock_vector[MAX_THREADS];

/* One plain or atomic access that may still race with a later one. */
struct access {
	uint32_t event, count; /* count: its number within its thread */
	uint8_t thread, mask;
	bool writes, plain;
};

struct word {
	uint64_t key;
	struct access *accesses;
	uint32_t naccesses, size;
};

/* What a synchronisation object, or an atomic of so many bytes, passes on to whoever acquires it. */
struct passing {
	uint64_t object;
	uint32_t bytes; /* 0 for a synchronisation object */
	clock_vector clock;
};

struct weak {
	const struct trace *trace;
	uint32_t from;
	struct word *words;
	uint32_t nwords, words_size;
	struct passing *passings;
	uint32_t npassings, passings_size;
	struct race *races;
	uint32_t nraces, races_size;
	uint32_t count[MAX_THREADS];
	clock_vector now[MAX_THREADS]; /* of each thread */
	clock_vector released[MAX_THREADS]; /* at its last release fence */
	clock_vector seen[MAX_THREADS]; /* through relaxed loads, for an acquire fence */
	clock_vector exited[MAX_THREADS], created[MAX_THREADS], woken[MAX_THREADS];
};

struct weak *weak_new(void)
{
	return xcalloc(1, sizeof(struct weak));
}

void weak_free(struct weak *weak)
{
	if (!weak)
		return;
	for (uint32_t i = 0; i < weak->words_size; i++)
		free(weak->words[i].accesses);
	free(weak->words);
	free(weak->passings);
	free(weak->races);
	free(weak);
}

static void join(clock_vector to, const clock_vector from)
{
	for (unsigned i = 0; i < MAX_THREADS; i++)
		to[i] = to[i] > from[i] ? to[i] : from[i];
}

static struct passing *find_sized(struct weak *weak, uint64_t object, uint32_t bytes)
{
	for (uint32_t i = 0; i < weak->npassings; i++)
		if (weak->passings[i].object == object && weak->passings[i].bytes == bytes)
			return &weak->passings[i];
	if (weak->npassings == weak->passings_size) {
		weak->passings_size = weak->passings_size ? 2 * weak->passings_size : 16;
		weak->passings = xrealloc(weak->passings, weak->passings_size * sizeof *weak->passings);
	}
	struct passing *passing = &weak->passings[weak->npassings++];
	memset(passing, 0, sizeof *passing);
	passing->object = object;
	passing->bytes = bytes;
	return passing;
}

static struct passing *find_passing(struct weak *weak, uint64_t object)
{
	return find_sized(weak, object, 0);
}

/* --- synchronisation --- */

static bool acquires(unsigned order)
{
	return order == ORDER_ACQUIRE || order == ORDER_ACQ_REL || order == ORDER_SEQ_CST;
}

static bool releases(unsigned order)
{
	return order == ORDER_RELEASE || order == ORDER_ACQ_REL || order == ORDER_SEQ_CST;
}

/*
 * Atomics of different sizes may overlap: std::shared_ptr counts in two halves of a word and
 * looks at both with one load.  Such a load takes over from whoever wrote some of its bytes.
 */
static void atomic_load(struct weak *weak, unsigned thread, const struct op *op)
{
	uint32_t *to = acquires(op->order) ? weak->now[thread] : weak->seen[thread];

	for (uint32_t i = 0; i < weak->npassings; i++) {
		const struct passing *passing = &weak->passings[i];
		if (passing->bytes && passing->object < op->object + op->size &&
		    op->object < passing->object + passing->bytes)
			join(to, passing->clock);
	}
}

/* A store starts a new release sequence; an update goes on with the one it read from. */
static void atomic_store(struct weak *weak, unsigned thread, const struct op *op, bool goes_on)
{
	struct passing *passing = find_sized(weak, op->object, op->size);

	for (uint32_t i = 0; i < weak->npassings && !goes_on; i++) {
		struct passing *old = &weak->passings[i];
		bool covered =
			old->bytes && old->object >= op->object && old->object + old->bytes <= op->object + op->size;
		if (covered)
			memset(old->clock, 0, sizeof old->clock);
	}
	join(passing->clock, releases(op->order) ? weak->now[thread] : weak->released[thread]);
}

static void fence(struct weak *weak, unsigned thread, unsigned order)
{
	if (acquires(order))
		join(weak->now[thread], weak->seen[thread]);
	if (releases(order))
		memcpy(weak->released[thread], weak->now[thread], sizeof(clock_vector));
}

/* A reader takes over from writers only, so what readers pass on is kept apart. */
static uint64_t readers_of(uint64_t object)
{
	return object | 1ull << 63;
}

static void take_object(struct weak *weak, const struct event *event)
{
	const struct op *op = &event->op;

	switch (event_table[op->kind].effect) {
	case EFFECT_ACQUIRE:
	case EFFECT_TRY_ACQUIRE:
	case EFFECT_CHANGE:
		join(weak->now[event->thread], find_passing(weak, readers_of(op->object))->clock); /* fall through */
	case EFFECT_READ_ACQUIRE:
	case EFFECT_TRY_READ_ACQUIRE:
	case EFFECT_TEST: join(weak->now[event->thread], find_passing(weak, op->object)->clock); break;
	}
}

static void pass_object(struct weak *weak, const struct event *event)
{
	const struct op *op = &event->op;

	switch (event_table[op->kind].effect) {
	case EFFECT_READ_RELEASE:
		join(find_passing(weak, readers_of(op->object))->clock, weak->now[event->thread]);
		break;
	case EFFECT_RELEASE:
	case EFFECT_CHANGE: join(find_passing(weak, op->object)->clock, weak->now[event->thread]); break;
	}
	/* who arrives at a barrier hands over to the last one */
	if (op->kind == EV_BARRIER_ARRIVE)
		join(find_passing(weak, op->object)->clock, weak->now[event->thread]);
}

static bool is_synchronisation(const struct op *op)
{
	unsigned object_class = event_table[op->kind].object_class;

	return object_class != OBJECT_NONE && object_class != OBJECT_MEMORY && object_class != OBJECT_PROCESS &&
	       object_class != OBJECT_COND;
}

/* What the event takes over from other threads, before its own accesses are checked. */
static void take_over(struct weak *weak, const struct event *event)
{
	const struct op *op = &event->op;
	unsigned thread = event->thread;

	if (!weak->count[thread])
		join(weak->now[thread], weak->created[thread]);
	if (is_synchronisation(op))
		take_object(weak, event);
	switch (op->kind) {
	case EV_JOIN:
	case EV_TRYJOIN: join(weak->now[thread], weak->exited[op->target]); break;
	case EV_COND_WAKE:
	case EV_FUTEX_WOKEN:
	case EV_BARRIER_LEAVE: join(weak->now[thread], weak->woken[thread]); break;
	case EV_ATOMIC_LOAD:
	case EV_ATOMIC_CAS_FAIL:
	case EV_ATOMIC_RMW:
	case EV_ATOMIC_RMW_SAME:
	case EV_ATOMIC_CAS: atomic_load(weak, thread, op); break;
	case EV_FENCE: fence(weak, thread, op->order); break;
	}
}

static void pass_on(struct weak *weak, const struct event *event)
{
	const struct op *op = &event->op;
	unsigned thread = event->thread;

	if (is_synchronisation(op))
		pass_object(weak, event);
	switch (op->kind) {
	case EV_CREATE: memcpy(weak->created[op->target], weak->now[thread], sizeof(clock_vector)); break;
	case EV_EXIT: memcpy(weak->exited[thread], weak->now[thread], sizeof(clock_vector)); break;
	case EV_COND_SIGNAL:
	case EV_COND_BROADCAST:
	case EV_FUTEX_WAKE:
	case EV_FUTEX_WAKE_ALL:
	case EV_BARRIER_LAST:
		for (uint64_t left = event->value; left; left &= left - 1)
			memcpy(weak->woken[__builtin_ctzll(left)], weak->now[thread], sizeof(clock_vector));
		break;
	case EV_COND_WAIT: join(find_passing(weak, op->object2)->clock, weak->now[thread]); break;
	case EV_ATOMIC_STORE: atomic_store(weak, thread, op, false); break;
	case EV_ATOMIC_RMW:
	case EV_ATOMIC_RMW_SAME:
	case EV_ATOMIC_CAS: atomic_store(weak, thread, op, true); break;
	}
}

/* --- accesses --- */

static struct word *find_word(struct weak *weak, uint64_t key);

static void grow_words(struct weak *weak)
{
	struct word *old = weak->words;
	uint32_t n = weak->words_size;

	weak->words_size = n ? 2 * n : 256;
	weak->words = xcalloc(weak->words_size, sizeof *weak->words);
	weak->nwords = 0;
	for (uint32_t i = 0; i < n; i++) {
		if (old[i].naccesses)
			*find_word(weak, old[i].key) = old[i];
		else
			free(old[i].accesses);
	}
	free(old);
}

static struct word *find_word(struct weak *weak, uint64_t key)
{
	if (2 * weak->nwords >= weak->words_size)
		grow_words(weak);
	for (uint64_t i = key * 0x9e3779b97f4a7c15ull >> 20;; i++) {
		struct word *word = &weak->words[i & (weak->words_size - 1)];
		if (word->naccesses && word->key != key)
			continue;
		if (!word->naccesses) {
			word->key = key;
			weak->nwords++;
		}
		return word;
	}
}

static void add_race(struct weak *weak, uint32_t first, uint32_t second)
{
	if (second < weak->from)
		return;
	if (weak->nraces == weak->races_size) {
		weak->races_size = weak->races_size ? 2 * weak->races_size : 16;
		weak->races = xrealloc(weak->races, weak->races_size * sizeof *weak->races);
	}
	weak->races[weak->nraces++] =
		(struct race){.first = first, .second = second, .thread = weak->trace->events[second].thread};
}

static void check_word(struct weak *weak, uint64_t key, const struct access *access)
{
	struct word *word = find_word(weak, key);
	uint32_t kept = 0;

	for (uint32_t i = 0; i < word->naccesses; i++) {
		struct access *old = &word->accesses[i];
		bool ordered = old->thread == access->thread || old->count <= weak->now[access->thread][old->thread];
		bool conflict = old->mask & access->mask && (old->writes || access->writes);
		if (conflict && !ordered && (old->plain || access->plain))
			add_race(weak, old->event, access->event);
		/* whatever races with the old one later also races with a new write after it */
		bool hidden = ordered && access->plain >= old->plain &&
			      (access->writes || (!old->writes && old->thread == access->thread));
		if (hidden)
			old->mask &= (uint8_t)~access->mask;
		if (old->mask)
			word->accesses[kept++] = *old;
	}
	if (kept == word->size) {
		word->size = word->size ? 2 * word->size : 4;
		word->accesses = xrealloc(word->accesses, word->size * sizeof *word->accesses);
	}
	word->accesses[kept++] = *access;
	word->naccesses = kept;
}

/*
 * A large block is freed: only the words that there are need to be looked at.  Whatever
 * touches it later is found when it does, as a use after free.
 */
static void check_free(struct weak *weak, const struct op *op, struct access *access)
{
	if (2 * weak->nwords >= weak->words_size)
		grow_words(weak); /* now, not below */
	for (uint32_t i = 0; i < weak->words_size; i++) {
		const struct word *word = &weak->words[i];
		if (!word->naccesses || word->key < op->object / 8 || word->key > (op->object + op->size - 1) / 8)
			continue;
		access->mask = bytes_of_word(op, word->key);
		check_word(weak, word->key, access);
	}
}

static void check_access(struct weak *weak, uint32_t i)
{
	const struct event *event = &weak->trace->events[i];
	const struct op *op = &event->op;
	struct access access = {.event = i,
				.count = weak->count[event->thread],
				.thread = event->thread,
				.writes = event_table[op->kind].effect == EFFECT_WRITE,
				.plain = event_is(op->kind, EV_PLAIN)};
	uint64_t end = op->object + op->size;

	if (op->kind == EV_FREE && op->size / 8 > weak->words_size) {
		check_free(weak, op, &access);
		return;
	}
	for (uint64_t word = op->object / 8; word * 8 < end; word++) {
		access.mask = bytes_of_word(op, word);
		check_word(weak, word, &access);
	}
}

/* --- the pass --- */

static bool has_weak_atomics(const struct trace *trace)
{
	for (uint32_t i = 0; i < trace->nevents; i++) {
		const struct op *op = &trace->events[i].op;
		switch (op->kind) {
		case EV_ATOMIC_LOAD:
		case EV_ATOMIC_CAS_FAIL:
			if (!acquires(op->order))
				return true;
			break;
		case EV_ATOMIC_STORE:
			if (!releases(op->order))
				return true;
			break;
		case EV_ATOMIC_RMW:
		case EV_ATOMIC_RMW_SAME:
		case EV_ATOMIC_CAS:
			if (!acquires(op->order) || !releases(op->order))
				return true;
			break;
		}
	}
	return false;
}

static void clear(struct weak *weak)
{
	for (uint32_t i = 0; i < weak->words_size; i++)
		weak->words[i].naccesses = 0;
	weak->nwords = weak->npassings = weak->nraces = 0;
	memset(weak->count, 0, sizeof weak->count);
	memset(weak->now, 0, sizeof weak->now);
	memset(weak->released, 0, sizeof weak->released);
	memset(weak->seen, 0, sizeof weak->seen);
	memset(weak->exited, 0, sizeof weak->exited);
	memset(weak->created, 0, sizeof weak->created);
	memset(weak->woken, 0, sizeof weak->woken);
}

const struct race *weak_races(struct weak *weak, const struct trace *trace, uint32_t from, uint32_t *nraces)
{
	weak->trace = trace;
	weak->from = from;
	weak->nraces = 0;
	*nraces = 0;
	if (!has_weak_atomics(trace))
		return NULL;
	clear(weak);
	for (uint32_t i = 0; i < trace->nevents; i++) {
		const struct event *event = &trace->events[i];
		take_over(weak, event);
		weak->now[event->thread][event->thread] = ++weak->count[event->thread];
		if (event_table[event->op.kind].object_class == OBJECT_MEMORY && event->op.kind != EV_STACK_END)
			check_access(weak, i);
		pass_on(weak, event);
	}
	*nraces = weak->nraces;
	return weak->races;
}
