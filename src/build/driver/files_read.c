#define _GNU_SOURCE
#include "build/driver/files_read.h"

#include "common/invariant.h"
#include "common/trouble.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool has_prefix(const char *text, const char *prefix)
{
	return !strncmp(text, prefix, strlen(prefix));
}

static void add_once(struct list *list, const char *item)
{
	for (unsigned i = 0; i < list->count; i++)
		if (!strcmp(list->items[i], item))
			return;
	list_add(list, item);
}

void files_read_release(struct files_read *files)
{
	list_release(&files->sources);
	list_release(&files->objects);
	list_release(&files->header_directories);
	list_release(&files->library_directories);
	list_release(&files->libraries);
	list_release(&files->toolchains);
	buffer_release(&files->messages);
}

static void add_file(struct files_read *files, struct list *list, const char *path)
{
	invariant(files->scratch && *files->scratch); /* every path begins with "" */
	invariant(*path);
	if (!has_prefix(path, files->scratch))
		add_once(list, path);
}

void files_read_add_object(struct files_read *files, const char *path)
{
	add_file(files, &files->objects, path);
}

/* ---- rules for make ---- */

static char *read_file(const char *path)
{
	struct buffer text = {0};
	char block[8192];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got = -1;

	while (fd >= 0 && ((got = read(fd, block, sizeof block)) > 0 || (got < 0 && errno == EINTR)))
		if (got > 0)
			buffer_add(&text, block, (size_t)got);
	if (fd >= 0)
		close(fd);
	if (!got)
		return buffer_take(&text);
	buffer_release(&text);
	return NULL;
}

/* One name from `at` on; returns what follows it, "" or "\n…" at the end of the rule. */
static const char *read_name(const char *at, struct buffer *name)
{
	buffer_clear(name);
	while (*at == ' ' || (*at == '\\' && at[1] == '\n'))
		at += *at == ' ' ? 1 : 2;
	while (*at && *at != ' ' && *at != '\n' && !(*at == '\\' && at[1] == '\n')) {
		if ((*at == '\\' && (at[1] == ' ' || at[1] == '#')) || (*at == '$' && at[1] == '$'))
			at++;
		buffer_add_char(name, *at++);
	}
	invariant(!*at || *at == ' ' || *at == '\n' || *at == '\\');
	return at;
}

void files_read_add_rules(struct files_read *files, const char *path, struct list *to)
{
	char *text = read_file(path);
	const char *at = text ? strstr(text, ": ") : NULL;
	struct buffer name = {0};

	files->unknown |= !at;
	for (at = at ? at + 1 : ""; *at && *at != '\n';) {
		at = read_name(at, &name);
		if (name.size)
			add_file(files, to, buffer_text(&name));
	}
	buffer_release(&name);
	free(text);
}

/* ---- where the compiler looks for headers ---- */

#define NONEXISTENT "ignoring nonexistent directory \""

static void add_directory(struct list *directories, const char *path)
{
	char *name = xstrdup(path);
	size_t length = strlen(name);

	while (length > 1 && name[length - 1] == '/')
		name[--length] = '\0';
	invariant(length == strlen(name));
	add_once(directories, name);
	free(name);
}

enum listing { LISTING_BEFORE, LISTING_INSIDE, LISTING_DONE };

/* Is the line part of the search list?  If so, what it says is taken. */
static bool take_line(struct files_read *files, char *line, enum listing *state)
{
	invariant(!strchr(line, '\n'));
	if (*state == LISTING_DONE)
		return false;
	if (!strcmp(line, "End of search list.")) {
		*state = LISTING_DONE;
	} else if (has_prefix(line, "#include ") && strstr(line, " search starts here:")) {
		*state = LISTING_INSIDE;
	} else if (*state == LISTING_INSIDE && *line == ' ') {
		add_directory(&files->header_directories, line + 1);
	} else if (has_prefix(line, NONEXISTENT) && line[strlen(line) - 1] == '"') {
		line[strlen(line) - 1] = '\0';
		add_directory(&files->header_directories, line + strlen(NONEXISTENT));
	} else {
		return has_prefix(line, "clang -cc1 version ") || has_prefix(line, "ignoring duplicate directory ") ||
		       has_prefix(line, "  as it is a non-system directory");
	}
	return true;
}

char *files_read_take_search_list(struct files_read *files, const char *text)
{
	enum listing state = LISTING_BEFORE;
	struct buffer rest = {0};

	while (*text) {
		const char *end = strchrnul(text, '\n');
		size_t length = (size_t)(end - text) + (*end == '\n');
		char *line = strndup(text, (size_t)(end - text));

		if (!line)
			failure("out of memory");
		if (!take_line(files, line, &state))
			buffer_add(&rest, text, length);
		free(line);
		text += length;
	}
	files->unknown |= state != LISTING_DONE;
	return rest.size ? buffer_take(&rest) : xstrdup("");
}

/* ---- where the linker looks for libraries ---- */

void files_read_add_library(struct files_read *files, const char *name)
{
	char *shared = xasprintf("lib%s.so", name), *archive = xasprintf("lib%s.a", name);

	if (*name == ':') {
		add_once(&files->libraries, name + 1);
	} else {
		add_once(&files->libraries, shared);
		add_once(&files->libraries, archive);
	}
	free(shared);
	free(archive);
}

void files_read_add_library_directory(struct files_read *files, const char *path)
{
	add_directory(&files->library_directories, path);
}

/* ".../gcc/x86_64-linux-gnu/12/crtbeginS.o": another version beside that one may be taken next time. */
static void add_toolchain(struct files_read *files, const char *path)
{
	char *directory = xstrdup(path);

	for (unsigned i = 0; i < 2 && strrchr(directory, '/'); i++)
		*strrchr(directory, '/') = '\0';
	invariant(strlen(directory) < strlen(path));
	add_once(&files->toolchains, directory);
	free(directory);
}

void files_read_add_linker(struct files_read *files, const struct list *command)
{
	invariant(command->count); /* the linker itself is the first word */
	/* the driver gives the linker's path, when there is one */
	files->unknown |= *command->items[0] != '/';
	files_read_add_object(files, command->items[0]);
	for (unsigned i = 1; i < command->count; i++) {
		const char *word = command->items[i];

		if (has_prefix(word, "-L"))
			files_read_add_library_directory(files, word + 2);
		else if (has_prefix(word, "-l"))
			files_read_add_library(files, word + 2);
		else if (strstr(word, "/crtbeginS.o"))
			add_toolchain(files, word);
	}
}
