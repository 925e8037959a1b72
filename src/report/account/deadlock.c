/*
 * A deadlock in words: who waits, for what, who holds it, and the cycle.
 *
 * When all threads of the execution stand still, all of them are told; when the process ended all the same, those that
 * could never have gone on.
 */
#include "report/account/telling.h"

#include "common/invariant.h"
#include "report/holding.h"

#include <inttypes.h>

#define MAX_SPELLED 3 /* threads that the one line spells out */

/* The threads that the report is about, and what is needed to speak of them. */
struct jam {
	const struct story *story;
	struct held held;
	struct standstill standstill;
	uint64_t set;
	uint32_t cycle[MAX_THREADS], length; /* length 0: no cycle */
};

static void jam_init(struct jam *jam, const struct story *story)
{
	const struct execution *execution = story->execution;

	*jam = (struct jam){.story = story};
	held_init(&jam->held, execution->events, execution->nevents);
	jam->standstill =
		(struct standstill){.pending = execution->pending, .npending = execution->npending, .held = &jam->held};
	jam->set = execution->ending == ENDING_EXIT ? standstill_stuck(&jam->standstill) : story->pending;
	invariant(!(jam->set & ~story->pending)); /* only those that wait can be stuck */
	jam->length = standstill_cycle(&jam->standstill, jam->set, jam->cycle);
}

/* The kind of what the thread waits for: of a COND_WAKE without signal, the condition variable. */
static const struct object_info *awaited_object(const struct jam *jam, const struct pending *pending)
{
	const struct event *wait = story_wait(jam->story, pending);

	return &object_table[event_table[wait ? wait->op.kind : pending->op.kind].object];
}

static void add_awaited(struct buffer *text, const struct jam *jam, const struct pending *pending)
{
	const struct event *wait = story_wait(jam->story, pending);
	const struct object_info *object = awaited_object(jam, pending);

	buffer_add_text(text, object->waits ? object->waits : "for ");
	if (wait)
		add_exact_object(text, jam->story, wait->op.object, 0, wait->op.site);
	else if (pending_wait(pending) == WAIT_END)
		add_thread(text, jam->story, pending->op.target);
	else if (object != &object_table[OBJECT_EXIT])
		add_exact_object(text, jam->story, pending->op.object, 0,
				 pending->op.kind == EV_COND_WAKE ? 0 : pending->op.site);
}

static void add_holder(struct buffer *text, const struct jam *jam, const struct pending *pending)
{
	const struct held_lock *lock = held_owner(&jam->held, pending->op.object);

	if (!lock)
		return;
	if (lock->thread == pending->thread) {
		buffer_add_text(text, ", which it holds itself ");
	} else {
		buffer_add_text(text, " held by ");
		add_thread(text, jam->story, lock->thread);
		buffer_add_text(text, standstill_pending(&jam->standstill, lock->thread) ? " " : ", which has ended ");
	}
	add_locked_at(text, jam->story, lock);
}

/* " waits for b held by main.1 (locked at x.c:10)" */
static void add_waiting(struct buffer *text, const struct jam *jam, const struct pending *pending)
{
	const struct object_info *object = awaited_object(jam, pending);
	const char *lacks = object->waits ? object->lacks : "no thread is left that could change that";

	invariant(jam->set >> pending->thread & 1);
	buffer_add_text(text, pending->op.kind == EV_SPIN ? " spins, waiting " : " waits ");
	add_awaited(text, jam, pending);
	if (pending_wait(pending) == WAIT_LOCK)
		add_holder(text, jam, pending);
	else if (lacks)
		buffer_printf(text, ", and %s", lacks);
}

/* --- one line --- */

static bool is_lock_cycle(const struct jam *jam)
{
	for (uint32_t i = 0; i < jam->length; i++)
		if (pending_wait(standstill_pending(&jam->standstill, jam->cycle[i])) == WAIT_LOCK)
			return true;
	return false;
}

/* "lock cycle" */
static void add_lead(struct buffer *text, const struct jam *jam)
{
	unsigned count = (unsigned)__builtin_popcountll(jam->set);

	if (jam->story->execution->ending == ENDING_EXIT) {
		if (count == 1)
			buffer_add_text(text, "a thread can never go on, although the program ends");
		else
			buffer_printf(text, "%u threads can never go on, although the program ends", count);
	} else if (jam->length < 2 && count == 1) {
		buffer_add_text(text, "the last thread waits for ever");
	} else if (jam->length < 2 && count == 2) {
		buffer_add_text(text, "both threads wait for ever");
	} else if (jam->length < 2) {
		buffer_printf(text, "all %u threads wait for ever", count);
	}
	if (jam->length > 1)
		buffer_printf(text, "%s%s", text->size ? ": " : "", is_lock_cycle(jam) ? "lock cycle" : "join cycle");
}

