/*
 * Rolling the program back between executions.
 *
 * Before the first execution every private writable page is write-protected.  The
 * first write to a page faults; its content, which is still the first one, is
 * saved, and from then on the page is writable and dirty for ever.  A reset
 * copies the dirty pages back, which after a few executions is all that ever
 * changes.
 *
 * Not rolled back: the runtime's own memory, the channel, the kernel's stack of
 * the process (the executor's loop runs on it) and the emergency stacks.
 */
#define _GNU_SOURCE
#include "common/invariant.h"
#include "runtime/arch/arch.h"
#include "runtime/core/runtime.h"
#include "runtime/memory/heap.h"
#include "runtime/core/schedule.h"
#include "runtime/core/text.h"
#include "runtime/process/process.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

static void add_region(uint64_t start, uint64_t end)
{
	invariant(start < end);
	invariant(start % PAGE == 0 && end % PAGE == 0);
	if (rt->snapshot.nregions == MAX_REGIONS)
		fail_execution("the program has too many memory mappings");
	rt->snapshot.regions[rt->snapshot.nregions++] = (struct region){.start = start, .size = end - start};
}

static bool parse_hex(const char **text, uint64_t *number)
{
	const char *p = *text;

	for (*number = 0;; p++) {
		if (*p >= '0' && *p <= '9')
			*number = *number << 4 | (uint64_t)(*p - '0');
		else if (*p >= 'a' && *p <= 'f')
			*number = *number << 4 | (uint64_t)(*p - 'a' + 10);
		else
			break;
	}
	bool any = p != *text;
	*text = p;
	return any;
}

static bool contains(const char *line, const char *word)
{
	for (; *line; line++) {
		const char *a = line, *b = word;
		while (*b && *a == *b)
			a++, b++;
		if (!*b)
			return true;
	}
	return false;
}

static bool is_ours(uint64_t start)
{
	return start - RUNTIME_ADDRESS < sizeof *rt || is_foreign(start) || in_heap(start) ||
	       start - STACK_ADDRESS < MAX_THREADS * STACK_SIZE;
}

/* A line of /proc/self/maps: start-end rw-p … path */
static void consider_mapping(const char *line, void (*visit)(uint64_t start, uint64_t end))
{
	const char *p = line;
	uint64_t start, end;

	if (!parse_hex(&p, &start) || *p++ != '-' || !parse_hex(&p, &end) || *p++ != ' ')
		return;
	if (p[0] != 'r' || p[1] != 'w' || p[3] != 'p' || contains(line, "[stack]") || is_ours(start))
		return;
	visit(start, end);
}

void mappings_visit(void (*visit)(uint64_t start, uint64_t end))
{
	char line[512], chunk[4096];
	long fd = SYS3(SYS_open, "/proc/self/maps", O_RDONLY | O_CLOEXEC, 0), got;
	size_t n = 0;

	if (fd < 0)
		fail_execution("cannot read /proc/self/maps");
	while ((got = SYS3(SYS_read, fd, chunk, sizeof chunk)) > 0) {
		for (long i = 0; i < got; i++) {
			if (chunk[i] != '\n') {
				if (n + 1 < sizeof line)
					line[n++] = chunk[i];
				continue;
			}
			line[n] = 0;
			consider_mapping(line, visit);
			n = 0;
		}
	}
	SYS1(SYS_close, fd);
}

static uint64_t stack_start(unsigned thread)
{
	return STACK_ADDRESS + thread * STACK_SIZE + PAGE + EMERGENCY_SIZE + PAGE;
}

void snapshot_take(void)
{
	if (SYS6(SYS_mmap, SNAPSHOT_ADDRESS, SNAPSHOT_SIZE, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE | MAP_NORESERVE, -1, 0) != (long)SNAPSHOT_ADDRESS)
		fail_execution("cannot map memory for the snapshot");
	rt->snapshot.saved_end = SNAPSHOT_ADDRESS;
	rt->snapshot.nregions = 0;
	mappings_visit(add_region);
	add_region(HEAP_ADDRESS, HEAP_ADDRESS + MAX_THREADS * HEAP_SIZE);
	add_region(SHADOW_ADDRESS, SHADOW_ADDRESS + MAX_THREADS * HEAP_SIZE / 8);
	rt->snapshot.nstacks = 0;
	snapshot_add_stacks();
}

void snapshot_add_stacks(void)
{
	for (; rt->snapshot.nstacks < rt->donors.count; rt->snapshot.nstacks++)
		add_region(stack_start(rt->snapshot.nstacks),
			   STACK_ADDRESS + (rt->snapshot.nstacks + 1ull) * STACK_SIZE);
}

static bool is_zero(const uint64_t *page)
{
	uint64_t any = 0;

	for (unsigned i = 0; i < PAGE / sizeof *page; i++)
		any |= page[i];
	return any == 0;
}

