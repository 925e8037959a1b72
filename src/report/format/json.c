/*
 * The result for scripts: one JSON object.  Members are only ever added.
 */
#include "common/json.h"

#include "common/invariant.h"
#include "common/version.h"
#include "report/format/format.h"

static const char *known(const char *text)
{
	return *text ? text : NULL;
}

static void write_place(struct json *json, struct place place)
{
	json_string(json, "file", known(place.file));
	json_number(json, "line", place.line);
	json_number(json, "column", place.column);
	json_string(json, "function", known(place.function));
}

/* --- findings --- */

static void write_texts(struct json *json, const char *key, char *const *texts, unsigned count)
{
	json_open(json, key, '[');
	for (unsigned i = 0; i < count; i++)
		json_string(json, NULL, texts[i]);
	json_close(json);
}

static void write_stack(struct json *json, const struct access *access)
{
	json_open(json, "stack", '[');
	for (unsigned i = 0; i < access->nstack; i++) {
		json_open(json, NULL, '{');
		json_string(json, "file", known(access->stack[i].file));
		json_number(json, "line", access->stack[i].line);
		json_string(json, "function", known(access->stack[i].function));
		json_close(json);
	}
	json_close(json);
}

/* How the thread accesses what, and the locks it holds, and from where. */
static void write_access(struct json *json, const struct access *access)
{
	if (!access->known)
		return;
	invariant(access->variable && access->operation);
	invariant(access->nstack <= MAX_FRAMES);
	json_string(json, "variable", access->variable);
	json_string(json, "access", access->operation);
	json_bool(json, "atomic", access->atomic);
	write_texts(json, "locks", access->locks, access->nlocks);
	write_stack(json, access);
}

/* The first access is where the finding is. */
static void write_accesses(struct json *json, const struct access *accesses)
{
	write_access(json, &accesses[0]);
	json_open(json, "other", '{');
	json_string(json, "thread", accesses[1].thread);
	write_place(json, accesses[1].place);
	write_access(json, &accesses[1]);
	json_close(json);
}

/* Of a bug or a warning, which has no trace. */
static void write_account(struct json *json, const struct account *account)
{
	const struct finding *finding = account->finding;

	/* a trace is written of bugs only */
	invariant(!finding->warning || !finding->trace_path);
	invariant(!account->accesses == (finding_table[finding->kind].key_rows != KEY_ACCESSES));
	json_open(json, NULL, '{');
	json_string(json, "kind", finding_kind_name(finding->kind));
	json_string(json, "message", finding->message);
	json_string(json, "heading", account->heading);
	json_string(json, "thread", account->thread);
	write_place(json, account->place);
	if (account->accesses)
		write_accesses(json, account->accesses);
	if (!finding->warning)
		json_string(json, "trace", finding->trace_path);
	json_number(json, "preemptions", finding->preemptions);
	json_number(json, "count", finding->count);
	json_close(json);
}

static void write_accounts(struct json *json, const char *key, const struct account *accounts, unsigned count)
{
	json_open(json, key, '[');
	for (unsigned i = 0; i < count; i++)
		write_account(json, &accounts[i]);
	json_close(json);
}

/* --- the result --- */

static void write_notes(struct json *json, const struct report *report)
{
	json_open(json, "notes", '[');
	for (unsigned i = 0; i < report->result->nnotes; i++) {
		const struct remark *note = &report->notes[i];
		json_open(json, NULL, '{');
		json_string(json, "message", note->message);
		json_string(json, "file", known(note->place.file));
		json_number(json, "line", note->place.line);
		json_close(json);
	}
	json_close(json);
}

static void write_limits(struct json *json, const struct report *report)
{
	json_open(json, "limits", '[');
	for (unsigned i = 0; i < report->result->nlimits; i++) {
		const struct remark *limit = &report->limits[i];
		json_open(json, NULL, '{');
		json_string(json, "message", limit->message);
		json_string(json, "thread", limit->thread);
		write_place(json, limit->place);
		json_number(json, "count", limit->count);
		json_close(json);
	}
	json_close(json);
}

static void write_search(struct json *json, const struct report *report)
{
	json_open(json, "search", '{');
	json_string(json, "name", report->result->search);
	json_open(json, "reductions", '[');
	for (const char *const *reduction = report->reductions; *reduction; reduction++)
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
	json_real(json, "balance", result_balance(result));
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

void print_json(FILE *out, const struct report *report)
{
	const struct result *result = report->result;
	struct json json = {.out = out};

	json_open(&json, NULL, '{');
	json_string(&json, "version", INSPECT_VERSION);
	json_string(&json, "verdict", report->verdict);
	json_bool(&json, "complete", result->complete);
	json_string(&json, "stopped", result->stopped);
	write_search(&json, report);
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
	write_accounts(&json, "bugs", report->findings, result->nfindings);
	write_accounts(&json, "warnings", report->warnings, result->nwarnings);
	write_limits(&json, report);
	write_notes(&json, report);
	json_close(&json);
}
