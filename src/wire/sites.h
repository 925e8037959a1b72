/*
 * The site table: where in the source every visible operation comes from.
 *
 * The instrumentor writes it into the ELF section SITES_SECTION of the program;
 * the explorer reads it from the file and never from the running program.  All
 * numbers are little endian; strings are offsets into the pool that follows the
 * entries, NUL-terminated; offset 0 is the empty string.
 *
 *   struct sites_header, header.count × struct site_record, pool
 *
 * Record 0 stands for "unknown" and is all zero.
 */
#ifndef INSPECT_WIRE_SITES_H
#define INSPECT_WIRE_SITES_H

#include <stdint.h>

#define SITES_SECTION "inspect_sites"
#define RUNTIME_SECTION "inspect_runtime" /* the code of our runtime */
#define SITES_MAGIC 0x53505349u /* "ISPS" */
#define SITES_VERSION 1

struct sites_header {
	uint32_t magic;
	uint32_t version;
	uint32_t count;
	uint32_t pool_size;
	uint64_t program_id; /* hash of the program's code: a trace belongs to one program */
};

struct site_record {
	uint32_t file; /* as the compiler was given it */
	uint32_t directory; /* of the compilation, to find a relative file */
	uint32_t function;
	uint32_t variable; /* "counter", "queue->head", "table[]", "" when there is no name */
	uint32_t line;
	uint32_t column;
};

#endif
