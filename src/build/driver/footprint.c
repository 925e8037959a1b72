#define _GNU_SOURCE
#include "build/driver/footprint.h"

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

void footprint_release(struct footprint *footprint)
{
	list_release(&footprint->sources);
	list_release(&footprint->objects);
	list_release(&footprint->header_directories);
	list_release(&footprint->library_directories);
	list_release(&footprint->libraries);
	list_release(&footprint->toolchains);
	buffer_release(&footprint->messages);
}

static void add_file(struct footprint *footprint, struct list *list, const char *path)
{
	if (!has_prefix(path, footprint->scratch))
		add_once(list, path);
}

void footprint_add_object(struct footprint *footprint, const char *path)
{
	add_file(footprint, &footprint->objects, path);
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
	return at;
}

void footprint_add_rules(struct footprint *footprint, const char *path, struct list *files)
{
	char *text = read_file(path);
	const char *at = text ? strstr(text, ": ") : NULL;
	struct buffer name = {0};

	footprint->unknown |= !at;
	for (at = at ? at + 1 : ""; *at && *at != '\n';) {
		at = read_name(at, &name);
		if (name.size)
			add_file(footprint, files, buffer_text(&name));
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
	add_once(directories, name);
	free(name);
}

enum listing { LISTING_BEFORE, LISTING_INSIDE, LISTING_DONE };

/* Is the line part of the search list?  If so, what it says is taken. */
static bool take_line(struct footprint *footprint, char *line, enum listing *state)
{
	if (*state == LISTING_DONE)
		return false;
	if (!strcmp(line, "End of search list.")) {
		*state = LISTING_DONE;
	} else if (has_prefix(line, "#include ") && strstr(line, " search starts here:")) {
		*state = LISTING_INSIDE;
	} else if (*state == LISTING_INSIDE && *line == ' ') {
		add_directory(&footprint->header_directories, line + 1);
	} else if (has_prefix(line, NONEXISTENT) && line[strlen(line) - 1] == '"') {
		line[strlen(line) - 1] = '\0';
		add_directory(&footprint->header_directories, line + strlen(NONEXISTENT));
	} else {
		return has_prefix(line, "clang -cc1 version ") || has_prefix(line, "ignoring duplicate directory ") ||
		       has_prefix(line, "  as it is a non-system directory");
	}
	return true;
}

char *footprint_take_search_list(struct footprint *footprint, const char *text)
{
	enum listing state = LISTING_BEFORE;
	struct buffer rest = {0};

	while (*text) {
		const char *end = strchrnul(text, '\n');
		size_t length = (size_t)(end - text) + (*end == '\n');
		char *line = strndup(text, (size_t)(end - text));

		if (!line)
			failure("out of memory");
		if (!take_line(footprint, line, &state))
			buffer_add(&rest, text, length);
		free(line);
		text += length;
	}
	footprint->unknown |= state != LISTING_DONE;
	return rest.size ? buffer_take(&rest) : xstrdup("");
}

/* ---- where the linker looks for libraries ---- */

void footprint_add_library(struct footprint *footprint, const char *name)
{
	char *shared = xasprintf("lib%s.so", name), *archive = xasprintf("lib%s.a", name);

	if (*name == ':') {
		add_once(&footprint->libraries, name + 1);
	} else {
		add_once(&footprint->libraries, shared);
		add_once(&footprint->libraries, archive);
	}
	free(shared);
	free(archive);
}

void footprint_add_library_directory(struct footprint *footprint, const char *path)
{
	add_directory(&footprint->library_directories, path);
}

/* ".../gcc/x86_64-linux-gnu/12/crtbeginS.o": another version beside that one may be taken next time. */
static void add_toolchain(struct footprint *footprint, const char *path)
{
	char *directory = xstrdup(path);

	for (unsigned i = 0; i < 2 && strrchr(directory, '/'); i++)
		*strrchr(directory, '/') = '\0';
	add_once(&footprint->toolchains, directory);
	free(directory);
}

void footprint_add_linker(struct footprint *footprint, const struct list *command)
{
	/* the driver gives the linker's path, when there is one */
	footprint->unknown |= *command->items[0] != '/';
	footprint_add_object(footprint, command->items[0]);
	for (unsigned i = 1; i < command->count; i++) {
		const char *word = command->items[i];

		if (has_prefix(word, "-L"))
			footprint_add_library_directory(footprint, word + 2);
		else if (has_prefix(word, "-l"))
			footprint_add_library(footprint, word + 2);
		else if (strstr(word, "/crtbeginS.o"))
			add_toolchain(footprint, word);
	}
}
