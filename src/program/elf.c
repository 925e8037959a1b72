#define _GNU_SOURCE
#include "program/elf.h"

#include "program/archive.h"
#include "common/invariant.h"
#include "common/trouble.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct sections {
	const Elf64_Shdr *table;
	unsigned count;
	unsigned names; /* index of the table of section names */
};

static bool inside(struct view file, uint64_t offset, uint64_t size)
{
	return offset <= file.size && size <= file.size - offset;
}

static bool aligned(struct view file, uint64_t offset)
{
	return ((uintptr_t)file.bytes + offset) % _Alignof(Elf64_Shdr) == 0;
}

static bool read_sections(struct view file, struct sections *sections)
{
	const Elf64_Ehdr *header = (const void *)file.bytes;

	if (file_kind(file) != FILE_ELF || file.size < sizeof *header || !aligned(file, 0))
		return false;
	if (header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != ELFDATA2LSB)
		return false;
	if (!header->e_shoff || header->e_shentsize != sizeof(Elf64_Shdr) || !aligned(file, header->e_shoff) ||
	    !inside(file, header->e_shoff, sizeof(Elf64_Shdr)))
		return false;
	sections->table = (const void *)(file.bytes + header->e_shoff);
	/* more than 0xff00 sections: the true numbers are in the first header */
	sections->count = header->e_shnum ? header->e_shnum : (unsigned)sections->table[0].sh_size;
	sections->names = header->e_shstrndx != SHN_XINDEX ? header->e_shstrndx : sections->table[0].sh_link;
	return inside(file, header->e_shoff, (uint64_t)sections->count * sizeof(Elf64_Shdr)) &&
	       sections->names < sections->count;
}

static struct view section_view(struct view file, const Elf64_Shdr *section)
{
	if (section->sh_type == SHT_NOBITS || !inside(file, section->sh_offset, section->sh_size))
		return (struct view){NULL, 0};
	invariant(section->sh_offset + section->sh_size <= file.size);
	return (struct view){file.bytes + section->sh_offset, section->sh_size};
}

/* The string at an offset of a string table, "" when there is none. */
static const char *string_at(struct view table, uint64_t offset)
{
	if (offset >= table.size || !memchr(table.bytes + offset, 0, table.size - offset))
		return "";
	return (const char *)table.bytes + offset;
}

static const Elf64_Shdr *find_section(struct view file, const struct sections *sections, const char *name)
{
	struct view names = section_view(file, &sections->table[sections->names]);

	invariant(sections->names < sections->count); /* read_sections() has looked */
	for (unsigned i = 1; i < sections->count; i++)
		if (!strcmp(string_at(names, sections->table[i].sh_name), name))
			return &sections->table[i];
	return NULL;
}

struct view elf_section(struct view file, const char *name)
{
	struct sections sections;
	const Elf64_Shdr *section;

	if (!read_sections(file, &sections))
		return (struct view){NULL, 0};
	section = find_section(file, &sections, name);
	return section ? section_view(file, section) : (struct view){NULL, 0};
}

void elf_symbols(struct view file, elf_symbol_visitor *visit, void *context)
{
	struct sections sections;
	Elf64_Half type;

	if (!read_sections(file, &sections))
		return;
	type = ((const Elf64_Ehdr *)file.bytes)->e_type;
	for (unsigned i = 1; i < sections.count; i++) {
		const Elf64_Shdr *section = &sections.table[i];
		struct view symbols = section_view(file, section);
		struct view names;

		if (section->sh_type != (type == ET_DYN ? SHT_DYNSYM : SHT_SYMTAB) ||
		    section->sh_link >= sections.count)
			continue;
		names = section_view(file, &sections.table[section->sh_link]);
		for (size_t at = sizeof(Elf64_Sym); at + sizeof(Elf64_Sym) <= symbols.size; at += sizeof(Elf64_Sym)) {
			Elf64_Sym symbol;

			memcpy(&symbol, symbols.bytes + at, sizeof symbol);
			if (ELF64_ST_BIND(symbol.st_info) == STB_GLOBAL || symbol.st_shndx != SHN_UNDEF)
				if (ELF64_ST_BIND(symbol.st_info) != STB_LOCAL)
					visit(context, string_at(names, symbol.st_name), symbol.st_shndx != SHN_UNDEF);
		}
	}
}

struct contents object_contents(const char *path, struct view file)
{
	struct contents contents = {false, false};
	struct archive_reader reader;
	struct archive_member member;

	switch (file_kind(file)) {
	case FILE_BITCODE: contents.bitcode = true; break;
	case FILE_ELF:
		contents.bitcode = elf_section(file, BITCODE_SECTION).bytes != NULL;
		contents.native = !contents.bitcode;
		break;
	case FILE_ARCHIVE:
	case FILE_THIN_ARCHIVE:
		archive_open(&reader, path, file);
		while (archive_next(&reader, &member)) {
			struct contents inner = object_contents(path, member.contents);

			contents.bitcode |= inner.bitcode;
			contents.native |= inner.native;
		}
		archive_close(&reader);
		break;
	default: contents.native = true;
	}
	return contents;
}

static bool write_at(int fd, const void *bytes, size_t size, off_t offset)
{
	const char *from = bytes;

	while (size) {
		ssize_t written = pwrite(fd, from, size, offset);

		if (written <= 0)
			return false;
		invariant((size_t)written <= size);
		from += written;
		offset += written;
		size -= (size_t)written;
	}
	return true;
}

/* Write the longer string table behind the file and let the two section headers point to it. */
static bool write_renamed(int fd, struct view file, const Elf64_Shdr *section, const Elf64_Shdr *names, const char *to)
{
	struct view old = section_view(file, names);
	size_t length = strlen(to) + 1;
	Elf64_Shdr renamed = *section, moved = *names;

	invariant((const unsigned char *)section > file.bytes && (const unsigned char *)names > file.bytes);
	invariant((const unsigned char *)section < file.bytes + file.size);
	renamed.sh_name = (Elf64_Word)old.size;
	moved.sh_offset = file.size;
	moved.sh_size = old.size + length;
	return write_at(fd, old.bytes, old.size, (off_t)file.size) &&
	       write_at(fd, to, length, (off_t)(file.size + old.size)) &&
	       write_at(fd, &renamed, sizeof renamed, (const unsigned char *)section - file.bytes) &&
	       write_at(fd, &moved, sizeof moved, (const unsigned char *)names - file.bytes);
}

bool elf_rename_section(const char *path, const char *from, const char *to)
{
	struct view file = file_map(path);
	struct sections sections;
	const Elf64_Shdr *section;
	int fd;

	if (!read_sections(file, &sections) || !(section = find_section(file, &sections, from))) {
		file_unmap(file);
		return false;
	}
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0 || !write_renamed(fd, file, section, &sections.table[sections.names], to))
		failure("%s: cannot write: %s", path, strerror(errno));
	if (close(fd))
		failure("%s: cannot write: %s", path, strerror(errno));
	file_unmap(file);
	return true;
}
