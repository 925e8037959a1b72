// Descriptors, positions in files and their contents, mappings: see system_names.c.  Who uses memory that is no longer
// mapped crashes; case 24 unmaps other memory.
// expect: - bug=exit executions=2 fork replay [cc: -DCASE=1] [options: --keep-going --exit-status=same]
// expect: source bug=exit executions=2 [cc: -DCASE=1] [options: --keep-going --exit-status=same]
// expect: dpor bug=exit executions=2 [cc: -DCASE=1] [options: --keep-going --exit-status=same]
// expect: all bug=exit executions=43 [cc: -DCASE=1] [options: --keep-going --exit-status=same]
// expect: - bug=exit executions=2 [cc: -DCASE=1] [options: --keep-going --exit-status=same --seed=1]
// expect: - bug=exit executions=2 [cc: -DCASE=1] [options: --keep-going --exit-status=same --seed=2]
// expect: - bug=exit executions=2 [cc: -DCASE=1] [options: --keep-going --exit-status=same --seed=3]
// expect: - verified executions=2 [cc: -DCASE=1 -DLOCKED] [options: --exit-status=same]
// expect: source verified executions=2 [cc: -DCASE=1 -DLOCKED] [options: --exit-status=same --seed=1]
// expect: - bug=exit executions=3 [cc: -DCASE=1] [options: --keep-going --exit-status=same --stateful]
// expect: - bug=exit executions=2 fork replay [cc: -DCASE=2] [options: --keep-going --exit-status=same]
// expect: source bug=exit executions=2 [cc: -DCASE=2] [options: --keep-going --exit-status=same]
// expect: dpor bug=exit executions=2 [cc: -DCASE=2] [options: --keep-going --exit-status=same]
// expect: - bug=exit executions=2 [cc: -DCASE=2] [options: --keep-going --exit-status=same --seed=1]
// expect: - bug=exit executions=2 [cc: -DCASE=2] [options: --keep-going --exit-status=same --seed=2]
// expect: - bug=exit executions=2 [cc: -DCASE=2] [options: --keep-going --exit-status=same --seed=3]
// expect: - verified executions=2 [cc: -DCASE=2 -DLOCKED] [options: --exit-status=same]
// expect: source verified executions=2 [cc: -DCASE=2 -DLOCKED] [options: --exit-status=same --seed=1]
// expect: - bug=exit executions=2 fork replay [cc: -DCASE=3] [options: --keep-going --exit-status=same]
// expect: source bug=exit executions=2 [cc: -DCASE=3] [options: --keep-going --exit-status=same]
// expect: dpor bug=exit executions=2 [cc: -DCASE=3] [options: --keep-going --exit-status=same]
// expect: all bug=exit executions=35 [cc: -DCASE=3] [options: --keep-going --exit-status=same]
// expect: - bug=exit executions=2 [cc: -DCASE=3] [options: --keep-going --exit-status=same --seed=1]
// expect: - bug=exit executions=2 [cc: -DCASE=3] [options: --keep-going --exit-status=same --seed=2]
// expect: - bug=exit executions=2 [cc: -DCASE=3] [options: --keep-going --exit-status=same --seed=3]
// expect: - verified executions=2 [cc: -DCASE=3 -DLOCKED] [options: --exit-status=same]
// expect: source verified executions=2 [cc: -DCASE=3 -DLOCKED] [options: --exit-status=same --seed=1]
// expect: - bug=exit executions=3 fork replay [cc: -DCASE=4] [options: --keep-going --exit-status=same]
// expect: source bug=exit executions=3 [cc: -DCASE=4] [options: --keep-going --exit-status=same]
// expect: dpor bug=exit executions=3 [cc: -DCASE=4] [options: --keep-going --exit-status=same]
// expect: all bug=exit executions=35 [cc: -DCASE=4] [options: --keep-going --exit-status=same]
// expect: - bug=exit executions=3 [cc: -DCASE=4] [options: --keep-going --exit-status=same --seed=1]
// expect: - bug=exit executions=3 [cc: -DCASE=4] [options: --keep-going --exit-status=same --seed=2]
// expect: - bug=exit executions=3 [cc: -DCASE=4] [options: --keep-going --exit-status=same --seed=3]
// expect: - verified executions=2 [cc: -DCASE=4 -DLOCKED] [options: --exit-status=same]
// expect: source verified executions=2 [cc: -DCASE=4 -DLOCKED] [options: --exit-status=same --seed=1]
// expect: - bug=exit executions=6 [cc: -DCASE=4] [options: --keep-going --exit-status=same --stateful]
// expect: - bug=exit executions=6 fork replay [cc: -DCASE=5] [options: --keep-going --exit-status=same]
// expect: source bug=exit executions=6 [cc: -DCASE=5] [options: --keep-going --exit-status=same]
// expect: dpor bug=exit executions=6 [cc: -DCASE=5] [options: --keep-going --exit-status=same]
// expect: all bug=exit executions=35 [cc: -DCASE=5] [options: --keep-going --exit-status=same]
// expect: - bug=exit executions=6 [cc: -DCASE=5] [options: --keep-going --exit-status=same --seed=1]
// expect: - bug=exit executions=6 [cc: -DCASE=5] [options: --keep-going --exit-status=same --seed=2]
// expect: - bug=exit executions=6 [cc: -DCASE=5] [options: --keep-going --exit-status=same --seed=3]
// expect: - verified executions=2 [cc: -DCASE=5 -DLOCKED] [options: --exit-status=same]
// expect: source verified executions=2 [cc: -DCASE=5 -DLOCKED] [options: --exit-status=same --seed=1]
// expect: - bug=exit executions=2 fork replay [cc: -DCASE=6] [options: --keep-going --exit-status=same]
// expect: source bug=exit executions=2 [cc: -DCASE=6] [options: --keep-going --exit-status=same]
// expect: dpor bug=exit executions=2 [cc: -DCASE=6] [options: --keep-going --exit-status=same]
// expect: all bug=exit executions=35 [cc: -DCASE=6] [options: --keep-going --exit-status=same]
// expect: - bug=exit executions=2 [cc: -DCASE=6] [options: --keep-going --exit-status=same --seed=1]
// expect: - bug=exit executions=2 [cc: -DCASE=6] [options: --keep-going --exit-status=same --seed=2]
// expect: - bug=exit executions=2 [cc: -DCASE=6] [options: --keep-going --exit-status=same --seed=3]
// expect: - verified executions=2 [cc: -DCASE=6 -DLOCKED] [options: --exit-status=same]
// expect: source verified executions=2 [cc: -DCASE=6 -DLOCKED] [options: --exit-status=same --seed=1]
// expect: - bug=exit executions=2 fork replay [cc: -DCASE=7] [options: --keep-going --exit-status=same]
// expect: source bug=exit executions=2 [cc: -DCASE=7] [options: --keep-going --exit-status=same]
// expect: dpor bug=exit executions=2 [cc: -DCASE=7] [options: --keep-going --exit-status=same]
// expect: all bug=exit executions=35 [cc: -DCASE=7] [options: --keep-going --exit-status=same]
// expect: - bug=exit executions=2 [cc: -DCASE=7] [options: --keep-going --exit-status=same --seed=1]
// expect: - bug=exit executions=2 [cc: -DCASE=7] [options: --keep-going --exit-status=same --seed=2]
// expect: - bug=exit executions=2 [cc: -DCASE=7] [options: --keep-going --exit-status=same --seed=3]
// expect: - verified executions=2 [cc: -DCASE=7 -DLOCKED] [options: --exit-status=same]
// expect: source verified executions=2 [cc: -DCASE=7 -DLOCKED] [options: --exit-status=same --seed=1]
// expect: - bug=exit executions=2 fork replay [cc: -DCASE=8] [options: --keep-going --exit-status=same]
// expect: source bug=exit executions=2 [cc: -DCASE=8] [options: --keep-going --exit-status=same]
// expect: dpor bug=exit executions=2 [cc: -DCASE=8] [options: --keep-going --exit-status=same]
// expect: all bug=exit executions=10 [cc: -DCASE=8] [options: --keep-going --exit-status=same]
// expect: - bug=exit executions=2 [cc: -DCASE=8] [options: --keep-going --exit-status=same --seed=1]
// expect: - bug=exit executions=2 [cc: -DCASE=8] [options: --keep-going --exit-status=same --seed=2]
// expect: - bug=exit executions=2 [cc: -DCASE=8] [options: --keep-going --exit-status=same --seed=3]
// expect: - verified executions=2 [cc: -DCASE=8 -DLOCKED] [options: --exit-status=same]
// expect: source verified executions=2 [cc: -DCASE=8 -DLOCKED] [options: --exit-status=same --seed=1]
// expect: - bug=exit executions=2 [cc: -DCASE=8] [options: --keep-going --exit-status=same --stateful]
// expect: - bug=exit executions=2 fork replay [cc: -DCASE=9] [options: --keep-going --exit-status=same]
// expect: source bug=exit executions=2 [cc: -DCASE=9] [options: --keep-going --exit-status=same]
// expect: dpor bug=exit executions=2 [cc: -DCASE=9] [options: --keep-going --exit-status=same]
// expect: all bug=exit executions=35 [cc: -DCASE=9] [options: --keep-going --exit-status=same]
// expect: - bug=exit executions=2 [cc: -DCASE=9] [options: --keep-going --exit-status=same --seed=1]
// expect: - bug=exit executions=2 [cc: -DCASE=9] [options: --keep-going --exit-status=same --seed=2]
// expect: - bug=exit executions=2 [cc: -DCASE=9] [options: --keep-going --exit-status=same --seed=3]
// expect: - verified executions=2 [cc: -DCASE=9 -DLOCKED] [options: --exit-status=same]
// expect: source verified executions=2 [cc: -DCASE=9 -DLOCKED] [options: --exit-status=same --seed=1]
// expect: - bug=exit executions=2 fork replay [cc: -DCASE=10] [options: --keep-going --exit-status=same]
// expect: source bug=exit executions=2 [cc: -DCASE=10] [options: --keep-going --exit-status=same]
// expect: dpor bug=exit executions=2 [cc: -DCASE=10] [options: --keep-going --exit-status=same]
// expect: all bug=exit executions=10 [cc: -DCASE=10] [options: --keep-going --exit-status=same]
// expect: - bug=exit executions=2 [cc: -DCASE=10] [options: --keep-going --exit-status=same --seed=1]
// expect: - bug=exit executions=2 [cc: -DCASE=10] [options: --keep-going --exit-status=same --seed=2]
// expect: - bug=exit executions=2 [cc: -DCASE=10] [options: --keep-going --exit-status=same --seed=3]
// expect: - verified executions=2 [cc: -DCASE=10 -DLOCKED] [options: --exit-status=same]
// expect: source verified executions=2 [cc: -DCASE=10 -DLOCKED] [options: --exit-status=same --seed=1]
// expect: - bug=exit executions=3 fork replay [cc: -DCASE=11] [options: --keep-going --exit-status=same]
// expect: source bug=exit executions=3 [cc: -DCASE=11] [options: --keep-going --exit-status=same]
// expect: dpor bug=exit executions=3 [cc: -DCASE=11] [options: --keep-going --exit-status=same]
// expect: all bug=exit executions=15 [cc: -DCASE=11] [options: --keep-going --exit-status=same]
// expect: - bug=exit executions=3 [cc: -DCASE=11] [options: --keep-going --exit-status=same --seed=1]
// expect: - bug=exit executions=3 [cc: -DCASE=11] [options: --keep-going --exit-status=same --seed=2]
// expect: - bug=exit executions=3 [cc: -DCASE=11] [options: --keep-going --exit-status=same --seed=3]
// expect: - verified executions=2 [cc: -DCASE=11 -DLOCKED] [options: --exit-status=same]
// expect: source verified executions=2 [cc: -DCASE=11 -DLOCKED] [options: --exit-status=same --seed=1]
// expect: - bug=exit executions=2 fork replay [cc: -DCASE=12] [options: --keep-going --exit-status=same]
// expect: source bug=exit executions=2 [cc: -DCASE=12] [options: --keep-going --exit-status=same]
// expect: dpor bug=exit executions=2 [cc: -DCASE=12] [options: --keep-going --exit-status=same]
// expect: all bug=exit executions=35 [cc: -DCASE=12] [options: --keep-going --exit-status=same]
// expect: - bug=exit executions=2 [cc: -DCASE=12] [options: --keep-going --exit-status=same --seed=1]
// expect: - bug=exit executions=2 [cc: -DCASE=12] [options: --keep-going --exit-status=same --seed=2]
// expect: - bug=exit executions=2 [cc: -DCASE=12] [options: --keep-going --exit-status=same --seed=3]
// expect: - verified executions=2 [cc: -DCASE=12 -DLOCKED] [options: --exit-status=same]
// expect: source verified executions=2 [cc: -DCASE=12 -DLOCKED] [options: --exit-status=same --seed=1]
// expect: - bug=exit executions=2 fork replay [cc: -DCASE=13] [options: --keep-going --exit-status=same]
// expect: source bug=exit executions=2 [cc: -DCASE=13] [options: --keep-going --exit-status=same]
// expect: dpor bug=exit executions=2 [cc: -DCASE=13] [options: --keep-going --exit-status=same]
// expect: all bug=exit executions=10 [cc: -DCASE=13] [options: --keep-going --exit-status=same]
// expect: - bug=exit executions=2 [cc: -DCASE=13] [options: --keep-going --exit-status=same --seed=1]
// expect: - bug=exit executions=2 [cc: -DCASE=13] [options: --keep-going --exit-status=same --seed=2]
// expect: - bug=exit executions=2 [cc: -DCASE=13] [options: --keep-going --exit-status=same --seed=3]
// expect: - verified executions=2 [cc: -DCASE=13 -DLOCKED] [options: --exit-status=same]
// expect: source verified executions=2 [cc: -DCASE=13 -DLOCKED] [options: --exit-status=same --seed=1]
// expect: - bug=exit executions=2 fork replay [cc: -DCASE=14] [options: --keep-going --exit-status=same]
// expect: source bug=exit executions=2 [cc: -DCASE=14] [options: --keep-going --exit-status=same]
// expect: dpor bug=exit executions=2 [cc: -DCASE=14] [options: --keep-going --exit-status=same]
// expect: all bug=exit executions=10 [cc: -DCASE=14] [options: --keep-going --exit-status=same]
// expect: - bug=exit executions=2 [cc: -DCASE=14] [options: --keep-going --exit-status=same --seed=1]
// expect: - bug=exit executions=2 [cc: -DCASE=14] [options: --keep-going --exit-status=same --seed=2]
// expect: - bug=exit executions=2 [cc: -DCASE=14] [options: --keep-going --exit-status=same --seed=3]
// expect: - verified executions=2 [cc: -DCASE=14 -DLOCKED] [options: --exit-status=same]
// expect: source verified executions=2 [cc: -DCASE=14 -DLOCKED] [options: --exit-status=same --seed=1]
// expect: - bug=exit executions=2 fork replay [cc: -DCASE=15] [options: --keep-going --exit-status=same]
// expect: source bug=exit executions=2 [cc: -DCASE=15] [options: --keep-going --exit-status=same]
// expect: dpor bug=exit executions=2 [cc: -DCASE=15] [options: --keep-going --exit-status=same]
// expect: all bug=exit executions=19 [cc: -DCASE=15] [options: --keep-going --exit-status=same]
// expect: - bug=exit executions=2 [cc: -DCASE=15] [options: --keep-going --exit-status=same --seed=1]
// expect: - bug=exit executions=2 [cc: -DCASE=15] [options: --keep-going --exit-status=same --seed=2]
// expect: - bug=exit executions=2 [cc: -DCASE=15] [options: --keep-going --exit-status=same --seed=3]
// expect: - verified executions=2 [cc: -DCASE=15 -DLOCKED] [options: --exit-status=same]
// expect: source verified executions=2 [cc: -DCASE=15 -DLOCKED] [options: --exit-status=same --seed=1]
// expect: - bug=crash executions=7 fork replay [cc: -DCASE=20] [options: --keep-going --exit-status=same]
// expect: source bug=crash executions=7 [cc: -DCASE=20] [options: --keep-going --exit-status=same]
// expect: dpor bug=crash executions=7 [cc: -DCASE=20] [options: --keep-going --exit-status=same]
// expect: all bug=crash executions=97 [cc: -DCASE=20] [options: --keep-going --exit-status=same]
// expect: - bug=crash executions=7 [cc: -DCASE=20] [options: --keep-going --exit-status=same --seed=1]
// expect: - bug=crash executions=7 [cc: -DCASE=20] [options: --keep-going --exit-status=same --seed=2]
// expect: - bug=crash executions=7 [cc: -DCASE=20] [options: --keep-going --exit-status=same --seed=3]
// expect: - verified executions=2 [cc: -DCASE=20 -DLOCKED] [options: --exit-status=same]
// expect: source verified executions=2 [cc: -DCASE=20 -DLOCKED] [options: --exit-status=same --seed=1]
// expect: - bug=crash executions=43 [cc: -DCASE=20] [options: --keep-going --exit-status=same --stateful]
// expect: - bug=crash executions=7 fork replay [cc: -DCASE=21] [options: --keep-going --exit-status=same]
// expect: source bug=crash executions=7 [cc: -DCASE=21] [options: --keep-going --exit-status=same]
// expect: dpor bug=crash executions=7 [cc: -DCASE=21] [options: --keep-going --exit-status=same]
// expect: all bug=crash executions=97 [cc: -DCASE=21] [options: --keep-going --exit-status=same]
// expect: - bug=crash executions=7 [cc: -DCASE=21] [options: --keep-going --exit-status=same --seed=1]
// expect: - bug=crash executions=7 [cc: -DCASE=21] [options: --keep-going --exit-status=same --seed=2]
// expect: - bug=crash executions=7 [cc: -DCASE=21] [options: --keep-going --exit-status=same --seed=3]
// expect: - verified executions=2 [cc: -DCASE=21 -DLOCKED] [options: --exit-status=same]
// expect: source verified executions=2 [cc: -DCASE=21 -DLOCKED] [options: --exit-status=same --seed=1]
// expect: - bug=crash,exit executions=6 fork replay [cc: -DCASE=22] [options: --keep-going --exit-status=same]
// expect: source bug=crash,exit executions=6 [cc: -DCASE=22] [options: --keep-going --exit-status=same]
// expect: dpor bug=crash,exit executions=6 [cc: -DCASE=22] [options: --keep-going --exit-status=same]
// expect: all bug=crash,exit executions=166 [cc: -DCASE=22] [options: --keep-going --exit-status=same]
// expect: - bug=crash,exit executions=6 [cc: -DCASE=22] [options: --keep-going --exit-status=same --seed=1]
// expect: - bug=crash,exit executions=6 [cc: -DCASE=22] [options: --keep-going --exit-status=same --seed=2]
// expect: - bug=crash,exit executions=6 [cc: -DCASE=22] [options: --keep-going --exit-status=same --seed=3]
// expect: - verified executions=2 [cc: -DCASE=22 -DLOCKED] [options: --exit-status=same]
// expect: source verified executions=2 [cc: -DCASE=22 -DLOCKED] [options: --exit-status=same --seed=1]
// expect: - bug=crash executions=7 fork replay [cc: -DCASE=23] [options: --keep-going --exit-status=same]
// expect: source bug=crash executions=7 [cc: -DCASE=23] [options: --keep-going --exit-status=same]
// expect: dpor bug=crash executions=7 [cc: -DCASE=23] [options: --keep-going --exit-status=same]
// expect: all bug=crash executions=97 [cc: -DCASE=23] [options: --keep-going --exit-status=same]
// expect: - bug=crash executions=7 [cc: -DCASE=23] [options: --keep-going --exit-status=same --seed=1]
// expect: - bug=crash executions=7 [cc: -DCASE=23] [options: --keep-going --exit-status=same --seed=2]
// expect: - bug=crash executions=7 [cc: -DCASE=23] [options: --keep-going --exit-status=same --seed=3]
// expect: - verified executions=2 [cc: -DCASE=23 -DLOCKED] [options: --exit-status=same]
// expect: source verified executions=2 [cc: -DCASE=23 -DLOCKED] [options: --exit-status=same --seed=1]
// expect: - verified executions=1 fork [cc: -DCASE=24] [options: --keep-going --exit-status=same]
// expect: source verified executions=1 [cc: -DCASE=24] [options: --keep-going --exit-status=same]
// expect: dpor verified executions=1 [cc: -DCASE=24] [options: --keep-going --exit-status=same]
// expect: all verified executions=35 [cc: -DCASE=24] [options: --keep-going --exit-status=same]
// expect: - verified executions=1 [cc: -DCASE=24] [options: --keep-going --exit-status=same --seed=1]
// expect: - verified executions=1 [cc: -DCASE=24] [options: --keep-going --exit-status=same --seed=2]
// expect: - verified executions=1 [cc: -DCASE=24] [options: --keep-going --exit-status=same --seed=3]
// expect: - bug=crash executions=7 fork replay [cc: -DCASE=25] [options: --keep-going --exit-status=same]
// expect: source bug=crash executions=7 [cc: -DCASE=25] [options: --keep-going --exit-status=same]
// expect: dpor bug=crash executions=7 [cc: -DCASE=25] [options: --keep-going --exit-status=same]
// expect: all bug=crash executions=97 [cc: -DCASE=25] [options: --keep-going --exit-status=same]
// expect: - bug=crash executions=7 [cc: -DCASE=25] [options: --keep-going --exit-status=same --seed=1]
// expect: - bug=crash executions=7 [cc: -DCASE=25] [options: --keep-going --exit-status=same --seed=2]
// expect: - bug=crash executions=7 [cc: -DCASE=25] [options: --keep-going --exit-status=same --seed=3]
// expect: - verified executions=2 [cc: -DCASE=25 -DLOCKED] [options: --exit-status=same]
// expect: source verified executions=2 [cc: -DCASE=25 -DLOCKED] [options: --exit-status=same --seed=1]
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static int first, second, fd, other, copy;
static int *memory;
static FILE *stream;
#ifdef LOCKED
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int done;
#endif

