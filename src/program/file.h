/*
 * Whole files in memory, read-only.
 *
 * A view stays valid until file_unmap; pointers into it (sections, archive
 * members) die with it.
 */
#ifndef INSPECT_PROGRAM_FILE_H
#define INSPECT_PROGRAM_FILE_H

#include <stdbool.h>
#include <stddef.h>

struct view {
	const unsigned char *bytes;
	size_t size;
};

/* What a file is by its first bytes; FILE_OTHER also for an empty one. */
enum file_kind { FILE_OTHER, FILE_BITCODE, FILE_ELF, FILE_ARCHIVE, FILE_THIN_ARCHIVE };

/* Map the file; ends the command with one line when it cannot be read. */
struct view file_map(const char *path);
void file_unmap(struct view view);

enum file_kind file_kind(struct view view);

#endif
