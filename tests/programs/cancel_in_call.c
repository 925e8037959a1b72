// System calls that are cancellation points, and functions of stdio that may be (not all): a thread can end in them with a lock.
// expect: - bug=deadlock,lock executions=3 replay [options: --keep-going] [cc: -DCASE=1]
// expect: all bug=deadlock,lock executions=7 [options: --keep-going] [cc: -DCASE=1]
// expect: - bug=deadlock,lock executions=3 [options: --keep-going] [cc: -DCASE=2]
// expect: - bug=deadlock,lock executions=3 [options: --keep-going] [cc: -DCASE=3]
// expect: - bug=deadlock,lock executions=3 [options: --keep-going] [cc: -DCASE=4]
// expect: - bug=deadlock,lock executions=5 [options: --keep-going] [cc: -DCASE=5]
// expect: - bug=deadlock,lock executions=6 [options: --keep-going --stateful] [cc: -DCASE=5]
// expect: - verified executions=2 [cc: -DCASE=6]
// expect: - verified executions=2 [cc: -DCASE=7]
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *call(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&mutex);
#if CASE == 1
	(void)!write(STDOUT_FILENO, "x", 1);
#elif CASE == 2
	fsync(STDOUT_FILENO);
#elif CASE == 3
	close(STDIN_FILENO);
#elif CASE == 4
	(void)!open("/", O_RDONLY);
#elif CASE == 5
	puts("x");
#elif CASE == 7
	setvbuf(stdout, NULL, _IONBF, 0);
#else
	getppid();
#endif
	pthread_mutex_unlock(&mutex);
	return NULL;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, call, NULL);
	pthread_cancel(thread);
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
	pthread_join(thread, NULL);
	return 0;
}
