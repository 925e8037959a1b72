/*
 * Misuse of locks in words.
 */
#include "report/account/telling.h"

#include "common/invariant.h"
#include "report/holding.h"

#include <inttypes.h>
#include <string.h>

/* --- a thread that ends and holds one --- */

/* "main.1 ends while it holds m (locked at x.c:3)" */
static char *held_message(const struct finding *finding, const struct story *story)
{
	struct buffer text = {0};
	struct held held;

	held_init(&held, story->execution->events, story->execution->nevents);
	for (size_t i = 0; i < held.count && !text.size; i++) {
		const struct held_lock *lock = &held.items[i];
		if (lock->thread != finding->thread || lock->object != finding->object)
			continue;
		add_thread(&text, story, lock->thread);
		buffer_add_text(&text, " ends while it holds ");
		add_lock(&text, story, lock);
		buffer_add_char(&text, ' ');
		add_locked_at(&text, story, lock);
	}
	held_release(&held);
	return text.size ? buffer_take(&text) : NULL;
}

static char *held_gist(const struct finding *finding, const struct story *story)
{
	(void)story;
	return before_last_words(finding->message, " (");
}

static void explain_held_lock(struct account *account, const struct finding *finding, const struct story *story)
{
	struct buffer text = {0};
	struct held held;

	add_thread_role(&text, story, finding->thread);
	buffer_printf(&text, " ends at step %" PRIu32 " and still holds ", story->last[finding->thread] + 1);
	held_init(&held, story->execution->events, story->execution->nevents);
	add_held(&text, story, &held, finding->thread);
	buffer_add_text(&text, "; no other thread may unlock it.");
	account_add(account, PASSAGE_STATEMENT, &text);
	held_release(&held);
	buffer_release(&text);
}

static const struct telling telling_held = {
	.message = held_message,
	.gist = held_gist,
	.explain = explain_held_lock,
	.retells = true,
};

/* --- a call that is wrong --- */

/*
 * "pthread_mutex_unlock of a mutex that the thread does not hold: m".  The site names the
 * first thing that the call is about, which for a wait is not the mutex.
 */
static char *misuse_message(const struct finding *finding, const struct story *story)
{
	const char *name = symbols_site(story->symbols, finding->site).variable;
	struct buffer text = {0};

	if (!*name || strstr(finding->message, "pthread_cond_wait"))
		return NULL;
	buffer_printf(&text, "%s: %s", finding->message, name);
	return buffer_take(&text);
}

const struct telling telling_lock = {.message = misuse_message, .explain = explain_by_thread};

const struct telling *telling_of(const struct finding *finding)
{
	static const struct telling *const tellings[] = {
#define FINDING(id, name, how, ...) [FINDING_##id] = &telling_##how,
#include "result/findings.def"
#undef FINDING
	};

	invariant(finding->kind < FINDING_KINDS);
	return finding_is_held_lock(finding) ? &telling_held : tellings[finding->kind];
}
