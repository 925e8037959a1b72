// read and stat write what they are given, write reads it.
// expect: source bug=race executions=2 line=@race fork [options: --keep-going] [cc: -DCASE=1] [says: buffer]
// expect: dpor bug=race executions=2 line=@race [options: --keep-going] [cc: -DCASE=1]
// expect: source verified executions=1 [cc: -DCASE=2]
// expect: source bug=race executions=2 line=@race [options: --keep-going] [cc: -DCASE=3]
// expect: source bug=race executions=2 line=@race [options: --keep-going] [cc: -DCASE=4] [says: status]
// expect: source bug=race executions=2 line=@race [options: --keep-going] [cc: -DCASE=5] [says: now]
// expect: source bug=race executions=2 line=@race [options: --keep-going] [cc: -DCASE=6 -D_FILE_OFFSET_BITS=64]
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static char buffer[32] = "0123456789";
static struct stat status;
static struct timespec now;
static int zero;

static void *first(void *unused)
{
#if CASE == 1
	assert(read(zero, buffer, 8) == 8); // @race
#elif CASE == 2
	assert(read(zero, buffer, 5) == 5);
#elif CASE == 3
	struct iovec parts[] = {{"x", 1}, {buffer, 8}};

	assert(writev(1, parts, 2) == 9); // @race
#elif CASE == 4
	assert(!stat("/", &status)); // @race
#elif CASE == 5
	clock_gettime(CLOCK_REALTIME, &now); // @race
#elif CASE == 6
	assert(pread(zero, buffer, 8, 0) == 8); // @race
#endif
	return unused;
}

static void *second(void *unused)
{
#if CASE == 4
	return status.st_mode ? unused : NULL; // @race
#elif CASE == 5
	return now.tv_sec ? unused : NULL; // @race
#else
	buffer[5] = 'x'; // @race
#endif
	return unused;
}

int main(void)
{
	pthread_t t1, t2;

	zero = open("/dev/zero", O_RDONLY);
	assert(zero >= 0);
	pthread_create(&t1, NULL, first, NULL);
	pthread_create(&t2, NULL, second, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return 0;
}
