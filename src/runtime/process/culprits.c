/*
 * Noting what no second execution may get again (wire/culprits.h).
 */
#define _GNU_SOURCE
#include "runtime/core/runtime.h"
#include "runtime/process/process.h"

#include <sys/syscall.h>

void note_culprit(enum culprit culprit, uint32_t site)
{
	need_plan();
	the_trace()->culprits[culprit] = site + 1;
}

void __inspect_unrepeatable(uint32_t site)
{
	note_culprit(CULPRIT_PROCESSOR, site);
}

/* Standard input and output are the same in every execution. */
static bool is_own_file(long fd)
{
	return fd > 2;
}

/* What a system call that is let through may be guilty of; CULPRIT_COUNT: nothing. */
static enum culprit culprit_of(long number, const long a[6])
{
	switch (number) {
	case SYS_read:
	case SYS_pread64: return is_own_file(a[0]) ? CULPRIT_READ : CULPRIT_COUNT;
	case SYS_fstat: return is_own_file(a[0]) ? CULPRIT_STATUS : CULPRIT_COUNT;
	case SYS_newfstatat: /* with an empty path it is fstat */
		return is_own_file(a[0]) || (a[1] && *(const char *)a[1]) ? CULPRIT_STATUS : CULPRIT_COUNT;
	case SYS_stat:
	case SYS_lstat:
	case SYS_statx:
	case SYS_access:
	case SYS_faccessat:
	case SYS_readlink: return CULPRIT_STATUS;
	case SYS_getdents64: return CULPRIT_DIRECTORY;
	case SYS_sysinfo: return CULPRIT_SYSTEM;
	}
	return CULPRIT_COUNT;
}

void note_call(long number, const long a[6])
{
	enum culprit culprit = culprit_of(number, a);

	if (culprit != CULPRIT_COUNT)
		note_culprit(culprit, rt->current_site);
}

/* --- made repeatable instead: the processor a thread runs on is always the first one --- */

int sched_getcpu(void)
{
	return 0;
}

int getcpu(unsigned *processor, unsigned *node)
{
	if (processor)
		*processor = 0;
	if (node)
		*node = 0;
	return 0;
}
