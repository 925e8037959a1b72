#define _GNU_SOURCE
#include "build/driver/response.h"

#include "program/file.h"
#include "common/invariant.h"
#include "common/trouble.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_NESTING 8

static void expand(struct list *list, const char *argument, unsigned depth);

/* One argument from `at` on, unquoted into `word`; returns where it ended. */
static const char *read_word(const char *at, const char *end, char *word)
{
	char quote = 0;

	for (; at < end; at++) {
		if (*at == '\\' && at + 1 < end)
			*word++ = *++at;
		else if (quote ? *at == quote : *at == '\'' || *at == '"')
			quote = quote ? 0 : *at;
		else if (!quote && isspace((unsigned char)*at))
			break;
		else
			*word++ = *at;
	}
	*word = 0;
	return at;
}

static void expand_file(struct list *list, const char *path, unsigned depth)
{
	struct view file = file_map(path);
	const char *at = (const char *)file.bytes, *end = at + file.size;
	char *word = xmalloc(file.size + 1);

	for (;;) {
		while (at < end && isspace((unsigned char)*at))
			at++;
		if (at >= end)
			break;
		at = read_word(at, end, word);
		debug_invariant(strlen(word) <= file.size); /* unquoted, it is no longer than it was */
		expand(list, word, depth + 1);
	}
	free(word);
	file_unmap(file);
}

static void expand(struct list *list, const char *argument, unsigned depth)
{
	invariant(depth <= MAX_NESTING);
	if (argument[0] == '@' && depth < MAX_NESTING && !access(argument + 1, R_OK))
		expand_file(list, argument + 1, depth);
	else
		list_add(list, argument);
}

void expand_response_files(struct list *list, char *const argv[])
{
	for (; *argv; argv++)
		expand(list, *argv, 0);
}
