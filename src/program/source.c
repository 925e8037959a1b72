/*
 * The text of source lines.  Each file is read once, whole; a file that cannot
 * be read is remembered as one without lines.
 */
#define _GNU_SOURCE
#include "common/invariant.h"
#include "common/trouble.h"
#include "program/inside.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define MAX_SOURCE (64u << 20) /* no source we would quote from is larger */

struct source_file {
	struct source_file *next;
	char *path;
	char *text;
	char **lines; /* nlines pointers into text */
	unsigned nlines;
};

static char *file_text(const char *path)
{
	FILE *in = fopen(path, "re");
	struct stat status;
	char *text = NULL;
	size_t size;

	if (!in)
		return NULL;
	if (!fstat(fileno(in), &status) && S_ISREG(status.st_mode) && status.st_size < MAX_SOURCE) {
		text = xmalloc((size_t)status.st_size + 1);
		size = fread(text, 1, (size_t)status.st_size, in);
		invariant(size <= (size_t)status.st_size);
		text[size] = '\0';
	}
	fclose(in);
	return text;
}

/* Cuts the text into lines; blanks at both ends go, tabs and control characters become blanks. */
static void lines_split(struct source_file *file)
{
	char *rest = file->text, *line;

	invariant(!file->nlines); /* once for each file */
	while ((line = strsep(&rest, "\n"))) {
		if (!(file->nlines & (file->nlines + 1)))
			file->lines = xrealloc(file->lines, (2 * file->nlines + 2) * sizeof *file->lines);
		line += strspn(line, " \t\r\f\v");
		for (char *c = line; *c; c++) {
			if ((unsigned char)*c < ' ' || *c == 0x7f)
				*c = ' ';
		}
		for (char *end = line + strlen(line); end > line && end[-1] == ' '; end--)
			end[-1] = '\0';
		file->lines[file->nlines++] = line;
	}
}

static struct source_file *file_find(struct symbols *symbols, const char *path)
{
	struct source_file *file;

	for (file = symbols->files; file; file = file->next) {
		if (!strcmp(file->path, path))
			return file;
	}
	file = xcalloc(1, sizeof *file);
	file->path = xstrdup(path);
	file->text = file_text(path);
	if (file->text)
		lines_split(file);
	file->next = symbols->files;
	symbols->files = file;
	return file;
}

const char *symbols_source_line(struct symbols *symbols, struct place place)
{
	struct source_file *file;

	if (!*place.file || !place.line)
		return NULL;
	if (place.file[0] != '/' && *place.directory) {
		char *path = xasprintf("%s/%s", place.directory, place.file);
		file = file_find(symbols, path);
		free(path);
	} else {
		file = file_find(symbols, place.file);
	}
	invariant(file && (file->text || !file->nlines));
	return place.line <= file->nlines ? file->lines[place.line - 1] : NULL;
}

void source_files_free(struct source_file *files)
{
	while (files) {
		struct source_file *next = files->next;
		free(files->path);
		free(files->text);
		free(files->lines);
		free(files);
		files = next;
	}
}
