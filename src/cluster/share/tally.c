#include "cluster/share/tally.h"

#include <stdlib.h>
#include <string.h>

#include "common/invariant.h"
#include "common/trouble.h"
#include "storage/memory.h"

/* --- findings --- */

void finding_add(struct result *result, struct finding *finding)
{
	if (result_find(result, finding))
		finding_free(finding);
	else
		result_add(result, finding);
}

/* --- notes --- */

static void add_note(struct result *result, struct note note)
{
	for (unsigned i = 0; i < result->nnotes; i++)
		if (result->notes[i].object_kind == note.object_kind && result->notes[i].site == note.site)
			return;
	result->notes = memory_resize(result->notes, (result->nnotes + 1) * sizeof *result->notes);
	result->notes[result->nnotes++] = note;
}

/* --- outcomes --- */

void outcomes_pack(const struct outcomes *outcomes, struct buffer *buffer)
{
	invariant(outcomes->lines.count == outcomes->ends.count);
	pack_number(buffer, outcomes->lines.count);
	for (uint32_t i = 0; i < outcomes->lines.count; i++)
		pack_text(buffer, outcomes->lines.items[i]);
	pack_items(buffer, outcomes->classes.keys, outcomes->classes.count, sizeof *outcomes->classes.keys);
}

void outcomes_unpack(struct outcomes *outcomes, struct packed *packed)
{
	for (uint32_t left = unpack_count(packed, 1); left; left--) {
		char *line = unpack_text(packed);
		if (line)
			outcomes_add_line(outcomes, line);
	}
	for (uint32_t left = unpack_count(packed, sizeof(uint64_t)); left; left--) {
		uint64_t hash;
		unpack_raw(packed, &hash, sizeof hash);
		outcomes_add_class(outcomes, hash);
	}
}

/* --- all of it --- */

void tally_forget(struct explorer *explorer, struct told *told)
{
	struct result *result = explorer->result;

	result_start_again(result);
	outcomes_release(&explorer->outcomes);
	explorer->unsure = false;
	free(told->findings.counts);
	free(told->warnings.counts);
	free(told->limits);
	*told = (struct told){0};
}

static void pack_counts(struct finding **findings, unsigned count, struct told_counts *told, struct buffer *buffer)
{
	invariant(told->count <= count); /* findings stay, in their order */
	told->counts = xrealloc(told->counts, (count + 1) * sizeof *told->counts);
	for (; told->count < count; told->count++)
		told->counts[told->count] = 0;
	pack_number(buffer, count);
	for (unsigned i = 0; i < count; i++) {
		const struct finding *finding = findings[i];
		invariant(finding->count >= told->counts[i]);
		pack_number(buffer, finding->kind);
		pack_number(buffer, finding->site);
		pack_number(buffer, finding->other_site);
		pack_number(buffer, finding->count - told->counts[i]);
		told->counts[i] = finding->count;
	}
}

static void unpack_counts(const struct result *result, bool warnings, struct packed *packed)
{
	for (uint32_t left = unpack_count(packed, 4); left; left--) {
		struct finding wanted = {.warning = warnings, .kind = (enum finding_kind)unpack_number(packed)};
		wanted.site = (uint32_t)unpack_number(packed);
		wanted.other_site = (uint32_t)unpack_number(packed);
		uint64_t count = unpack_number(packed);
		struct finding *finding = result_find(result, &wanted);
		if (finding)
			finding->count += count;
	}
}

static void pack_limits(const struct result *result, struct told *told, struct buffer *buffer)
{
	invariant(told->nlimits <= result->nlimits);
	told->limits = xrealloc(told->limits, (result->nlimits + 1) * sizeof *told->limits);
	for (; told->nlimits < result->nlimits; told->nlimits++)
		told->limits[told->nlimits] = 0;
	told->cut = result_cut_steps(result);
	pack_number(buffer, result->nlimits);
	for (unsigned i = 0; i < result->nlimits; i++) {
		struct limit limit = result->limits[i];
		invariant(limit.count >= told->limits[i]);
		limit.count -= told->limits[i];
		told->limits[i] += limit.count;
		pack_raw(buffer, &limit, sizeof limit);
	}
}

