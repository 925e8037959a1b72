// One thread frees what another one uses.  With a lock only the order decides: free first is a use after free.  Without,
// it is a data race as well.
// WAY 1: a mutex; the use comes before or after the free: 2 executions, but after it the end of the process by the bad
// access comes before or after main's join of the first thread.
// expect: source bug=memory executions=3 line=@use fork replay [cc: -DWAY=1] [options: --keep-going] [says: freed by main.1 at memory_free_order.c:33]
// expect: dpor bug=memory executions=3 line=@use [cc: -DWAY=1] [options: --keep-going]
// expect: source bug=memory,race executions=3 line=@use fork replay [cc: -DWAY=2] [options: --keep-going] [says: data race on *block: free by main.1] [says: write by main.2]
// expect: dpor bug=memory,race executions=3 line=@use [cc: -DWAY=2] [options: --keep-going]
// an atomic access races with the free, too
// expect: source bug=memory,race executions=3 line=@use [cc: -DWAY=3] [options: --keep-going] [says: free by main.1] [says: atomic update by main.2]
// main waits for the user before the block goes
// expect: source verified executions=1 fork [cc: -DWAY=4]
// realloc moves the block, and then there is one more place for the bad access to end the process: before the write of
// the new pointer
// expect: source bug=memory,race executions=3 line=@use [cc: -DWAY=5] [options: --keep-going]
// two threads free: what is wrong in the second one comes before or after main's join of the first, if that was the other
// expect: source bug=memory,race executions=3 line=@free [cc: -DWAY=6] [options: --keep-going] [says: free of a block that is free already (allocated by main at memory_free_order.c:66, freed by main.1 at memory_free_order.c:33)] [says: data race on *block: free by main.1]
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int *block;

static void *finish(void *unused)
{
#if WAY == 1
	pthread_mutex_lock(&mutex);
#endif
#if WAY == 5
	block = realloc(block, 100);
#else
	free(block); // @free
#endif
#if WAY == 1
	pthread_mutex_unlock(&mutex);
#endif
	return unused;
}

static void *use(void *unused)
{
	int *mine = unused;

#if WAY == 1
	pthread_mutex_lock(&mutex);
#endif
#if WAY == 3
	atomic_fetch_add((_Atomic int *)mine, 1); // @use
#elif WAY == 6
	finish(NULL);
#else
	*mine = 1; // @use
#endif
#if WAY == 1
	pthread_mutex_unlock(&mutex);
#endif
	(void)mine;
	return NULL;
}

int main(void)
{
	pthread_t t1, t2;

	int *mine = block = malloc(sizeof *block);
	*block = 0;
#if WAY == 4
	pthread_create(&t2, NULL, use, mine);
	pthread_join(t2, NULL);
	pthread_create(&t1, NULL, finish, NULL);
	pthread_join(t1, NULL);
#else
	pthread_create(&t1, NULL, finish, NULL);
	pthread_create(&t2, NULL, use, mine);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
#endif
	return 0;
}
