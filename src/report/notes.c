/*
 * Notes: what is worth knowing and no bug.
 */
#include "report/page.h"
#include "report/report.h"

#include "common/buffer.h"

#include <stdlib.h>

/* What an object of the class is called. */
static const char *const class_names[] = {
	[OBJECT_MUTEX] = "mutex",     [OBJECT_COND] = "condition variable", [OBJECT_RWLOCK] = "read-write lock",
	[OBJECT_BARRIER] = "barrier", [OBJECT_SEM] = "semaphore",
};

static const char *class_name(unsigned object_class)
{
	if (object_class < sizeof class_names / sizeof *class_names && class_names[object_class])
		return class_names[object_class];
	return "object";
}

char *report_note_message(const struct note *note, const struct symbols *symbols)
{
	const char *expression = symbols_site(symbols, note->site).variable;
	struct buffer text = {0};
	char name[256];

	buffer_add_text(&text, class_name(note->object_class));
	if (*expression) /* which may stand for several objects, as the note does */
		buffer_printf(&text, " %s", expression);
	else if (symbols_variable(symbols, note->object, 0, name, sizeof name))
		buffer_printf(&text, " %s", name);
	buffer_add_text(&text, " is initialised here and never destroyed");
	return buffer_take(&text);
}

void report_notes(FILE *out, const struct result *result, const struct symbols *symbols)
{
	struct page page = page_open(out);

	for (unsigned i = 0; i < result->nnotes; i++) {
		struct place place = symbols_site(symbols, result->notes[i].site);
		char *message = report_note_message(&result->notes[i], symbols);
		struct buffer text = {0};
		buffer_add_text(&text, "note: ");
		if (*place.file)
			buffer_printf(&text, "%s:%u: ", place.file, place.line);
		buffer_add_text(&text, message);
		page_paragraph(&page, 0, buffer_text(&text));
		buffer_release(&text);
		free(message);
	}
}
