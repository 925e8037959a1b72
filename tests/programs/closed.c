// What is used when another thread may have closed it already, and the environment by its own name.
// expect: - bug=memory executions=1 blocked=0 line=@use [cc: -DSTREAM]
// expect: source bug=memory executions=1 blocked=0 line=@use [cc: -DSTREAM] [options: --seed=1]
// expect: - bug=exit executions=2 blocked=0 [cc: -DSYNC] [options: --keep-going]
// expect: source bug=exit executions=2 blocked=0 [cc: -DSYNC] [options: --keep-going --seed=1]
// expect: - bug=exit executions=2 blocked=0 [cc: -DTERMINAL] [options: --keep-going]
// expect: - bug=race executions=1 blocked=0 line=@use [cc: -DENVIRONMENT]
// expect: - error line=@use [cc: -DPREFERS] [says: prefers writers]
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static FILE *stream;
static int descriptor, result;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;

static void *use(void *unused)
{
#if defined STREAM
	result = fputs("text", stream) < 0; // @use
#elif defined SYNC
	result = fsync(descriptor);
#elif defined TERMINAL
	isatty(descriptor);
	result = errno == EBADF;
#elif defined ENVIRONMENT
	result = *environ == NULL; // @use
#else
	pthread_rwlock_rdlock(&rwlock); // @use
	pthread_rwlock_rdlock(&rwlock);
	pthread_rwlock_unlock(&rwlock);
	pthread_rwlock_unlock(&rwlock);
#endif
	return unused;
}

int main(void)
{
	pthread_t thread;

	stream = fopen("closed.out", "w");
	descriptor = open("closed.txt", O_CREAT | O_RDWR, 0600);
	pthread_create(&thread, NULL, use, NULL);
#if defined STREAM
	fclose(stream);
#elif defined ENVIRONMENT
	setenv("CLOSED", "1", 1); // @use
#elif defined PREFERS
	pthread_rwlock_wrlock(&rwlock); // @use
	pthread_rwlock_unlock(&rwlock);
#else
	close(descriptor);
#endif
	pthread_join(thread, NULL);
	return result != 0;
}
