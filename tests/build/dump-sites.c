/*
 * dump-sites FILE: print the site table of a program, one site a line:
 *
 *   program_id HEX
 *   INDEX FILE:LINE:COLUMN FUNCTION VARIABLE
 *
 * Also checks the table's form; exit status 1 with a line on stderr when it is
 * damaged, 2 when there is none.
 */
#define _GNU_SOURCE
#include "program/elf.h"
#include "wire/sites.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Noreturn void damaged(const char *why)
{
	fprintf(stderr, "damaged site table: %s\n", why);
	exit(1);
}

static const char *string_at(const struct sites_header *header, const char *pool, uint32_t offset)
{
	if (offset >= header->pool_size)
		damaged("a string lies outside the pool");
	return offset ? pool + offset : "";
}

static void check(const struct sites_header *header, struct view section)
{
	static const struct site_record unknown;
	size_t size = sizeof *header + header->count * sizeof(struct site_record) + header->pool_size;

	if (header->magic != SITES_MAGIC || header->version != SITES_VERSION)
		damaged("wrong magic or version");
	if (section.size < size || !header->count || !header->pool_size)
		damaged("wrong size");
	if (section.bytes[size - 1])
		damaged("the pool does not end with NUL");
	if (memcmp(header + 1, &unknown, sizeof unknown))
		damaged("record 0 is not empty");
}

int main(int argc, char **argv)
{
	struct view section = {NULL, 0};
	const struct sites_header *header;
	const struct site_record *records;
	const char *pool;

	if (argc == 2)
		section = elf_section(file_map(argv[1]), SITES_SECTION);
	if (section.size < sizeof *header) {
		fprintf(stderr, "no site table\n");
		return 2;
	}
	header = (const void *)section.bytes;
	check(header, section);
	records = (const void *)(header + 1);
	pool = (const char *)(records + header->count);
	printf("program_id %016llx\n", (unsigned long long)header->program_id);
	for (uint32_t i = 1; i < header->count; i++)
		printf("%u %s:%u:%u %s %s\n", i, string_at(header, pool, records[i].file), records[i].line,
		       records[i].column, string_at(header, pool, records[i].function),
		       string_at(header, pool, records[i].variable));
	return 0;
}
