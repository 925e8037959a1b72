/*
 * The result for scripts: one JSON object.  Members are only ever added.
 */
#include "common/json.h"

#include "common/version.h"

#include "report/explain.h"
#include "report/holding.h"
#include "report/report.h"

#include <stdlib.h>

static const char *const verdict_names[] = {
	[VERDICT_VERIFIED] = "verified",
	[VERDICT_BUG] = "bug",
	[VERDICT_INCOMPLETE] = "incomplete",
};

static const char *known(const char *text)
{
	return *text ? text : NULL;
}

static void write_thread(struct json *json, const struct finding *finding, uint32_t thread)
{
	char name[256];

	thread_name_format(finding->execution.names, thread, name, sizeof name);
	json_string(json, "thread", name);
}

static void write_place(struct json *json, struct place place)
{
	json_string(json, "file", known(place.file));
	json_number(json, "line", place.line);
	json_number(json, "column", place.column);
	json_string(json, "function", known(place.function));
}

/* --- data races --- */

static void write_locks(struct json *json, const struct story *story, uint32_t step)
{
	struct held held;

	held_init(&held, story->execution->events, step);
	json_open(json, "locks", '[');
	for (size_t i = 0; i < held.count; i++) {
		struct buffer name = {0};
		if (held.items[i].thread != story->execution->events[step].thread)
			continue;
		add_lock(&name, story, &held.items[i]);
		json_string(json, NULL, buffer_text(&name));
		buffer_release(&name);
	}
	json_close(json);
	held_release(&held);
}

static void write_stack(struct json *json, const struct story *story, uint32_t step)
{
	struct place places[MAX_FRAMES];
	unsigned count = story_stack(story, step, places);

	json_open(json, "stack", '[');
	for (unsigned i = 0; i < count; i++) {
		json_open(json, NULL, '{');
		json_string(json, "file", known(places[i].file));
		json_number(json, "line", places[i].line);
		json_string(json, "function", known(places[i].function));
		json_close(json);
	}
	json_close(json);
}

/* How the thread accesses what, and the locks it holds, and from where. */
static void write_access(struct json *json, const struct story *story, uint32_t step)
{
	const struct op *op = &story->execution->events[step].op;
	struct buffer name = {0};

	add_object(&name, story, op);
	json_string(json, "variable", buffer_text(&name));
	json_string(json, "access", event_table[op->kind].name);
	json_bool(json, "atomic", !event_is(op->kind, EV_PLAIN));
	write_locks(json, story, step);
	write_stack(json, story, step);
	buffer_release(&name);
}

static void write_race(struct json *json, const struct finding *finding, struct symbols *symbols)
{
	struct story story;
	uint32_t one, other;

	story_init(&story, &finding->execution, symbols);
	one = finding_step(&story, finding->thread, finding->site);
	other = finding_step(&story, finding->other_thread, finding->other_site);
	if (one != NO_STEP)
		write_access(json, &story, one);
	json_open(json, "other", '{');
	write_thread(json, finding, finding->other_thread);
	write_place(json, symbols_site(symbols, finding->other_site));
	if (other != NO_STEP)
		write_access(json, &story, other);
	json_close(json);
}

/* --- the result --- */

/* Of a bug or a warning, which has no trace. */
static void write_finding(struct json *json, const struct finding *finding, struct symbols *symbols)
{
	json_open(json, NULL, '{');
	json_string(json, "kind", finding_kind_name(finding->kind));
	json_string(json, "message", finding->message);
	write_thread(json, finding, finding->thread);
	write_place(json, report_place(finding, symbols));
	if (finding->kind == FINDING_RACE)
		write_race(json, finding, symbols);
	if (!finding->warning)
		json_string(json, "trace", finding->trace_path);
	json_number(json, "preemptions", finding->preemptions);
	json_number(json, "count", finding->count);
	json_close(json);
}

static void write_notes(struct json *json, const struct result *result, struct symbols *symbols)
{
	json_open(json, "notes", '[');
	for (unsigned i = 0; i < result->nnotes; i++) {
		struct place place = symbols_site(symbols, result->notes[i].site);
		char *message = report_note_message(&result->notes[i], symbols);
		json_open(json, NULL, '{');
		json_string(json, "message", message);
		json_string(json, "file", known(place.file));
		json_number(json, "line", place.line);
		json_close(json);
		free(message);
	}
	json_close(json);
}

