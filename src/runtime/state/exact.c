/*
 * States in full, for tests (--exact-states): every word of memory that belongs to the sum is known with its
 * value, so that a change that nobody told of is noticed at the next state, and all that a state consists of
 * is written out, for the search to compare.
 */
#include "common/invariant.h"
#include "runtime/core/runtime.h"
#include "runtime/core/schedule.h"
#include "runtime/state/state.h"

static struct exact_word *place_of(uint64_t address)
{
	uint64_t i = address / 8 * 0x9e3779b97f4a7c15ull >> 40;

	while (rt->exact.words[i % EXACT_PLACES].address && rt->exact.words[i % EXACT_PLACES].address != address)
		i++;
	return &rt->exact.words[i % EXACT_PLACES];
}

void exact_begin(void)
{
	for (uint32_t i = 0; i < rt->exact.count; i++)
		rt->exact.words[rt->exact.used[i]].address = 0;
	rt->exact.count = 0;
	rt->channel->exact_used = 0;
}

/* Below what its thread has on its stack there is nothing that anybody relies on. */
static bool is_off_stack(uint64_t address)
{
	uint64_t offset = address - STACK_ADDRESS;
	unsigned thread = (unsigned)(offset / STACK_SIZE);

	if (offset >= MAX_THREADS * STACK_SIZE)
		return false;
	if (rt->threads[thread].state == THREAD_EXITED)
		return true;
	return address < (thread == rt->current ? (uint64_t)__builtin_frame_address(0) : rt->threads[thread].sp);
}

/* errno is a part of each thread's state by itself, and the C library sets it. */
static bool is_errno(uint64_t address)
{
	uint64_t thread = (address - STACK_ADDRESS) / STACK_SIZE;

	return thread < MAX_THREADS && rt->threads[thread].thread_pointer &&
	       ((rt->threads[thread].thread_pointer + rt->states.errno_offset) & ~7ull) == address;
}

static void expect_unchanged(const struct exact_word *word)
{
	if (is_errno(word->address))
		return;
	if (!rt->states.lost && !word->dead && !is_off_stack(word->address) &&
	    ((*(volatile uint64_t *)word->address ^ word->value) & word->told) && !rt->channel->silent)
		rt->channel->silent = word->address;
}

/* A mask of those bytes of the word that belong to the range. */
static uint64_t bytes_of(uint64_t word, uint64_t address, uint64_t size)
{
	uint64_t before = address > word ? address - word : 0;
	uint64_t after = address + size < word + 8 ? word + 8 - address - size : 0;

	invariant(before + after < 8);
	return UINT64_MAX << 8 * before & UINT64_MAX >> 8 * after;
}

/* More bytes of a word that is known are told of: nobody has changed them so far. */
static void take_bytes(struct exact_word *word, uint64_t bytes)
{
	uint64_t now = *(volatile uint64_t *)word->address, more = bytes & ~word->told;

	word->value = (word->value & ~more) | (now & more);
	word->first = (word->first & ~more) | (now & more);
	word->told |= more;
}

void exact_open(uint64_t address, uint64_t size)
{
	uint64_t end = (address + size + 7) & ~7ull;

	rt->memory.touching = true;
	for (uint64_t at = address & ~7ull; at < end; at += 8) {
		struct exact_word *word = place_of(at);
		if (word->address) {
			expect_unchanged(word);
			word->dead = false;
			take_bytes(word, bytes_of(at, address, size));
			continue;
		}
		if (rt->exact.count == EXACT_PLACES / 2)
			fail_execution("--exact-states: the program changes too much memory");
		uint64_t value = *(volatile uint64_t *)at;
		*word = (struct exact_word){.address = at,
					    .value = value,
					    .first = value,
					    .told = bytes_of(at, address, size)};
		rt->exact.used[rt->exact.count++] = (uint32_t)(word - rt->exact.words);
	}
	rt->memory.touching = false;
}

void exact_close(uint64_t address, uint64_t size)
{
	uint64_t end = (address + size + 7) & ~7ull;

	rt->memory.touching = true;
	for (uint64_t at = address & ~7ull; at < end; at += 8)
		place_of(at)->value = *(volatile uint64_t *)at;
	rt->memory.touching = false;
}

void exact_forget(uint64_t address, uint64_t size)
{
	uint64_t end = (address + size + 7) & ~7ull;

	for (uint64_t at = address & ~7ull; at < end; at += 8) {
		struct exact_word *word = place_of(at);
		if (word->address)
			word->dead = true;
	}
}

void exact_put(uint64_t word)
{
	if (rt->channel->exact_used == MAX_EXACT_WORDS)
		fail_execution("--exact-states: the execution has too many states");
	rt->channel->exact[rt->channel->exact_used++] = word;
}

/* Everything that is not as it was at the start, in the order of addresses. */
void exact_put_memory(void)
{
	uint64_t start = rt->channel->exact_used;

	rt->memory.touching = true;
	for (uint32_t i = 0; i < rt->exact.count; i++) {
		const struct exact_word *word = &rt->exact.words[rt->exact.used[i]];
		expect_unchanged(word);
		if (word->dead || is_off_stack(word->address) || !((word->value ^ word->first) & word->told))
			continue;
		invariant(word->address);
		exact_put(word->address);
		exact_put(word->value & word->told);
	}
	rt->memory.touching = false;
	uint64_t *pairs = rt->channel->exact + start;
	for (uint64_t i = 2; i < rt->channel->exact_used - start; i += 2)
		for (uint64_t k = i; k && pairs[k - 2] > pairs[k]; k -= 2) {
			uint64_t address = pairs[k], value = pairs[k + 1];
			pairs[k] = pairs[k - 2];
			pairs[k + 1] = pairs[k - 1];
			pairs[k - 2] = address;
			pairs[k - 1] = value;
		}
}
