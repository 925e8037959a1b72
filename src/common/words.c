#include "common/words.h"

#include "common/trouble.h"

#include <stdlib.h>

void words_init(struct words *words)
{
	words->count = 0;
	words->capacity = 8;
	words->items = xcalloc(words->capacity, sizeof *words->items);
}

void words_add(struct words *words, const char *word)
{
	if (words->count + 1 == words->capacity) {
		words->capacity *= 2;
		words->items = xrealloc(words->items, words->capacity * sizeof *words->items);
	}
	words->items[words->count++] = xstrdup(word);
	words->items[words->count] = NULL;
}

void words_free(char **items)
{
	for (char **item = items; item && *item; item++)
		free(*item);
	free(items);
}

void words_release(struct words *words)
{
	words_free(words->items);
	*words = (struct words){0};
}

char **words_take(struct words *words)
{
	char **items = words->items;

	*words = (struct words){0};
	return items;
}
