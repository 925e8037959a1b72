#define _GNU_SOURCE
#include "report/story.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "wire/system.h"

#define MAX_NAME 256

void story_init(struct story *story, const struct execution *execution, struct symbols *symbols)
{
	*story = (struct story){.execution = execution, .symbols = symbols};
	for (unsigned t = 0; t < MAX_THREADS; t++)
		story->last[t] = NO_STEP;
	for (uint32_t i = 0; i < execution->nevents; i++) {
		const struct event *event = &execution->events[i];
		assert(event->thread < MAX_THREADS && event->op.kind < EV_COUNT);
		story->last[event->thread] = i;
		if (event->op.kind == EV_CREATE && event->op.target < MAX_THREADS)
			story->start[event->op.target] = event->op.object;
	}
	for (uint32_t i = 0; i < execution->npending; i++)
		story->pending |= 1ull << execution->pending[i].thread;
}

/* --- names --- */

void add_thread(struct buffer *text, const struct story *story, uint32_t thread)
{
	char name[MAX_NAME];

	if (thread >= MAX_THREADS) {
		buffer_add_text(text, "?");
		return;
	}
	thread_name_format(story->execution->names, thread, name, sizeof name);
	buffer_add_text(text, name);
}

void add_thread_role(struct buffer *text, const struct story *story, uint32_t thread)
{
	const char *function = NULL;

	add_thread(text, story, thread);
	if (thread < MAX_THREADS && story->start[thread])
		function = symbols_function(story->symbols, story->start[thread]);
	if (function)
		buffer_printf(text, " (%s)", function);
}

void add_place(struct buffer *text, const struct story *story, struct place place)
{
	if (!*place.file)
		buffer_add_text(text, "?");
	else
		buffer_printf(text, "%s:%u", symbols_short_file(story->symbols, place), place.line);
}

/*
 * The variable's own name says which one it is, whatever pointer led to it; the
 * expression in the source is better than an address in the heap.
 */
static void add_name(struct buffer *text, const struct story *story, uint64_t address, uint32_t size, uint32_t site)
{
	const char *expression = symbols_site(story->symbols, site).variable;
	char name[MAX_NAME];

	if (symbols_variable(story->symbols, address, size, name, sizeof name)) {
		buffer_add_text(text, name);
	} else if (*expression) {
		buffer_add_text(text, expression);
	} else {
		symbols_data(story->symbols, address, story->execution->names, name, sizeof name);
		buffer_add_text(text, name);
	}
}

void add_object(struct buffer *text, const struct story *story, const struct op *op)
{
	add_name(text, story, op->object, op->size, op->site);
}

void add_exact_object(struct buffer *text, const struct story *story, uint64_t address, uint32_t size, uint32_t site)
{
	char name[MAX_NAME];

	add_name(text, story, address, size, site);
	if (symbols_variable(story->symbols, address, size, name, sizeof name) ||
	    !*symbols_site(story->symbols, site).variable)
		return;
	symbols_data(story->symbols, address, story->execution->names, name, sizeof name);
	buffer_printf(text, " in %s", name);
}

/* --- values --- */

static bool has_value(const struct op *op)
{
	return op->size == 1 || op->size == 2 || op->size == 4 || op->size == 8;
}

static int64_t sign_extended(uint64_t value, uint32_t size)
{
	unsigned unused = 64 - 8 * size;

	return (int64_t)(value << unused) >> unused;
}

/*
 * Signed decimal; what is so large that it must be an address or a bit pattern,
 * as the variable that it points to or in hexadecimal.
 */
static void add_value(struct buffer *text, const struct story *story, uint64_t value, uint32_t size)
{
	const int64_t large = (int64_t)1 << 40;
	int64_t number = sign_extended(value, size);
	char name[MAX_NAME];

	if (number > large && symbols_variable(story->symbols, value, 0, name, sizeof name))
		buffer_printf(text, "&%s", name);
	else if (number > large || number < -large)
		buffer_printf(text, "0x%" PRIx64, value);
	else
		buffer_printf(text, "%" PRId64, number);
}

/* The access at which the program crashed: there is no value. */
static bool has_faulted(const struct execution *execution, uint32_t step)
{
	const struct event *event = &execution->events[step];

	return step + 2 == execution->nevents && (event[1].op.kind == EV_CRASH || event[1].op.kind == EV_BAD_ACCESS) &&
	       event[1].thread == event->thread && execution->fault_address - event->op.object < event->op.size;
}

/* Published before it is performed: the last operation of a thread may not have been. */
static bool was_performed(const struct story *story, uint32_t step)
{
	unsigned thread = story->execution->events[step].thread;

	return story->last[thread] != step || story->pending >> thread & 1;
}

static void describe_op(struct buffer *text, const struct story *story, const struct op *op);

