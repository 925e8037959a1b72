/*
 * What a build has read, where it has looked, and what it has said: enough to know later
 * that the same build would come to the same end.
 *
 * The compiler and the linker tell: in rules for make, in the list of directories that the
 * compiler searches for headers, in the linker's command line.
 */
#ifndef INSPECT_BUILD_DRIVER_FOOTPRINT_H
#define INSPECT_BUILD_DRIVER_FOOTPRINT_H

#include "common/list.h"
#include "common/buffer.h"

#include <stdbool.h>
#include <stddef.h>

struct footprint {
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

void footprint_release(struct footprint *footprint);

/* The files of the first rule in the file of rules, which must be there. */
void footprint_add_rules(struct footprint *footprint, const char *path, struct list *files);

/*
 * What the compiler wrote to stderr when it was also asked for its search list
 * (-Xclang -v); returns the rest, the messages for the user, to be freed.
 */
char *footprint_take_search_list(struct footprint *footprint, const char *text);

/* The linker's command line. */
void footprint_add_linker(struct footprint *footprint, const struct list *command);

/* What the instrumentor reads: a file; a library, by the name after -l; where that is searched. */
void footprint_add_object(struct footprint *footprint, const char *path);
void footprint_add_library(struct footprint *footprint, const char *name);
void footprint_add_library_directory(struct footprint *footprint, const char *path);

#endif
