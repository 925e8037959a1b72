// Functions of the C library that make their system calls inside it, calls by number, and what was missing of limits and flags:
// each case has two threads, and what the second one sees depends on which is first.  The assertion says that it always sees the
// other's doing.
//   CASE 1: eaccess
//   CASE 2: canonicalize_file_name
//   CASE 3: get_current_dir_name
//   CASE 4: sysconf
//   CASE 5: getdtablesize
//   CASE 6: ulimit
//   CASE 7: prlimit
//   CASE 8: ssignal
//   CASE 9: sigignore
//   CASE 10: sigset
//   CASE 11: tcgetattr
//   CASE 12: lockf
//   CASE 13: ttyname_r
//   CASE 14: FIOCLEX
//   CASE 15: FIONBIO
//   CASE 16: flags of standard input
//   CASE 17: a limit on descriptors
//   CASE 18: a limit on files
//   CASE 19: MAP_FIXED_NOREPLACE
//   CASE 20: by number: faccessat
//   CASE 21: statx
//   CASE 22: fsync
//   CASE 23: rt_sigaction
//   CASE 24: brk
//   CASE 25: prlimit64
// expect: - bug=assertion executions=2 line=@seen [cc: -DCASE=1]
// expect: - bug=assertion executions=2 line=@seen [cc: -DCASE=2]
// expect: - bug=assertion executions=2 line=@seen [cc: -DCASE=3]
// expect: - bug=assertion executions=2 line=@seen [cc: -DCASE=4]
// expect: - bug=assertion executions=2 line=@seen [cc: -DCASE=5]
// expect: - bug=assertion executions=2 line=@seen [cc: -DCASE=6]
// expect: - bug=assertion executions=2 line=@seen [cc: -DCASE=7]
// expect: - bug=assertion executions=2 line=@seen [cc: -DCASE=8]
// expect: - bug=assertion executions=2 line=@seen [cc: -DCASE=9]
// expect: - bug=assertion executions=2 line=@seen [cc: -DCASE=10]
// expect: - bug=assertion executions=2 line=@seen [cc: -DCASE=11]
// expect: - bug=assertion executions=2 line=@seen [cc: -DCASE=12]
// expect: - bug=assertion executions=2 line=@seen [cc: -DCASE=13]
// expect: - bug=assertion executions=2 line=@seen [cc: -DCASE=14]
// expect: - bug=assertion executions=2 line=@seen [cc: -DCASE=15]
// expect: - bug=assertion executions=2 line=@seen [cc: -DCASE=16]
// expect: - bug=assertion executions=2 line=@seen [cc: -DCASE=17]
// expect: - bug=assertion executions=2 line=@seen [cc: -DCASE=18]
// expect: - bug=assertion executions=2 line=@seen [cc: -DCASE=19]
// expect: - bug=assertion executions=2 line=@seen [cc: -DCASE=20]
// expect: - bug=assertion executions=2 line=@seen [cc: -DCASE=21]
// expect: - bug=assertion executions=2 line=@seen [cc: -DCASE=22]
// expect: - bug=assertion executions=2 line=@seen [cc: -DCASE=23]
// expect: - bug=assertion executions=2 line=@seen [cc: -DCASE=24]
// expect: - bug=assertion executions=2 line=@seen [cc: -DCASE=25]
// expect: all bug=assertion executions=4 line=@seen [cc: -DCASE=4]
// expect: - bug=assertion executions=2 line=@seen [cc: -DCASE=4] [options: --stateful]
// expect: all bug=assertion executions=5 line=@seen [cc: -DCASE=11]
// expect: - bug=assertion executions=2 line=@seen [cc: -DCASE=11] [options: --stateful]
// expect: all bug=assertion executions=4 line=@seen [cc: -DCASE=16]
// expect: - bug=assertion executions=2 line=@seen [cc: -DCASE=16] [options: --stateful]
// expect: all bug=assertion executions=4 line=@seen [cc: -DCASE=19]
// expect: - bug=assertion executions=2 line=@seen [cc: -DCASE=19] [options: --stateful]
// expect: - verified executions=2 [cc: -DCASE=16 -DAGAIN]
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <termios.h>
#include <ulimit.h>
#include <unistd.h>

#pragma clang diagnostic ignored "-Wdeprecated-declarations"

enum { FEW = 12, PLACE = 0x30000000 };

static int file, seen, one = 1;
static char name[64], *before;
static struct rlimit few = {FEW, 20}, none = {3, 20}, small = {2, 20}, limit;
static struct termios settings;
static struct statx more;
static unsigned long ignoring[4] = {(unsigned long)SIG_IGN, 0x04000000};

