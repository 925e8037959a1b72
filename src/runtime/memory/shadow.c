/*
 * Bad accesses and bad frees: the slow half of the checks, and the words for them.
 */
#include "common/invariant.h"
#include "runtime/core/anomaly.h"
#include "runtime/core/runtime.h"
#include "runtime/core/text.h"
#include "runtime/memory/heap.h"
#include "runtime/memory/memory.h"

static bool granule_allows(uint64_t address, uint64_t end)
{
	uint64_t next = (address & ~7ull) + 8, last = end < next ? end : next;

	return (int64_t)(last - (address & ~7ull)) <= *shadow_of(address);
}

bool shadow_allows(uint64_t address, uint64_t size)
{
	uint64_t end = address + size;

	invariant(in_heap(address));
	if (end < address || end > HEAP_ADDRESS + HEAP_TOTAL)
		return false;
	for (; address < end; address = (address & ~7ull) + 8)
		if (!granule_allows(address, end))
			return false;
	return true;
}

/* --- words --- */

static void add_text(char message[MAX_MESSAGE], const char *text)
{
	text_append(message, MAX_MESSAGE, text);
}

static void add_bytes(char message[MAX_MESSAGE], uint64_t count)
{
	text_append_number(message, MAX_MESSAGE, count);
	add_text(message, count == 1 ? " byte" : " bytes");
}

/* "main.1.2": the second child of the first child of main. */
static void add_thread(char message[MAX_MESSAGE], unsigned thread)
{
	const struct thread_name *name = &rt->channel->names[thread];

	if (!thread) {
		add_text(message, "main");
		return;
	}
	add_thread(message, name->parent);
	add_text(message, ".");
	text_append_number(message, MAX_MESSAGE, name->index);
}

static void add_block(char message[MAX_MESSAGE], const struct header *header)
{
	add_text(message, "a block of ");
	add_bytes(message, header->size);
	if (block_is_free(block_of(header)))
		add_text(message, " that was freed");
}

struct block_info block_describe(const struct header *header)
{
	if (!header)
		return (struct block_info){0};
	return (struct block_info){.address = block_of(header),
				   .size = header->size,
				   .alloc_site = header->alloc_site,
				   .free_site = header->free_site,
				   .alloc_thread = header->alloc_thread,
				   .free_thread = header->free_thread,
				   .freed = block_is_free(block_of(header))};
}

static uint64_t end_of(const struct header *header)
{
	return block_of(header) + header->size;
}

/* The block that a bad address was probably meant to be in. */
static const struct header *block_near(uint64_t address)
{
	const struct header *header = header_before(address);

	if (!header || block_of(header) <= address)
		return header;
	/* between two blocks: the nearer one */
	const struct header *before = header_before((uint64_t)header - 8);
	if (before && end_of(before) <= address && address - end_of(before) < block_of(header) - address)
		return before;
	return header;
}

static void add_relation(char message[MAX_MESSAGE], const struct header *header, uint64_t address, uint64_t size)
{
	uint64_t block = block_of(header), end = end_of(header);

	if (address < block) {
		add_text(message, ", ");
		add_bytes(message, block - address);
		add_text(message, " before the start of ");
	} else if (address >= end && (address > end || !block_is_free(block))) {
		add_text(message, ", ");
		if (address > end)
			add_bytes(message, address - end);
		add_text(message, address > end ? " after the end of " : "right after the end of ");
	} else if (!block_is_free(block)) {
		add_text(message, " that goes ");
		add_bytes(message, address + size - end);
		add_text(message, " beyond the end of ");
	} else {
		add_text(message, " in ");
	}
	add_block(message, header);
}

void bad_heap_access(const char *what, uint64_t address, uint64_t size, uint32_t site)
{
	const struct header *header = block_near(address);
	struct block_info block = block_describe(header);
	char message[MAX_MESSAGE];

	text_copy(message, MAX_MESSAGE, what);
	add_text(message, " of ");
	add_bytes(message, size);
	if (header)
		add_relation(message, header, address, size);
	else
		add_text(message, " of the heap where nothing was allocated");
	rt->current_site = site;
	anomaly_at(EV_BAD_ACCESS, message, address, &block);
}

void heap_check_stream(const void *stream)
{
	if (in_heap((uint64_t)stream) && !heap_allows((uint64_t)stream, 1))
		bad_heap_access("use of a closed stream, a read", (uint64_t)stream, 1, rt->current_site);
}

static unsigned stack_owner(uint64_t address)
{
	invariant(is_on_stacks(address));
	return (unsigned)((address - STACK_ADDRESS) / STACK_SIZE);
}

void bad_stack_access(const char *what, uint64_t address, uint64_t size, uint32_t site)
{
	unsigned owner = stack_owner(address);
	char message[MAX_MESSAGE];

	text_copy(message, MAX_MESSAGE, what);
	add_text(message, " of ");
	add_bytes(message, size);
	if (owner < rt->channel->nnames && rt->threads[owner].stack_ended) {
		add_text(message, " on the stack of ");
		add_thread(message, owner);
		add_text(message, ", which has ended");
	} else {
		add_text(message, " on the stack of a thread that does not run");
	}
	rt->current_site = site;
	anomaly_at(EV_BAD_ACCESS, message, address, NULL);
}

void foreign_access(const char *what, uint64_t address, uint64_t size, uint32_t site)
{
	char message[MAX_MESSAGE];

	text_copy(message, MAX_MESSAGE, what);
	add_text(message, " of ");
	add_bytes(message, size);
	add_text(message, " where the program has no memory");
	rt->current_site = site;
	anomaly_at(EV_BAD_ACCESS, message, address, NULL);
}

/* --- free --- */

static bool is_global(uint64_t address)
{
	extern const char __data_start[], _end[];

	return address >= (uint64_t)__data_start && address < (uint64_t)_end;
}

static void add_pointer(char message[MAX_MESSAGE], uint64_t pointer, const struct header *header)
{
	if (pointer - STACK_ADDRESS < MAX_THREADS * STACK_SIZE) {
		add_text(message, ": it points to the stack of ");
		add_thread(message, stack_owner(pointer));
	} else if (is_global(pointer)) {
		add_text(message, ": it points to a global variable");
	} else if (header && pointer >= block_of(header) && pointer < end_of(header)) {
		add_text(message, ": it points ");
		add_bytes(message, pointer - block_of(header));
		add_text(message, " into ");
		add_block(message, header);
	}
}

void bad_free(const char *function, uint64_t pointer)
{
	const struct header *header = in_heap(pointer) ? block_near(pointer) : NULL;
	struct block_info block = block_describe(header);
	char message[MAX_MESSAGE];

	text_copy(message, MAX_MESSAGE, function);
	if (header && block_of(header) == pointer) {
		add_text(message, " of a block that is free already");
	} else {
		add_text(message, " of a pointer that malloc did not return");
		add_pointer(message, pointer, header);
	}
	anomaly_at(EV_BAD_FREE, message, pointer, &block);
}