static void describe_memory(struct buffer *text, const struct story *story, uint32_t step)
{
	const struct event *event = &story->execution->events[step];
	bool writes = event_table[event->op.kind].effect == EFFECT_WRITE;

	if (event->op.kind == EV_FREE || event->op.kind == EV_STACK_END) {
		describe_op(text, story, &event->op);
		return;
	}
	buffer_printf(text, "%s ", event_table[event->op.kind].name);
	add_object(text, story, &event->op);
	if (event->op.object >= STREAM_ADDRESS) /* it has a name, but no value and no size */
		return;
	if (!has_value(&event->op))
		buffer_printf(text, " (%" PRIu32 " bytes)", event->op.size);
	if (!has_value(&event->op) || has_faulted(story->execution, step))
		return;
	buffer_add_text(text, writes ? ": " : " = ");
	add_value(text, story, event->value, event->op.size);
	if (writes) {
		buffer_add_text(text, " → ");
		if (was_performed(story, step))
			add_value(text, story, story->execution->after[step], event->op.size);
		else
			buffer_add_char(text, '?');
	}
}

/* --- operations --- */

static void add_woken(struct buffer *text, const struct story *story, uint64_t woken)
{
	const char *separator = " wakes ";

	for (uint32_t t = 0; t < MAX_THREADS; t++) {
		if (!(woken >> t & 1))
			continue;
		buffer_add_text(text, separator);
		add_thread(text, story, t);
		separator = ", ";
	}
}

static void add_call(struct buffer *text, const struct story *story, const struct op *op, const char *name)
{
	buffer_printf(text, "%s(", name);
	add_name(text, story, op->object, 0, op->site);
	buffer_add_char(text, ')');
}

/* The object is what the pointer points to: "*list->head" is freed by free(list->head). */
static void add_free(struct buffer *text, const struct story *story, const struct op *op)
{
	struct buffer name = {0};

	add_object(&name, story, op);
	buffer_printf(text, "free(%s)", buffer_text(&name) + (*buffer_text(&name) == '*'));
	buffer_release(&name);
}

/* The site of a wait names the condition variable, not the mutex. */
static void add_wait_mutex(struct buffer *text, const struct story *story, uint64_t mutex)
{
	add_name(text, story, mutex, 0, 0);
}

static void describe_cond(struct buffer *text, const struct story *story, const struct event *event)
{
	switch (event->op.kind) {
	case EV_COND_WAIT:
		add_call(text, story, &event->op, "wait");
		buffer_add_text(text, " releases ");
		add_wait_mutex(text, story, event->op.object2);
		break;
	case EV_COND_SIGNAL_NONE:
	case EV_COND_BROADCAST_NONE:
		add_call(text, story, &event->op, event->op.kind == EV_COND_SIGNAL_NONE ? "signal" : "broadcast");
		buffer_add_text(text, ", nobody waits");
		break;
	default: describe_op(text, story, &event->op);
	}
	if (event_is(event->op.kind, EV_LETS_GO))
		add_woken(text, story, event->value);
}

/* --- system calls --- */

static const struct {
	unsigned number;
	const char *name;
} system_objects[] = {
#define SYSTEM_OBJECT(id, number, name) {number, name},
#include "wire/system.def"
#undef SYSTEM_OBJECT
};

static const char *const system_calls[] = {
#define SYSTEM_CALL(name) #name,
#include "wire/system_calls.def"
#undef SYSTEM_CALL
};

/* Which descriptor or file it is, the number of the bit does not say. */
static void add_system_objects(struct buffer *text, const char *verb, uint64_t objects)
{
	const char *separator = " ";

	if (!objects)
		return;
	buffer_printf(text, " %s", verb);
	for (size_t i = 0; i < sizeof system_objects / sizeof *system_objects; i++) {
		if (!(objects >> system_objects[i].number & 1))
			continue;
		buffer_printf(text, "%s%s", separator, system_objects[i].name);
		separator = ", ";
	}
	if (objects & ALL_FILES)
		buffer_printf(text, "%sa file", separator);
	else if (objects & ALL_DESCRIPTORS && *separator == ' ')
		buffer_add_text(text, " a descriptor");
}

static void add_system_call(struct buffer *text, const struct op *op)
{
	buffer_add_text(text, op->target < SYSTEM_CALLS ? system_calls[op->target] : event_table[op->kind].name);
	if (op->object)
		add_system_objects(text, "changes", op->object);
	else
		add_system_objects(text, "looks at", op->object2);
}

