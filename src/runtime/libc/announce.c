#define _GNU_SOURCE
#include "common/invariant.h"
#include "runtime/libc/libc.h"
#include "runtime/arch/arch.h"
#include "runtime/memory/memory.h"

static void *hidden_object(enum hidden_state state)
{
	invariant(state < HIDDEN_COUNT);
	return (void *)(HIDDEN_ADDRESS + state * HIDDEN_SIZE);
}

void reads_hidden(enum hidden_state state)
{
	__inspect_read(hidden_object(state), HIDDEN_SIZE, rt->current_site);
}

void writes_hidden(enum hidden_state state)
{
	__inspect_write(hidden_object(state), HIDDEN_SIZE, rt->current_site);
}

void changes_hidden(enum hidden_state state)
{
	__inspect_atomic_store(hidden_object(state), HIDDEN_SIZE, rt->current_site, ORDER_SEQ_CST);
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
