#define _GNU_SOURCE
#include "execute/owners.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/invariant.h"
#include "common/trouble.h"
#include "execute/executor.h"

struct owners owners_of(const struct executor *executor)
{
	return (struct owners){.fd = executor->channel_fd,
			       .offset = offsetof(struct channel, owners),
			       .table = executor->channel->owners};
}

struct owners owners_new(void)
{
	struct owners owners = {.fd = memfd_create("inspect-owners", MFD_CLOEXEC)};

	if (owners.fd < 0 || ftruncate(owners.fd, GRANULES))
		failure("cannot create memory for what is known about the program: %s", strerror(errno));
	owners.table = mmap(NULL, GRANULES, PROT_READ | PROT_WRITE, MAP_SHARED, owners.fd, 0);
	if (owners.table == MAP_FAILED)
		failure("cannot map memory for what is known about the program: %s", strerror(errno));
	return owners;
}

void owners_release(struct owners *owners)
{
	if (!owners->table)
		return;
	munmap(owners->table, GRANULES);
	close(owners->fd);
	owners->table = NULL;
}

/* --- what there is --- */

/* A part of the table that may have been written: from *granule on to the returned end; false behind the last. */
static bool next_part(const struct owners *owners, uint64_t *granule, uint64_t *end)
{
	off_t data = lseek(owners->fd, owners->offset + (off_t)*granule, SEEK_DATA), hole;

	if (data < 0 || data >= owners->offset + (off_t)GRANULES)
		return false;
	hole = lseek(owners->fd, data, SEEK_HOLE);
	invariant(data >= owners->offset);
	*granule = (uint64_t)(data - owners->offset);
	*end = hole < 0 || (uint64_t)(hole - owners->offset) > GRANULES ? GRANULES : (uint64_t)(hole - owners->offset);
	return true;
}

/* Granules that follow each other and have the same owner. */
struct stretch {
	uint64_t first, count;
	uint8_t owner;
};

/* The next one from run->first + run->count on; only what was ever written is looked at. */
static bool next_run(const struct owners *owners, struct stretch *run)
{
	uint64_t at = run->first + run->count, end;

	while (at < GRANULES && next_part(owners, &at, &end)) {
		while (at < end && owners->table[at] == OWNER_NONE)
			at++;
		if (at == end)
			continue;
		*run = (struct stretch){.first = at, .owner = owners->table[at]};
		while (at + run->count < end && owners->table[at + run->count] == run->owner)
			run->count++;
		invariant(run->count && run->first + run->count <= GRANULES);
		return true;
	}
	return false;
}

/* --- packing: how many granules were left out, how many follow, and, of private ones, whose they are; 0, 0 ends it --- */

struct packer {
	struct buffer *buffer;
	uint64_t end; /* of the run before */
	bool shared;
};

static void pack_run(struct packer *packer, const struct stretch *run)
{
	invariant(run->count && run->first >= packer->end); /* in order, and 0 ends them */
	pack_number(packer->buffer, run->count);
	pack_number(packer->buffer, run->first - packer->end);
	if (!packer->shared)
		pack_number(packer->buffer, run->owner);
	packer->end = run->first + run->count;
}

static void pack_end(struct packer *packer)
{
	pack_number(packer->buffer, 0);
}

static bool unpack_run(struct packed *packed, bool shared, struct stretch *run)
{
	uint64_t end = run->first + run->count, count = unpack_number(packed);

	if (!count || packed->broken)
		return false;
	*run = (struct stretch){.count = count, .first = end + unpack_number(packed), .owner = OWNER_SHARED};
	if (!shared)
		run->owner = (uint8_t)unpack_number(packed);
	packed->broken |= run->first >= GRANULES || run->count > GRANULES - run->first;
	return !packed->broken;
}

static void pack(const struct owners *owners, bool shared, struct buffer *buffer)
{
	struct packer packer = {.buffer = buffer, .shared = shared};
	struct stretch run = {0};

	while (next_run(owners, &run))
		if ((run.owner == OWNER_SHARED) == shared)
			pack_run(&packer, &run);
	pack_end(&packer);
}

void owners_pack_shared(const struct owners *owners, struct buffer *buffer)
{
	pack(owners, true, buffer);
}

void owners_pack_private(const struct owners *owners, struct buffer *buffer)
{
	pack(owners, false, buffer);
}

/* --- adding --- */

void owners_unpack_shared(const struct owners *owners, struct packed *packed)
{
	struct stretch run = {0};

	while (unpack_run(packed, true, &run))
		memset(owners->table + run.first, OWNER_SHARED, run.count);
}

/* Is the granule somebody else's?  Then it is shared. */
static bool add_granule(const struct owners *owners, uint64_t granule, uint8_t owner)
{
	uint8_t *before = &owners->table[granule];
	bool contested = *before != OWNER_NONE && *before != owner;

	invariant(granule < GRANULES);
	*before = contested ? OWNER_SHARED : owner; /* what is shared stays shared */
	return contested;
}

bool owners_add_private(const struct owners *owners, struct packed *packed, struct buffer *contested)
{
	struct packer packer = {.buffer = contested, .shared = true};
	struct stretch run = {0};

	while (unpack_run(packed, false, &run))
		for (uint64_t i = run.first; i < run.first + run.count; i++)
			if (add_granule(owners, i, run.owner))
				pack_run(&packer, &(struct stretch){.first = i, .count = 1});
	pack_end(&packer);
	return packer.end;
}

void owners_forget_private(const struct owners *owners)
{
	struct stretch run = {0};

	invariant(owners->table);
	while (next_run(owners, &run))
		if (run.owner != OWNER_SHARED)
			memset(owners->table + run.first, OWNER_NONE, run.count);
}
