/*
 * Reader of ar archives: GNU and BSD long names; symbol indexes are skipped.
 */
#ifndef INSPECT_PROGRAM_ARCHIVE_H
#define INSPECT_PROGRAM_ARCHIVE_H

#include "program/file.h"

struct archive_reader {
	const char *path;
	struct view file;
	size_t next; /* offset of the next member's header */
	struct view long_names;
	unsigned char *copy; /* of a member that is not aligned in the file */
};

struct archive_member {
	char name[256];
	struct view contents; /* 8-byte aligned, valid until the next archive_next or archive_close */
};

/* Ends the command with one line when the file is a thin archive. */
void archive_open(struct archive_reader *reader, const char *path, struct view file);

/* False at the end; ends the command with one line when the archive is damaged. */
bool archive_next(struct archive_reader *reader, struct archive_member *member);
void archive_close(struct archive_reader *reader);

#endif
