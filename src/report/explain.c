#define _GNU_SOURCE
#include "report/explain.h"

#include "report/deadlock.h"
#include "report/holding.h"

#include <inttypes.h>
#include <signal.h>
#include <string.h>

/* --- data race --- */

uint32_t finding_step(const struct story *story, uint32_t thread, uint32_t site)
{
	const struct execution *execution = story->execution;

	for (uint32_t i = execution->nevents; i-- > 0;) {
		if (execution->events[i].thread == thread && execution->events[i].op.site == site)
			return i;
	}
	return NO_STEP;
}

static void explain_access(const struct page *page, const struct story *story, uint32_t step)
{
	const struct event *event = &story->execution->events[step];
	struct place place = symbols_site(story->symbols, event->op.site);
	struct buffer text = {0};
	struct held held;

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
	flush_paragraph(page, 2, &text);
	quote_line(page, story, place);
	add_callers(&text, story, step);
	flush_paragraph(page, 4, &text);
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

static void explain_unordered(const struct page *page, const struct finding *finding, const struct story *story,
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
	flush_paragraph(page, 2, &text);
	held_release(&held);
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
		explain_unordered(page, finding, story, one < other ? other : one);
}

/* --- the others --- */

static void explain_crash(const struct page *page, const struct finding *finding, const struct story *story)
{
	const struct execution *execution = story->execution;
	const char *name = execution->signal ? sigabbrev_np(execution->signal) : NULL;
	char address[256];
	struct buffer text = {0};

	add_thread_role(&text, story, finding->thread);
	if (name)
		buffer_printf(&text, " was stopped by SIG%s (%s)", name, sigdescr_np(execution->signal));
	else if (execution->nevents && execution->events[execution->nevents - 1].op.kind == EV_TERMINATE)
		buffer_add_text(&text, " ended the process by std::terminate");
	else
		buffer_add_text(&text, " crashed");
	if (execution->signal == SIGSEGV || execution->signal == SIGBUS) {
		symbols_data(story->symbols, execution->fault_address, execution->names, address, sizeof address);
		buffer_printf(&text, " while accessing address 0x%" PRIx64, execution->fault_address);
		if (strncmp(address, "0x", 2))
			buffer_printf(&text, " (%s)", address);
		if (execution->fault_address < 4096)
			buffer_add_text(&text, ", a null pointer");
	}
	flush_paragraph(page, 2, &text);
	buffer_release(&text);
}

static void explain_exit(const struct page *page, const struct story *story)
{
	struct buffer text = {0};

	buffer_printf(&text, "In the interleaving below the program ends with exit status %d.",
		      story->execution->exit_status);
	flush_paragraph(page, 2, &text);
	buffer_release(&text);
}

static void explain_by_thread(const struct page *page, const struct finding *finding, const struct story *story)
{
	struct buffer text = {0};
	struct held held;

	buffer_add_text(&text, "In thread ");
	add_thread_role(&text, story, finding->thread);
	buffer_add_text(&text, ", holding ");
	held_init(&held, story->execution->events, story->execution->nevents);
	add_held(&text, story, &held, finding->thread);
	flush_paragraph(page, 2, &text);
	if (story->execution->nevents)
		add_callers(&text, story, story->execution->nevents - 1);
	flush_paragraph(page, 4, &text);
	held_release(&held);
	buffer_release(&text);
}

static void explain_held_lock(const struct page *page, const struct finding *finding, const struct story *story)
{
	struct buffer text = {0};
	struct held held;

	add_thread_role(&text, story, finding->thread);
	buffer_printf(&text, " ends at step %" PRIu32 " and still holds ", story->last[finding->thread] + 1);
	held_init(&held, story->execution->events, story->execution->nevents);
	add_held(&text, story, &held, finding->thread);
	buffer_add_text(&text, "; no other thread may unlock it.");
	flush_paragraph(page, 2, &text);
	held_release(&held);
	buffer_release(&text);
}

/* "The block was allocated by main at a.c:12 and freed by main.1 at a.c:20"; where, with the function. */
static void explain_block(const struct page *page, const struct story *story)
{
	const struct block_info *block = &story->execution->block;
	struct buffer text = {0};

	if (!block->address)
		return;
	buffer_add_text(&text, "The block was allocated by ");
	add_thread_role(&text, story, block->alloc_thread);
	buffer_add_text(&text, " at ");
	add_place_and_function(&text, story, symbols_site(story->symbols, block->alloc_site));
	flush_paragraph(page, 2, &text);
	quote_line(page, story, symbols_site(story->symbols, block->alloc_site));
	if (block->freed) {
		buffer_add_text(&text, "and freed by ");
		add_thread_role(&text, story, block->free_thread);
		buffer_add_text(&text, " at ");
		add_place_and_function(&text, story, symbols_site(story->symbols, block->free_site));
		flush_paragraph(page, 2, &text);
		quote_line(page, story, symbols_site(story->symbols, block->free_site));
	}
	buffer_release(&text);
}

static void explain_memory(const struct page *page, const struct finding *finding, const struct story *story)
{
	explain_by_thread(page, finding, story);
	explain_block(page, story);
}

static void explain_leak(const struct page *page, const struct finding *finding, const struct story *story)
{
	struct buffer text = {0};

	buffer_add_text(&text, "Allocated by ");
	add_thread_role(&text, story, finding->thread);
	buffer_add_text(&text, "; when the program ends, no variable, stack or reachable block points there.");
	flush_paragraph(page, 2, &text);
	buffer_release(&text);
}

void explain_finding(const struct page *page, const struct finding *finding, const struct story *story)
{
	switch (finding->kind) {
	case FINDING_DEADLOCK:
	case FINDING_LIVELOCK: explain_deadlock(page, story); break;
	case FINDING_RACE: explain_race(page, finding, story); break;
	case FINDING_CRASH: explain_crash(page, finding, story); break;
	case FINDING_EXIT: explain_exit(page, story); break;
	case FINDING_LOCK:
		if (finding_is_held_lock(finding))
			explain_held_lock(page, finding, story);
		else
			explain_by_thread(page, finding, story);
		break;
	case FINDING_MEMORY: explain_memory(page, finding, story); break;
	case FINDING_LEAK: explain_leak(page, finding, story); break;
	case FINDING_ASSERTION: explain_by_thread(page, finding, story); break;
	case FINDING_NONDETERMINISM:
		page_paragraph(
			page, 2,
			"The threads took the same turns as before, and the program did something else: it depends on"
			" more than its input and the schedule. The interleaving below is what was still the same.");
		break;
	case FINDING_KINDS: break;
	}
}
