/*
 * The result for scripts: one JSON object.  Members are only ever added.
 */
#include "common/json.h"

#include "common/version.h"

#include "report/report.h"

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

	thread_name_format(finding->recording.names, thread, name, sizeof name);
	json_string(json, "thread", name);
}

static void write_place(struct json *json, struct place place)
{
	json_string(json, "file", known(place.file));
	json_number(json, "line", place.line);
	json_number(json, "column", place.column);
	json_string(json, "function", known(place.function));
}

static void write_finding(struct json *json, const struct finding *finding, struct symbols *symbols)
{
	struct place place = {.file = ""};

	if (finding->fault_pc)
		place = symbols_code(symbols, finding->fault_pc);
	if (!*place.file)
		place = symbols_site(symbols, finding->site);
	json_open(json, NULL, '{');
	json_string(json, "kind", finding_kind_name(finding->kind));
	json_string(json, "message", finding->message);
	write_thread(json, finding, finding->thread);
	write_place(json, place);
	if (finding->kind == FINDING_RACE) {
		json_open(json, "other", '{');
		write_thread(json, finding, finding->other_thread);
		write_place(json, symbols_site(symbols, finding->other_site));
		json_close(json);
	}
	json_string(json, "trace", finding->trace_path);
	json_number(json, "preemptions", finding->preemptions);
	json_number(json, "count", finding->count);
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
	json_number(&json, "threads", result->threads);
	json_number(&json, "max_depth", result->max_depth);
	json_real(&json, "wall_seconds", result->wall_seconds);
	json_number(&json, "seed", result->seed);
	json_open(&json, "bugs", '[');
	for (unsigned i = 0; i < result->nfindings; i++)
		write_finding(&json, result->findings[i], symbols);
	json_close(&json);
	json_close(&json);
}
