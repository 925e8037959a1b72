#define _GNU_SOURCE
#include "program/archive.h"

#include "common/invariant.h"
#include "common/trouble.h"

#include <ar.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void archive_open(struct archive_reader *reader, const char *path, struct view file)
{
	if (file_kind(file) == FILE_THIN_ARCHIVE)
		die("%s: is a thin archive; make an ordinary one (ar without T)", path);
	invariant(file_kind(file) == FILE_ARCHIVE); /* so the first member is behind SARMAG bytes */
	*reader = (struct archive_reader){.path = path, .file = file, .next = SARMAG};
}

void archive_close(struct archive_reader *reader)
{
	free(reader->copy);
	reader->copy = NULL;
}

/* A decimal number padded with blanks. */
static size_t number(const char *field, size_t width)
{
	char digits[17] = "";

	invariant(width < sizeof digits);
	memcpy(digits, field, width);
	return strtoul(digits, NULL, 10);
}

static void set_name(struct archive_member *member, const char *text, size_t length)
{
	if (length >= sizeof member->name)
		length = sizeof member->name - 1;
	invariant(length < sizeof member->name);
	memcpy(member->name, text, length);
	member->name[length] = 0;
}

/* "/123" points into the table of long names, where a name ends with "/\n"; "name/" is a short name. */
static void gnu_name(struct archive_reader *reader, const struct ar_hdr *header, struct archive_member *member)
{
	const char *text = header->ar_name, *end;
	size_t room = sizeof header->ar_name;

	if (text[0] == '/') {
		size_t offset = number(text + 1, sizeof header->ar_name - 1);

		if (offset >= reader->long_names.size)
			die("%s: damaged archive", reader->path);
		text = (const char *)reader->long_names.bytes + offset;
		room = reader->long_names.size - offset;
		end = memmem(text, room, "/\n", 2);
	} else {
		end = memchr(text, '/', room);
	}
	if (!end) /* neither: blanks follow the name */
		for (end = text + room; end > text && end[-1] == ' '; end--)
			;
	invariant(end >= text);
	set_name(member, text, (size_t)(end - text));
}

/* "#1/20": the name is the first 20 bytes of the contents. */
static void bsd_name(const struct ar_hdr *header, struct archive_member *member)
{
	size_t length = number(header->ar_name + 3, sizeof header->ar_name - 3);

	if (length > member->contents.size)
		length = member->contents.size;
	invariant(length <= member->contents.size);
	set_name(member, (const char *)member->contents.bytes, length);
	member->contents.bytes += length;
	member->contents.size -= length;
}

static bool is_index(const struct ar_hdr *header)
{
	return !memcmp(header->ar_name, "/ ", 2) || !memcmp(header->ar_name, "/SYM64/", 7) ||
	       !memcmp(header->ar_name, "__.SYMDEF", 9);
}

/* Members start at even offsets only, but who reads them wants natural alignment. */
static void align_contents(struct archive_reader *reader, struct view *contents)
{
	if ((uintptr_t)contents->bytes % 8 == 0)
		return;
	free(reader->copy);
	reader->copy = xmalloc(contents->size ? contents->size : 1);
	memcpy(reader->copy, contents->bytes, contents->size);
	contents->bytes = reader->copy;
}

bool archive_next(struct archive_reader *reader, struct archive_member *member)
{
	while (reader->next + sizeof(struct ar_hdr) <= reader->file.size) {
		const struct ar_hdr *header = (const void *)(reader->file.bytes + reader->next);
		size_t start = reader->next + sizeof *header;
		size_t size = number(header->ar_size, sizeof header->ar_size);

		if (memcmp(header->ar_fmag, ARFMAG, 2) || size > reader->file.size - start)
			die("%s: damaged archive", reader->path);
		reader->next = start + size + size % 2;
		invariant(start + size <= reader->file.size);
		member->contents = (struct view){reader->file.bytes + start, size};
		if (!memcmp(header->ar_name, "//", 2)) {
			reader->long_names = member->contents;
			continue;
		}
		if (is_index(header))
			continue;
		if (!memcmp(header->ar_name, "#1/", 3))
			bsd_name(header, member);
		else
			gnu_name(reader, header, member);
		if (!strncmp(member->name, "__.SYMDEF", 9))
			continue;
		align_contents(reader, &member->contents);
		invariant((uintptr_t)member->contents.bytes % 8 == 0);
		return true;
	}
	return false;
}
