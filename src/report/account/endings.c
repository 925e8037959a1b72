/*
 * Ends of the process in words: failed assertions, crashes, exit statuses, and what came out differently the second time.
 */
#define _GNU_SOURCE
#include "report/account/telling.h"

#include "common/invariant.h"
#include "common/trouble.h"
#include "report/holding.h"

#include <assert.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>

void explain_by_thread(struct account *account, const struct finding *finding, const struct story *story)
{
	struct buffer text = {0};
	struct held held;

	buffer_add_text(&text, "In thread ");
	add_thread_role(&text, story, finding->thread);
	buffer_add_text(&text, ", holding ");
	held_init(&held, story->execution->events, story->execution->nevents);
	add_held(&text, story, &held, finding->thread);
	account_add(account, PASSAGE_STATEMENT, &text);
	if (story->execution->nevents)
		add_callers(&text, story, story->execution->nevents - 1);
	account_add(account, PASSAGE_DETAIL, &text);
	held_release(&held);
	buffer_release(&text);
}

const struct telling telling_plain = {.explain = explain_by_thread};

/* --- assertions --- */

/* "file.c:3: int main(void): assertion `x' failed": the place is said elsewhere. */
static char *assertion_message(const struct finding *finding, const struct story *story)
{
	const char *start = strstr(finding->message, "assertion `");

	(void)story;
	return start ? xstrdup(start) : NULL;
}

const struct telling telling_assertion = {.message = assertion_message, .explain = explain_by_thread};

/* --- crashes --- */

static void explain_crash(struct account *account, const struct finding *finding, const struct story *story)
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
	account_add(account, PASSAGE_STATEMENT, &text);
	buffer_release(&text);
}

const struct telling telling_crash = {.explain = explain_crash};

/* --- exit statuses --- */

static void explain_exit(struct account *account, const struct finding *finding, const struct story *story)
{
	struct buffer text = {0};

	(void)finding;
	buffer_printf(&text, "In the interleaving below the program ends with exit status %d.",
		      story->execution->exit_status);
	account_add(account, PASSAGE_STATEMENT, &text);
	buffer_release(&text);
}

/* "the exit status depends on the schedule" */
static char *exit_gist(const struct finding *finding, const struct story *story)
{
	(void)story;
	return before_words(finding->message, ": ");
}

const struct telling telling_exit = {.gist = exit_gist, .explain = explain_exit};

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

	static_assert(sizeof culprit_texts / sizeof *culprit_texts == CULPRIT_COUNT, "each culprit has a text");
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

static void explain_nondeterminism(struct account *account, const struct finding *finding, const struct story *story)
{
	(void)finding;
	(void)story;
	account_say(account,
		    "The threads took the same turns as before, and the program did something else: it depends on"
		    " more than its input and the schedule. The interleaving below is what was still the same.");
}

const struct telling telling_nondeterminism = {
	.message = nondeterminism_message,
	.explain = explain_nondeterminism,
};
