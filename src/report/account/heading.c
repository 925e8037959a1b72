/*
 * The line that a report begins with: "RACE: data race on counter, at x.c:12 in worker".
 *
 * It fits on one line of HEADING_WIDTH columns. Where it would not, the path gives way first, then the function, then
 * what is said; the account says the rest below.
 */
#include "report/account/telling.h"

#include "common/invariant.h"
#include "common/trouble.h"
#include "common/utf8.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum {
	MIN_FILE = 24, /* columns that remain of a long path … */
	MIN_FUNCTION = 24, /* … and of the name of a function */
	MIN_GIST = 16, /* less than that says nothing */
	LONG_WORD = 24, /* a name, of which both ends matter */
};

/* --- shorter texts --- */

/* So many columns of it at most: the middle is left out. */
static char *elide(const char *text, size_t columns)
{
	size_t width = utf8_width(text), tail = (columns - 1) / 2, head = columns - 1 - tail;

	invariant(columns > 0);
	if (width <= columns)
		return xstrdup(text);
	return xasprintf("%.*s…%s", (int)utf8_fit(text, head), text, text + utf8_fit(text, width - tail));
}

/* A path keeps the name of its file, if that is not too long itself. */
static char *elide_path(const char *path, size_t columns)
{
	size_t width = utf8_width(path);

	if (width <= columns)
		return xstrdup(path);
	for (const char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/'))
		if (utf8_width(slash) < columns)
			return xasprintf("…%s", slash);
	return elide(path, columns);
}

/* How much of the text comes before the last comma, colon or bracket that leaves it fit; 0 if there is none. */
static size_t clause_length(const char *text, size_t columns)
{
	size_t quoted = strcspn(text, "`"), most = 0;

	for (size_t i = 0; i < quoted && utf8_fit(text, columns) >= i; i++)
		if ((strchr(",;:", text[i]) && text[i + 1] == ' ') || !strncmp(text + i, " (", 2))
			most = i;
	return most < MIN_GIST ? 0 : most;
}

/* Does it begin with words, at which it may be cut, and not with a name or a quotation? */
static bool is_prose(const char *text, size_t columns)
{
	const char *end = text + utf8_fit(text, columns);

	while (text < end) {
		size_t length = strcspn(text, " ");
		if (length > LONG_WORD || memchr(text, '`', length))
			return false;
		text += length + strspn(text + length, " ");
	}
	return true;
}

static char *shorten(const char *gist, size_t columns)
{
	size_t clause = clause_length(gist, columns), cut = utf8_fit(gist, columns - 1);

	if (utf8_width(gist) <= columns)
		return xstrdup(gist);
	if (clause)
		return xasprintf("%.*s", (int)clause, gist);
	if (!is_prose(gist, columns))
		return elide(gist, columns);
	invariant(cut < strlen(gist));
	while (cut && gist[cut] != ' ')
		cut--;
	return cut ? xasprintf("%.*s…", (int)cut, gist) : elide(gist, columns);
}

char *before_words(const char *message, const char *words)
{
	const char *end = strstr(message, words);

	return end ? xasprintf("%.*s", (int)(end - message), message) : xstrdup(message);
}

char *before_last_words(const char *message, const char *words)
{
	const char *end = NULL, *next = message;

	while ((next = strstr(next, words)))
		end = next++;
	return end ? xasprintf("%.*s", (int)(end - message), message) : xstrdup(message);
}

/* --- the line --- */

struct parts {
	char *gist, *file, *function;
	unsigned line;
};

/* "data race on counter, at x.c:12 in worker" */
static void add_parts(struct buffer *text, const struct parts *parts)
{
	buffer_add_text(text, parts->gist);
	if (*parts->file)
		buffer_printf(text, ", at %s:%u", parts->file, parts->line);
	if (*parts->function)
		buffer_printf(text, " in %s", parts->function);
}

static char *compose(enum finding_kind kind, const struct parts *parts)
{
	struct buffer text = {0};

	for (const char *c = finding_kind_name(kind); *c; c++)
		buffer_add_char(&text, (char)toupper((unsigned char)*c));
	buffer_add_text(&text, ": ");
	add_parts(&text, parts);
	return buffer_take(&text);
}

/* Columns that the line has too many. */
static size_t excess(enum finding_kind kind, const struct parts *parts)
{
	char *line = compose(kind, parts);
	size_t width = utf8_width(line);

	free(line);
	return width > HEADING_WIDTH ? width - HEADING_WIDTH : 0;
}

/* Makes the part as much shorter as the line needs, but leaves it so many columns. */
static void give_way(char **part, size_t columns, size_t least, char *(*shortened)(const char *, size_t))
{
	size_t width = utf8_width(*part), left = width > columns ? width - columns : 1;
	char *shorter = shortened(*part, left > least ? left : least);

	invariant(utf8_width(shorter) <= (left > least ? left : least));
	free(*part);
	*part = shorter;
}

/* What a program says may have several lines. */
static char *one_line(const char *text)
{
	char *line = xstrdup(text);

	for (char *c = line; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = ' ';
	return line;
}

static struct parts parts_of(const struct account *account, const char *gist)
{
	return (struct parts){
		.gist = one_line(gist),
		.file = xstrdup(account->place.file),
		.function = xstrdup(account->place.function),
		.line = account->place.line,
	};
}

static void parts_release(struct parts *parts)
{
	free(parts->gist);
	free(parts->file);
	free(parts->function);
}

char *make_heading(const struct account *account, const char *gist)
{
	enum finding_kind kind = account->finding->kind;
	struct parts parts = parts_of(account, gist);

	give_way(&parts.file, excess(kind, &parts), MIN_FILE, elide_path);
	give_way(&parts.function, excess(kind, &parts), MIN_FUNCTION, elide);
	give_way(&parts.gist, excess(kind, &parts), 1, shorten);
	char *line = compose(kind, &parts);
	invariant(utf8_width(line) <= HEADING_WIDTH);
	parts_release(&parts);
	return line;
}

char *make_whole_heading(const struct account *account, const char *message)
{
	struct parts parts = parts_of(account, message);
	struct buffer text = {0};

	add_parts(&text, &parts);
	parts_release(&parts);
	return buffer_take(&text);
}
