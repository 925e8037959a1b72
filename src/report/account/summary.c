/*
 * The verdict in one sentence that says no more than is true, and the numbers.
 */
#include "report/account/telling.h"

#include "common/invariant.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define FEW_EXECUTIONS 100 /* of fewer nobody wants to know how many they are a second */

static const char *plural(uint64_t count)
{
	return count == 1 ? "" : "s";
}

/* What the exit policy has in the place of the table's words. */
static const char *const exit_words[] = {
	[EXIT_MIXED] = "schedule-dependent exit status (0 or not)",
	[EXIT_ZERO] = "exit status other than 0",
	[EXIT_ANY] = NULL,
};

/* The kinds that were looked for, as the verdict names them; how many. */
static unsigned list_sought(const struct result *result, const char *words[FINDING_KINDS])
{
	const struct finding_info *info;
	unsigned count = 0;

	for (unsigned place = 1; (info = finding_at_place(place)); place++) {
		if (!result_seeks(result, info))
			continue;
		bool exits = info->sought == SOUGHT_BY_EXIT_POLICY && exit_words[result->exit_policy];
		words[count++] = exits ? exit_words[result->exit_policy] : info->absent;
	}
	invariant(count > 1); /* which the grammar of the sentence relies on */
	return count;
}

/* What was looked for, as the end of a sentence. */
static void add_properties(struct buffer *text, const struct result *result)
{
	const char *words[FINDING_KINDS];
	unsigned count = list_sought(result, words);

	for (unsigned i = 0; i < count; i++)
		buffer_printf(text, "%s%s", i == 0 ? "no " : i + 1 < count ? ", " : " or ", words[i]);
	if (result->exit_policy == EXIT_ANY)
		buffer_add_text(text, " (exit statuses not checked)");
}

/* What the user has left out. */
static const char *restriction(const struct result *result)
{
	switch (result->timeouts) {
	case TIMEOUTS_NEVER: return ", no time limit ever reached";
	case TIMEOUTS_LAST_RESORT: return ", time limits reached only when nothing else can happen";
	}
	return "";
}

static void add_verified(struct buffer *text, const struct report *report)
{
	const struct result *result = report->result;

	invariant(result->complete);
	invariant(!result->nfindings);
	invariant(!result->stopped);
	buffer_add_text(text, "verified: ");
	add_properties(text, result);
	if (report->reductions[0])
		buffer_printf(text, " in any interleaving (%" PRIu64 " execution%s stand%s for all of them",
			      result->executions, plural(result->executions), result->executions == 1 ? "s" : "");
	else
		buffer_printf(text, " in all %" PRIu64 " interleaving%s (every one was run", result->executions,
			      plural(result->executions));
	buffer_printf(text, "; search: %s, sequential consistency%s%s", result->search, restriction(result),
		      result->weak_unsure ? ", races that only weak atomics hide: not in all" : "");
	if (result->endless)
		buffer_add_text(text,
				", some executions may never end: livelocks of threads that write are not ruled out");
	if (result->idle_rounds)
		buffer_printf(text, ", loops go round for nothing at most %u times in a row", result->idle_rounds + 1);
	buffer_add_text(text, ")");
}

static void add_kinds(struct buffer *text, const struct result *result)
{
	const char *separator = "";
	unsigned told = 0;

	for (unsigned kind = 0; kind < FINDING_KINDS; kind++) {
		unsigned count = 0;
		for (unsigned i = 0; i < result->nfindings; i++)
			count += result->findings[i]->kind == kind;
		if (!count)
			continue;
		buffer_printf(text, "%s%s", separator, finding_kind_name(kind));
		if (count > 1)
			buffer_printf(text, " × %u", count);
		separator = ", ";
		told += count;
	}
	invariant(told == result->nfindings);
}

static const char *stop_reason(const struct result *result)
{
	return result->stopped ? result->stopped : "stopped early";
}

