// System calls on the names of files are operations: who comes first decides what the calls of the others do.  Each case
// is wrong (the exit status depends on the schedule), and right where the second thread waits for the first.
// expect: - bug=exit executions=2 fork replay [cc: -DCASE=1] [options: --keep-going --exit-status=same]
// expect: source bug=exit executions=2 [cc: -DCASE=1] [options: --keep-going --exit-status=same]
// expect: dpor bug=exit executions=2 [cc: -DCASE=1] [options: --keep-going --exit-status=same]
// expect: all bug=exit executions=10 [cc: -DCASE=1] [options: --keep-going --exit-status=same]
// expect: - bug=exit executions=2 [cc: -DCASE=1] [options: --keep-going --exit-status=same --seed=1]
// expect: - bug=exit executions=2 [cc: -DCASE=1] [options: --keep-going --exit-status=same --seed=2]
// expect: - bug=exit executions=2 [cc: -DCASE=1] [options: --keep-going --exit-status=same --seed=3]
// expect: - verified executions=2 [cc: -DCASE=1 -DLOCKED] [options: --exit-status=same]
// expect: source verified executions=2 [cc: -DCASE=1 -DLOCKED] [options: --exit-status=same --seed=1]
// expect: - bug=exit executions=2 [cc: -DCASE=1] [options: --keep-going --exit-status=same --stateful]
// expect: - bug=exit executions=2 fork replay [cc: -DCASE=2] [options: --keep-going --exit-status=same]
// expect: source bug=exit executions=2 [cc: -DCASE=2] [options: --keep-going --exit-status=same]
// expect: dpor bug=exit executions=2 [cc: -DCASE=2] [options: --keep-going --exit-status=same]
// expect: all bug=exit executions=10 [cc: -DCASE=2] [options: --keep-going --exit-status=same]
// expect: - bug=exit executions=2 [cc: -DCASE=2] [options: --keep-going --exit-status=same --seed=1]
// expect: - bug=exit executions=2 [cc: -DCASE=2] [options: --keep-going --exit-status=same --seed=2]
// expect: - bug=exit executions=2 [cc: -DCASE=2] [options: --keep-going --exit-status=same --seed=3]
// expect: - verified executions=2 [cc: -DCASE=2 -DLOCKED] [options: --exit-status=same]
// expect: source verified executions=2 [cc: -DCASE=2 -DLOCKED] [options: --exit-status=same --seed=1]
// expect: - bug=exit executions=4 fork replay [cc: -DCASE=3] [options: --keep-going --exit-status=same]
// expect: source bug=exit executions=4 [cc: -DCASE=3] [options: --keep-going --exit-status=same]
// expect: dpor bug=exit executions=4 [cc: -DCASE=3] [options: --keep-going --exit-status=same]
// expect: all bug=exit executions=35 [cc: -DCASE=3] [options: --keep-going --exit-status=same]
// expect: - bug=exit executions=4 [cc: -DCASE=3] [options: --keep-going --exit-status=same --seed=1]
// expect: - bug=exit executions=4 [cc: -DCASE=3] [options: --keep-going --exit-status=same --seed=2]
// expect: - bug=exit executions=4 [cc: -DCASE=3] [options: --keep-going --exit-status=same --seed=3]
// expect: - verified executions=2 [cc: -DCASE=3 -DLOCKED] [options: --exit-status=same]
// expect: source verified executions=2 [cc: -DCASE=3 -DLOCKED] [options: --exit-status=same --seed=1]
// expect: - bug=exit executions=2 fork replay [cc: -DCASE=4] [options: --keep-going --exit-status=same]
// expect: source bug=exit executions=2 [cc: -DCASE=4] [options: --keep-going --exit-status=same]
// expect: dpor bug=exit executions=2 [cc: -DCASE=4] [options: --keep-going --exit-status=same]
// expect: all bug=exit executions=10 [cc: -DCASE=4] [options: --keep-going --exit-status=same]
// expect: - bug=exit executions=2 [cc: -DCASE=4] [options: --keep-going --exit-status=same --seed=1]
// expect: - bug=exit executions=2 [cc: -DCASE=4] [options: --keep-going --exit-status=same --seed=2]
// expect: - bug=exit executions=2 [cc: -DCASE=4] [options: --keep-going --exit-status=same --seed=3]
// expect: - verified executions=2 [cc: -DCASE=4 -DLOCKED] [options: --exit-status=same]
// expect: source verified executions=2 [cc: -DCASE=4 -DLOCKED] [options: --exit-status=same --seed=1]
// expect: - bug=exit executions=2 [cc: -DCASE=4] [options: --keep-going --exit-status=same --stateful]
// expect: - bug=exit executions=2 fork replay [cc: -DCASE=5] [options: --keep-going --exit-status=same]
// expect: source bug=exit executions=2 [cc: -DCASE=5] [options: --keep-going --exit-status=same]
// expect: dpor bug=exit executions=2 [cc: -DCASE=5] [options: --keep-going --exit-status=same]
// expect: all bug=exit executions=10 [cc: -DCASE=5] [options: --keep-going --exit-status=same]
// expect: - bug=exit executions=2 [cc: -DCASE=5] [options: --keep-going --exit-status=same --seed=1]
// expect: - bug=exit executions=2 [cc: -DCASE=5] [options: --keep-going --exit-status=same --seed=2]
// expect: - bug=exit executions=2 [cc: -DCASE=5] [options: --keep-going --exit-status=same --seed=3]
// expect: - verified executions=2 [cc: -DCASE=5 -DLOCKED] [options: --exit-status=same]
// expect: source verified executions=2 [cc: -DCASE=5 -DLOCKED] [options: --exit-status=same --seed=1]
// expect: - bug=exit executions=3 fork replay [cc: -DCASE=6] [options: --keep-going --exit-status=same]
// expect: source bug=exit executions=3 [cc: -DCASE=6] [options: --keep-going --exit-status=same]
// expect: dpor bug=exit executions=3 [cc: -DCASE=6] [options: --keep-going --exit-status=same]
// expect: all bug=exit executions=20 [cc: -DCASE=6] [options: --keep-going --exit-status=same]
// expect: - bug=exit executions=3 [cc: -DCASE=6] [options: --keep-going --exit-status=same --seed=1]
// expect: - bug=exit executions=3 [cc: -DCASE=6] [options: --keep-going --exit-status=same --seed=2]
// expect: - bug=exit executions=3 [cc: -DCASE=6] [options: --keep-going --exit-status=same --seed=3]
// expect: - verified executions=2 [cc: -DCASE=6 -DLOCKED] [options: --exit-status=same]
// expect: source verified executions=2 [cc: -DCASE=6 -DLOCKED] [options: --exit-status=same --seed=1]
// expect: - bug=exit executions=3 fork replay [cc: -DCASE=7] [options: --keep-going --exit-status=same]
// expect: source bug=exit executions=3 [cc: -DCASE=7] [options: --keep-going --exit-status=same]
// expect: dpor bug=exit executions=3 [cc: -DCASE=7] [options: --keep-going --exit-status=same]
// expect: all bug=exit executions=15 [cc: -DCASE=7] [options: --keep-going --exit-status=same]
// expect: - bug=exit executions=3 [cc: -DCASE=7] [options: --keep-going --exit-status=same --seed=1]
// expect: - bug=exit executions=3 [cc: -DCASE=7] [options: --keep-going --exit-status=same --seed=2]
// expect: - bug=exit executions=3 [cc: -DCASE=7] [options: --keep-going --exit-status=same --seed=3]
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
// expect: - bug=exit executions=8 fork replay [cc: -DCASE=9] [options: --keep-going --exit-status=same]
// expect: source bug=exit executions=8 [cc: -DCASE=9] [options: --keep-going --exit-status=same]
// expect: dpor bug=exit executions=8 [cc: -DCASE=9] [options: --keep-going --exit-status=same]
// expect: all bug=exit executions=45 [cc: -DCASE=9] [options: --keep-going --exit-status=same]
// expect: - bug=exit executions=8 [cc: -DCASE=9] [options: --keep-going --exit-status=same --seed=1]
// expect: - bug=exit executions=8 [cc: -DCASE=9] [options: --keep-going --exit-status=same --seed=2]
// expect: - bug=exit executions=8 [cc: -DCASE=9] [options: --keep-going --exit-status=same --seed=3]
// expect: - verified executions=2 [cc: -DCASE=9 -DLOCKED] [options: --exit-status=same]
// expect: source verified executions=2 [cc: -DCASE=9 -DLOCKED] [options: --exit-status=same --seed=1]
// expect: - bug=exit executions=12 fork replay [cc: -DCASE=10] [options: --keep-going --exit-status=same]
// expect: source bug=exit executions=12 [cc: -DCASE=10] [options: --keep-going --exit-status=same]
// expect: dpor bug=exit executions=12 [cc: -DCASE=10] [options: --keep-going --exit-status=same]
// expect: - bug=exit executions=12 [cc: -DCASE=10] [options: --keep-going --exit-status=same --seed=1]
// expect: - bug=exit executions=12 [cc: -DCASE=10] [options: --keep-going --exit-status=same --seed=2]
// expect: - bug=exit executions=12 [cc: -DCASE=10] [options: --keep-going --exit-status=same --seed=3]
// expect: - verified executions=2 [cc: -DCASE=10 -DLOCKED] [options: --exit-status=same]
// expect: source verified executions=2 [cc: -DCASE=10 -DLOCKED] [options: --exit-status=same --seed=1]
// expect: - bug=exit executions=2 fork replay [cc: -DCASE=11] [options: --keep-going --exit-status=same]
// expect: source bug=exit executions=2 [cc: -DCASE=11] [options: --keep-going --exit-status=same]
// expect: dpor bug=exit executions=2 [cc: -DCASE=11] [options: --keep-going --exit-status=same]
// expect: all bug=exit executions=10 [cc: -DCASE=11] [options: --keep-going --exit-status=same]
// expect: - bug=exit executions=2 [cc: -DCASE=11] [options: --keep-going --exit-status=same --seed=1]
// expect: - bug=exit executions=2 [cc: -DCASE=11] [options: --keep-going --exit-status=same --seed=2]
// expect: - bug=exit executions=2 [cc: -DCASE=11] [options: --keep-going --exit-status=same --seed=3]
// expect: - verified executions=2 [cc: -DCASE=11 -DLOCKED] [options: --exit-status=same]
// expect: source verified executions=2 [cc: -DCASE=11 -DLOCKED] [options: --exit-status=same --seed=1]
// expect: - bug=exit executions=2 fork replay [cc: -DCASE=12] [options: --keep-going --exit-status=same]
// expect: source bug=exit executions=2 [cc: -DCASE=12] [options: --keep-going --exit-status=same]
// expect: dpor bug=exit executions=2 [cc: -DCASE=12] [options: --keep-going --exit-status=same]
// expect: all bug=exit executions=10 [cc: -DCASE=12] [options: --keep-going --exit-status=same]
// expect: - bug=exit executions=2 [cc: -DCASE=12] [options: --keep-going --exit-status=same --seed=1]
// expect: - bug=exit executions=2 [cc: -DCASE=12] [options: --keep-going --exit-status=same --seed=2]
// expect: - bug=exit executions=2 [cc: -DCASE=12] [options: --keep-going --exit-status=same --seed=3]
// expect: - verified executions=2 [cc: -DCASE=12 -DLOCKED] [options: --exit-status=same]
// expect: source verified executions=2 [cc: -DCASE=12 -DLOCKED] [options: --exit-status=same --seed=1]
#define _GNU_SOURCE
#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int first, second; /* what each thread has seen: its own variable, so that nothing else is shared */
#ifdef LOCKED
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int done;
#endif

