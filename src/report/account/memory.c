/*
 * Misuse of memory in words: bad accesses and frees, and leaks.
 */
#include "report/account/telling.h"

#include "common/invariant.h"
#include "report/holding.h"

/* --- one line --- */

static void add_who(struct buffer *text, const struct story *story, uint32_t thread, uint32_t site)
{
	add_thread(text, story, thread);
	buffer_add_text(text, " at ");
	add_place(text, story, symbols_site(story->symbols, site));
}

/* The block of a bad access or free: who allocated and freed it. */
static char *memory_message(const struct finding *finding, const struct story *story)
{
	const struct block_info *block = &finding->execution.block;
	struct buffer text = {0};

	if (!block->address)
		return NULL;
	buffer_printf(&text, "%s (allocated by ", finding->message);
	add_who(&text, story, block->alloc_thread, block->alloc_site);
	if (block->freed) {
		buffer_add_text(&text, ", freed by ");
		add_who(&text, story, block->free_thread, block->free_site);
	}
	buffer_add_char(&text, ')');
	return buffer_take(&text);
}

static char *memory_gist(const struct finding *finding, const struct story *story)
{
	(void)story;
	return before_last_words(finding->message, " (allocated by ");
}

/* --- in detail --- */

/* "The block was allocated by main at a.c:12 and freed by main.1 at a.c:20"; where, with the function. */
static void explain_block(struct account *account, const struct story *story)
{
	const struct block_info *block = &story->execution->block;
	struct buffer text = {0};

	if (!block->address)
		return;
	invariant(block->alloc_thread < MAX_THREADS);
	invariant(!block->freed || block->free_thread < MAX_THREADS);
	buffer_add_text(&text, "The block was allocated by ");
	add_thread_role(&text, story, block->alloc_thread);
	buffer_add_text(&text, " at ");
	add_place_and_function(&text, story, symbols_site(story->symbols, block->alloc_site));
	account_add(account, PASSAGE_STATEMENT, &text);
	account_quote(account, story, symbols_site(story->symbols, block->alloc_site));
	if (block->freed) {
		buffer_add_text(&text, "and freed by ");
		add_thread_role(&text, story, block->free_thread);
		buffer_add_text(&text, " at ");
		add_place_and_function(&text, story, symbols_site(story->symbols, block->free_site));
		account_add(account, PASSAGE_STATEMENT, &text);
		account_quote(account, story, symbols_site(story->symbols, block->free_site));
	}
	buffer_release(&text);
}

static void explain_memory(struct account *account, const struct finding *finding, const struct story *story)
{
	explain_by_thread(account, finding, story);
	explain_block(account, story);
}

static void explain_leak(struct account *account, const struct finding *finding, const struct story *story)
{
	struct buffer text = {0};

	buffer_add_text(&text, "Allocated by ");
	add_thread_role(&text, story, finding->thread);
	buffer_add_text(&text, "; when the program ends, no variable, stack or reachable block points there.");
	account_add(account, PASSAGE_STATEMENT, &text);
	buffer_release(&text);
}

const struct telling telling_memory = {
	.message = memory_message,
	.gist = memory_gist,
	.explain = explain_memory,
	.retells = true,
};

const struct telling telling_leak = {.explain = explain_leak};