/* The cycle in its order, then the others by their numbers. */
static uint32_t order_threads(const struct jam *jam, uint32_t threads[MAX_THREADS])
{
	uint64_t left = jam->set;
	uint32_t count = 0;

	for (uint32_t i = 0; i < jam->length; i++) {
		threads[count++] = jam->cycle[i];
		left &= ~(1ull << jam->cycle[i]);
	}
	for (; left; left &= left - 1)
		threads[count++] = (uint32_t)__builtin_ctzll(left);
	/* the cycle consists of threads that are stuck, each once */
	invariant(count == (uint32_t)__builtin_popcountll(jam->set));
	return count;
}

static char *deadlock_message(const struct finding *finding, const struct story *story)
{
	uint32_t threads[MAX_THREADS], count;
	struct buffer text = {0};
	struct jam jam;

	(void)finding;
	jam_init(&jam, story);
	invariant(jam.set); /* the search has seen who waits */
	count = order_threads(&jam, threads);
	add_lead(&text, &jam);
	buffer_add_text(&text, text.size ? ": " : "");
	for (uint32_t i = 0; i < count && i < MAX_SPELLED; i++) {
		buffer_add_text(&text, i == 0 ? "" : i == jam.length ? "; " : ", ");
		add_thread(&text, story, threads[i]);
		add_waiting(&text, &jam, standstill_pending(&jam.standstill, threads[i]));
	}
	if (count > MAX_SPELLED)
		buffer_printf(&text, "; and %" PRIu32 " more", count - MAX_SPELLED);
	held_release(&jam.held);
	return buffer_take(&text);
}

static char *deadlock_gist(const struct finding *finding, const struct story *story)
{
	struct buffer text = {0};
	struct jam jam;

	jam_init(&jam, story);
	add_lead(&text, &jam);
	held_release(&jam.held);
	return text.size ? buffer_take(&text) : before_words(finding->message, ": ");
}

/* --- in detail --- */

static void explain_waiting(struct account *account, const struct jam *jam, const struct pending *pending)
{
	struct place place = symbols_site(jam->story->symbols, pending->op.site);
	struct buffer text = {0};

	add_thread_role(&text, jam->story, pending->thread);
	add_waiting(&text, jam, pending);
	buffer_add_text(&text, ", at ");
	add_place_and_function(&text, jam->story, place);
	account_add(account, PASSAGE_STATEMENT, &text);
	account_quote(account, jam->story, place);
	if (holds_any(&jam->held, pending->thread)) {
		buffer_add_text(&text, "it holds ");
		add_held(&text, jam->story, &jam->held, pending->thread);
		account_add(account, PASSAGE_DETAIL, &text);
	}
	buffer_release(&text);
}

/* "The cycle: main.1 waits for b, held by main.2, which waits for a, held by main.1" */
static void explain_cycle(struct account *account, const struct jam *jam)
{
	struct buffer text = {0};

	if (jam->length < 2)
		return;
	buffer_add_text(&text, "The cycle: ");
	add_thread(&text, jam->story, jam->cycle[0]);
	for (uint32_t i = 0; i < jam->length; i++) {
		const struct pending *pending = standstill_pending(&jam->standstill, jam->cycle[i]);
		invariant(pending);
		buffer_add_text(&text, i ? ", which waits " : " waits ");
		add_awaited(&text, jam, pending);
		if (pending_wait(pending) != WAIT_LOCK)
			continue;
		buffer_add_text(&text, ", held by ");
		add_thread(&text, jam->story, jam->cycle[(i + 1) % jam->length]);
	}
	account_add(account, PASSAGE_STATEMENT, &text);
	buffer_release(&text);
}

void explain_deadlock(struct account *account, const struct finding *finding, const struct story *story)
{
	struct jam jam;

	(void)finding;
	jam_init(&jam, story);
	for (uint32_t i = 0; i < story->execution->npending; i++)
		if (jam.set >> story->execution->pending[i].thread & 1)
			explain_waiting(account, &jam, &story->execution->pending[i]);
	explain_cycle(account, &jam);
	if (story->execution->ending == ENDING_EXIT)
		account_say(account, "The process ends before anybody notices; nothing could have let them go on.");
	held_release(&jam.held);
}

const struct telling telling_deadlock = {
	.message = deadlock_message,
	.gist = deadlock_gist,
	.explain = explain_deadlock,
	.retells = true,
};

/* "2 threads can go round for ever" */
static char *livelock_gist(const struct finding *finding, const struct story *story)
{
	(void)story;
	return before_words(finding->message, " without getting anywhere");
}

/* Its threads do not wait for each other, but spin; they are told in the same way. */
const struct telling telling_livelock = {.gist = livelock_gist, .explain = explain_deadlock};