static int there(const char *path)
{
	return access(path, F_OK) == 0;
}

static void make(const char *path)
{
	int fd = open(path, O_CREAT | O_WRONLY, 0600);
	assert(fd >= 0);
	close(fd);
}

static void before(void)
{
#if CASE == 2 || CASE == 12
	make("a");
#elif CASE == 3
	make("a");
	make("b");
#elif CASE == 5
	assert(!mkdir("d", 0700));
	make("d/x");
#elif CASE == 8 || CASE == 9
	int fd = open("a", O_CREAT | O_WRONLY, 0600);
	assert(write(fd, "12345", 5) == 5);
	close(fd);
#elif CASE == 10
	assert(!mkdir("d", 0700));
#endif
}

static int run_first(void)
{
#if CASE == 1
	return open("lock", O_CREAT | O_EXCL | O_WRONLY, 0600) >= 0;
#elif CASE == 2
	return unlink("a") == 0;
#elif CASE == 3
	return rename("a", "c") == 0 && there("b");
#elif CASE == 4
	return mkdir("lock", 0700) == 0;
#elif CASE == 5
	return chdir("d") == 0;
#elif CASE == 6
	return umask(077) == 022;
#elif CASE == 7
	return link("/dev/null/x", "y") == 0 || symlink("nowhere", "s") == 0;
#elif CASE == 8
	return truncate("a", 0) == 0;
#elif CASE == 9
	FILE *file = fopen("a", "w");
	return file && fclose(file) == 0;
#elif CASE == 10
	make("d/new");
	return 1;
#elif CASE == 11
	char name[] = "tXXXXXX";
	int fd = mkstemp(name);
	return fd >= 0 && !strcmp(name, "tAAAAAA");
#elif CASE == 12
	return chmod("a", 0400) == 0;
#endif
}