static void write_limits(struct json *json, const struct result *result, struct symbols *symbols)
{
	json_open(json, "limits", '[');
	for (unsigned i = 0; i < result->nlimits; i++) {
		const struct limit *limit = &result->limits[i];
		char *message = report_limit_message(result, limit), name[256];
		thread_name_format(limit->names, limit->thread, name, sizeof name);
		json_open(json, NULL, '{');
		json_string(json, "message", message);
		json_string(json, "thread", name);
		write_place(json, report_limit_place(limit, symbols));
		json_number(json, "count", limit->count);
		json_close(json);
		free(message);
	}
	json_close(json);
}

static void write_search(struct json *json, const char *search)
{
	json_open(json, "search", '{');
	json_string(json, "name", search);
	json_open(json, "reductions", '[');
	for (const char *const *reduction = report_reductions(search); *reduction; reduction++)
		json_string(json, NULL, *reduction);
	json_close(json);
	json_close(json);
}

static void write_shares(struct json *json, const struct shares *shares)
{
	double handoff = 1 - shares->run - shares->reset - shares->analysis;

	json_open(json, "profile", '{');
	json_real(json, "run", shares->run);
	json_real(json, "reset", shares->reset);
	json_real(json, "handoff", handoff > 0 ? handoff : 0);
	json_real(json, "analysis", shares->analysis);
	json_real(json, "whole_reset", shares->whole_reset);
	json_real(json, "fastest_run_us", shares->fastest_run * 1e6);
	json_real(json, "fastest_reset_us", shares->fastest_reset * 1e6);
	json_real(json, "fastest_analysis_us", shares->fastest_analysis * 1e6);
	json_real(json, "fastest_answer_us", shares->fastest_answer * 1e6);
	json_number(json, "resumed", shares->resumed);
	json_number(json, "ahead", shares->ahead);
	json_number(json, "given_up", shares->given_up);
	json_close(json);
}

static void write_workers(struct json *json, const struct result *result)
{
	json_real(json, "balance", report_balance(result));
	json_open(json, "workers", '[');
	for (unsigned i = 0; i < result->nworkers; i++) {
		const struct worker_share *share = &result->workers[i];
		json_open(json, NULL, '{');
		json_number(json, "units", share->units);
		json_number(json, "executions", share->executions);
		json_real(json, "idle_seconds", share->idle);
		json_number(json, "messages", share->messages);
		json_number(json, "bytes", share->bytes);
		json_close(json);
	}
	json_close(json);
}

void report_json(FILE *out, const struct result *result, struct symbols *symbols)
{
	struct json json = {.out = out};

	json_open(&json, NULL, '{');
	json_string(&json, "version", INSPECT_VERSION);
	json_string(&json, "verdict", verdict_names[result->verdict]);
	json_bool(&json, "complete", result->complete);
	json_string(&json, "stopped", result->stopped);
	write_search(&json, result->search);
	json_number(&json, "executions", result->executions);
	json_number(&json, "blocked", result->blocked);
	json_number(&json, "assumed", result->assumed);
	json_number(&json, "transitions", result->transitions);
	if (result->stateful) {
		json_number(&json, "states", result->states);
		json_number(&json, "state_hits", result->state_hits);
		json_number(&json, "state_bytes", result->state_bytes);
		json_number(&json, "states_forgotten", result->states_forgotten);
		json_string(&json, "gave_up_states", result->gave_up_states);
	}
	json_number(&json, "threads", result->threads);
	json_number(&json, "max_depth", result->max_depth);
	json_real(&json, "wall_seconds", result->wall_seconds);
	if (result->nworkers)
		write_workers(&json, result);
	if (result->profiled)
		write_shares(&json, &result->shares);
	if (result->profiled && result->stateful && result->transitions)
		json_real(&json, "capture_ns_per_event",
			  result->shares.capture * result->wall_seconds * 1e9 / (double)result->transitions);
	json_number(&json, "seed", result->seed);
	json_open(&json, "bugs", '[');
	for (unsigned i = 0; i < result->nfindings; i++)
		write_finding(&json, result->findings[i], symbols);
	json_close(&json);
	json_open(&json, "warnings", '[');
	for (unsigned i = 0; i < result->nwarnings; i++)
		write_finding(&json, result->warnings[i], symbols);
	json_close(&json);
	write_limits(&json, result, symbols);
	write_notes(&json, result, symbols);
	json_close(&json);
}
