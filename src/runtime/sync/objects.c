/*
 * Synchronisation objects are memory of the program, which may write over them: by a static initialiser that it
 * assigns, a memset, or because the memory is to be something else now.  Operations whose objects are also accessed in
 * that way are marked (OBJECT_ACCESSED) and conflict with these accesses.
 *
 * To write over an object that somebody has or waits at is an error in any order, and the end of the execution.
 * Otherwise nobody has to be let go on by the write, but for those who wait for a semaphore: its value may have been 0.
 */
#include "common/invariant.h"
#include "runtime/core/anomaly.h"
#include "runtime/core/primitive.h"
#include "runtime/core/runtime.h"
#include "runtime/core/text.h"
#include "runtime/memory/memory.h"
#include "runtime/sync/sync.h"

/* A write, and what is wrong with it. */
struct overwriting {
	struct event *event;
	uint64_t object;
	const char *used; /* what the object is, in words, or NULL */
};

static uint32_t *place_of(uint64_t word)
{
	return &rt->objects.places[(word * 0x9e3779b97f4a7c15ull) >> (64 - OBJECT_PLACES_LOG)];
}

static uint32_t *next_place(uint32_t *place)
{
	return place + 1 < rt->objects.places + OBJECT_PLACES ? place + 1 : rt->objects.places;
}

/* It may be written over from now on, in this execution or in one that comes. */
static void remember_object(uint64_t object)
{
	struct objects *objects = &rt->objects;
	uint32_t *place = place_of(object / 8);

	while (*place && objects->known[*place - 1] != object)
		place = next_place(place);
	debug_invariant(*place <= objects->count);
	if (*place)
		return;
	if (objects->count == MAX_OBJECTS) {
		objects->full = true;
		return;
	}
	objects->known[objects->count++] = object;
	*place = objects->count;
	debug_invariant(objects->count <= MAX_OBJECTS);
}

static bool note_use(uint64_t object)
{
	remember_object(object);
	return rt->nthreads > 1 && object_is_accessed(object);
}

void object_use(struct op *op)
{
	bool accessed = note_use(op->object);

	if (op->object2)
		accessed |= note_use(op->object2);
	op->order = accessed ? OBJECT_ACCESSED : 0;
}

static bool writes_at(const struct op *op, uint64_t address)
{
	const struct event_info *info = &event_table[op->kind];

	return info->object_class == OBJECT_MEMORY && info->effect == EFFECT_WRITE && address - op->object < op->size;
}

/* Somebody holds the object, or is in the middle of what he does with it. */
static const char *what_is_used(const struct op *op, uint64_t object)
{
	const struct primitive *primitive = object == op->object2 ? &primitive_MUTEX : primitive_of(op);

	return primitive->in_use ? primitive->in_use(object) : NULL;
}

static bool uses(const struct op *op, uint64_t object)
{
	return op_has_object(op) && (op->object == object || op->object2 == object);
}

/* The last operation on the object before event n, or NULL if it is none any more. */
static const struct op *last_use(uint32_t n, uint64_t object)
{
	const struct event *events = the_trace()->events;

	debug_invariant(n < rt->nevents);
	while (n--) {
		const struct op *op = &events[n].op;
		if (writes_at(op, object))
			return NULL;
		if (uses(op, object))
			return event_is(op->kind, EV_DESTROY) ? NULL : op;
	}
	return NULL;
}

/* What the write does to the object; the first one, by its address, that it must not be done to is told. */
static void write_over(struct overwriting *writing, uint64_t object)
{
	struct event *write = writing->event;
	const struct op *op = last_use((uint32_t)(write - the_trace()->events), object);

	if (!op)
		return;
	if (event_table[op->kind].object_class == OBJECT_SEM && !sem_value(object)) {
		write->opens = true;
		rt->schedule.reconsider_due = true;
	}
	const char *used = what_is_used(op, object);
	if (!used || (writing->used && writing->object < object))
		return;
	writing->object = object;
	writing->used = used;
}

static bool is_written(const struct overwriting *writing, uint64_t object)
{
	return object - writing->event->op.object < writing->event->op.size;
}

static void write_word(struct overwriting *writing, uint64_t word)
{
	for (uint32_t *place = place_of(word); *place; place = next_place(place)) {
		uint64_t object = rt->objects.known[*place - 1];
		if (object / 8 == word && is_written(writing, object))
			write_over(writing, object);
	}
}

static void write_known(struct overwriting *writing)
{
	for (uint32_t i = 0; i < rt->objects.count; i++)
		if (is_written(writing, rt->objects.known[i]))
			write_over(writing, rt->objects.known[i]);
}

/* There are more objects than the table has room for: those that this execution has used. */
static void write_used(struct overwriting *writing)
{
	for (const struct event *event = the_trace()->events; event < writing->event; event++) {
		if (!op_has_object(&event->op))
			continue;
		if (is_written(writing, event->op.object))
			write_over(writing, event->op.object);
		if (is_written(writing, event->op.object2))
			write_over(writing, event->op.object2);
	}
}

void objects_written(struct event *write)
{
	struct overwriting writing = {.event = write};
	uint64_t first = write->op.object / 8, last = (write->op.object + write->op.size - 1) / 8;
	char message[MAX_MESSAGE];

	invariant(write->op.size);
	if (rt->standalone)
		return;
	if (rt->objects.full) {
		write_used(&writing);
	} else if (last - first < rt->objects.count) {
		for (uint64_t word = first; word <= last; word++)
			write_word(&writing, word);
	} else {
		write_known(&writing);
	}
	if (!writing.used)
		return;
	message_set(message, event_table[write->op.kind].name, " over ", writing.used, NULL);
	rt->current_site = write->op.site;
	anomaly(EV_MISUSE, message);
}