static int run_second(void)
{
#if CASE == 1
	return open("lock", O_CREAT | O_EXCL | O_WRONLY, 0600) >= 0;
#elif CASE == 2
	return remove("a") == 0;
#elif CASE == 3
	return rename("b", "c") == 0 && there("a");
#elif CASE == 4
	return mkdir("lock", 0700) == 0;
#elif CASE == 5
	return open("x", O_RDONLY) >= 0;
#elif CASE == 6
	struct stat status;
	make("a");
	return !stat("a", &status) && (status.st_mode & 0777) == 0600 && (umask(0), 1);
#elif CASE == 7
	char target[16];
	return readlink("s", target, sizeof target) == 7;
#elif CASE == 8
	struct stat status;
	return !stat("a", &status) && status.st_size == 5;
#elif CASE == 9
	char text[8] = "";
	FILE *file = fopen("a", "r");
	return file && fgets(text, sizeof text, file) && !fclose(file);
#elif CASE == 10
	int count = 0;
	DIR *directory = opendir("d");
	while (readdir(directory))
		count++;
	return !closedir(directory) && count == 3;
#elif CASE == 11
	char name[] = "tXXXXXX";
	int fd = mkstemp(name);
	return fd >= 0 && !strcmp(name, "tAAAAAA");
#elif CASE == 12
	struct stat status;
	return !stat("a", &status) && (status.st_mode & 0777) == 0600;
#endif
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

	umask(022);
	before();
	pthread_create(&t, NULL, a, NULL);
	pthread_create(&u, NULL, b, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return first * 2 + second;
}
