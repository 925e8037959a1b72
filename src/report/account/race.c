/*
 * A data race in words: two accesses, what each thread holds, and from where they were called.
 */
#include "report/account/telling.h"

#include "common/invariant.h"
#include "common/trouble.h"
#include "report/holding.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

uint32_t finding_step(const struct story *story, uint32_t thread, uint32_t site)
{
	const struct execution *execution = story->execution;

	for (uint32_t i = execution->nevents; i-- > 0;) {
		if (execution->events[i].thread == thread && execution->events[i].op.site == site)
			return i;
	}
	static_assert(NO_STEP > MAX_EVENTS + MAX_THREADS, "it is no step");
	return NO_STEP;
}

/* --- one line --- */

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
	invariant(events[one].thread != events[other].thread);
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

/* "data race on counter" */
static char *race_gist(const struct finding *finding, const struct story *story)
{
	(void)story;
	return before_words(finding->message, ": ");
}

/* --- in detail --- */

static void explain_access(struct account *account, const struct story *story, uint32_t step)
{
	const struct event *event = &story->execution->events[step];
	struct place place = symbols_site(story->symbols, event->op.site);
	struct buffer text = {0};
	struct held held;

	invariant(step < story->execution->nevents);
	add_thread_role(&text, story, event->thread);
	buffer_printf(&text, ": %s ", event_table[event->op.kind].name);
	uint32_t size =
		op_has_object(&event->op) ? 0 : event->op.size; /* of a synchronisation object it says something else */
	add_exact_object(&text, story, event->op.object, size, event->op.site);
	if (size && event->op.object < STREAM_ADDRESS)
		buffer_printf(&text, " (%" PRIu32 " byte%s)", size, size == 1 ? "" : "s");
	buffer_add_text(&text, " at ");
	add_place_and_function(&text, story, place);
	buffer_add_text(&text, ", holding ");
	held_init(&held, story->execution->events, step);
	add_held(&text, story, &held, event->thread);
	account_add(account, PASSAGE_STATEMENT, &text);
	account_quote(account, story, place);
	add_callers(&text, story, step);
	account_add(account, PASSAGE_DETAIL, &text);
	held_release(&held);
	buffer_release(&text);
}

/* The lock that both hold when the second access comes, which they can as readers only; or NULL. */
static const struct held_lock *shared_lock(const struct held *held, const struct finding *finding)
{
	for (size_t i = 0; i < held->count; i++) {
		const struct held_lock *lock = &held->items[i];
		for (size_t k = 0; k < held->count && lock->thread == finding->thread; k++)
			if (held->items[k].thread == finding->other_thread && held->items[k].object == lock->object)
				return lock;
	}
	return NULL;
}

static void explain_unordered(struct account *account, const struct finding *finding, const struct story *story,
			      uint32_t second)
{
	const struct held_lock *lock;
	struct buffer text = {0};
	struct held held;

	held_init(&held, story->execution->events, second);
	lock = shared_lock(&held, finding);
	if (lock) {
		buffer_add_text(&text, "Both threads hold ");
		add_lock(&text, story, lock);
		buffer_add_text(&text, ", but for reading, which keeps out writers only. Nothing else orders these two"
				       " accesses. They can happen at the same time.");
	} else {
		buffer_add_text(&text, "Nothing orders these two accesses: no lock that both hold, no join, no signal,"
				       " no atomic operation between them. They can happen at the same time.");
	}
	account_add(account, PASSAGE_STATEMENT, &text);
	held_release(&held);
	buffer_release(&text);
}

static void explain_race(struct account *account, const struct finding *finding, const struct story *story)
{
	uint32_t one = finding_step(story, finding->thread, finding->site);
	uint32_t other = finding_step(story, finding->other_thread, finding->other_site);

	if (one == NO_STEP || other == NO_STEP)
		return;
	explain_access(account, story, one < other ? one : other);
	explain_access(account, story, one < other ? other : one);
	if (finding->weak)
		account_say(account,
			    "Only atomic operations too weak to synchronise come between these two accesses: a store"
			    " that does not release, or a load that does not acquire. By the rules of C the second"
			    " need not see what the first did.");
	else
		explain_unordered(account, finding, story, one < other ? other : one);
}

const struct telling telling_race = {
	.message = race_message,
	.gist = race_gist,
	.explain = explain_race,
	.retells = true,
};

/* --- as data --- */

static void copy_locks(struct access *access, const struct story *story, uint32_t step)
{
	struct held held;

	held_init(&held, story->execution->events, step);
	access->locks = xcalloc(held.count + 1, sizeof *access->locks);
	for (size_t i = 0; i < held.count; i++) {
		struct buffer name = {0};
		if (held.items[i].thread != story->execution->events[step].thread)
			continue;
		add_lock(&name, story, &held.items[i]);
		access->locks[access->nlocks++] = buffer_take(&name);
	}
	invariant(access->nlocks <= held.count);
	held_release(&held);
}

static struct access make_access(const struct story *story, uint32_t thread, uint32_t site)
{
	uint32_t step = finding_step(story, thread, site);
	struct access access = {.place = symbols_site(story->symbols, site), .known = step != NO_STEP};
	struct buffer text = {0};

	add_thread(&text, story, thread);
	access.thread = buffer_take(&text);
	if (!access.known)
		return access;
	const struct op *op = &story->execution->events[step].op;
	add_object(&text, story, op);
	access.variable = buffer_take(&text);
	access.operation = event_table[op->kind].name;
	access.atomic = !event_is(op->kind, EV_PLAIN);
	copy_locks(&access, story, step);
	access.nstack = story_stack(story, step, access.stack);
	invariant(access.nstack <= MAX_FRAMES);
	return access;
}

struct access *make_accesses(const struct finding *finding, const struct story *story)
{
	struct access *accesses = xcalloc(2, sizeof *accesses);

	accesses[0] = make_access(story, finding->thread, finding->site);
	accesses[1] = make_access(story, finding->other_thread, finding->other_site);
	return accesses;
}

void access_release(struct access *access)
{
	for (unsigned i = 0; i < access->nlocks; i++)
		free(access->locks[i]);
	free(access->locks);
	free(access->thread);
	free(access->variable);
	*access = (struct access){0};
}
