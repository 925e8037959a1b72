// Resource limits decide what calls can do, and so do other calls that use up what is limited.
//
// CASE 1: less may be mapped before or after main maps something.
// expect: - bug=assertion executions=2 line=@mapped replay [cc: -DCASE=1] [options: --keep-going]
// expect: source bug=assertion executions=2 line=@mapped [cc: -DCASE=1] [options: --keep-going --seed=1]
// expect: - verified executions=1 [cc: -DCASE=1 -DFIXED]
// CASE 2: no file may be opened any more, and what the program changes is put back nevertheless: made once in each execution.
// expect: - verified executions=2 fork [cc: -DCASE=2]
// expect: source verified executions=2 [cc: -DCASE=2 -DTWICE]
// CASE 3: getdents64() sees a name that another thread makes, or not.
// expect: - bug=assertion executions=2 line=@names replay [cc: -DCASE=3 -DNAMES=2] [options: --keep-going]
// expect: - bug=assertion executions=2 line=@names [cc: -DCASE=3 -DNAMES=3] [options: --keep-going]
// expect: source bug=assertion executions=2 line=@names [cc: -DCASE=3 -DNAMES=2] [options: --keep-going]
#define _GNU_SOURCE
#include <assert.h>
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define SIZE (1 << 20)

static char directory[] = "/tmp/system_limits.XXXXXX";

#if CASE == 1

static void *limit(void *unused)
{
	struct rlimit limit;

	getrlimit(RLIMIT_AS, &limit);
	limit.rlim_cur = SIZE;
	setrlimit(RLIMIT_AS, &limit);
	return unused;
}

static void check(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, limit, NULL);
#ifdef FIXED
	pthread_join(thread, NULL);
	assert(mmap(NULL, SIZE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED);
#else
	void *mapped = mmap(NULL, SIZE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_join(thread, NULL);
	assert(mapped != MAP_FAILED); // @mapped
#endif
}

#elif CASE == 2

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void *work(void *unused)
{
	pthread_mutex_lock(&mutex);
	count++;
	pthread_mutex_unlock(&mutex);
	return unused;
}

static void check(void)
{
	struct rlimit limit;
	pthread_t threads[2];

	getrlimit(RLIMIT_NOFILE, &limit);
	limit.rlim_cur = 3;
	setrlimit(RLIMIT_NOFILE, &limit);
	assert(mkdir("made", 0700) == 0);
#ifdef TWICE
	assert(mkdir("made", 0700) == -1 && rename("made", "renamed") == 0 && mkdir("made", 0700) == 0);
#endif
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert(count == 2);
}

#else

static void *make(void *unused)
{
	mkdir("made", 0700);
	return unused;
}

static void check(void)
{
	char buffer[1024];
	int fd = open(".", O_RDONLY | O_DIRECTORY), names = 0;
	pthread_t thread;

	pthread_create(&thread, NULL, make, NULL);
	ssize_t size = getdents64(fd, buffer, sizeof buffer);
	for (ssize_t at = 0; at < size; at += ((struct dirent64 *)(buffer + at))->d_reclen)
		names++;
	pthread_join(thread, NULL);
	rmdir("made");
	close(fd);
	assert(names == NAMES); // @names
}

#endif

int main(void)
{
	assert(mkdtemp(directory) && chdir(directory) == 0);
	check();
	return 0;
}
