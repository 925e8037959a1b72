/*
 * Inside of `struct symbols` (symbols.h), shared by the files that fill it:
 * symbols.c (site table, ELF symbols), dwarf.c (lines, variables and their
 * types), source.c (text of source lines).
 */
#ifndef INSPECT_PROGRAM_INSIDE_H
#define INSPECT_PROGRAM_INSIDE_H

#include <elfutils/libdw.h>

#include "common/buffer.h"
#include "program/symbols.h"
#include "wire/sites.h"

/* Where the kernel loads a position-independent program without address randomisation. */
#define PIE_ADDRESS 0x555555554000ull

/* A name of the ELF symbol table; addresses are those of the file, not of the running program. */
struct elf_name {
	uint64_t address, size;
	const char *name;
	char *readable; /* of a name of C++, once it was asked for */
	bool function;
};

/* A variable of the DWARF information with a fixed address. */
struct variable {
	uint64_t address, size;
	Dwarf_Off die;
};

struct source_file;

struct symbols {
	int fd;
	Elf *elf;
	Dwarf *dwarf; /* NULL when there is none */
	uint64_t base; /* address in the running program minus address in the file */
	uint64_t runtime_start, runtime_size; /* the code of our runtime, by addresses of the file */

	uint64_t program_id;
	const struct site_record *sites; /* nsites, a copy */
	uint32_t nsites;
	const char *pool; /* ends with a NUL */
	uint32_t pool_size;
	const char *first; /* file of the sites, or "" */
	size_t prefix; /* how long the directory is that all files of the sites share, with its slash */

	struct elf_name *names; /* sorted by address */
	size_t nnames;

	struct variables *variables; /* of dwarf.c; never NULL */
	struct source_file *files; /* of source.c: a list of what was read */
};

struct variables *variables_new(void);
void variables_free(struct variables *variables);
/*
 * "stats.hits" for an address of the file that lies in a variable the DWARF
 * information describes; false otherwise.
 */
bool variable_describe(const struct symbols *symbols, uint64_t address, uint32_t size, struct buffer *text);
/* The line and function of a code address of the file. */
struct place dwarf_place(const struct symbols *symbols, uint64_t address);

void source_files_free(struct source_file *files);

#endif
