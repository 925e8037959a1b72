#include "report/account/account.h"

#include "common/invariant.h"
#include "common/trouble.h"
#include "explore/strategies.h"
#include "report/account/telling.h"

#include <stdlib.h>

static const char *const verdict_names[] = {
	[VERDICT_VERIFIED] = "verified",
	[VERDICT_BUG] = "bug",
	[VERDICT_INCOMPLETE] = "incomplete",
};

static const char *const *reductions_of(const char *search)
{
	const struct strategy *strategy = strategy_find(search);

	if (!strategy) /* one that is not listed must not pass for one that leaves nothing out */
		failure("nothing is known of the reductions of the search `%s'", search);
	return strategy->reductions;
}

static struct account *make_accounts(struct finding *const *findings, unsigned count, struct symbols *symbols,
				     enum report_detail detail)
{
	struct account *accounts = xcalloc(count + 1ul, sizeof *accounts);

	for (unsigned i = 0; i < count; i++)
		account_init(&accounts[i], findings[i], symbols, detail);
	return accounts;
}

static void add_remarks(struct report *report, struct symbols *symbols)
{
	const struct result *result = report->result;

	report->limits = xcalloc(result->nlimits + 1ul, sizeof *report->limits);
	report->notes = xcalloc(result->nnotes + 1ul, sizeof *report->notes);
	for (unsigned i = 0; i < result->nlimits; i++)
		report->limits[i] = make_limit(result, &result->limits[i], symbols);
	for (unsigned i = 0; i < result->nnotes; i++)
		report->notes[i] = make_note(&result->notes[i], symbols);
}

void report_init(struct report *report, const struct result *result, struct symbols *symbols, enum report_detail detail)
{
	debug_invariant(result_is_valid(result));
	invariant(result->verdict < sizeof verdict_names / sizeof *verdict_names);
	invariant(result->search);
	/* how much of it text shows is one thing, what files are to have another */
	enum report_detail told = detail == REPORT_BRIEF ? REPORT_NORMAL : detail;
	*report = (struct report){
		.result = result,
		.detail = detail,
		.verdict = verdict_names[result->verdict],
		.reductions = reductions_of(result->search),
		.findings = make_accounts(result->findings, result->nfindings, symbols, told),
		/* a warning is one line, whatever is told of bugs */
		.warnings = make_accounts(result->warnings, result->nwarnings, symbols, REPORT_BRIEF),
	};
	add_remarks(report, symbols);
	report->sentence = make_sentence(report);
	report->numbers = make_numbers(result);
}

static void release_accounts(struct account *accounts, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		account_release(&accounts[i]);
	free(accounts);
}

static void release_remarks(struct remark *remarks, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		free(remarks[i].message);
		free(remarks[i].thread);
	}
	free(remarks);
}

void report_release(struct report *report)
{
	release_accounts(report->findings, report->result->nfindings);
	release_accounts(report->warnings, report->result->nwarnings);
	release_remarks(report->limits, report->result->nlimits);
	release_remarks(report->notes, report->result->nnotes);
	free(report->sentence);
	free(report->numbers);
	*report = (struct report){0};
}
