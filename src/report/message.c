/*
 * The one line that says what a finding is, with names: the search, which knows
 * addresses only, leaves it to be finished here.
 */
#include "report/deadlock.h"
#include "report/explain.h"
#include "report/holding.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* "file.c:3: int main(void): assertion `x' failed": the place is said elsewhere. */
static void shorten_assertion(struct finding *finding)
{
	const char *start = strstr(finding->message, "assertion `");

	if (start)
		memmove(finding->message, start, strlen(start) + 1);
}

/* --- data races --- */

/* "write by main.1 at x.c:3 holding no lock" */
static void add_access(struct buffer *text, const struct story *story, uint32_t step)
{
	const struct event *event = &story->execution->events[step];
	struct held held;

	held_init(&held, story->execution->events, step);
	buffer_printf(text, "%s by ", event_table[event->op.kind].name);
	add_thread(text, story, event->thread);
	buffer_add_text(text, " at ");
	add_place(text, story, symbols_site(story->symbols, event->op.site));
	buffer_add_text(text, " holding ");
	add_held_briefly(text, story, &held, event->thread);
	held_release(&held);
}

static char *race_message(const struct finding *finding, const struct story *story)
{
	uint32_t one = finding_step(story, finding->thread, finding->site);
	uint32_t other = finding_step(story, finding->other_thread, finding->other_site);
	const struct event *events = story->execution->events;
	struct buffer text = {0};

	if (one == NO_STEP || other == NO_STEP)
		return NULL;
	buffer_add_text(&text, "data race on ");
	add_object(&text, story, &events[one].op);
	buffer_add_text(&text, ": ");
	add_access(&text, story, one);
	buffer_add_text(&text, " and ");
	add_access(&text, story, other);
	buffer_add_text(&text, " are not ordered");
	const struct op *ops[] = {&events[one].op, &events[other].op};
	bool objects = op_has_object(ops[0]) || op_has_object(ops[1]);
	if (!objects && !(event_is(ops[0]->kind, EV_PLAIN) && event_is(ops[1]->kind, EV_PLAIN)))
		buffer_add_text(&text, "; one of them is atomic");
	return buffer_take(&text);
}

/* --- locks --- */

/* "main.1 ends while it holds m (locked at x.c:3)" */
static char *held_message(const struct finding *finding, const struct story *story)
{
	struct buffer text = {0};
	struct held held;

	held_init(&held, story->execution->events, story->execution->nevents);
	for (size_t i = 0; i < held.count && !text.size; i++) {
		const struct held_lock *lock = &held.items[i];
		if (lock->thread != finding->thread || lock->object != finding->object)
			continue;
		add_thread(&text, story, lock->thread);
		buffer_add_text(&text, " ends while it holds ");
		add_lock(&text, story, lock);
		buffer_add_char(&text, ' ');
		add_locked_at(&text, story, lock);
	}
	held_release(&held);
	return text.size ? buffer_take(&text) : NULL;
}

/*
 * "pthread_mutex_unlock of a mutex that the thread does not hold: m".  The site names the
 * first thing that the call is about, which for a wait is not the mutex.
 */
static char *misuse_message(const struct finding *finding, const struct story *story)
{
	const char *name = symbols_site(story->symbols, finding->site).variable;
	struct buffer text = {0};

	if (!*name || strstr(finding->message, "pthread_cond_wait"))
		return NULL;
	buffer_printf(&text, "%s: %s", finding->message, name);
	return buffer_take(&text);
}

/* --- nondeterminism --- */

static const char *const culprit_texts[] = {
#define CULPRIT(id, text) text,
	CULPRITS(CULPRIT)
#undef CULPRIT
};

/* "…; suspicious: a file is read at x.c:3" */
static char *nondeterminism_message(const struct finding *finding, const struct story *story)
{
	const char *separator = "; suspicious: ";
	struct buffer text = {0};

	if (finding->execution.ending == ENDING_DIVERGED && finding->execution.expected.op.kind) {
		buffer_printf(&text, "the same schedule led to a different operation: step %" PRIu32 " was `",
			      finding->execution.nevents + 1);
		add_operation(&text, story, &finding->execution.expected);
		buffer_add_text(&text, "' and is now `");
		add_operation(&text, story, &finding->execution.diverged);
		buffer_add_char(&text, '\'');
	} else {
		buffer_add_text(&text, finding->message);
	}
	for (unsigned i = 0; i < CULPRIT_COUNT; i++) {
		uint32_t site = finding->execution.culprits[i];
		if (!site)
			continue;
		buffer_printf(&text, "%s%s at ", separator, culprit_texts[i]);
		add_place(&text, story, symbols_site(story->symbols, site - 1));
		separator = ", ";
	}
	return buffer_take(&text);
}

static void add_who(struct buffer *text, const struct story *story, uint32_t thread, uint32_t site)
{
	add_thread(text, story, thread);
	buffer_add_text(text, " at ");
	add_place(text, story, symbols_site(story->symbols, site));
}

/* The block of a bad access or free: who allocated and freed it. */
static char *memory_message(const struct finding *finding, const struct story *story)
{
	const struct block_info *block = &finding->execution.block;
	struct buffer text = {0};

	if (!block->address)
		return NULL;
	buffer_printf(&text, "%s (allocated by ", finding->message);
	add_who(&text, story, block->alloc_thread, block->alloc_site);
	if (block->freed) {
		buffer_add_text(&text, ", freed by ");
		add_who(&text, story, block->free_thread, block->free_site);
	}
	buffer_add_char(&text, ')');
	return buffer_take(&text);
}

void report_finish_message(struct finding *finding, struct symbols *symbols)
{
	struct story story;
	char *message = NULL;

	story_init(&story, &finding->execution, symbols);
	if (finding->kind == FINDING_ASSERTION)
		shorten_assertion(finding);
	else if (finding->kind == FINDING_RACE)
		message = race_message(finding, &story);
	else if (finding->kind == FINDING_DEADLOCK)
		message = deadlock_message(&story);
	else if (finding->kind == FINDING_LOCK)
		message = finding->object ? held_message(finding, &story) : misuse_message(finding, &story);
	else if (finding->kind == FINDING_MEMORY)
		message = memory_message(finding, &story);
	else if (finding->kind == FINDING_NONDETERMINISM)
		message = nondeterminism_message(finding, &story);
	if (!message)
		return;
	free(finding->message);
	finding->message = message;
}
