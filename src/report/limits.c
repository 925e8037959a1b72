/*
 * Limits that executions ran into: where the program was by then, and what may help.
 */
#include "report/page.h"
#include "report/report.h"

#include "common/buffer.h"

#include <inttypes.h>
#include <stdlib.h>

struct place report_limit_place(const struct limit *limit, struct symbols *symbols)
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

char *report_limit_message(const struct result *result, const struct limit *limit)
{
	struct buffer text = {0};
	char name[256];

	thread_name_format(limit->names, limit->thread, name, sizeof name);
	if (limit->ending == ENDING_HANG)
		buffer_printf(&text,
			      "%s was here, and had done nothing visible for %g s: an endless loop, a long "
			      "computation or a blocking call",
			      name, result->watchdog);
	else
		buffer_printf(&text, "%s was in a loop here when the execution was cut short after %" PRIu32 " steps",
			      name, result->max_steps);
	add_advice(&text, result, limit);
	return buffer_take(&text);
}

void report_limits(FILE *out, const struct result *result, struct symbols *symbols)
{
	struct page page = page_open(out);

	for (unsigned i = 0; i < result->nlimits; i++) {
		const struct limit *limit = &result->limits[i];
		struct place place = report_limit_place(limit, symbols);
		char *message = report_limit_message(result, limit);
		struct buffer text = {0};
		buffer_add_text(&text, "limit: ");
		if (*place.file)
			buffer_printf(&text, "%s:%u: ", place.file, place.line);
		buffer_add_text(&text, message);
		if (limit->count > 1)
			buffer_printf(&text, " (%" PRIu64 " executions)", limit->count);
		page_paragraph(&page, 0, buffer_text(&text));
		buffer_release(&text);
		free(message);
	}
}
