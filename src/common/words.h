/*
 * A list of strings that grows, NULL-terminated at any time like an argv.
 * words_init() first; the list owns copies of its strings.
 */
#ifndef INSPECT_COMMON_WORDS_H
#define INSPECT_COMMON_WORDS_H

#include <stddef.h>

struct words {
	char **items; /* count strings and a NULL */
	size_t count, capacity;
};

void words_init(struct words *words);
void words_add(struct words *words, const char *word);
void words_release(struct words *words);
/* The array, which is the caller's to free with words_free(); the list is released. */
char **words_take(struct words *words);
void words_free(char **items);

#endif