static void unpack_limits(struct result *result, struct packed *packed)
{
	for (uint32_t left = unpack_count(packed, sizeof(struct limit)); left; left--) {
		struct limit limit;
		unpack_raw(packed, &limit, sizeof limit);
		if (!packed->broken && limit.thread < MAX_THREADS && limit.count)
			result_add_limit(result, &limit);
	}
}

void tally_pack(struct explorer *explorer, struct told *told, struct buffer *buffer)
{
	const struct result *result = explorer->result;

	invariant(result->executions >= told->executions && result->blocked >= told->blocked);
	invariant(result->assumed >= told->assumed && result->transitions >= told->transitions);
	invariant(result->nnotes >= told->nnotes);
	pack_number(buffer, result->executions - told->executions);
	pack_number(buffer, result->blocked - told->blocked);
	pack_number(buffer, result->assumed - told->assumed);
	pack_number(buffer, result->transitions - told->transitions);
	told->executions = result->executions;
	told->blocked = result->blocked;
	told->assumed = result->assumed;
	told->transitions = result->transitions;
	pack_number(buffer, result->max_depth);
	pack_number(buffer, result->threads);
	pack_number(buffer, explorer->unsure);
	pack_counts(result->findings, result->nfindings, &told->findings, buffer);
	pack_counts(result->warnings, result->nwarnings, &told->warnings, buffer);
	pack_limits(result, told, buffer);
	pack_number(buffer, result->nnotes - told->nnotes);
	for (; told->nnotes < result->nnotes; told->nnotes++)
		pack_raw(buffer, &result->notes[told->nnotes], sizeof *result->notes);
	outcomes_pack(&explorer->outcomes, buffer);
	outcomes_release(&explorer->outcomes);
}

static uint32_t larger(uint32_t a, uint64_t b)
{
	return b > a ? (uint32_t)b : a;
}

void tally_add(struct result *result, struct outcomes *outcomes, bool *unsure, struct packed *packed)
{
	result->executions += unpack_number(packed);
	result->blocked += unpack_number(packed);
	result->assumed += unpack_number(packed);
	result->transitions += unpack_number(packed);
	result->max_depth = larger(result->max_depth, unpack_number(packed));
	result->threads = larger(result->threads, unpack_number(packed));
	*unsure |= unpack_number(packed);
	unpack_counts(result, false, packed);
	unpack_counts(result, true, packed);
	unpack_limits(result, packed);
	for (uint32_t left = unpack_count(packed, sizeof(struct note)); left; left--) {
		struct note note;
		unpack_raw(packed, &note, sizeof note);
		add_note(result, note);
	}
	outcomes_unpack(outcomes, packed);
}

/* --- for files --- */

static void pack_findings(struct finding **findings, unsigned count, struct buffer *buffer)
{
	pack_number(buffer, count);
	for (unsigned i = 0; i < count; i++) {
		finding_pack(findings[i], buffer);
		pack_number(buffer, findings[i]->count);
	}
}

static void unpack_findings(struct result *result, struct packed *packed)
{
	for (uint32_t left = unpack_count(packed, sizeof(struct finding)); left && !packed->broken; left--) {
		struct finding *finding = finding_unpack(packed);
		finding->count = unpack_number(packed);
		finding_add(result, finding);
	}
}

void result_pack(const struct result *result, struct buffer *buffer)
{
	pack_number(buffer, result->executions);
	pack_number(buffer, result->blocked);
	pack_number(buffer, result->assumed);
	pack_number(buffer, result->transitions);
	pack_number(buffer, result->max_depth);
	pack_number(buffer, result->threads);
	pack_items(buffer, result->notes, result->nnotes, sizeof *result->notes);
	pack_items(buffer, result->limits, result->nlimits, sizeof *result->limits);
	pack_findings(result->findings, result->nfindings, buffer);
	pack_findings(result->warnings, result->nwarnings, buffer);
}

void result_unpack(struct result *result, struct packed *packed)
{
	result->executions = unpack_number(packed);
	result->blocked = unpack_number(packed);
	result->assumed = unpack_number(packed);
	result->transitions = unpack_number(packed);
	result->max_depth = (uint32_t)unpack_number(packed);
	result->threads = (uint32_t)unpack_number(packed);
	result->notes = unpack_items(packed, &result->nnotes, sizeof *result->notes);
	unpack_limits(result, packed);
	unpack_findings(result, packed);
	unpack_findings(result, packed);
}
