/*
 * Limits that executions ran into: where the program was by then, and what may help. Notes: what is worth knowing and no
 * bug.
 */
#include "report/account/telling.h"

#include "common/invariant.h"

#include <inttypes.h>

/* --- limits --- */

static struct place limit_place(const struct limit *limit, struct symbols *symbols)
{
	struct place place = {.file = ""};

	if (limit->fault_pc)
		place = symbols_code(symbols, limit->fault_pc);
	return *place.file ? place : symbols_site(symbols, limit->site);
}

static void add_advice(struct buffer *text, const struct result *result, const struct limit *limit)
{
	bool more = limit->ending == ENDING_STEPS && result->max_steps < MAX_EVENTS;

	if (limit->ending == ENDING_HANG)
		buffer_add_text(text, "; --watchdog=S gives it longer");
	if (more)
		buffer_printf(text, "; --max-steps=N allows more, up to %u", MAX_EVENTS);
	if (limit->ending == ENDING_STEPS && !result->stateful)
		buffer_printf(text, "%s --stateful recognises what it does again and again", more ? ", and" : ";");
}

struct remark make_limit(const struct result *result, const struct limit *limit, struct symbols *symbols)
{
	struct remark remark = {.place = limit_place(limit, symbols), .count = limit->count};
	struct buffer text = {0};
	char name[256];

	/* nothing else is called a limit, and one that was not reached is none */
	invariant(ending_is_cut(limit->ending));
	invariant(limit->count > 0);
	thread_name_format(limit->names, limit->thread, name, sizeof name);
	buffer_add_text(&text, name);
	remark.thread = buffer_take(&text);
	if (limit->ending == ENDING_HANG)
		buffer_printf(&text,
			      "%s was here, and had done nothing visible for %g s: an endless loop, a long "
			      "computation or a blocking call",
			      name, result->watchdog);
	else
		buffer_printf(&text, "%s was in a loop here when the execution was cut short after %" PRIu32 " steps",
			      name, result->max_steps);
	add_advice(&text, result, limit);
	remark.message = buffer_take(&text);
	return remark;
}

/* --- notes --- */

struct remark make_note(const struct note *note, const struct symbols *symbols)
{
	struct remark remark = {.place = symbols_site(symbols, note->site)};
	const char *expression = remark.place.variable;
	struct buffer text = {0};
	char name[256];

	invariant(note->object_kind < OBJECT_KINDS && object_table[note->object_kind].name);
	buffer_add_text(&text, object_table[note->object_kind].name);
	if (*expression) /* which may stand for several objects, as the note does */
		buffer_printf(&text, " %s", expression);
	else if (symbols_variable(symbols, note->object, 0, name, sizeof name))
		buffer_printf(&text, " %s", name);
	buffer_add_text(&text, " is initialised here and never destroyed");
	remark.message = buffer_take(&text);
	return remark;
}
