/*
 * The little that we need to know about ELF files: sections by name and the
 * global symbols of an object.  64-bit little-endian only; anything else, and
 * anything damaged, looks like a file without sections.
 */
#ifndef INSPECT_PROGRAM_ELF_H
#define INSPECT_PROGRAM_ELF_H

#include "program/file.h"

#include <stdbool.h>

/*
 * Where `inspect cc` keeps a program's bitcode inside native objects.  The
 * compiler's own name for it is not used because linker plugins claim it.
 */
#define BITCODE_SECTION ".inspect_bc"
#define COMPILER_BITCODE_SECTION ".llvmbc"

/* The contents of the section, or an empty view with bytes == NULL. */
struct view elf_section(struct view file, const char *name);

/* Call `visit` for every global or weak symbol of the static symbol table (shared objects: the dynamic one). */
typedef void elf_symbol_visitor(void *context, const char *name, bool defined);
void elf_symbols(struct view file, elf_symbol_visitor *visit, void *context);

/* Does a native file (object, shared object, archive) carry bitcode; has an archive members without? */
struct contents {
	bool bitcode;
	bool native;
};
struct contents object_contents(const char *path, struct view file);

/*
 * Give a section of the object file another name, in place; the new name is
 * added to the string table, which moves to the end of the file.  False when the
 * file is no such ELF object or has no such section.
 */
bool elf_rename_section(const char *path, const char *from, const char *to);

#endif
