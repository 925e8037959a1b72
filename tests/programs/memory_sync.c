// Synchronisation objects in memory that was freed.
// expect: source bug=memory executions=1 line=@use replay [cc: -DWAY=1] [says: use of 40 bytes in a block of 40 bytes that was freed]
// expect: source bug=memory executions=1 line=@use [cc: -DWAY=2] [says: use of 40 bytes in a block of 40 bytes that was freed]
// expect: source bug=memory executions=1 line=@use [cc: -DWAY=3] [says: use of 48 bytes in a block of 48 bytes that was freed]
// The object that protects itself: whoever is last frees it, and the other does not touch it any more.
// expect: source verified executions=2 fork [cc: -DWAY=4] [options: --leaks]
// expect: dpor verified executions=2 [cc: -DWAY=4]
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
#endif
	(void)drop;
	return 0;
}
