/*
 * Functions of the C library that make system calls from inside it, where nobody sees them: what they look at and change is
 * announced here, as for the functions that are named after their calls (system.c).
 */
#define _GNU_SOURCE
#define _XOPEN_SOURCE 700
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <termios.h>
#include <ulimit.h>
#include <unistd.h>

#include "runtime/core/runtime.h"
#include "runtime/process/system.h"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations" /* programs use them all the same */

/* libc's own does it; what it changes counts if `good`, an expression over its result. */
#define LIBRARY(call, reach, good, name, ...)                                                                          \
	({                                                                                                             \
		SYSTEM_BEGIN(call, reach);                                                                             \
		__auto_type result = ORIGINAL(name)(__VA_ARGS__);                                                      \
		SYSTEM_END(good);                                                                                      \
		result;                                                                                                \
	})

/* --- names of files --- */

int eaccess(const char *path, int mode)
{
	return faccessat(AT_FDCWD, path, mode, AT_EACCESS);
}

int euidaccess(const char *path, int mode)
{
	return eaccess(path, mode);
}

char *canonicalize_file_name(const char *path)
{
	return realpath(path, NULL);
}

char *get_current_dir_name(void)
{
	return LIBRARY(CALL_getcwd, REACH(naming(AT_FDCWD, "."), 0), result != NULL, get_current_dir_name);
}

char *getwd(char *to)
{
	return getcwd(to, PATH_MAX);
}

/* --- limits --- */

static struct reach of_limits(bool sets)
{
	return sets ? REACH(0, SYSTEM_BIT(SYSTEM_LIMITS)) : REACH(SYSTEM_BIT(SYSTEM_LIMITS), 0);
}

int prlimit(pid_t process, enum __rlimit_resource resource, const struct rlimit *new, struct rlimit *old)
{
	if (new)
		limits_set();
	SYSTEM_BEGIN(new ? CALL_setrlimit : CALL_getrlimit, of_limits(new != NULL));
	long result = system_call(SYS_prlimit64, process, resource, (long)new, (long)old, 0, 0);
	SYSTEM_END(result >= 0);
	return (int)with_errno(result);
}

int prlimit64(pid_t process, enum __rlimit_resource resource, const struct rlimit64 *new, struct rlimit64 *old)
{
	return prlimit(process, resource, (const struct rlimit *)new, (struct rlimit *)old);
}

long sysconf(int name)
{
	switch (name) {
	case _SC_OPEN_MAX:
	case _SC_CHILD_MAX:
	case _SC_ARG_MAX:
	case _SC_SIGQUEUE_MAX: return LIBRARY(CALL_getrlimit, of_limits(false), true, sysconf, name);
	}
	return ORIGINAL(sysconf)(name);
}

int getdtablesize(void)
{
	return (int)sysconf(_SC_OPEN_MAX);
}

static long set_file_limit(long blocks)
{
	enum { BLOCK = 512 };
	bool all = (rlim_t)blocks > RLIM_INFINITY / BLOCK;
	rlim_t bytes = all ? RLIM_INFINITY : (rlim_t)blocks * BLOCK;

	if (setrlimit(RLIMIT_FSIZE, &(struct rlimit){bytes, bytes}))
		return -1;
	return all ? LONG_MAX : blocks;
}

long ulimit(int command, ...)
{
	enum { BLOCK = 512 };
	va_list arguments;
	struct rlimit limit;

	va_start(arguments, command);
	long wanted = command == UL_SETFSIZE ? va_arg(arguments, long) : 0;
	va_end(arguments);
	switch (command) {
	case UL_SETFSIZE: return set_file_limit(wanted);
	case UL_GETFSIZE:
		if (getrlimit(RLIMIT_FSIZE, &limit))
			return -1;
		return limit.rlim_cur == RLIM_INFINITY ? LONG_MAX : (long)(limit.rlim_cur / BLOCK);
	case __UL_GETOPENMAX: return sysconf(_SC_OPEN_MAX);
	}
	errno = EINVAL;
	return -1;
}

/* --- signal handlers --- */

static __sighandler_t install_handler(int number, __sighandler_t handler, int flags)
{
	struct sigaction action = {.sa_handler = handler, .sa_flags = flags}, old;

	if (handler == SIG_ERR) {
		errno = EINVAL;
		return SIG_ERR;
	}
	return sigaction(number, &action, &old) ? SIG_ERR : old.sa_handler;
}

static uint64_t bit_of(int number)
{
	return number > 0 && number < 64 ? 1ull << number : 0;
}

__sighandler_t signal(int number, __sighandler_t handler)
{
	return install_handler(number, handler, rt->signals.interrupt & bit_of(number) ? 0 : SA_RESTART);
}

__sighandler_t ssignal(int number, __sighandler_t handler)
{
	return signal(number, handler);
}

__sighandler_t sysv_signal(int number, __sighandler_t handler)
{
	return install_handler(number, handler, SA_RESETHAND | SA_NODEFER);
}

__sighandler_t __sysv_signal(int number, __sighandler_t handler)
{
	return sysv_signal(number, handler);
}

int sigignore(int number)
{
	return install_handler(number, SIG_IGN, 0) == SIG_ERR ? -1 : 0;
}

/* It also tells signal() what to do from now on. */
int siginterrupt(int number, int interrupt)
{
	struct sigaction action;

	if (sigaction(number, NULL, &action))
		return -1;
	if (interrupt)
		rt->signals.interrupt |= bit_of(number);
	else
		rt->signals.interrupt &= ~bit_of(number);
	action.sa_flags = interrupt ? action.sa_flags & ~SA_RESTART : action.sa_flags | SA_RESTART;
	return sigaction(number, &action, NULL);
}

/* (It changes the thread's own mask as well.) */
__sighandler_t sigset(int number, __sighandler_t handler)
{
	return LIBRARY(CALL_sigaction, REACH(0, SYSTEM_BIT(SYSTEM_SIGNALS)), result != SIG_ERR, sigset, number,
		       handler);
}

/* --- descriptors --- */

int tcgetattr(int fd, struct termios *settings)
{
	return LIBRARY(CALL_ioctl, REACH(descriptor_slot(fd), 0), !result, tcgetattr, fd, settings);
}

static struct reach reach_of_name(int fd)
{
	return REACH(descriptor_slot(fd) | SYSTEM_BIT(SYSTEM_NAMES), 0);
}

char *ttyname(int fd)
{
	return LIBRARY(CALL_fstat, reach_of_name(fd), result != NULL, ttyname, fd);
}

int ttyname_r(int fd, char *to, size_t size)
{
	return LIBRARY(CALL_fstat, reach_of_name(fd), !result, ttyname_r, fd, to, size);
}

int lockf(int fd, int command, off_t size)
{
	return LIBRARY(CALL_fcntl, REACH(descriptor_slot(fd) | descriptor_position(fd), descriptor_file(fd)), !result,
		       lockf, fd, command, size);
}

int lockf64(int fd, int command, off_t size)
{
	return lockf(fd, command, size);
}