static int make(const char *path, const char *text)
{
	int file = open(path, O_CREAT | O_RDWR | O_TRUNC, 0600);

	assert(file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text) && !lseek(file, 0, SEEK_SET));
	return file;
}

static int begins_with(char c)
{
	char found = 0;

	return pread(fd, &found, 1, 0) == 1 && found == c;
}

static void before(void)
{
#if CASE >= 20
	memory = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert(memory != MAP_FAILED);
#else
	fd = make("a", "12345");
	other = make("b", "67890");
#endif
#if CASE == 8
	copy = dup(fd);
#elif CASE == 11
	stream = fopen("c", "w+");
#endif
}

static int run_first(void)
{
#if CASE == 1 /* closed while another reads */
	return close(fd) == 0;
#elif CASE == 2 /* replaced while another reads */
	return dup2(other, fd) == fd;
#elif CASE == 3 /* one position for both */
	return lseek(fd, 2, SEEK_SET) == 2;
#elif CASE == 4 /* both write the same file, each by its own descriptor */
	int own = open("a", O_WRONLY);
	return write(own, "x", 1) == 1;
#elif CASE == 5 /* both append */
	int own = open("a", O_WRONLY | O_APPEND);
	return write(own, "x", 1) == 1;
#elif CASE == 6
	return ftruncate(fd, 1) == 0;
#elif CASE == 7 /* the next free descriptor */
	return open("a", O_RDONLY) == other + 1;
#elif CASE == 8 /* the position is that of the copy as well */
	return lseek(copy, 3, SEEK_SET) == 3;
#elif CASE == 9
	return fcntl(fd, F_SETFL, O_APPEND) == 0;
#elif CASE == 10
	return fcntl(fd, F_DUPFD, 20) == 20;
#elif CASE == 11
	return fputs("x", stream) >= 0 && fflush(NULL) == 0;
#elif CASE == 12 /* not by libc's own function */
	return syscall(SYS_ftruncate, fd, 1L) == 0;
#elif CASE == 13
	return signal(SIGUSR1, SIG_IGN) == SIG_DFL;
#elif CASE == 14
	return setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0}) == 0;
