// Names that the runtime has inside, and names of the C library, are the program's own to use.
// expect: - verified executions=2 fork
// expect: all verified executions=10
// expect: source verified executions=2
// expect: dpor verified executions=2
// expect: - verified executions=2 [cc: -O2]
// expect: - bug=assertion,race executions=16 [cc: -DBUG] [options: --keep-going]
#include <assert.h>
#include <pthread.h>

int reads, writes, switch_to;
long self, rt;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

void refresh(void)
{
	writes++;
}

int point(int x)
{
	return x + 1;
}

int anomaly(int x)
{
	return x + 2;
}

/* not those of <threads.h>, <semaphore.h> and <unistd.h> */
int mtx_lock(int *lock)
{
	return pthread_mutex_lock(&mutex) + ++*lock - 1;
}

int sem_wait(int n)
{
	return n * 2;
}

int write(int n)
{
	return n * 3;
}

int kill(int n)
{
	return n * 4;
}

static void *run(void *lock)
{
#ifndef BUG
	mtx_lock(lock);
#endif
	refresh();
	reads += point(anomaly(kill(write(sem_wait(1)))));
#ifndef BUG
	pthread_mutex_unlock(&mutex);
#endif
	return lock;
}

int main(void)
{
	pthread_t thread;
	int locks[2] = {0, 0};

	pthread_create(&thread, NULL, run, &locks[0]);
	run(&locks[1]);
	pthread_join(thread, NULL);
	assert(writes == 2 && reads == 54);
	return 0;
}
