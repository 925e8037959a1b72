#define _GNU_SOURCE
#include "report/explain.h"

#include "report/locks.h"

#include <inttypes.h>
#include <signal.h>
#include <string.h>

/* --- small phrases --- */

static void add_place_and_function(struct buffer *text, const struct story *story, struct place place)
{
	add_place(text, story, place);
	if (*place.function)
		buffer_printf(text, " in %s", place.function);
}

static void flush(const struct page *page, unsigned indent, struct buffer *text)
{
	page_paragraph(page, indent, buffer_text(text));
	buffer_clear(text);
}

static void quote_line(const struct page *page, const struct story *story, struct place place)
{
	const char *line = symbols_source_line(story->symbols, place);

	if (line && *line)
		fprintf(page->out, "        %.*s\n", (int)(page->width - 8), line);
}

/* "a (db.c:20, step 4) and b (…)"; false when the thread holds nothing. */
static bool add_held(struct buffer *text, const struct story *story, const struct locks *locks, uint32_t thread)
{
	unsigned count = 0;

	for (size_t i = 0; i < locks->count; i++) {
		const struct held *held = &locks->items[i];
		const struct event *event = &story->recording->events[held->step];
		if (held->thread != thread)
			continue;
		buffer_add_text(text, count++ ? " and " : "");
		add_exact_object(text, story, held->mutex, 0, event->op.kind == EV_COND_WAKE ? 0 : event->op.site);
		buffer_add_text(text, " (since ");
		add_place(text, story, symbols_site(story->symbols, event->op.site));
		buffer_printf(text, ", step %" PRIu32 ")", held->step + 1);
	}
	return count > 0;
}

/* --- deadlock --- */

static const struct pending *pending_of(const struct recording *recording, uint32_t thread)
{
	for (uint32_t i = 0; i < recording->npending; i++) {
		if (recording->pending[i].thread == thread)
			return &recording->pending[i];
	}
	return NULL;
}

/* The thread that this one waits for; MAX_THREADS when it is no particular one. */
static uint32_t waits_for(const struct pending *pending, const struct locks *locks)
{
	const struct held *owner;

	switch (pending->op.kind) {
	case EV_JOIN: return pending->op.target;
	case EV_COND_WAKE:
		if (pending->waiting)
			return MAX_THREADS;
		/* fallthrough */
	case EV_GUARD_BEGIN:
	case EV_MUTEX_LOCK: owner = locks_owner(locks, pending->op.object); return owner ? owner->thread : MAX_THREADS;
	}
	return MAX_THREADS;
}

static void add_awaited(struct buffer *text, const struct story *story, const struct pending *pending)
{
	const struct event *wait = pending->waiting ? story_wait(story, pending->thread) : NULL;

	if (pending->op.kind == EV_JOIN) {
		buffer_add_text(text, "the end of ");
		add_thread(text, story, pending->op.target);
	} else if (wait) {
		buffer_add_text(text, wait->op.kind == EV_FUTEX_WAIT ? "being woken, " : "a signal of ");
		add_exact_object(text, story, wait->op.object, 0, wait->op.site);
	} else {
		add_exact_object(text, story, pending->op.object, 0,
				 pending->op.kind == EV_COND_WAKE ? 0 : pending->op.site);
	}
}

static void add_owner(struct buffer *text, const struct story *story, const struct pending *pending,
		      const struct locks *locks)
{
	uint32_t owner = waits_for(pending, locks);

	if (pending->waiting) {
		buffer_add_text(text, ", and no thread is left that could send it");
	} else if (pending->op.kind != EV_JOIN && owner < MAX_THREADS) {
		buffer_add_text(text, ", held by ");
		if (owner == pending->thread)
			buffer_add_text(text, "itself");
		else
			add_thread(text, story, owner);
		if (!(story->pending >> owner & 1))
			buffer_add_text(text, ", which has ended without releasing it");
	}
}

static void explain_waiting(const struct page *page, const struct story *story, const struct pending *pending,
			    const struct locks *locks)
{
	struct place place = symbols_site(story->symbols, pending->op.site);
	struct buffer text = {0};

	add_thread_role(&text, story, pending->thread);
	buffer_add_text(&text, pending->enabled ? " can go on with " : " waits for ");
	add_awaited(&text, story, pending);
	add_owner(&text, story, pending, locks);
	buffer_add_text(&text, ", at ");
	add_place_and_function(&text, story, place);
	flush(page, 2, &text);
	quote_line(page, story, place);
	buffer_add_text(&text, "it holds ");
	if (add_held(&text, story, locks, pending->thread))
		flush(page, 4, &text);
	buffer_release(&text);
}

/* A thread that is on a cycle of waiting, or MAX_THREADS. */
static uint32_t find_cycle(const struct recording *recording, const struct locks *locks)
{
	for (uint32_t i = 0; i < recording->npending; i++) {
		uint32_t first = recording->pending[i].thread, thread = first;
		for (uint32_t steps = 0; steps < recording->npending; steps++) {
			const struct pending *pending = pending_of(recording, thread);
			if (!pending)
				break;
			thread = waits_for(pending, locks);
			if (thread == first)
				return first;
		}
	}
	return MAX_THREADS;
}

