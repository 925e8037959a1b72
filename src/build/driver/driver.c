/*
 * The answer has a few lines about the compiler itself, then one line for each program:
 *
 *    "/usr/bin/ld" "-pie" "-o" "a.out" "a file.o"
 *
 * A backslash stands before each quote, backslash and dollar sign inside the quotes.
 */
#define _GNU_SOURCE
#include "build/driver/driver.h"

#include "common/buffer.h"
#include "common/invariant.h"

#include <string.h>

static bool has_prefix(const char *text, const char *end, const char *prefix)
{
	size_t length = strlen(prefix);

	invariant(text <= end);
	return (size_t)(end - text) >= length && !memcmp(text, prefix, length);
}

static bool is_about_compiler(const char *line, const char *end)
{
	static const char *const beginnings[] = {"Target: ", "Thread model: ", "InstalledDir: ", "Build config: "};

	for (unsigned i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
		if (has_prefix(line, end, beginnings[i]))
			return true;
	/* "Debian clang version 19.1.7 (3)", but not "clang: warning: …" */
	return memmem(line, (size_t)(end - line), "clang version ", strlen("clang version ")) &&
	       !memchr(line, ':', (size_t)(end - line));
}

/* One word in quotes; returns what follows it, or NULL. */
static const char *read_word(const char *at, const char *end, struct buffer *word)
{
	buffer_clear(word);
	if (at == end || *at++ != '"')
		return NULL;
	for (; at < end && *at != '"'; at++) {
		if (*at == '\\' && ++at == end)
			return NULL;
		buffer_add_char(word, *at);
	}
	invariant(at <= end);
	return at < end ? at + 1 : NULL;
}

static bool read_command(const char *at, const char *end, struct list *command)
{
	struct buffer word = {0};

	while (at && at < end && *at == ' ') {
		at = read_word(at + 1, end, &word);
		if (at)
			list_add(command, buffer_text(&word));
	}
	invariant(!at || at <= end);
	buffer_release(&word);
	return at == end;
}

bool driver_linker_command(const char *answer, size_t size, struct list *command)
{
	const char *end = answer + size;
	struct list found = {0};
	bool usable = true;

	for (const char *line = answer, *next; line < end && usable; line = next + 1) {
		next = memchr(line, '\n', (size_t)(end - line));
		if (!next)
			next = end;
		if (!is_about_compiler(line, next))
			usable = !found.count && read_command(line, next, &found);
	}
	usable = usable && found.count;
	for (unsigned i = 0; usable && i < found.count; i++)
		list_add(command, found.items[i]);
	invariant(!usable || command->count >= found.count);
	list_release(&found);
	return usable;
}
