/*
 * The site table under construction (its form: wire/sites.h).
 */
#ifndef INSPECT_BUILD_INSTRUMENT_INSERT_SITES_H
#define INSPECT_BUILD_INSTRUMENT_INSERT_SITES_H

#include "build/instrument/debuginfo.h"
#include "build/instrument/instrument.h"
#include "build/instrument/map.h"
#include "wire/sites.h"

struct sites {
	struct site_record *records; /* [0] stands for "unknown" */
	uint32_t count;
	uint32_t room;
	uint32_t *slots; /* hash of the records: indexes, 0 = free */
	uint32_t capacity;
	struct pool pool;
};

void sites_init(struct sites *sites);
void sites_release(struct sites *sites);

/* The index of the site; equal sites are one. */
uint32_t sites_add(struct sites *sites, const struct position *position, const char *variable);

/* Add the table to the program as a constant in its own section. */
void sites_emit(const struct sites *sites, struct program *program, uint64_t program_id);

#endif
