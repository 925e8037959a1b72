#define _GNU_SOURCE
#include "runtime/libc/libc.h"
#include "runtime/arch/arch.h"
#include "runtime/core/schedule.h"
#include "runtime/memory/memory.h"

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

static void *hidden(enum hidden_state state)
{
	return (void *)(HIDDEN_ADDRESS + state * HIDDEN_SIZE);
}

void reads_hidden(enum hidden_state state)
{
	__inspect_read(hidden(state), HIDDEN_SIZE, rt->current_site);
}

void writes_hidden(enum hidden_state state)
{
	__inspect_write(hidden(state), HIDDEN_SIZE, rt->current_site);
}

void changes_hidden(enum hidden_state state)
{
	__inspect_atomic_store(hidden(state), HIDDEN_SIZE, rt->current_site, ORDER_SEQ_CST);
}

/* Changes are stores, not updates: there is no value that an update could be compared with. */
static void *stream_object(const void *stream)
{
	return (void *)(STREAM_ADDRESS + (uint64_t)stream);
}

/* A stream of a file is what its descriptor is in the kernel, or more than that; others are in memory only. */
static bool uses_file(const void *stream, enum stream_use use)
{
	int fd = fileno_unlocked((FILE *)stream);

	if (!stream_is_of_file(fd))
		return false;
	stream_point(fd, use);
	return true;
}

static void looks_in_memory(const void *stream)
{
	__inspect_atomic_load(stream_object(stream), HIDDEN_SIZE, rt->current_site, ORDER_SEQ_CST);
}

static void changes_in_memory(const void *stream)
{
	__inspect_atomic_store(stream_object(stream), HIDDEN_SIZE, rt->current_site, ORDER_SEQ_CST);
}

void stream_looks(const void *stream)
{
	if (!uses_file(stream, STREAM_LOOKS))
		looks_in_memory(stream);
	heap_check_stream(stream);
}

/* What fmemopen and open_memstream make can be read again, as a file can. */
void stream_outputs(const void *stream)
{
	if (uses_file(stream, STREAM_OUTPUTS))
		;
	else if (stream == stdout || stream == stderr)
		looks_in_memory(stream);
	else
		changes_in_memory(stream);
	heap_check_stream(stream);
}

void stream_changes(const void *stream)
{
	if (!uses_file(stream, STREAM_CHANGES))
		changes_in_memory(stream);
	heap_check_stream(stream);
}

void stream_opens(const void *stream)
{
	if (!stream_is_of_file(fileno_unlocked((FILE *)stream)))
		changes_in_memory(stream);
}

/* Who uses it without a lock has to see to it that others do not: no more than that is compared. */
void stream_unlocked(const void *stream)
{
	directory_uses(stream);
	uses_file(stream, STREAM_OUTPUTS);
}

void directory_uses(const void *directory)
{
	__inspect_write(stream_object(directory), HIDDEN_SIZE, rt->current_site);
}

size_t reads_string(const char *string)
{
	return READ_STABLE(string, strlen(string) + 1) - 1;
}

size_t reads_string_max(const char *string, size_t max)
{
	READ_STABLE(string, smaller(strnlen(string, max) + 1, max));
	return strnlen(string, max);
}

size_t reads_wide(const wchar_t *string)
{
	return READ_STABLE(string, (wcslen(string) + 1) * sizeof *string) / sizeof *string - 1;
}

size_t reads_wide_max(const wchar_t *string, size_t max)
{
	READ_STABLE(string, smaller(wcsnlen(string, max) + 1, max) * sizeof *string);
	return wcsnlen(string, max);
}

void read_in(void *to, const void *from, size_t size)
{
	reads(from, size);
	memcpy(to, from, size);
}

void read_in_string(char *to, const char *from, size_t size)
{
	size_t length = smaller(reads_string(from), size - 1);

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
	for (unsigned i = 0; rt->temporaries.count; i++)
		if (rt->temporaries.table[i].size)
			unmap(&rt->temporaries.table[i]);
}