#elif CASE == 15 /* standard output becomes a file */
	return dup2(fd, 1) == 1;
#elif CASE == 20
	return munmap(memory, 4096) == 0;
#elif CASE == 21
	return mremap(memory, 8192, 65536, MREMAP_MAYMOVE) != MAP_FAILED;
#elif CASE == 22
	return mmap(memory, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == memory;
#elif CASE == 23
	return mprotect(memory, 4096, PROT_NONE) == 0;
#elif CASE == 24 /* another part */
	return munmap(memory + 1024, 4096) == 0;
#elif CASE == 25 /* not by libc's own function */
	return syscall(SYS_munmap, memory, 4096L) == 0;
#endif
}

static int run_second(void)
{
	char text[8] = "";
	struct stat status;
	struct rlimit limit;

	(void)text, (void)status, (void)limit;
#if CASE == 1
	return read(fd, text, 1) == 1;
#elif CASE == 2
	return read(fd, text, 1) == 1 && text[0] == '1';
#elif CASE == 3 || CASE == 8
	return read(fd, text, 1) == 1 && text[0] == '1';
#elif CASE == 4
	return write(fd, "y", 1) == 1;
#elif CASE == 5
	int own = open("a", O_WRONLY | O_APPEND);
	return write(own, "y", 1) == 1;
#elif CASE == 6 || CASE == 12
	return !fstat(fd, &status) && status.st_size == 5;
#elif CASE == 7
	return open("b", O_RDONLY) == other + 1;
#elif CASE == 9
	return (fcntl(fd, F_GETFL) & O_APPEND) != 0;
#elif CASE == 10
	return fcntl(20, F_GETFD) >= 0;
#elif CASE == 11
	return !stat("c", &status) && status.st_size == 1;
#elif CASE == 13
	struct sigaction action;
	return sigaction(SIGUSR1, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
#elif CASE == 14
	return !getrlimit(RLIMIT_CORE, &limit) && limit.rlim_max == 0;
#elif CASE == 15
	return write(1, "z", 1) == 1;
#elif CASE == 24
	return memory[0] == 0;
#elif defined LOCKED /* it must not be used any more */
	return memory != NULL;
#elif CASE >= 20
	memory[1] = 1;
	return memory[1];
#endif
}

/* What is in the file decides, where both succeed. */
static int contents(void)
{
	char text[8] = "";

	(void)text;
#if CASE == 4
	return begins_with('x');
#elif CASE == 5
	return pread(fd, text, 7, 0) == 7 && !strcmp(text, "12345xy");
#elif CASE == 15
	return begins_with('z');
#endif
	return 0;
}

static void begin_first(void)
{
#ifdef LOCKED
	pthread_mutex_lock(&mutex);
#endif
}

static void end_first(void)
{
#ifdef LOCKED
	done = 1;
	pthread_cond_signal(&cond);
	pthread_mutex_unlock(&mutex);
#endif
}

/* With LOCKED the second thread comes second, whatever the schedule. */
static void begin_second(void)
{
#ifdef LOCKED
	pthread_mutex_lock(&mutex);
	while (!done)
		pthread_cond_wait(&cond, &mutex);
#endif
}

static void end_second(void)
{
#ifdef LOCKED
	pthread_mutex_unlock(&mutex);
#endif
}

static void *a(void *unused)
{
	begin_first();
	first = run_first();
	end_first();
	return unused;
}

static void *b(void *unused)
{
	begin_second();
	second = run_second();
	end_second();
	return unused;
}

int main(void)
{
	pthread_t t, u;

	(void)copy, (void)other, (void)memory, (void)stream, (void)begins_with, (void)make;
	before();
	pthread_create(&t, NULL, a, NULL);
	pthread_create(&u, NULL, b, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return first * 4 + second * 2 + contents();
}
