#include "common/invariant.h"
#include "runtime/core/runtime.h"
#include "runtime/core/schedule.h"
#include "runtime/memory/arguments.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

/* Of the linker and of the C start-up code: between them nothing is writable once main runs. */
extern const char __executable_start[], __data_start[];

static bool is_constant(const void *address, size_t size)
{
	uint64_t start = (uint64_t)__executable_start, end = (uint64_t)__data_start;

	return (uint64_t)address - start < end - start && size <= end - (uint64_t)address;
}

void reads(const void *address, size_t size)
{
	if (!is_constant(address, size))
		__inspect_read((void *)address, size, rt->current_site);
}

void writes(const void *address, size_t size)
{
	__inspect_write((void *)address, size, rt->current_site);
}

size_t reads_string(const char *string)
{
	return READ_STABLE(string, strlen(string) + 1) - 1;
}

void read_in(void *to, const void *from, size_t size)
{
	reads(from, size);
	memcpy(to, from, size);
}

void read_in_string(char *to, const char *from, size_t size)
{
	size_t length = reads_string(from);

	if (length > size - 1)
		length = size - 1;
	memcpy(to, from, length);
	to[length] = 0;
}

void write_out(void *to, const void *from, size_t size)
{
	writes(to, size);
	memcpy(to, from, size);
}

/* Mapped ones are remembered: the execution may end while they are in use. */
static struct region *free_place(void)
{
	for (unsigned i = 0; i < MAX_TEMPORARIES; i++)
		if (!rt->temporaries.table[i].size)
			return &rt->temporaries.table[i];
	fail_execution("too many large blocks are copied at once");
}

static void unmap(struct region *region)
{
	invariant(region->size && rt->temporaries.count);
	SYS2(SYS_munmap, region->start, region->size);
	region->size = 0;
	rt->temporaries.count--;
}

struct temporary temporary_map(size_t size)
{
	if (size <= TEMPORARY_ON_STACK)
		return (struct temporary){0};
	struct region *region = free_place();
	long data = SYS6(SYS_mmap, 0, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (data < 0)
		fail_execution("no memory to copy a large block");
	*region = (struct region){(uint64_t)data, size};
	rt->temporaries.count++;
	return (struct temporary){(void *)data, region};
}

void temporary_release(struct temporary *temporary)
{
	if (temporary->mapped)
		unmap(temporary->mapped);
}

void temporaries_reset(void)
{
	for (unsigned i = 0; rt->temporaries.count; i++) {
		invariant(i < MAX_TEMPORARIES);
		if (rt->temporaries.table[i].size)
			unmap(&rt->temporaries.table[i]);
	}
}