static void add_bug(struct buffer *text, const struct result *result)
{
	invariant(result->nfindings > 0);
	buffer_printf(text, "bug: %u finding%s (", result->nfindings, plural(result->nfindings));
	add_kinds(text, result);
	buffer_add_text(text, "); ");
	if (result->complete)
		buffer_printf(text, "every interleaving was explored (search: %s, sequential consistency)",
			      result->search);
	else
		buffer_printf(text, "not everything was explored: %s", stop_reason(result));
	if (!result->complete && strstr(stop_reason(result), "first finding"))
		buffer_add_text(text, " (--keep-going explores the rest)");
}

static void add_incomplete(struct buffer *text, const struct result *result)
{
	invariant(!result->complete);
	buffer_printf(text, "incomplete: %s", stop_reason(result));
	if (!result->executions) {
		buffer_add_text(text, " before anything was explored");
		return;
	}
	buffer_add_text(text, "; ");
	add_properties(text, result);
	buffer_printf(text, " in the %" PRIu64 " execution%s explored, the rest is unknown", result->executions,
		      plural(result->executions));
}

/* 1234567 → 1,234,567 */
static void add_number(struct buffer *text, uint64_t number)
{
	char digits[32];
	int length = snprintf(digits, sizeof digits, "%" PRIu64, number);

	invariant(length > 0 && (size_t)length < sizeof digits);
	for (int i = 0; i < length; i++) {
		if (i && (length - i) % 3 == 0)
			buffer_add_char(text, ',');
		buffer_add_char(text, digits[i]);
	}
}

static void add_count(struct buffer *text, uint64_t number, const char *what)
{
	add_number(text, number);
	buffer_printf(text, " %s", what);
}

static void add_counts(struct buffer *text, const struct result *result)
{
	double seconds = result->wall_seconds > 1e-6 ? result->wall_seconds : 1e-6;
	uint64_t runs = result->executions + result->blocked + result->assumed;

	add_count(text, result->executions, result->executions == 1 ? "execution, " : "executions, ");
	add_count(text, result->blocked, "blocked, ");
	if (result->assumed)
		add_count(text, result->assumed, "given up by an assumption, ");
	add_count(text, result->transitions, "transitions, ");
	if (result->stateful && !result->gave_up_states) {
		add_count(text, result->states, result->states == 1 ? "state (" : "states (");
		add_count(text, result->state_bytes >> 10, "KiB), ");
		add_count(text, result->state_hits, result->state_hits == 1 ? "hit, " : "hits, ");
		if (result->states_forgotten)
			add_count(text, result->states_forgotten, "forgotten to make room (--state-memory), ");
	}
	if (result->gave_up_states)
		buffer_printf(text, "without states (%s), ", result->gave_up_states);
	add_count(text, result->threads, result->threads == 1 ? "thread, " : "threads, ");
	buffer_add_text(text, "depth ");
	add_number(text, result->max_depth);
	if (seconds < 1)
		buffer_printf(text, ", %.1f ms", 1000 * seconds);
	else
		buffer_printf(text, ", %.1f s", seconds);
	if (runs >= FEW_EXECUTIONS) {
		buffer_add_text(text, " (");
		add_count(text, (uint64_t)((double)runs / seconds), "executions/s)");
	}
	if (result->nworkers > 1)
		buffer_printf(text, ", %u workers", result->nworkers);
	buffer_printf(text, ", seed %" PRIu64, result->seed);
}

char *make_sentence(const struct report *report)
{
	struct buffer text = {0};

	switch (report->result->verdict) {
	case VERDICT_VERIFIED: add_verified(&text, report); break;
	case VERDICT_BUG: add_bug(&text, report->result); break;
	case VERDICT_INCOMPLETE: add_incomplete(&text, report->result); break;
	}
	/* a script may look for the verdict there */
	invariant(!strncmp(buffer_text(&text), report->verdict, strlen(report->verdict)));
	return buffer_take(&text);
}

char *make_numbers(const struct result *result)
{
	struct buffer text = {0};

	add_counts(&text, result);
	return buffer_take(&text);
}