static int ends_with(const char *text, const char *end)
{
	size_t length = strlen(text);

	return length >= strlen(end) && !strcmp(text + length - strlen(end), end);
}

static int map_there(void)
{
	return mmap((void *)PLACE, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) !=
	       MAP_FAILED;
}

static void *first(void *unused)
{
	switch (CASE) {
	case 1: rmdir("place"); break;
	case 2: rmdir("place"); break;
	case 3: chdir("place"); break;
	case 4: setrlimit(RLIMIT_NOFILE, &few); break;
	case 5: setrlimit(RLIMIT_NOFILE, &few); break;
	case 6: ulimit(UL_SETFSIZE, 10); break;
	case 7: prlimit(0, RLIMIT_NOFILE, &few, NULL); break;
	case 8: ssignal(SIGUSR1, SIG_IGN); break;
	case 9: sigignore(SIGUSR1); break;
	case 10: sigset(SIGUSR1, SIG_IGN); break;
	case 11: close(file); break;
	case 12: close(file); break;
	case 13: close(file); break;
	case 14: ioctl(file, FIOCLEX); break;
	case 15: ioctl(file, FIONBIO, &one); break;
	case 16: fcntl(0, F_SETFL, O_NONBLOCK); break;
	case 17: setrlimit(RLIMIT_NOFILE, &none); break;
	case 18: setrlimit(RLIMIT_FSIZE, &small); break;
	case 19: map_there(); break;
	case 20: rmdir("place"); break;
	case 21: rmdir("place"); break;
	case 22: close(file); break;
	case 23: syscall(SYS_rt_sigaction, SIGUSR1, ignoring, NULL, 8); break;
	case 24: sbrk(4096); break;
	case 25: syscall(SYS_prlimit64, 0, RLIMIT_NOFILE, &few, NULL); break;
	}
	return unused;
}

static void *second(void *unused)
{
	switch (CASE) {
	case 1: seen = eaccess("place", F_OK); break;
	case 2: seen = !canonicalize_file_name("place"); break;
	case 3: seen = ends_with(get_current_dir_name(), "/place"); break;
	case 4: seen = sysconf(_SC_OPEN_MAX) == FEW; break;
	case 5: seen = getdtablesize() == FEW; break;
	case 6: seen = ulimit(UL_GETFSIZE) == 10; break;
	case 7: seen = (prlimit(0, RLIMIT_NOFILE, NULL, &limit), limit.rlim_cur == FEW); break;
	case 8: seen = ssignal(SIGUSR1, SIG_DFL) == SIG_IGN; break;
	case 9: seen = signal(SIGUSR1, SIG_DFL) == SIG_IGN; break;
	case 10: seen = sysv_signal(SIGUSR1, SIG_DFL) == SIG_IGN; break;
	case 11: seen = (tcgetattr(file, &settings), errno == EBADF); break;
	case 12: seen = (lockf(file, F_TEST, 0), errno == EBADF); break;
	case 13: seen = ttyname_r(file, name, sizeof name) == EBADF; break;
	case 14: seen = fcntl(file, F_GETFD) & FD_CLOEXEC; break;
	case 15: seen = fcntl(file, F_GETFL) & O_NONBLOCK; break;
	case 16: seen = fcntl(0, F_GETFL) & O_NONBLOCK; break;
	case 17: seen = dup(file) < 0; break;
	case 18: seen = write(file, "hello", 5) == 2; break;
	case 19: seen = !map_there(); break;
	case 20: seen = (int)syscall(SYS_faccessat, AT_FDCWD, "place", F_OK) < 0; break;
	case 21: seen = (int)syscall(SYS_statx, AT_FDCWD, "place", 0, STATX_ALL, &more) < 0; break;
	case 22: seen = (int)syscall(SYS_fsync, file) < 0; break;
	case 23: seen = signal(SIGUSR1, SIG_DFL) == SIG_IGN; break;
	case 24: seen = (char *)syscall(SYS_brk, 0) == before + 4096; break;
	case 25: seen = getdtablesize() == FEW; break;
	}
	return unused;
}

int main(void)
{
	pthread_t threads[2];

	mkdir("place", 0700);
	file = open("file", O_CREAT | O_RDWR | O_TRUNC, 0600);
	before = sbrk(0);
	signal(SIGXFSZ, SIG_IGN);
	(void)ends_with, (void)map_there;
#ifdef AGAIN /* what the execution before did to standard input is undone */
	assert(!(fcntl(0, F_GETFL) & O_NONBLOCK));
	seen = 1;
#endif
	pthread_create(&threads[0], NULL, first, NULL);
	pthread_create(&threads[1], NULL, second, NULL);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
#ifndef AGAIN
	assert(seen); // @seen
#endif
	return 0;
}
