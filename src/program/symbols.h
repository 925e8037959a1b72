/*
 * What the program's file knows about its source: sites (from the site table), lines of code addresses and types of
 * variables (DWARF, through libdw) and names of data addresses (ELF symbols).
 *
 * It is opened once per program and only reads; what takes time is read when it is first asked for.
 */
#ifndef INSPECT_PROGRAM_SYMBOLS_H
#define INSPECT_PROGRAM_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct thread_name;
struct symbols;

/* A place in the source.  Strings live as long as the symbols; file is "" when unknown. */
struct place {
	const char *file;
	const char *directory;
	const char *function;
	const char *variable;
	unsigned line, column;
};

/* NULL, with one line in *why (malloced), when the file is no program built by `inspect cc`. */
struct symbols *symbols_open(const char *program, char **why);
void symbols_free(struct symbols *symbols);
uint64_t symbols_program_id(const struct symbols *symbols);
struct place symbols_site(const struct symbols *symbols, uint32_t site);
/* The name of the place's file without the directories that all files of the program have in common. */
const char *symbols_short_file(const struct symbols *symbols, struct place place);
/* The line of a code address of the running program (PIE at its usual place without ASLR). */
struct place symbols_code(struct symbols *symbols, uint64_t pc);
/* Is it part of our runtime? */
bool symbols_is_runtime(const struct symbols *symbols, uint64_t pc);
/*
 * A readable name of a data address: "counter", "stats.hits", "table[3]",
 * "heap of main.1+0x40", "stack of main.1", "0x…".  `names` are the threads of the
 * execution.
 */
void symbols_data(const struct symbols *symbols, uint64_t address, const struct thread_name *names, char *text,
		  size_t size);
/*
 * The same for variables of the program only (global or static): false for any
 * other address.  `size` is how many bytes are accessed: 24 bytes of a structure
 * are "stats", its first four "stats.hits".  0 means an object of unknown size.
 */
bool symbols_variable(const struct symbols *symbols, uint64_t address, uint32_t size, char *text, size_t text_size);
/* The name of the function that starts at this address, or NULL. */
const char *symbols_function(const struct symbols *symbols, uint64_t address);
/* The text of a source line without leading blanks, or NULL. */
const char *symbols_source_line(struct symbols *symbols, struct place place);

/* "main", "main.1" (first child of main), "main.1.2" … */
void thread_name_format(const struct thread_name *names, uint32_t thread, char *text, size_t size);

#endif
