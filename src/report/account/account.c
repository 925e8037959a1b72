#include "report/account/account.h"

#include "common/invariant.h"
#include "common/trouble.h"
#include "report/account/telling.h"

#include <stdlib.h>
#include <string.h>

struct place finding_place(const struct finding *finding, struct symbols *symbols)
{
	struct place place = {.file = ""};

	if (finding->fault_pc)
		place = symbols_code(symbols, finding->fault_pc);
	return *place.file ? place : symbols_site(symbols, finding->site);
}

void finding_finish_message(struct finding *finding, struct symbols *symbols)
{
	const struct telling *telling = telling_of(finding);
	struct story story;

	invariant(finding->message);
	debug_invariant(finding_is_valid(finding));
	if (!telling->message)
		return;
	story_init(&story, &finding->execution, symbols);
	char *message = telling->message(finding, &story);
	if (!message)
		return;
	free(finding->message);
	finding->message = message;
}

/* --- passages --- */

static void add_passage(struct account *account, enum passage_kind kind, char *text)
{
	invariant(*text);
	/* it belongs to the statement before it */
	invariant(kind == PASSAGE_STATEMENT || account->npassages);
	account->passages = xrealloc(account->passages, (account->npassages + 1ul) * sizeof *account->passages);
	account->passages[account->npassages++] = (struct passage){.kind = kind, .text = text};
}

void account_add(struct account *account, enum passage_kind kind, struct buffer *text)
{
	if (text->size)
		add_passage(account, kind, buffer_take(text));
}

void account_say(struct account *account, const char *statement)
{
	add_passage(account, PASSAGE_STATEMENT, xstrdup(statement));
}

void account_quote(struct account *account, const struct story *story, struct place place)
{
	const char *line = symbols_source_line(story->symbols, place);

	if (line && *line)
		add_passage(account, PASSAGE_SOURCE, xstrdup(line));
}

/* --- the whole --- */

/* What neither the heading nor the explanation would say. */
static void add_rest_of_message(struct account *account, const struct telling *telling, const char *gist)
{
	const struct finding *finding = account->finding;
	char *whole = make_whole_heading(account, telling->retells ? gist : finding->message);
	bool place_follows = telling->retells && finding_table[finding->kind].quotes;

	if (!strstr(account->heading, place_follows ? gist : whole))
		account_say(account, whole);
	free(whole);
}

static void add_heading(struct account *account, const struct story *story)
{
	const struct finding *finding = account->finding;
	const struct telling *telling = telling_of(finding);
	char *gist = telling->gist ? telling->gist(finding, story) : xstrdup(finding->message);

	account->heading = make_heading(account, gist);
	add_rest_of_message(account, telling, gist);
	free(gist);
}

static void add_details(struct account *account, const struct story *story, enum report_detail detail)
{
	const struct execution *execution = &account->finding->execution;
	const struct finding *finding = account->finding;

	if (!finding_table[finding->kind].quotes)
		account->source = symbols_source_line(story->symbols, account->place);
	telling_of(finding)->explain(account, finding, story);
	if (execution->nevents)
		interleaving_init(&account->interleaving, finding, story, detail);
	account->outputs[0] = (struct output){"Program output", execution->output, execution->stdout_size};
	account->outputs[1] = (struct output){"Program errors (stderr)", execution->errors, execution->stderr_size};
}

void account_init(struct account *account, const struct finding *finding, struct symbols *symbols,
		  enum report_detail detail)
{
	struct story story;
	struct buffer text = {0};

	invariant(finding->message);
	debug_invariant(finding_is_valid(finding));
	story_init(&story, &finding->execution, symbols);
	*account = (struct account){.finding = finding, .place = finding_place(finding, symbols)};
	add_thread(&text, &story, finding->thread);
	account->thread = buffer_take(&text);
	add_heading(account, &story);
	if (finding_table[finding->kind].key_rows == KEY_ACCESSES)
		account->accesses = make_accesses(finding, &story);
	if (detail != REPORT_BRIEF)
		add_details(account, &story, detail);
	if (finding->trace_path)
		account->replay = xasprintf("inspect replay %s", finding->trace_path);
}

void account_release(struct account *account)
{
	for (unsigned i = 0; i < account->npassages; i++)
		free(account->passages[i].text);
	for (unsigned i = 0; i < 2 && account->accesses; i++)
		access_release(&account->accesses[i]);
	free(account->passages);
	free(account->accesses);
	free(account->thread);
	free(account->heading);
	free(account->replay);
	interleaving_release(&account->interleaving);
	*account = (struct account){0};
}
