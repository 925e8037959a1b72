// A thread's local or thread-local variable is used by another one after its owner has ended.
// WAY 1: nothing makes the owner wait: main's write comes first, or the owner's end.
// expect: source bug=memory executions=6 line=@use fork replay [cc: -DWAY=1] [options: --keep-going] [says: write of 4 bytes on the stack of main.1, which has ended]
// expect: dpor bug=memory executions=6 line=@use [cc: -DWAY=1] [options: --keep-going]
// expect: source bug=memory executions=1 line=@use [cc: -DWAY=1]
// WAY 2: the owner waits until main is ready: correct
// expect: source verified executions=10 fork [cc: -DWAY=2]
// expect: dpor verified executions=10 [cc: -DWAY=2]
// WAY 3: a __thread variable, after the join
// expect: source bug=memory executions=1 line=@use replay [cc: -DWAY=3] [says: on the stack of main.1, which has ended]
// WAY 4: main is the one that ends first, its thread goes on with main's local
// expect: source bug=memory executions=4 line=@child fork [cc: -DWAY=4] [options: --keep-going] [says: read of 4 bytes on the stack of main, which has ended]
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int *address, used;
static __thread int own;

static void *owner(void *argument)
{
	int local = 0;

#if WAY == 4
	int *number = argument;
	return *number == 5 ? NULL : argument; // @child
#endif
	pthread_mutex_lock(&mutex);
	address = WAY == 3 ? &own : &local;
	pthread_cond_signal(&cond);
#if WAY == 2
	while (!used)
		pthread_cond_wait(&cond, &mutex);
#endif
	pthread_mutex_unlock(&mutex);
	return argument;
}

int main(void)
{
	pthread_t thread;
	int local = 5;

	pthread_create(&thread, NULL, owner, &local);
#if WAY == 4
	pthread_detach(thread);
	pthread_exit(NULL);
#endif
#if WAY == 3
	pthread_join(thread, NULL);
#endif
	pthread_mutex_lock(&mutex);
	while (!address)
		pthread_cond_wait(&cond, &mutex);
	*address = 1; // @use
	used = 1;
	pthread_cond_signal(&cond);
	pthread_mutex_unlock(&mutex);
#if WAY != 3
	pthread_detach(thread);
#endif
	return local - 5;
}
