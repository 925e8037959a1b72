/*
 * What the wrappers of the C library announce, as text.  The hooks are replaced by a log;
 * the wrappers are the runtime's own objects.
 *
 *   TOUCHES(strcpy, WRAP(strcpy)(c, a), "r a 6;w c 6")
 *
 * One entry per announcement: c for a cancellation point; r and w for plain accesses, l and u for an atomic load and
 * store, and then the name of one of the buffers below, with an offset where it is not 0, and the
 * size.  Hidden state has the name of its row, "stream" stands for any stream, "?" for other
 * memory.  The buffers are as in buffers_set() at the beginning of each.
 */
#ifndef INSPECT_TESTS_UNIT_WRAP_H
#define INSPECT_TESTS_UNIT_WRAP_H

#include "check.h"

#include "runtime/libc/libc.h"

#include <sys/mman.h>

static char a[256], b[256], c[256];
static wchar_t wa[64], wb[64], wc[64];
static long n[8];
static _Alignas(16) char kept[64]; /* is left as it is */
static char *p;
static char announced[1024];
static FILE *output_stream; /* stands for stdout and stderr in what is tested */

static const struct {
	const char *name;
	const void *start;
	size_t size;
} buffers[] = {
	{"a", a, sizeof a},    {"b", b, sizeof b},    {"c", c, sizeof c},
	{"wa", wa, sizeof wa}, {"wb", wb, sizeof wb}, {"wc", wc, sizeof wc},
	{"n", n, sizeof n},    {"p", &p, sizeof p},   {"kept", kept, sizeof kept},
};

static const char *const hidden_names[] = {
#define HIDDEN(id, name, promise) #id,
#include "wire/hidden.def"
#undef HIDDEN
};

static void buffers_set(void)
{
	memset(c, 0, sizeof c);
	memset(wc, 0, sizeof wc);
	memset(n, 0, sizeof n);
	strcpy(a, "alpha");
	strcpy(b, "beta");
	wcscpy(wa, L"alpha");
	wcscpy(wb, L"beta");
	p = a;
	announced[0] = 0;
	errno = 0;
}

static void log_object(uint64_t address, uint64_t size)
{
	char *end = announced + strlen(announced);
	size_t room = sizeof announced - (size_t)(end - announced);

	if (address >= HIDDEN_ADDRESS) {
		snprintf(end, room, "%s", hidden_names[(address - HIDDEN_ADDRESS) / HIDDEN_SIZE]);
		return;
	}
	if (address >= STREAM_ADDRESS) {
		snprintf(end, room, "stream");
		return;
	}
	for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) {
		uint64_t offset = address - (uint64_t)buffers[i].start;
		if (offset < buffers[i].size) {
			snprintf(end, room, offset ? "%s+%d %d" : "%s%.0d %d", buffers[i].name, (int)offset, (int)size);
			return;
		}
	}
	snprintf(end, room, "? %d", (int)size);
}

static void log_access(const char *kind, void *address, uint64_t size)
{
	int error = errno;

	if (!size)
		return;
	if (*announced)
		strcat(announced, ";");
	strcat(announced, kind);
	log_object((uint64_t)address, size);
	errno = error;
}

/* --- what the wrappers need of the runtime --- */

void heap_check_stream(const void *stream)
{
	(void)stream;
}

void __inspect_read(void *address, uint64_t size, uint32_t site)
{
	(void)site;
	log_access("r ", address, size);
}

void __inspect_write(void *address, uint64_t size, uint32_t site)
{
	(void)site;
	log_access("w ", address, size);
}

void __inspect_atomic_load(void *address, uint64_t size, uint32_t site, uint32_t order)
{
	(void)site, (void)order;
	log_access("l ", address, size);
}

void __inspect_atomic_store(void *address, uint64_t size, uint32_t site, uint32_t order)
{
	(void)site, (void)order;
	log_access("u ", address, size);
}

void cancellation_point(void)
{
	if (*announced)
		strcat(announced, ";");
	strcat(announced, "c");
}

void possible_cancellation_point(void)
{
}

/* Files are announced by the functions that the wrappers call, which are libc's here. */
bool stream_is_of_file(int fd)
{
	(void)fd;
	return false;
}

void stream_point(int fd, enum stream_use use)
{
	(void)fd, (void)use;
}

void streams_flush_point(void)
{
	if (*announced)
		strcat(announced, ";");
	strcat(announced, "files");
}

void __inspect_unknown(void)
{
}

void __inspect_copy(void *to, void *from, uint64_t size, uint32_t site)
{
	__inspect_read(from, size, site);
	__inspect_write(to, size, site);
	memmove(to, from, size);
}

void anomaly(enum event_kind kind, const char *message)
{
	printf("anomaly %d: %s\n", (int)kind, message);
	abort();
}

void fail_execution(const char *message)
{
	anomaly(EV_REFUSED, message);
}

long arch_syscall(long number, long a1, long a2, long a3, long a4, long a5, long a6)
{
	return syscall(number, a1, a2, a3, a4, a5, a6);
}

static void swap_streams(void)
{
	static FILE *real_output, *real_error;

	if (!output_stream)
		return;
	if (stdout != output_stream) {
		real_output = stdout;
		real_error = stderr;
		stdout = stderr = output_stream;
	} else {
		stdout = real_output;
		stderr = real_error;
	}
}

static void log_begin(void)
{
	void *place = (void *)RUNTIME_ADDRESS;

	CHECK(mmap(place, sizeof(struct runtime), PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0) == place);
}

/* `name` is for tests/unit/wrap_table.c, which looks for all names of the table. */
#define TOUCHES(name, call, expected)                                                                                  \
	do {                                                                                                           \
		buffers_set();                                                                                         \
		swap_streams();                                                                                        \
		(void)(call);                                                                                          \
		swap_streams();                                                                                        \
		CHECK_TEXT(announced, expected);                                                                       \
	} while (0)

/* The same with a condition on what the function did. */
#define GIVES(name, call, condition, expected)                                                                         \
	do {                                                                                                           \
		TOUCHES(name, call, expected);                                                                         \
		CHECK(condition);                                                                                      \
	} while (0)

#endif
