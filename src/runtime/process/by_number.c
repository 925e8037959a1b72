/* System calls that the program makes by their numbers: the same as by the functions that have their names. */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "runtime/process/system.h"

#define TEXT(n) ((const char *)a[n])
#define NUMBER(n) ((int)a[n])
#define MODE(n) ((mode_t)a[n])

/* Those that no function of ours makes. */
static long announced(enum system_call name, struct reach reach, long number, const long a[6])
{
	SYSTEM_BEGIN(name, reach);
	long result = system_call(number, a[0], a[1], a[2], a[3], a[4], a[5]);
	SYSTEM_END(result >= 0);
	return with_errno(result);
}

static bool on_descriptor(long number, const long a[6], long *result)
{
	switch (number) {
	case SYS_close: *result = close(NUMBER(0)); return true;
	case SYS_read: *result = read(NUMBER(0), (void *)a[1], (size_t)a[2]); return true;
	case SYS_write: *result = write(NUMBER(0), (void *)a[1], (size_t)a[2]); return true;
	case SYS_writev: *result = writev(NUMBER(0), (struct iovec *)a[1], NUMBER(2)); return true;
	case SYS_pread64: *result = pread(NUMBER(0), (void *)a[1], (size_t)a[2], a[3]); return true;
	case SYS_pwrite64: *result = pwrite(NUMBER(0), (void *)a[1], (size_t)a[2], a[3]); return true;
	case SYS_lseek: *result = lseek(NUMBER(0), a[1], NUMBER(2)); return true;
	case SYS_dup: *result = dup(NUMBER(0)); return true;
	case SYS_dup2: *result = dup2(NUMBER(0), NUMBER(1)); return true;
	case SYS_dup3: *result = dup3(NUMBER(0), NUMBER(1), NUMBER(2)); return true;
	case SYS_fcntl: *result = fcntl(NUMBER(0), NUMBER(1), a[2]); return true;
	case SYS_ftruncate: *result = ftruncate(NUMBER(0), a[1]); return true;
	case SYS_fchmod: *result = fchmod(NUMBER(0), MODE(1)); return true;
	case SYS_fchdir: *result = fchdir(NUMBER(0)); return true;
	case SYS_getdents64: *result = getdents64(NUMBER(0), (void *)a[1], (size_t)a[2]); return true;
	case SYS_fsync: *result = fsync(NUMBER(0)); return true;
	case SYS_fdatasync: *result = fdatasync(NUMBER(0)); return true;
	case SYS_ioctl: *result = ioctl(NUMBER(0), (unsigned long)a[1], a[2]); return true;
	case SYS_fstat: *result = fstat(NUMBER(0), (struct stat *)a[1]); return true;
	}
	return false;
}

