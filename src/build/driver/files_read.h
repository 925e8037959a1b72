/*
 * What a build has read, where it has looked, and what it has said: enough to know later
 * that the same build would come to the same end.
 *
 * The compiler and the linker tell: in rules for make, in the list of directories that the
 * compiler searches for headers, in the linker's command line.
 */
#ifndef INSPECT_BUILD_DRIVER_FILES_READ_H
#define INSPECT_BUILD_DRIVER_FILES_READ_H

#include "common/list.h"
#include "common/buffer.h"

#include <stdbool.h>
#include <stddef.h>

struct files_read {
	const char *scratch; /* files in there are left out */
	struct list sources; /* read by the compiler: sources and headers */
	struct list objects; /* read by the instrumentor or the linker, and the linker itself */
	struct list header_directories; /* searched for headers, in no order; "" is the current one by no name */
	struct list library_directories;
	struct list libraries; /* names of files that were looked for in these: "libm.so", "libm.a" … */
	struct list toolchains; /* directories: what is added there may change the compiler's mind */
	struct buffer messages; /* warnings, as they were printed */
	bool unknown; /* something was not understood: nothing follows from the rest */
};

void files_read_release(struct files_read *files);

/* The files of the first rule in the file of rules, which must be there. */
void files_read_add_rules(struct files_read *files, const char *path, struct list *to);

/*
 * What the compiler wrote to stderr when it was also asked for its search list
 * (-Xclang -v); returns the rest, the messages for the user, to be freed.
 */
char *files_read_take_search_list(struct files_read *files, const char *text);

/* The linker's command line. */
void files_read_add_linker(struct files_read *files, const struct list *command);

/* What the instrumentor reads: a file; a library, by the name after -l; where that is searched. */
void files_read_add_object(struct files_read *files, const char *path);
void files_read_add_library(struct files_read *files, const char *name);
void files_read_add_library_directory(struct files_read *files, const char *path);

#endif
