#include "result/finding.h"

#include <stdlib.h>

#include "common/invariant.h"
#include "common/trouble.h"
#include "storage/memory.h"

const struct finding_info finding_table[FINDING_KINDS] = {
#define FINDING(id, json_name, how, ...) [FINDING_##id] = {.name = json_name, __VA_ARGS__},
#include "result/findings.def"
#undef FINDING
};

const char *finding_kind_name(enum finding_kind kind)
{
	invariant(kind < FINDING_KINDS);
	return finding_table[kind].name;
}

const struct finding_info *finding_at_place(unsigned verdict_place)
{
	for (unsigned kind = 0; kind < FINDING_KINDS; kind++)
		if (finding_table[kind].verdict_place == verdict_place)
			return &finding_table[kind];
	return NULL;
}

bool finding_is_valid(const struct finding *finding)
{
	return finding->kind < FINDING_KINDS && finding->message && finding->thread < MAX_THREADS &&
	       finding->other_thread < MAX_THREADS && execution_is_valid(&finding->execution);
}

void finding_free(struct finding *finding)
{
	execution_release(&finding->execution);
	free(finding->message);
	free(finding->trace_path);
	free(finding);
}

void finding_pack(const struct finding *finding, struct buffer *buffer)
{
	debug_invariant(finding_is_valid(finding));
	invariant(finding->message);
	pack_raw(buffer, finding, sizeof *finding);
	pack_text(buffer, finding->message);
	execution_pack(&finding->execution, buffer);
}

struct finding *finding_unpack(struct packed *packed)
{
	struct finding *finding = xcalloc(1, sizeof *finding);

	unpack_raw(packed, finding, sizeof *finding);
	finding->message = unpack_text(packed);
	finding->trace_path = NULL;
	execution_unpack(&finding->execution, packed);
	packed->broken |= packed->broken || !finding_is_valid(finding);
	return finding;
}

struct finding *result_find(const struct result *result, const struct finding *wanted)
{
	struct finding **list = wanted->warning ? result->warnings : result->findings;
	unsigned count = wanted->warning ? result->nwarnings : result->nfindings;

	invariant(wanted->kind < FINDING_KINDS);
	for (unsigned i = 0; i < count; i++)
		if (list[i]->kind == wanted->kind && list[i]->site == wanted->site &&
		    list[i]->other_site == wanted->other_site)
			return list[i];
	return NULL;
}

void result_add(struct result *result, struct finding *finding)
{
	struct finding ***list = finding->warning ? &result->warnings : &result->findings;
	unsigned *count = finding->warning ? &result->nwarnings : &result->nfindings;

	invariant(finding->message);
	/* a warning says how it becomes a bug */
	invariant(!finding->warning || finding_table[finding->kind].advice);
	/* who finds it again counts it */
	debug_invariant(!result_find(result, finding));
	*list = xrealloc(*list, (*count + 1) * sizeof(struct finding *));
	(*list)[(*count)++] = finding;
}

static void count_anew(struct finding **findings, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		findings[i]->count = 0;
		findings[i]->last_seen = UINT64_MAX;
	}
}

void result_start_again(struct result *result)
{
	count_anew(result->findings, result->nfindings);
	count_anew(result->warnings, result->nwarnings);
	result->nnotes = result->nlimits = 0;
	result->executions = result->blocked = result->assumed = result->transitions = 0;
	result->max_depth = 0;
}

/* The steps of an execution that was cut short, but not so many that one long execution would be enough. */
static uint64_t steps_spent(const struct result *result, const struct limit *limit)
{
	uint64_t most = MANY_CUT_STEPS / MIN_CUT;

	invariant(ending_is_cut(limit->ending));
	invariant(result->max_steps > 0);

	return limit->ending == ENDING_STEPS && result->max_steps < most ? result->max_steps : most;
}

uint64_t result_cut_steps(const struct result *result)
{
	uint64_t steps = 0;

	for (unsigned i = 0; i < result->nlimits; i++)
		steps += result->limits[i].count * steps_spent(result, &result->limits[i]);
	return steps;
}

void result_add_limit(struct result *result, const struct limit *limit)
{
	invariant(ending_is_cut(limit->ending));
	invariant(limit->count > 0);
	for (unsigned i = 0; i < result->nlimits; i++) {
		struct limit *known = &result->limits[i];
		if (known->ending != limit->ending || known->site != limit->site || known->fault_pc != limit->fault_pc)
			continue;
		known->count += limit->count;
		return;
	}
	result->limits = memory_resize(result->limits, (result->nlimits + 1) * sizeof *result->limits);
	result->limits[result->nlimits++] = *limit;
}

double result_balance(const struct result *result)
{
	uint64_t most = 0, sum = 0;

	for (unsigned i = 0; i < result->nworkers; i++) {
		sum += result->workers[i].executions;
		if (result->workers[i].executions > most)
			most = result->workers[i].executions;
	}
	invariant(most <= sum);
	invariant(most * result->nworkers >= sum); /* nobody did more than the busiest */
	return sum ? (double)most * result->nworkers / (double)sum : 1;
}

bool result_seeks(const struct result *result, const struct finding_info *info)
{
	switch (info->sought) {
	case SOUGHT_ALWAYS: return true;
	case SOUGHT_UNLESS_ENDLESS: return !result->endless;
	case SOUGHT_IF_ASKED: return result->leaks;
	case SOUGHT_BY_EXIT_POLICY: return result->exit_policy != EXIT_ANY;
	}
	return false;
}

static bool list_is_valid(const struct result *result, struct finding *const *findings, unsigned count, bool warnings)
{
	for (unsigned i = 0; i < count; i++) {
		const struct finding *finding = findings[i];
		if (finding->warning != warnings || !finding_is_valid(finding) ||
		    result_find(result, finding) != finding)
			return false;
	}
	return true;
}

static bool limits_are_valid(const struct result *result)
{
	for (unsigned i = 0; i < result->nlimits; i++)
		if (!ending_is_cut(result->limits[i].ending) || !result->limits[i].count)
			return false;
	return true;
}

/* A verdict says no more than is true. */
static bool verdict_is_valid(const struct result *result)
{
	if (result->complete && (result->stopped || result->nlimits))
		return false;
	switch (result->verdict) {
	case VERDICT_VERIFIED: return result->complete && !result->nfindings;
	case VERDICT_BUG: return result->nfindings > 0;
	case VERDICT_INCOMPLETE: return !result->complete && !result->nfindings;
	}
	return false;
}

bool result_is_valid(const struct result *result)
{
	return verdict_is_valid(result) && limits_are_valid(result) &&
	       list_is_valid(result, result->findings, result->nfindings, false) &&
	       list_is_valid(result, result->warnings, result->nwarnings, true);
}

void result_free(struct result *result)
{
	for (unsigned i = 0; i < result->nfindings; i++)
		finding_free(result->findings[i]);
	for (unsigned i = 0; i < result->nwarnings; i++)
		finding_free(result->warnings[i]);
	free(result->findings);
	free(result->warnings);
	memory_free(result->notes);
	memory_free(result->limits);
	free(result->workers);
	free(result->refusal);
	free(result->broken);
	memory_free(result);
}