static bool call_on_name(long number, const long a[6], long *result)
{
	switch (number) {
	case SYS_open: *result = open(TEXT(0), NUMBER(1), NUMBER(2)); return true;
	case SYS_openat: *result = openat(NUMBER(0), TEXT(1), NUMBER(2), NUMBER(3)); return true;
	case SYS_creat: *result = creat(TEXT(0), MODE(1)); return true;
	case SYS_truncate: *result = truncate(TEXT(0), a[1]); return true;
	case SYS_unlink: *result = unlink(TEXT(0)); return true;
	case SYS_unlinkat: *result = unlinkat(NUMBER(0), TEXT(1), NUMBER(2)); return true;
	case SYS_rmdir: *result = rmdir(TEXT(0)); return true;
	case SYS_mkdir: *result = mkdir(TEXT(0), MODE(1)); return true;
	case SYS_mkdirat: *result = mkdirat(NUMBER(0), TEXT(1), MODE(2)); return true;
	case SYS_rename: *result = rename(TEXT(0), TEXT(1)); return true;
	case SYS_renameat: *result = renameat(NUMBER(0), TEXT(1), NUMBER(2), TEXT(3)); return true;
	case SYS_renameat2: *result = renameat2(NUMBER(0), TEXT(1), NUMBER(2), TEXT(3), (unsigned)a[4]); return true;
	case SYS_link: *result = link(TEXT(0), TEXT(1)); return true;
	case SYS_linkat: *result = linkat(NUMBER(0), TEXT(1), NUMBER(2), TEXT(3), NUMBER(4)); return true;
	case SYS_symlink: *result = symlink(TEXT(0), TEXT(1)); return true;
	case SYS_symlinkat: *result = symlinkat(TEXT(0), NUMBER(1), TEXT(2)); return true;
	case SYS_chmod: *result = chmod(TEXT(0), MODE(1)); return true;
	case SYS_fchmodat: *result = fchmodat(NUMBER(0), TEXT(1), MODE(2), 0); return true;
	case SYS_chdir: *result = chdir(TEXT(0)); return true;
	case SYS_access: *result = access(TEXT(0), NUMBER(1)); return true;
	case SYS_readlink: *result = readlink(TEXT(0), (char *)a[1], (size_t)a[2]); return true;
	case SYS_stat: *result = stat(TEXT(0), (struct stat *)a[1]); return true;
	case SYS_lstat: *result = lstat(TEXT(0), (struct stat *)a[1]); return true;
	case SYS_faccessat: *result = faccessat(NUMBER(0), TEXT(1), NUMBER(2), 0); return true;
	case SYS_faccessat2: *result = faccessat(NUMBER(0), TEXT(1), NUMBER(2), NUMBER(3)); return true;
	case SYS_readlinkat: *result = readlinkat(NUMBER(0), TEXT(1), (char *)a[2], (size_t)a[3]); return true;
	case SYS_statx:
		*result = statx(NUMBER(0), TEXT(1), NUMBER(2), (unsigned)a[3], (struct statx *)a[4]);
		return true;
	case SYS_newfstatat: *result = fstatat(NUMBER(0), TEXT(1), (struct stat *)a[2], NUMBER(3)); return true;
	}
	return false;
}

static bool on_process(long number, const long a[6], long *result)
{
	switch (number) {
	case SYS_rt_sigaction:
		*result = announced(CALL_sigaction,
				    a[1] ? REACH(0, SYSTEM_BIT(SYSTEM_SIGNALS)) : REACH(SYSTEM_BIT(SYSTEM_SIGNALS), 0),
				    number, a);
		return true;
	case SYS_brk: *result = announced(CALL_brk, REACH(0, SYSTEM_BIT(SYSTEM_BREAK)), number, a); return true;
	case SYS_umask: *result = (long)umask(MODE(0)); return true;
	case SYS_munmap: *result = munmap((void *)a[0], (size_t)a[1]); return true;
	case SYS_mprotect: *result = mprotect((void *)a[0], (size_t)a[1], NUMBER(2)); return true;
	case SYS_mmap:
		*result = (long)mmap((void *)a[0], (size_t)a[1], NUMBER(2), NUMBER(3), NUMBER(4), a[5]);
		return true;
	case SYS_mremap:
		*result = (long)mremap((void *)a[0], (size_t)a[1], (size_t)a[2], NUMBER(3), (void *)a[4]);
		return true;
	case SYS_getcwd:
		*result = getcwd((char *)a[0], (size_t)a[1]) ? (long)strlen((char *)a[0]) + 1 : -1;
		return true;
	case SYS_prlimit64:
		*result = prlimit((pid_t)a[0], (enum __rlimit_resource)a[1], (const struct rlimit *)a[2],
				  (struct rlimit *)a[3]);
		return true;
	case SYS_setrlimit: *result = setrlimit((__rlimit_resource_t)a[0], (const struct rlimit *)a[1]); return true;
	case SYS_getrlimit: *result = getrlimit((__rlimit_resource_t)a[0], (struct rlimit *)a[1]); return true;
	}
	return false;
}

bool system_by_number(long number, const long a[6], long *result)
{
	return on_descriptor(number, a, result) || call_on_name(number, a, result) || on_process(number, a, result);
}
