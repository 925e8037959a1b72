/*
 * How findings of a kind are put into words. Each kind names its telling in result/findings.def, each telling is defined
 * in the file of this folder that knows about such findings.
 */
#ifndef INSPECT_REPORT_ACCOUNT_TELLING_H
#define INSPECT_REPORT_ACCOUNT_TELLING_H

#include "report/account/account.h"
#include "report/story.h"

struct telling {
	/* All in one line, with names; NULL, or without the function: what the search said is good. The caller's to free. */
	char *(*message)(const struct finding *finding, const struct story *story);
	/* The same in few words, for the heading; without the function: the message, as much as fits. The caller's to free. */
	char *(*gist)(const struct finding *finding, const struct story *story);
	/* Adds to the account why it is a bug. */
	void (*explain)(struct account *account, const struct finding *finding, const struct story *story);
	/*
	 * The explanation says all that the message says. Otherwise the message comes before it, unless the heading has all
	 * of it.
	 */
	bool retells;
};

extern const struct telling telling_plain;
#define FINDING(id, name, how, ...) extern const struct telling telling_##how;
#include "result/findings.def"
#undef FINDING

const struct telling *telling_of(const struct finding *finding);

/* --- what tellings are made of --- */

/* The text, which is empty afterwards, as the next passage; an empty one is none. */
void account_add(struct account *account, enum passage_kind kind, struct buffer *text);
void account_say(struct account *account, const char *statement);
/* The source line, if it can be read. */
void account_quote(struct account *account, const struct story *story, struct place place);

/* What the message says before the first of these words; all of it if it does not have them. The caller's to free. */
char *before_words(const char *message, const char *words);
/* … or the last of them. */
char *before_last_words(const char *message, const char *words);

/* "In thread main.1 (worker), holding m (since x.c:3, step 4)", and from where the thread was called. */
void explain_by_thread(struct account *account, const struct finding *finding, const struct story *story);
/* Who waits, for what, who holds it, and the cycle. */
void explain_deadlock(struct account *account, const struct finding *finding, const struct story *story);
/* The two accesses of a race, in the order of the finding's threads. */
struct access *make_accesses(const struct finding *finding, const struct story *story);
void access_release(struct access *access);
/* The step at which the thread passed the site for the last time, or NO_STEP. */
uint32_t finding_step(const struct story *story, uint32_t thread, uint32_t site);

/* The line that an account begins with: kind, gist and place, shortened where it must be. The caller's to free. */
char *make_heading(const struct account *account, const char *gist);
/* Message and place, however long they are; one line, the caller's to free. */
char *make_whole_heading(const struct account *account, const char *message);
/* The operations as rows; detail says how many of a long execution. */
void interleaving_init(struct interleaving *interleaving, const struct finding *finding, const struct story *story,
		       enum report_detail detail);
void interleaving_release(struct interleaving *interleaving);

/* --- and reports --- */

struct place finding_place(const struct finding *finding, struct symbols *symbols);
/* The verdict in a sentence, and the numbers in another; the caller's to free. */
char *make_sentence(const struct report *report);
char *make_numbers(const struct result *result);
struct remark make_limit(const struct result *result, const struct limit *limit, struct symbols *symbols);
struct remark make_note(const struct note *note, const struct symbols *symbols);

#endif