static void explain_cycle(const struct page *page, const struct story *story, const struct locks *locks)
{
	uint32_t first = find_cycle(story->recording, locks), thread = first;
	struct buffer text = {0};

	if (first == MAX_THREADS)
		return;
	buffer_add_text(&text, "The cycle: ");
	add_thread(&text, story, first);
	do {
		const struct pending *pending = pending_of(story->recording, thread);
		buffer_add_text(&text, thread == first ? " waits for " : ", which waits for ");
		add_awaited(&text, story, pending);
		thread = waits_for(pending, locks);
		if (pending->op.kind != EV_JOIN) {
			buffer_add_text(&text, ", held by ");
			add_thread(&text, story, thread);
		}
	} while (thread != first);
	flush(page, 2, &text);
	buffer_release(&text);
}

static void explain_deadlock(const struct page *page, const struct story *story)
{
	struct locks locks;

	locks_init(&locks, story->recording, story->recording->nevents);
	for (uint32_t i = 0; i < story->recording->npending; i++)
		explain_waiting(page, story, &story->recording->pending[i], &locks);
	explain_cycle(page, story, &locks);
	locks_release(&locks);
}

/* --- data race --- */

uint32_t finding_step(const struct story *story, uint32_t thread, uint32_t site)
{
	const struct recording *recording = story->recording;

	for (uint32_t i = recording->nevents; i-- > 0;) {
		if (recording->events[i].thread == thread && recording->events[i].op.site == site)
			return i;
	}
	return NO_STEP;
}

static void explain_access(const struct page *page, const struct story *story, uint32_t step)
{
	const struct event *event = &story->recording->events[step];
	struct place place = symbols_site(story->symbols, event->op.site);
	struct buffer text = {0};
	struct locks locks;

	add_thread_role(&text, story, event->thread);
	buffer_printf(&text, ": %s ", event_table[event->op.kind].name);
	add_exact_object(&text, story, event->op.object, event->op.size, event->op.site);
	buffer_printf(&text, " (%" PRIu32 " byte%s) at ", event->op.size, event->op.size == 1 ? "" : "s");
	add_place_and_function(&text, story, place);
	buffer_add_text(&text, ", holding ");
	locks_init(&locks, story->recording, step);
	if (!add_held(&text, story, &locks, event->thread))
		buffer_add_text(&text, "no lock");
	flush(page, 2, &text);
	quote_line(page, story, place);
	locks_release(&locks);
	buffer_release(&text);
}

static void explain_race(const struct page *page, const struct finding *finding, const struct story *story)
{
	uint32_t one = finding_step(story, finding->thread, finding->site);
	uint32_t other = finding_step(story, finding->other_thread, finding->other_site);

	if (one == NO_STEP || other == NO_STEP)
		return;
	explain_access(page, story, one < other ? one : other);
	explain_access(page, story, one < other ? other : one);
	if (finding->weak)
		page_paragraph(page, 2,
			       "Only atomic operations too weak to synchronise come between these two accesses: a store"
			       " that does not release, or a load that does not acquire. By the rules of C the second"
			       " need not see what the first did.");
	else
		page_paragraph(
			page, 2,
			"Nothing orders these two accesses: no lock that both hold, no join, no signal, no atomic"
			" operation between them. They can happen at the same time.");
}

/* --- the others --- */

static void explain_crash(const struct page *page, const struct finding *finding, const struct story *story)
{
	const struct recording *recording = story->recording;
	const char *name = recording->signal ? sigabbrev_np(recording->signal) : NULL;
	char address[256];
	struct buffer text = {0};

	add_thread_role(&text, story, finding->thread);
	if (name)
		buffer_printf(&text, " was stopped by SIG%s (%s)", name, sigdescr_np(recording->signal));
	else if (recording->nevents && recording->events[recording->nevents - 1].op.kind == EV_TERMINATE)
		buffer_add_text(&text, " ended the process by std::terminate");
	else
		buffer_add_text(&text, " crashed");
	if (recording->signal == SIGSEGV || recording->signal == SIGBUS) {
		symbols_data(story->symbols, recording->fault_address, recording->names, address, sizeof address);
		buffer_printf(&text, " while accessing address 0x%" PRIx64, recording->fault_address);
		if (strncmp(address, "0x", 2))
			buffer_printf(&text, " (%s)", address);
		if (recording->fault_address < 4096)
			buffer_add_text(&text, ", a null pointer");
	}
	flush(page, 2, &text);
	buffer_release(&text);
}

static void explain_exit(const struct page *page, const struct story *story)
{
	struct buffer text = {0};

	buffer_printf(&text, "In the interleaving below the program ends with exit status %d.",
		      story->recording->exit_status);
	flush(page, 2, &text);
	buffer_release(&text);
}

static void explain_by_thread(const struct page *page, const struct finding *finding, const struct story *story)
{
	struct buffer text = {0};
	struct locks locks;

	buffer_add_text(&text, "In thread ");
	add_thread_role(&text, story, finding->thread);
	buffer_add_text(&text, ", holding ");
	locks_init(&locks, story->recording, story->recording->nevents);
	if (!add_held(&text, story, &locks, finding->thread))
		buffer_add_text(&text, "no lock");
	flush(page, 2, &text);
	locks_release(&locks);
	buffer_release(&text);
}

void explain_finding(const struct page *page, const struct finding *finding, const struct story *story)
{
	switch (finding->kind) {
	case FINDING_DEADLOCK: explain_deadlock(page, story); break;
	case FINDING_RACE: explain_race(page, finding, story); break;
	case FINDING_CRASH: explain_crash(page, finding, story); break;
	case FINDING_EXIT: explain_exit(page, story); break;
	case FINDING_ASSERTION:
	case FINDING_MEMORY:
	case FINDING_LOCK:
	case FINDING_LIMIT: explain_by_thread(page, finding, story); break;
	case FINDING_NONDETERMINISM:
	case FINDING_KINDS: break;
	}
}