/* What follows the name of an operation, by the kind of its object. */
static void add_operand(struct buffer *text, const struct story *story, const struct op *op)
{
	unsigned object = event_table[op->kind].object;

	if (object_is(object, OBJECT_DIES) && op->object) {
		buffer_add_char(text, '(');
		add_name(text, story, op->object, 0, op->site);
		buffer_add_char(text, ')');
		return;
	}
	switch (object) {
	case OBJECT_FUTEX:
		buffer_add_text(text, ", ");
		add_object(text, story, op);
		break;
	case OBJECT_THREAD:
		buffer_add_char(text, ' ');
		add_thread(text, story, op->target);
		break;
	case OBJECT_MEMORY:
		buffer_add_char(text, ' ');
		add_object(text, story, op);
		break;
	}
}

static void describe_op(struct buffer *text, const struct story *story, const struct op *op)
{
	switch (op->kind) {
	case EV_CREATE:
		buffer_add_text(text, "create ");
		add_thread_role(text, story, op->target);
		break;
	case EV_SPIN:
		buffer_add_text(text, "spin on ");
		add_object(text, story, op);
		break;
	case EV_FREE: add_free(text, story, op); break;
	case EV_SYSTEM: add_system_call(text, op); break;
	case EV_THREAD_LEAVE:
	case EV_THREAD_LAST:
	case EV_STACK_END: buffer_add_text(text, event_table[op->kind].name); break;
	case EV_COND_WAKE:
	case EV_COND_WAKE_LOST:
		buffer_add_text(text, "wake, lock(");
		add_wait_mutex(text, story, op->object);
		buffer_add_text(text, op->kind == EV_COND_WAKE ? ")" : "), not recoverable");
		break;
	default: buffer_add_text(text, event_table[op->kind].name); add_operand(text, story, op);
	}
}

static void describe_end(struct buffer *text, const struct story *story, const struct event *event)
{
	const struct execution *execution = story->execution;
	const char *signal = execution->signal ? sigabbrev_np(execution->signal) : NULL;

	if (event->op.kind == EV_PROCESS_EXIT)
		buffer_printf(text, "exit process %d", (int)event->value);
	else if (event->op.kind == EV_CRASH && signal)
		buffer_printf(text, "crash: SIG%s", signal);
	else
		buffer_add_text(text, event_table[event->op.kind].name);
}

void describe_step(struct buffer *text, const struct story *story, uint32_t step)
{
	const struct event *event = &story->execution->events[step];
	const struct event_info *info = &event_table[event->op.kind];

	assert(step < story->execution->nevents);
	if (info->object_class == OBJECT_MEMORY)
		describe_memory(text, story, step);
	else if (info->object_class == OBJECT_COND)
		describe_cond(text, story, event);
	else if (info->flags & EV_END)
		describe_end(text, story, event);
	else
		describe_op(text, story, &event->op);
}

void describe_pending(struct buffer *text, const struct story *story, const struct pending *pending)
{
	const struct event *wait = story_wait(story, pending);

	buffer_add_text(text, pending->enabled ? "next: " : "waits: ");
	if (wait) {
		buffer_add_text(text, wait->op.kind == EV_FUTEX_WAIT ? "to be woken, " : "signal of ");
		add_name(text, story, wait->op.object, 0, wait->op.site);
	} else {
		describe_op(text, story, &pending->op);
	}
}

static bool has_address(const struct op *op)
{
	unsigned object = event_table[op->kind].object;

	return object == OBJECT_MEMORY || object == OBJECT_FUTEX || object_is(object, OBJECT_DIES);
}

void add_operation(struct buffer *text, const struct story *story, const struct event *event)
{
	struct place place = symbols_site(story->symbols, event->op.site);

	add_thread(text, story, event->thread);
	buffer_printf(text, ": %s", event_table[event->op.kind].name);
	if (has_address(&event->op)) {
		buffer_add_char(text, ' ');
		add_exact_object(text, story, event->op.object, event->op.size, event->op.site);
	}
	if (*place.file) {
		buffer_add_text(text, " at ");
		add_place(text, story, place);
	}
}

struct place step_place(const struct story *story, uint32_t step)
{
	const struct event *event = &story->execution->events[step];
	struct place place = {.file = ""};

	if (event->op.kind == EV_CRASH && story->execution->fault_pc)
		place = symbols_code(story->symbols, story->execution->fault_pc);
	return *place.file ? place : symbols_site(story->symbols, event->op.site);
}

static bool is_cond_wait(const struct op *op)
{
	return event_table[op->kind].effect == EFFECT_WAIT;
}

const struct event *story_wait(const struct story *story, const struct pending *pending)
{
	/* its second half, which is pending, is about the mutex */
	if (!pending->waiting || (pending->op.kind != EV_COND_WAKE && pending->op.kind != EV_FUTEX_WOKEN))
		return NULL;
	for (uint32_t i = story->execution->nevents; i-- > 0;) {
		const struct event *event = &story->execution->events[i];
		if (event->thread == pending->thread && (event->op.kind == EV_FUTEX_WAIT || is_cond_wait(&event->op)))
			return event;
	}
	return NULL;
}
