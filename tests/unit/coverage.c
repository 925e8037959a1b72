/*
 * Every function of the table that a program may call has a test program that shows its
 * right use (`// covers: NAME…`) and, where there is one, its wrong use (`// misuse: NAME…`).
 * And every case of such a program is run by an expectation.
 */
#include "check.h"

#include <glob.h>
#include <stdbool.h>
#include <stdlib.h>

enum use { SAFE, MISUSE };

static struct row {
	const char *name;
	enum use use;
	bool covered, misused;
} rows[] = {
#define MODELLED(name, use) {#name, use, false, false},
#define ACCEPTED(name, use) {#name, use, false, false},
#define PURE(name, use) {#name, use, false, false},
#define REFUSED(name)
#include "wire/functions.def"
};

enum { NROWS = sizeof rows / sizeof *rows };

static struct row *find_row(const char *name)
{
	for (size_t i = 0; i < NROWS; i++)
		if (!strcmp(rows[i].name, name))
			return &rows[i];
	return NULL;
}

static char *read_file(const char *path)
{
	FILE *file = fopen(path, "r");
	char *text = NULL;
	size_t size = 0;

	if (!file || getdelim(&text, &size, '\0', file) < 0)
		printf("cannot read %s\n", path);
	if (file)
		fclose(file);
	return text ? text : calloc(1, 1);
}

/* The names of a line, which is changed. */
static void note_names(const char *path, char *names, bool misuse)
{
	for (char *name = strtok(names, " "); name; name = strtok(NULL, " ")) {
		struct row *row = find_row(name);
		if (!row) {
			printf("%s: %s is not in the table\n", path, name);
			CHECK(row != NULL);
			continue;
		}
		*(misuse ? &row->misused : &row->covered) = true;
	}
}

static void read_lines(const char *path)
{
	static const char *const words[] = {"// covers: ", "// misuse: "};
	char *text = read_file(path), *rest = text, *end;

	for (; *rest; rest = end + 1) {
		end = rest + strcspn(rest, "\n");
		bool last = !*end;
		*end = 0;
		for (int misuse = 0; misuse < 2; misuse++)
			if (!strncmp(rest, words[misuse], strlen(words[misuse])))
				note_names(path, rest + strlen(words[misuse]), misuse);
		if (last)
			break;
	}
	free(text);
}

/* Each CASE(name) and MISUSE(name, … at the beginning of a line has its [args: name]. */
static void check_cases(const char *path)
{
	char *text = read_file(path), wanted[128];

	for (char *line = text; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
		char name[64];
		if (sscanf(line, "CASE(%63[a-z_0-9]", name) != 1 && sscanf(line, "MISUSE(%63[a-z_0-9]", name) != 1)
			continue;
		snprintf(wanted, sizeof wanted, "[args: %s]", name);
		if (!strstr(text, wanted))
			printf("%s: no expectation runs the case %s\n", path, name);
		CHECK(strstr(text, wanted) != NULL);
	}
	free(text);
}

static void read_programs(void)
{
	glob_t found;

	CHECK(glob("tests/programs/*.c", 0, NULL, &found) == 0);
	for (size_t i = 0; i < found.gl_pathc; i++) {
		read_lines(found.gl_pathv[i]);
		if (strstr(found.gl_pathv[i], "/api_"))
			check_cases(found.gl_pathv[i]);
	}
	globfree(&found);
}

static void every_function_is_covered(void)
{
	for (size_t i = 0; i < NROWS; i++) {
		if (!rows[i].covered)
			printf("no program covers %s\n", rows[i].name);
		CHECK(rows[i].covered);
	}
}

static void every_misuse_is_shown(void)
{
	for (size_t i = 0; i < NROWS; i++) {
		if (rows[i].use == MISUSE && !rows[i].misused)
			printf("no program shows the misuse of %s\n", rows[i].name);
		CHECK(rows[i].use == SAFE || rows[i].misused);
	}
}

int main(void)
{
	TEST(read_programs);
	TEST(every_function_is_covered);
	TEST(every_misuse_is_shown);
	return check_result();
}
