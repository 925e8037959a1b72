/*
 * The interleaving as data: one row per operation, with its place and its marks.
 */
#include "report/account/telling.h"

#include "common/invariant.h"
#include "common/trouble.h"

#include <assert.h>
#include <stdlib.h>

#define LONG_TRACE 200 /* rows; of a longer one only the ends are shown */
#define SHOWN_FIRST 60
#define SHOWN_LAST 120

static_assert(SHOWN_FIRST + SHOWN_LAST < LONG_TRACE, "the rows that are left out are not negative in number");

/* --- rows --- */

static unsigned switch_mark(const struct execution *execution, uint32_t step)
{
	const struct event *event = &execution->events[step];
	unsigned before = step ? event[-1].thread : event->thread;

	if (before == event->thread || event->forced)
		return 0;
	return event->enabled >> before & 1 ? MARK_PREEMPTION : MARK_SWITCH;
}

static struct row *add_row(struct interleaving *interleaving, const struct story *story, uint32_t thread,
			   struct place place)
{
	struct row *row = &interleaving->rows[interleaving->nrows++];
	struct buffer where = {0};

	invariant(thread < MAX_THREADS);
	invariant(interleaving->nrows <= story->execution->nevents + story->execution->npending);
	if (*place.file)
		add_place(&where, story, place);
	*row = (struct row){
		.thread = thread,
		.where = buffer_take(&where),
		.source = symbols_source_line(story->symbols, place),
	};
	interleaving->threads |= 1ull << thread;
	return row;
}

static void add_step(struct interleaving *interleaving, const struct story *story, uint32_t step)
{
	const struct event *event = &story->execution->events[step];
	struct row *row = add_row(interleaving, story, event->thread, step_place(story, step));
	struct buffer text = {0};

	describe_step(&text, story, step);
	row->step = step + 1;
	row->text = buffer_take(&text);
	row->marks = switch_mark(story->execution, step);
}

static void add_waiting(struct interleaving *interleaving, const struct story *story, const struct pending *pending)
{
	struct place place = symbols_site(story->symbols, pending->op.site);
	struct row *row = add_row(interleaving, story, pending->thread, place);
	struct buffer text = {0};

	describe_pending(&text, story, pending);
	row->text = buffer_take(&text);
}

static void add_rows(struct interleaving *interleaving, const struct finding *finding, const struct story *story,
		     bool all)
{
	const struct execution *execution = story->execution;
	uint32_t resume = all ? 0 : execution->nevents - SHOWN_LAST;

	interleaving->rows = xcalloc((size_t)execution->nevents + execution->npending, sizeof *interleaving->rows);
	for (uint32_t i = 0; !all && i < SHOWN_FIRST; i++)
		add_step(interleaving, story, i);
	interleaving->cut = interleaving->nrows;
	interleaving->left_out = all ? 0 : resume - SHOWN_FIRST;
	for (uint32_t i = resume; i < execution->nevents; i++)
		add_step(interleaving, story, i);
	/* pending operations matter where they are what the finding is about */
	if (finding_table[finding->kind].key_rows != KEY_WAITING)
		return;
	for (uint32_t i = 0; i < execution->npending; i++)
		if (!execution->pending[i].enabled)
			add_waiting(interleaving, story, &execution->pending[i]);
}

/* --- marks --- */

/* The steps that the finding is about; NO_STEP: none. */
static void find_key_steps(const struct finding *finding, const struct story *story, uint32_t steps[2])
{
	steps[0] = steps[1] = NO_STEP;
	if (finding_is_held_lock(finding)) {
		steps[0] = finding_step(story, finding->thread, finding->site);
		steps[1] = story->last[finding->thread];
		return;
	}
	switch (finding_table[finding->kind].key_rows) {
	case KEY_ACCESSES:
		steps[0] = finding_step(story, finding->thread, finding->site);
		steps[1] = finding_step(story, finding->other_thread, finding->other_site);
		break;
	case KEY_LAST: steps[0] = story->execution->nevents - 1; break;
	case KEY_WAITING:
	case KEY_NONE: break;
	}
}

static void mark_rows(struct interleaving *interleaving, const struct finding *finding, const struct story *story)
{
	uint32_t steps[2];

	find_key_steps(finding, story, steps);
	for (size_t i = 0; i < interleaving->nrows; i++) {
		struct row *row = &interleaving->rows[i];
		/* who waits comes last */
		invariant(row->step || i + 1 == interleaving->nrows || !row[1].step);
		if (!row->step || row->step - 1 == steps[0] || row->step - 1 == steps[1])
			row->marks |= MARK_KEY;
		interleaving->marks |= row->marks;
	}
}

/* --- threads --- */

static void name_threads(struct interleaving *interleaving, const struct story *story)
{
	struct buffer text = {0};

	for (uint32_t thread = 0; thread < MAX_THREADS; thread++) {
		if (!(interleaving->threads >> thread & 1))
			continue;
		add_thread(&text, story, thread);
		interleaving->columns[thread].name = buffer_take(&text);
		add_thread_role(&text, story, thread);
		interleaving->columns[thread].role = buffer_take(&text);
	}
}

void interleaving_init(struct interleaving *interleaving, const struct finding *finding, const struct story *story,
		       enum report_detail detail)
{
	uint32_t nevents = story->execution->nevents;
	bool all = detail == REPORT_FULL || nevents <= LONG_TRACE;

	invariant(nevents);
	*interleaving = (struct interleaving){0};
	add_rows(interleaving, finding, story, all);
	/* every operation is shown or counted, and none is both */
	invariant(interleaving->nrows + interleaving->left_out >= nevents);
	invariant(interleaving->nrows + interleaving->left_out <= nevents + story->execution->npending);
	mark_rows(interleaving, finding, story);
	name_threads(interleaving, story);
}

void interleaving_release(struct interleaving *interleaving)
{
	for (size_t i = 0; i < interleaving->nrows; i++) {
		free(interleaving->rows[i].text);
		free(interleaving->rows[i].where);
	}
	for (unsigned thread = 0; thread < MAX_THREADS; thread++) {
		free(interleaving->columns[thread].name);
		free(interleaving->columns[thread].role);
	}
	free(interleaving->rows);
	*interleaving = (struct interleaving){0};
}
