#define _GNU_SOURCE
#include "build/instrument/insert/sites.h"

#include "common/invariant.h"
#include "common/trouble.h"

#include <stdlib.h>
#include <string.h>

/* Nothing refers to the table; it is exported so that no linker drops it. */
#define SITES_SYMBOL "__inspect_sites"

void sites_init(struct sites *sites)
{
	*sites = (struct sites){.count = 1, .room = 256, .capacity = 512};
	sites->records = xcalloc(sites->room, sizeof *sites->records);
	sites->slots = xcalloc(sites->capacity, sizeof *sites->slots);
	pool_init(&sites->pool);
}

void sites_release(struct sites *sites)
{
	free(sites->records);
	free(sites->slots);
	pool_release(&sites->pool);
}

static uint32_t *find_slot(const struct sites *sites, const struct site_record *record)
{
	uint64_t i = hash_bytes(HASH_START, record, sizeof *record);

	invariant(!(sites->capacity & (sites->capacity - 1)));
	for (;; i++) {
		uint32_t *slot = &sites->slots[i & (sites->capacity - 1)];

		if (!*slot || !memcmp(&sites->records[*slot], record, sizeof *record))
			return slot;
	}
}

static void grow(struct sites *sites)
{
	invariant(sites->count == sites->room);
	sites->room *= 2;
	sites->records = xrealloc(sites->records, sites->room * sizeof *sites->records);
	free(sites->slots);
	sites->capacity *= 2;
	sites->slots = xcalloc(sites->capacity, sizeof *sites->slots);
	invariant(sites->room < sites->capacity); /* a search for a free slot must end */
	for (uint32_t i = 1; i < sites->count; i++)
		*find_slot(sites, &sites->records[i]) = i;
}

uint32_t sites_add(struct sites *sites, const struct position *position, const char *variable)
{
	struct site_record record = {
		.file = pool_add(&sites->pool, position->file),
		.directory = pool_add(&sites->pool, position->directory),
		.function = pool_add(&sites->pool, position->function),
		.variable = pool_add(&sites->pool, variable),
		.line = position->line,
		.column = position->column,
	};
	uint32_t *slot;

	if (sites->count == sites->room)
		grow(sites);
	slot = find_slot(sites, &record);
	if (!*slot) {
		*slot = sites->count;
		sites->records[sites->count++] = record;
	}
	invariant(*slot && *slot < sites->count); /* 0 stands for an unknown site */
	return *slot;
}

void sites_emit(const struct sites *sites, struct program *program, uint64_t program_id)
{
	struct sites_header header = {SITES_MAGIC, SITES_VERSION, sites->count, sites->pool.size, program_id};
	size_t records = sites->count * sizeof *sites->records;
	size_t size = sizeof header + records + sites->pool.size;
	char *bytes = xmalloc(size);
	LLVMValueRef contents, table;

	invariant(sites->pool.size && !sites->pool.bytes[sites->pool.size - 1]); /* readers rely on the last NUL */
	memcpy(bytes, &header, sizeof header);
	memcpy(bytes + sizeof header, sites->records, records);
	memcpy(bytes + sizeof header + records, sites->pool.bytes, sites->pool.size);
	contents = LLVMConstStringInContext2(program->context, bytes, size, true);
	table = LLVMAddGlobal(program->module, LLVMTypeOf(contents), SITES_SYMBOL);
	LLVMSetInitializer(table, contents);
	LLVMSetGlobalConstant(table, true);
	LLVMSetAlignment(table, 8);
	LLVMSetSection(table, SITES_SECTION);
	free(bytes);
}
