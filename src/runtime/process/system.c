/* Files, descriptors and what else the kernel keeps for the process, as operations: see system.h. */
#define _GNU_SOURCE
#include "common/invariant.h"
#include "runtime/arch/arch.h"
#include "runtime/await/await.h"
#include "runtime/core/runtime.h"
#include "runtime/core/schedule.h"
#include "runtime/core/thread.h"
#include "runtime/memory/arguments.h"
#include "runtime/memory/memory.h"
#include "runtime/process/system.h"
#include "runtime/state/state.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <asm/termbits.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define NAMES SYSTEM_BIT(SYSTEM_NAMES)
#define TABLE SYSTEM_BIT(SYSTEM_DESCRIPTORS)

/* --- the operation --- */

/* Those that more than one thread uses, in some execution. */
static uint64_t shared_objects(uint64_t objects)
{
	uint64_t shared = 0;

	for (uint64_t left = objects; left; left &= left - 1)
		if (!memory_is_own(system_address((unsigned)__builtin_ctzll(left)), GRANULE))
			shared |= left & -left;
	return shared;
}

void system_point(enum system_call call, struct reach reach)
{
	if (rt->phase != PHASE_RUN || rt->nthreads < 2)
		return;
	if (rt->trial.active)
		trial_end(false);
	if (rt->channel->features & FEATURE_LIMITS && reach.changes & (TABLE | ALL_FILES | SYSTEM_BIT(SYSTEM_BREAK)))
		reach.looks |= SYSTEM_BIT(SYSTEM_LIMITS);
	uint64_t shared = shared_objects(reach.looks | reach.changes);
	if (!shared)
		return;
	struct op op = make_op(EV_SYSTEM, NULL);
	op.object = reach.changes & shared;
	op.object2 = reach.looks & shared & ~reach.changes;
	op.target = call;
	point(&op);
}

/* Who only writes output learns nothing that is not known of the state. */
static bool is_output(struct reach reach)
{
	return !reach.changes && !(reach.looks & ~(ALL_DESCRIPTORS | SYSTEM_BIT(SYSTEM_DESCRIPTORS)));
}

void system_end(struct reach reach, bool changed)
{
	int error = errno;

	invariant(self()->system.calls);
	self()->system.calls--;
	if (is_stateful() && !is_output(reach))
		state_unknown();
	if (rt->phase == PHASE_RUN)
		round_note_system(changed && reach.changes);
	errno = error;
}

long system_call(long number, long a, long b, long c, long d, long e, long f)
{
	const long arguments[] = {a, b, c, d, e, f};

	return arch_filtered_syscall(number, arguments);
}

long with_errno(long result)
{
	if (result >= 0 || result < -4095)
		return result;
	errno = (int)-result;
	return -1;
}

void *libc_original(enum original original)
{
	static const char *const names[] = {
#define ORIGINAL_NAME(name) #name,
		ORIGINALS(ORIGINAL_NAME)
#undef ORIGINAL_NAME
	};

	if (!rt->library.originals[original])
		rt->library.originals[original] = dlsym(RTLD_NEXT, names[original]);
	if (!rt->library.originals[original])
		fail_execution("the C library lacks a function that is needed");
	return rt->library.originals[original];
}

_Static_assert((int)ORIGINAL_COUNT <= (int)MAX_ORIGINALS, "there must be room for all");

void originals_prepare(void)
{
	for (unsigned i = 0; i < ORIGINAL_COUNT; i++)
		libc_original((enum original)i);
}

uint64_t naming(int directory, const char *path)
{
	uint64_t names = SYSTEM_BIT(SYSTEM_NAMES);

	if (!path || *path == '/')
		return names;
	return names | (directory == AT_FDCWD ? SYSTEM_BIT(SYSTEM_DIRECTORY) : descriptor_slot(directory));
}

/* A call that takes six arguments at most, by its number; what it changes counts if it succeeds. */
#define CALL(call, reach, number, a, b, c, d, e, f)                                                                    \
	({                                                                                                             \
		SYSTEM_BEGIN(call, reach);                                                                             \
		long result_ = system_call(number, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f));  \
		SYSTEM_END(result_ >= 0);                                                                              \
		with_errno(result_);                                                                                   \
	})
