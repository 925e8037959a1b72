#include "execute/facts.h"

#include <string.h>

#include "common/invariant.h"
#include "execute/owners.h"

/* --- memory --- */

void facts_share(struct channel *channel, struct shared_piece piece)
{
	invariant(piece.thread == SHARED_MEMORY || (piece.thread < MAX_THREADS && piece.piece < STACK_PIECES));
	if (piece.thread == SHARED_MEMORY)
		channel->owners[piece.piece] = OWNER_SHARED;
	else
		share_piece(channel, piece.thread, piece.piece);
}

static void pack_stacks(const struct channel *channel, struct buffer *buffer)
{
	invariant(channel->nnames <= MAX_THREADS);
	for (uint32_t thread = 0; thread < MAX_THREADS; thread++)
		for (uint32_t piece = channel->stack_range[thread].first; piece < channel->stack_range[thread].end;
		     piece++)
			if (channel->stack_shared[thread][piece / 8] >> piece % 8 & 1) {
				pack_number(buffer, thread + 1);
				pack_number(buffer, piece);
			}
	pack_number(buffer, 0);
}

static void pack_memory(const struct executor *executor, struct buffer *buffer)
{
	struct owners owners = owners_of(executor);

	if (executor->channel->all_shared)
		pack_number(buffer, 0);
	else
		owners_pack_shared(&owners, buffer);
}

static void unpack_memory(struct executor *executor, struct packed *packed)
{
	struct channel *channel = executor->channel;
	struct owners owners = owners_of(executor);
	uint64_t thread;

	while ((thread = unpack_number(packed)) != 0) {
		uint64_t piece = unpack_number(packed);
		if (thread <= MAX_THREADS && piece < STACK_PIECES)
			share_piece(channel, (uint32_t)thread - 1, (uint32_t)piece);
		else
			packed->broken = true;
	}
	owners_unpack_shared(&owners, packed);
}

/* --- awaits --- */

void facts_await(struct channel *channel, uint32_t site)
{
	channel->await_sites[site % MAX_AWAIT_SITES / 8] |= (uint8_t)(1u << site % 8);
}

static void pack_awaits(const struct channel *channel, struct buffer *buffer)
{
	invariant(channel->nawait_locations <= MAX_AWAIT_LOCATIONS);
	pack_number(buffer, channel->nawait_locations);
	pack_raw(buffer, channel->await_locations, channel->nawait_locations * sizeof *channel->await_locations);
	for (uint32_t site = 0; site < MAX_AWAIT_SITES; site++)
		if (channel->await_sites[site / 8] >> site % 8 & 1)
			pack_number(buffer, site + 1);
	pack_number(buffer, 0);
}

/* As the runtime does it: of those that overlap, the first is known to be accessed in several ways. */
static void add_location(struct channel *channel, const struct await_location *new)
{
	for (uint32_t i = 0; i < channel->nawait_locations; i++) {
		struct await_location *location = &channel->await_locations[i];
		bool same = location->address == new->address && location->size == new->size;
		bool overlap = new->address < location->address + location->size &&
			       location->address < new->address + new->size;
		if (!overlap)
			continue;
		location->flags |= (same ? 0 : AWAIT_MIXED) | new->flags;
		return;
	}
	if (channel->nawait_locations < MAX_AWAIT_LOCATIONS)
		channel->await_locations[channel->nawait_locations++] = *new;
}

/* Those that came first, and then our own: so the order is the same for everybody who knows no others. */
static void unpack_awaits(struct channel *channel, struct packed *packed)
{
	uint64_t count = unpack_number(packed), site;
	struct await_location mine[MAX_AWAIT_LOCATIONS];
	uint32_t nmine = channel->nawait_locations;

	invariant(nmine <= MAX_AWAIT_LOCATIONS);
	if (count > MAX_AWAIT_LOCATIONS) {
		packed->broken = true;
		return;
	}
	memcpy(mine, channel->await_locations, nmine * sizeof *mine);
	unpack_raw(packed, channel->await_locations, count * sizeof *channel->await_locations);
	channel->nawait_locations = (uint32_t)count;
	for (uint32_t i = 0; i < nmine; i++)
		add_location(channel, &mine[i]);
	while ((site = unpack_number(packed)) != 0)
		facts_await(channel, (uint32_t)site - 1);
}

/* --- all of them --- */

void facts_pack(const struct executor *executor, struct buffer *buffer)
{
	const struct channel *channel = executor->channel;

	pack_number(buffer, channel->features);
	pack_number(buffer, channel->all_shared);
	pack_number(buffer, channel->nsharings);
	pack_awaits(channel, buffer);
	pack_stacks(channel, buffer);
	pack_memory(executor, buffer);
}

void facts_unpack(struct executor *executor, struct packed *packed)
{
	executor_forget(executor);
	struct channel *channel = executor->channel;
	uint32_t features = channel->features, shared = channel->nsharings;

	channel->features |= (uint32_t)unpack_number(packed);
	if (unpack_number(packed) && !channel->all_shared)
		executor_share_memory(executor);
	uint32_t nsharings = (uint32_t)unpack_number(packed);
	if (nsharings > channel->nsharings)
		channel->nsharings = nsharings;
	unpack_awaits(channel, packed);
	unpack_memory(executor, packed);
	invariant(channel->nsharings >= shared && channel->nawait_locations <= MAX_AWAIT_LOCATIONS);
	invariant(packed->broken || (channel->features & features) == features); /* facts only grow */
}

/* --- names --- */

void names_get(const struct executor *executor, struct names *names)
{
	invariant(executor->channel->nnames && executor->channel->nnames <= MAX_THREADS);
	names->count = executor->channel->nnames;
	memcpy(names->items, executor->channel->names, sizeof names->items);
}

void names_put(struct executor *executor, const struct names *names)
{
	invariant(names->count && names->count <= MAX_THREADS); /* main has a name from the start */
	executor->channel->nnames = names->count;
	memcpy(executor->channel->names, names->items, sizeof names->items);
}

static bool is_same(struct thread_name a, struct thread_name b)
{
	return a.parent == b.parent && a.index == b.index;
}

bool names_begin_with(const struct names *names, const struct names *first)
{
	for (uint32_t i = 1; i < first->count; i++)
		if (i >= names->count || !is_same(names->items[i], first->items[i]))
			return false;
	return true;
}

static uint32_t find(const struct names *names, struct thread_name name)
{
	uint32_t i = 1;

	while (i < names->count && !is_same(names->items[i], name))
		i++;
	return i;
}

/* A parent comes before its children, so its number is known by then. */
bool names_add(struct names *names, const struct names *more)
{
	uint8_t number[MAX_THREADS] = {0};

	for (uint32_t i = 1; i < more->count; i++) {
		struct thread_name name = more->items[i];
		name.parent = number[name.parent % MAX_THREADS];
		uint32_t at = find(names, name);
		invariant(at <= names->count);
		if (at == MAX_THREADS)
			return false;
		if (at == names->count)
			names->items[names->count++] = name;
		number[i] = (uint8_t)at;
	}
	return true;
}
