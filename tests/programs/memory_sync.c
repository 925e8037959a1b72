// Synchronisation objects in memory that was freed.
// expect: source bug=memory executions=1 line=@use replay [cc: -DWAY=1] [says: use of 40 bytes in a block of 40 bytes that was freed]
// expect: source bug=memory executions=1 line=@use [cc: -DWAY=2] [says: use of 40 bytes in a block of 40 bytes that was freed]
// expect: source bug=memory executions=1 line=@use [cc: -DWAY=3] [says: use of 48 bytes in a block of 48 bytes that was freed]
// The object that protects itself: whoever is last frees it, and the other does not touch it any more.
// expect: source verified executions=2 fork [cc: -DWAY=4] [options: --leaks]
// expect: dpor verified executions=2 [cc: -DWAY=4]
// Nothing but the lock is touched in the block: the free comes before, between or after lock and unlock.
// expect: source bug=memory executions=3 line=@only fork replay [cc: -DWAY=5] [options: --keep-going]
// expect: dpor bug=memory executions=3 line=@only [cc: -DWAY=5] [options: --keep-going]
// expect: all bug=memory executions=4 line=@only [cc: -DWAY=5] [options: --keep-going]
#include <pthread.h>
#include <stdlib.h>

struct object {
	pthread_mutex_t mutex;
	int users;
};

static void *drop(void *argument)
{
	struct object *object = argument;

	pthread_mutex_lock(&object->mutex);
	int users = --object->users;
	pthread_mutex_unlock(&object->mutex);
	if (!users)
		free(object);
	return NULL;
}

static void *only_lock(void *mutex)
{
	pthread_mutex_lock(mutex); // @only
	pthread_mutex_unlock(mutex); // @only
	return NULL;
}

static void *end(void *block)
{
	free(block);
	return NULL;
}

int main(void)
{
	pthread_mutex_t *mutex = malloc(sizeof *mutex);
	pthread_cond_t *cond = malloc(sizeof *cond);

	pthread_mutex_init(mutex, NULL);
	pthread_cond_init(cond, NULL);
#if WAY == 1
	free(mutex);
	pthread_mutex_lock(mutex); // @use
#elif WAY == 2
	pthread_mutex_lock(mutex);
	free(mutex);
	pthread_mutex_unlock(mutex); // @use
#elif WAY == 3
	free(cond);
	pthread_cond_signal(cond); // @use
#elif WAY == 4
	struct object *object = malloc(sizeof *object);
	pthread_t t1, t2;

	pthread_mutex_init(&object->mutex, NULL);
	object->users = 2;
	pthread_create(&t1, NULL, drop, object);
	pthread_create(&t2, NULL, drop, object);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	free(mutex);
	free(cond);
#elif WAY == 5
	pthread_t t1, t2;

	pthread_create(&t1, NULL, only_lock, mutex);
	pthread_create(&t2, NULL, end, mutex);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
#endif
	(void)drop, (void)only_lock, (void)end;
	return 0;
}
