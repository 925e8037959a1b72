// Who tries until a file can be made, or until one is there, waits like one who spins on a lock.
// expect: - verified executions=4 blocked=2 [cc: -DCASE=1]
// expect: source verified executions=4 blocked=2 [cc: -DCASE=1]
// expect: - verified executions=4 blocked=2 [cc: -DCASE=2]
// expect: - verified executions=2 blocked=1 [cc: -DCASE=3]
// expect: - bug=livelock executions=1 blocked=0 [cc: -DCASE=4]
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

static int counter;

static void lock(void)
{
#if CASE == 1
	while (open("lock", O_CREAT | O_EXCL | O_WRONLY, 0600) < 0)
		;
#elif CASE == 2
	while (mkdir("lock", 0700))
		;
#endif
}

static void unlock(void)
{
#if CASE == 1
	assert(!unlink("lock"));
#elif CASE == 2
	assert(!rmdir("lock"));
#endif
}

static void *count(void *unused)
{
#if CASE <= 2
	lock();
	counter++;
	unlock();
#else
	while (access("flag", F_OK))
		;
#endif
	return unused;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, count, NULL);
#if CASE <= 2
	count(NULL);
#elif CASE == 3
	close(open("flag", O_CREAT | O_WRONLY, 0600));
#else
	close(open("other", O_CREAT | O_WRONLY, 0600));
#endif
	pthread_join(thread, NULL);
	assert(counter == (CASE <= 2 ? 2 : 0));
	return 0;
}