/* Where the page is, or belongs, in the hash table of dirty pages. */
static uint32_t *dirty_slot(uint64_t page)
{
	enum { SLOTS = 2 * MAX_DIRTY };

	for (uint64_t i = page / PAGE * 0x9e3779b97f4a7c15ull >> 32;; i++) {
		uint32_t *slot = &rt->snapshot.index[i % SLOTS];
		if (!*slot || rt->snapshot.dirty[*slot - 1].page == page)
			return slot;
	}
}

/* The page is about to be written for the first time. */
static void save_page(uint64_t page)
{
	struct dirty_page *dirty = &rt->snapshot.dirty[rt->snapshot.ndirty];

	if (rt->snapshot.ndirty == MAX_DIRTY) {
		text_copy(the_trace()->message, MAX_MESSAGE, "the program writes to more than 4 GiB of memory");
		SYS1(SYS_exit_group, EXIT_BROKEN);
	}
	invariant(page % PAGE == 0);
	debug_invariant(!*dirty_slot(page));
	dirty->page = page;
	dirty->saved = 0;
	if (!is_zero((uint64_t *)page)) {
		dirty->saved = rt->snapshot.saved_end;
		memcpy((void *)rt->snapshot.saved_end, (void *)page, PAGE);
		rt->snapshot.saved_end += PAGE;
	}
	*dirty_slot(page) = ++rt->snapshot.ndirty;
}

void snapshot_protect(void)
{
	/* the kernel and our own loop write to main's thread descriptor at any time */
	uint64_t first = (rt->donors.pointer[0] - PAGE) & ~(PAGE - 1),
		 last = (rt->donors.pointer[0] + PAGE) & ~(PAGE - 1);

	for (unsigned i = 0; i < rt->snapshot.nregions; i++) {
		struct region *region = &rt->snapshot.regions[i];
		for (uint64_t page = first; page <= last; page += PAGE)
			if (page - region->start < region->size)
				save_page(page);
		SYS3(SYS_mprotect, region->start, region->size, PROT_READ);
	}
	for (unsigned i = 0; i < rt->snapshot.ndirty; i++)
		SYS3(SYS_mprotect, rt->snapshot.dirty[i].page, PAGE, PROT_READ | PROT_WRITE);
}

static const struct region *region_of(uint64_t page)
{
	for (unsigned i = 0; i < rt->snapshot.nregions; i++)
		if (page - rt->snapshot.regions[i].start < rt->snapshot.regions[i].size)
			return &rt->snapshot.regions[i];
	return NULL;
}

static bool is_protected(uint64_t page)
{
	return region_of(page) && !*dirty_slot(page);
}

/*
 * Each page with other rights than its neighbours costs the kernel a mapping, and it has
 * only so many: where very many pages are dirty, they are taken in larger chunks.
 */
static uint64_t chunk_size(void)
{
	return rt->snapshot.ndirty < 8192 ? PAGE : 64 * PAGE;
}

bool snapshot_fault(uint64_t address)
{
	uint64_t page = address & ~(PAGE - 1), chunk = chunk_size();

	if (!rt->snapshot.nregions || !is_protected(page))
		return false;
	const struct region *region = region_of(page);
	debug_invariant(region);
	uint64_t start = address & ~(chunk - 1), end = start + chunk;
	if (start < region->start)
		start = region->start;
	if (end > region->start + region->size)
		end = region->start + region->size;
	for (page = start; page < end; page += PAGE)
		if (!*dirty_slot(page))
			save_page(page);
	if (SYS3(SYS_mprotect, start, end - start, PROT_READ | PROT_WRITE)) {
		text_copy(the_trace()->message, MAX_MESSAGE, "the program's memory is too scattered");
		SYS1(SYS_exit_group, EXIT_BROKEN);
	}
	return true;
}

uint32_t snapshot_copy(void *pages)
{
	for (uint32_t i = 0; i < rt->snapshot.ndirty; i++)
		memcpy((char *)pages + i * PAGE, (void *)rt->snapshot.dirty[i].page, PAGE);
	return rt->snapshot.ndirty;
}

void snapshot_restore(const void *pages, uint32_t count)
{
	debug_invariant(count <= rt->snapshot.ndirty);
	invariant(!count || pages);
	for (uint32_t i = 0; i < count; i++)
		memcpy((void *)rt->snapshot.dirty[i].page, (const char *)pages + i * PAGE, PAGE);
	for (uint32_t i = count; i < rt->snapshot.ndirty; i++) {
		const struct dirty_page *dirty = &rt->snapshot.dirty[i];
		if (dirty->saved)
			memcpy((void *)dirty->page, (void *)dirty->saved, PAGE);
		else
			memset((void *)dirty->page, 0, PAGE);
	}
}

/* The kernel is about to write there, and would not fault but fail. */
void snapshot_touch(const void *start, uint64_t size)
{
	enum { LARGEST = 0x7ffff000 }; /* the kernel transfers no more at once */
	uint64_t first = (uint64_t)start, last = first + (size < LARGEST ? size : LARGEST) - 1;

	if (!size || !start || last < first)
		return;
	for (uint64_t page = first & ~(PAGE - 1); page <= last; page += PAGE)
		if (is_protected(page))
			snapshot_fault(page);
}