#define CALL1(call, reach, number, a) CALL(call, reach, number, a, 0, 0, 0, 0, 0)
#define CALL2(call, reach, number, a, b) CALL(call, reach, number, a, b, 0, 0, 0, 0)
#define CALL3(call, reach, number, a, b, c) CALL(call, reach, number, a, b, c, 0, 0, 0)
#define CALL4(call, reach, number, a, b, c, d) CALL(call, reach, number, a, b, c, d, 0, 0)

/* The same function with its older name for large files. */
#define SAME(type, name, original, parameters)                                                                         \
	type name parameters __attribute__((alias(#original), visibility("default")))

/* --- opening and closing --- */

struct reach reach_of_open(int directory, const char *path, int flags)
{
	bool creates = flags & O_CREAT, temporary = (flags & O_TMPFILE) == O_TMPFILE;
	struct reach foot = REACH(naming(directory, path), TABLE | free_descriptors());

	if (creates || temporary)
		foot.looks |= SYSTEM_BIT(SYSTEM_UMASK);
	if (creates)
		foot.changes |= NAMES;
	if (flags & O_TRUNC)
		foot.changes |= file_at(directory, path);
	return foot;
}

static int open_at(int directory, const char *path, int flags, int mode)
{
	return (int)CALL4(CALL_open, reach_of_open(directory, path, flags), SYS_openat, directory, path, flags, mode);
}

/* The mode is there only if it is needed; to take it in any case does no harm on this processor. */
#define MODE(flags)                                                                                                    \
	({                                                                                                             \
		va_list arguments;                                                                                     \
		va_start(arguments, flags);                                                                            \
		int mode_ = (flags) & (O_CREAT | __O_TMPFILE) ? va_arg(arguments, int) : 0;                            \
		va_end(arguments);                                                                                     \
		mode_;                                                                                                 \
	})

int open(const char *path, int flags, ...)
{
	return open_at(AT_FDCWD, path, flags, MODE(flags));
}

int openat(int directory, const char *path, int flags, ...)
{
	return open_at(directory, path, flags, MODE(flags));
}

int creat(const char *path, mode_t mode)
{
	return open_at(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, (int)mode);
}

SAME(int, open64, open, (const char *, int, ...));
SAME(int, openat64, openat, (int, const char *, int, ...));
SAME(int, creat64, creat, (const char *, mode_t));

int close(int fd)
{
	return (int)CALL1(CALL_close, REACH(0, TABLE | descriptor_slot(fd)), SYS_close, fd);
}

int dup(int fd)
{
	return (int)CALL1(CALL_dup, REACH(descriptor_slot(fd), TABLE | free_descriptors()), SYS_dup, fd);
}

int dup2(int fd, int to)
{
	return (int)CALL2(CALL_dup, REACH(descriptor_slot(fd), TABLE | descriptor_slot(to)), SYS_dup2, fd, to);
}

int dup3(int fd, int to, int flags)
{
	return (int)CALL3(CALL_dup, REACH(descriptor_slot(fd), TABLE | descriptor_slot(to)), SYS_dup3, fd, to, flags);
}

static struct reach reach_of_fcntl(int fd, int command)
{
	switch (command) {
	case F_DUPFD:
	case F_DUPFD_CLOEXEC: return REACH(descriptor_slot(fd), TABLE | free_descriptors());
	case F_SETFD: return REACH(0, descriptor_slot(fd));
	case F_GETFD: return REACH(descriptor_slot(fd), 0);
	case F_GETFL: return REACH(descriptor_slot(fd) | descriptor_position(fd), 0);
	case F_SETFL: return REACH(0, descriptor_slot(fd) | descriptor_position(fd));
	}
	return REACH(descriptor_slot(fd), descriptor_position(fd) | descriptor_file(fd));
}

int fcntl(int fd, int command, ...)
{
	va_list arguments;

	va_start(arguments, command);
	long argument = va_arg(arguments, long);
	va_end(arguments);
	rt->system.flags_changed |= command == F_SETFL;
	return (int)CALL3(CALL_fcntl, reach_of_fcntl(fd, command), SYS_fcntl, fd, command, argument);
}

SAME(int, fcntl64, fcntl, (int, int, ...));

/* --- contents --- */

static struct reach reach_of_read(int fd)
{
	return REACH(descriptor_slot(fd) | descriptor_file(fd), descriptor_position(fd));
}

static struct reach reach_of_write(int fd)
{
	return REACH(descriptor_slot(fd), descriptor_position(fd) | descriptor_file(fd));
}

/* At the end of a file nothing moves. */
#define TRANSFER(call, reach, number, fd, b, c, d)                                                                     \
	({                                                                                                             \
		SYSTEM_BEGIN(call, reach);                                                                             \
		long result_ = system_call(number, fd, (long)(b), (long)(c), (long)(d), 0, 0);                         \
		SYSTEM_END(result_ > 0);                                                                               \
		with_errno(result_);                                                                                   \
	})

ssize_t read(int fd, void *to, size_t size)
{
	return TRANSFER(CALL_read, reach_of_read(fd), SYS_read, fd, to, size, 0);
}

ssize_t write(int fd, const void *from, size_t size)
{
	return TRANSFER(CALL_write, reach_of_write(fd), SYS_write, fd, from, size, 0);
}

ssize_t writev(int fd, const struct iovec *parts, int count)
{
	return TRANSFER(CALL_write, reach_of_write(fd), SYS_writev, fd, parts, count, 0);
}

ssize_t pread(int fd, void *to, size_t size, off_t offset)
{
	return TRANSFER(CALL_read, REACH(descriptor_slot(fd) | descriptor_file(fd), 0), SYS_pread64, fd, to, size,
			offset);
}

ssize_t pwrite(int fd, const void *from, size_t size, off_t offset)
{
	return TRANSFER(CALL_write, REACH(descriptor_slot(fd), descriptor_file(fd)), SYS_pwrite64, fd, from, size,
			offset);
}

off_t lseek(int fd, off_t offset, int whence)
{
	if (whence == SEEK_CUR && !offset)
		return CALL3(CALL_lseek, REACH(descriptor_slot(fd) | descriptor_position(fd), 0), SYS_lseek, fd, offset,
			     whence);
	return CALL3(CALL_lseek, reach_of_read(fd), SYS_lseek, fd, offset, whence);
}

int ftruncate(int fd, off_t size)
{
	return (int)CALL2(CALL_ftruncate, REACH(descriptor_slot(fd), descriptor_file(fd)), SYS_ftruncate, fd, size);
}

int truncate(const char *path, off_t size)
{
	return (int)CALL2(CALL_truncate, REACH(naming(AT_FDCWD, path), file_at(AT_FDCWD, path)), SYS_truncate, path,
			  size);
}

SAME(ssize_t, pread64, pread, (int, void *, size_t, off_t));
SAME(ssize_t, pwrite64, pwrite, (int, const void *, size_t, off_t));
SAME(off_t, lseek64, lseek, (int, off_t, int));
SAME(int, ftruncate64, ftruncate, (int, off_t));
SAME(int, truncate64, truncate, (const char *, off_t));

/* --- names --- */

#define CHANGES_NAME(call, directory, path)                                                                            \
	REACH(naming(directory, path) | SYSTEM_BIT(SYSTEM_UMASK) * (CALL_##call == CALL_mkdir), NAMES)

int unlink(const char *path)
{
	return (int)CALL1(CALL_unlink, CHANGES_NAME(unlink, AT_FDCWD, path), SYS_unlink, path);
}

int unlinkat(int directory, const char *path, int flags)
{
	return (int)CALL3(CALL_unlink, CHANGES_NAME(unlink, directory, path), SYS_unlinkat, directory, path, flags);
}

int rmdir(const char *path)
{
	return (int)CALL1(CALL_rmdir, CHANGES_NAME(rmdir, AT_FDCWD, path), SYS_rmdir, path);
}

int mkdir(const char *path, mode_t mode)
{
	return (int)CALL2(CALL_mkdir, CHANGES_NAME(mkdir, AT_FDCWD, path), SYS_mkdir, path, mode);
}

int mkdirat(int directory, const char *path, mode_t mode)
{
	return (int)CALL3(CALL_mkdir, CHANGES_NAME(mkdir, directory, path), SYS_mkdirat, directory, path, mode);
}

/* As the C library has it: the one that is right. */
int remove(const char *path)
{
	SYSTEM_BEGIN(CALL_unlink, CHANGES_NAME(unlink, AT_FDCWD, path));
	long result = system_call(SYS_unlink, (long)path, 0, 0, 0, 0, 0);
	if (result == -EISDIR)
		result = system_call(SYS_rmdir, (long)path, 0, 0, 0, 0, 0);
	SYSTEM_END(result >= 0);
	return (int)with_errno(result);
}

static struct reach two_names(int directory, const char *path, int other, const char *to)
{
	return REACH(naming(directory, path) | naming(other, to), NAMES);
}

int rename(const char *from, const char *to)
{
	return (int)CALL2(CALL_rename, two_names(AT_FDCWD, from, AT_FDCWD, to), SYS_rename, from, to);
}

int renameat(int directory, const char *from, int other, const char *to)
{
	return (int)CALL4(CALL_rename, two_names(directory, from, other, to), SYS_renameat, directory, from, other, to);
}

int renameat2(int directory, const char *from, int other, const char *to, unsigned flags)
{
	return (int)CALL(CALL_rename, two_names(directory, from, other, to), SYS_renameat2, directory, from, other, to,
			 flags, 0);
}

int link(const char *from, const char *to)
{
	return (int)CALL2(CALL_link, two_names(AT_FDCWD, from, AT_FDCWD, to), SYS_link, from, to);
}

int linkat(int directory, const char *from, int other, const char *to, int flags)
{
	return (int)CALL(CALL_link, two_names(directory, from, other, to), SYS_linkat, directory, from, other, to,
			 flags, 0);
}

int symlink(const char *target, const char *path)
{
	return (int)CALL2(CALL_symlink, CHANGES_NAME(symlink, AT_FDCWD, path), SYS_symlink, target, path);
}

int symlinkat(const char *target, int directory, const char *path)
{
	return (int)CALL3(CALL_symlink, CHANGES_NAME(symlink, directory, path), SYS_symlinkat, target, directory, path);
}

int chmod(const char *path, mode_t mode)
{
	return (int)CALL2(CALL_chmod, CHANGES_NAME(chmod, AT_FDCWD, path), SYS_chmod, path, mode);
}

int fchmodat(int directory, const char *path, mode_t mode, int flags)
{
	if (flags) {
		errno = EOPNOTSUPP;
		return -1;
	}
	return (int)CALL3(CALL_chmod, CHANGES_NAME(chmod, directory, path), SYS_fchmodat, directory, path, mode);
}

/* Whoever looks for it by its name sees it, too. */
int fchmod(int fd, mode_t mode)
{
	return (int)CALL2(CALL_fchmod, REACH(descriptor_slot(fd), NAMES), SYS_fchmod, fd, mode);
}

/* --- looking --- */

static struct reach reach_of_look(int directory, const char *path)
{
	return REACH(naming(directory, path) | file_at(directory, path), 0);
}

static struct reach looking_at(int fd)
{
	return REACH(descriptor_slot(fd) | descriptor_file(fd) | NAMES, 0);
}

int fstatat(int directory, const char *path, struct stat *to, int flags)
{
	return (int)CALL4(CALL_stat,
			  flags & AT_EMPTY_PATH && !*path ? looking_at(directory) : reach_of_look(directory, path),
			  SYS_newfstatat, directory, path, to, flags);
}

int stat(const char *path, struct stat *to)
{
	return fstatat(AT_FDCWD, path, to, 0);
}

int lstat(const char *path, struct stat *to)
{
	return fstatat(AT_FDCWD, path, to, AT_SYMLINK_NOFOLLOW);
}

int fstat(int fd, struct stat *to)
{
	return (int)CALL2(CALL_fstat, looking_at(fd), SYS_fstat, fd, to);
}

/* How they end depends on what the descriptor is, and whether it is. */
int fsync(int fd)
{
	return (int)CALL1(CALL_fsync, looking_at(fd), SYS_fsync, fd);
}

int fdatasync(int fd)
{
	return (int)CALL1(CALL_fdatasync, looking_at(fd), SYS_fdatasync, fd);
}

static struct reach reach_of_ioctl(int fd, unsigned long request)
{
	switch (request) {
	case FIOCLEX:
	case FIONCLEX: return REACH(0, descriptor_slot(fd));
	case FIONBIO:
	case FIOASYNC: return REACH(0, descriptor_slot(fd) | descriptor_position(fd));
	}
	return REACH(looking_at(fd).looks | descriptor_position(fd), 0);
}

int ioctl(int fd, unsigned long request, ...)
{
	va_list arguments;

	va_start(arguments, request);
	void *argument = va_arg(arguments, void *);
	va_end(arguments);
	rt->system.flags_changed |= request == FIONBIO || request == FIOASYNC;
	return (int)CALL3(CALL_ioctl, reach_of_ioctl(fd, request), SYS_ioctl, fd, request, argument);
}

int isatty(int fd)
{
	struct termios settings;

	return !ioctl(fd, TCGETS, &settings);
}

int stat64(const char *path, struct stat64 *to)
{
	return stat(path, (struct stat *)to);
}

int lstat64(const char *path, struct stat64 *to)
{
	return lstat(path, (struct stat *)to);
}

int fstat64(int fd, struct stat64 *to)
{
	return fstat(fd, (struct stat *)to);
}

int fstatat64(int directory, const char *path, struct stat64 *to, int flags)
{
	return fstatat(directory, path, (struct stat *)to, flags);
}

int access(const char *path, int mode)
{
	return (int)CALL2(CALL_access, REACH(naming(AT_FDCWD, path), 0), SYS_access, path, mode);
}

ssize_t readlink(const char *path, char *to, size_t size)
{
	return CALL3(CALL_readlink, REACH(naming(AT_FDCWD, path), 0), SYS_readlink, path, to, size);
}

int faccessat(int directory, const char *path, int mode, int flags)
{
	if (flags)
		return (int)CALL4(CALL_access, REACH(naming(directory, path), 0), SYS_faccessat2, directory, path, mode,
				  flags);
	return (int)CALL3(CALL_access, REACH(naming(directory, path), 0), SYS_faccessat, directory, path, mode);
}

ssize_t readlinkat(int directory, const char *path, char *to, size_t size)
{
	return CALL4(CALL_readlink, REACH(naming(directory, path), 0), SYS_readlinkat, directory, path, to, size);
}

int statx(int directory, const char *path, int flags, unsigned mask, struct statx *to)
{
	return (int)CALL(CALL_stat,
			 flags & AT_EMPTY_PATH && !*path ? looking_at(directory) : reach_of_look(directory, path),
			 SYS_statx, directory, path, flags, mask, to, 0);
}

/* --- the process --- */

int chdir(const char *path)
{
	return (int)CALL1(CALL_chdir, REACH(naming(AT_FDCWD, path), SYSTEM_BIT(SYSTEM_DIRECTORY)), SYS_chdir, path);
}

int fchdir(int fd)
{
	return (int)CALL1(CALL_chdir, REACH(descriptor_slot(fd), SYSTEM_BIT(SYSTEM_DIRECTORY)), SYS_fchdir, fd);
}

mode_t umask(mode_t mask)
{
	return (mode_t)CALL1(CALL_umask, REACH(0, SYSTEM_BIT(SYSTEM_UMASK)), SYS_umask, mask);
}

int getrlimit(__rlimit_resource_t resource, struct rlimit *limits)
{
	return (int)CALL4(CALL_getrlimit, REACH(SYSTEM_BIT(SYSTEM_LIMITS), 0), SYS_prlimit64, 0, resource, 0, limits);
}

void limits_set(void)
{
	use_feature(FEATURE_LIMITS);
}

int setrlimit(__rlimit_resource_t resource, const struct rlimit *limits)
{
	limits_set();
	return (int)CALL4(CALL_setrlimit, REACH(0, SYSTEM_BIT(SYSTEM_LIMITS)), SYS_prlimit64, 0, resource, limits, 0);
}

int getrlimit64(__rlimit_resource_t resource, struct rlimit64 *limits)
{
	return getrlimit(resource, (struct rlimit *)limits);
}

int setrlimit64(__rlimit_resource_t resource, const struct rlimit64 *limits)
{
	return setrlimit(resource, (const struct rlimit *)limits);
}

int kill(pid_t process, int number)
{
	return (int)CALL2(CALL_kill, REACH(SYSTEM_BIT(SYSTEM_SIGNALS), 0), SYS_kill, process, number);
}

int raise(int number)
{
	return kill(getpid(), number);
}

int sigaction(int number, const struct sigaction *action, struct sigaction *old)
{
	uint64_t signals = SYSTEM_BIT(SYSTEM_SIGNALS);
	int (*original)(int, const struct sigaction *, struct sigaction *) = libc_original(ORIGINAL_sigaction);

	struct sigaction own, before;
	if (action)
		read_in(&own, action, sizeof own);
	SYSTEM_BEGIN(CALL_sigaction, action ? REACH(0, signals) : REACH(signals, 0));
	int result = original(number, action ? &own : NULL, &before);
	SYSTEM_END(!result);
	if (old && !result)
		write_out(old, &before, sizeof before);
	return result;
}
