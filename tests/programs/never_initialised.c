// Objects in static storage that nobody initialised: they are zero, and work by chance.
// POSIX does not promise that, so they are worth a warning; what is behind them is found all the same.
// expect: source verified executions=1 warns=lock line=@mutex [cc: -DWAY=1] [says: use of a mutex that was never initialised: mutex]
// expect: source verified executions=1 warns=lock line=@cond [cc: -DWAY=2] [says: never initialised]
// expect: source verified executions=1 warns=lock line=@rwlock fork [cc: -DWAY=3] [says: never initialised]
// expect: source verified executions=1 warns=lock line=@inside [cc: -DWAY=4] [says: never initialised]
// expect: source verified executions=1 warns=lock line=@mutex [cc: -DWAY=1] [options: --strict=posix]
// expect: source bug=lock executions=1 line=@mutex replay [cc: -DWAY=1] [options: --strict=init] [says: never initialised]
// expect: source bug=lock executions=1 line=@cond replay [cc: -DWAY=2] [options: --strict=all] [says: never initialised]
// expect: source bug=lock executions=1 line=@rwlock replay [cc: -DWAY=3] [options: --strict=init --keep-going]
// expect: source bug=lock executions=1 line=@inside [cc: -DWAY=4] [options: --strict=init]
// All static initialisers, also inside structures, assigned, and initialised once more by a call.
// expect: source verified executions=1 fork [cc: -DWAY=5] [options: --leaks]
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct object {
	int value;
	pthread_mutex_t mutex;
};

static pthread_mutex_t mutex, good = PTHREAD_MUTEX_INITIALIZER, recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP,
			      checking = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static pthread_cond_t cond, good_cond = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rwlock, good_rwlock = PTHREAD_RWLOCK_INITIALIZER,
				writers = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
static struct object object, good_object = {1, PTHREAD_MUTEX_INITIALIZER};

static void use(pthread_mutex_t *any)
{
	assert(pthread_mutex_lock(any) == 0);
	assert(pthread_mutex_unlock(any) == 0);
}

static void use_rwlock(pthread_rwlock_t *any)
{
	assert(pthread_rwlock_rdlock(any) == 0);
	assert(pthread_rwlock_unlock(any) == 0);
}

static void use_all(void)
{
	struct object *on_heap = calloc(1, sizeof *on_heap), on_stack = {0, PTHREAD_MUTEX_INITIALIZER};

	use(&good);
	use(&recursive);
	use(&checking);
	use(&good_object.mutex);
	use(&on_heap->mutex); /* zero on the heap may be an initialiser that was assigned */
	use(&on_stack.mutex);
	*on_heap = (struct object){2, PTHREAD_MUTEX_INITIALIZER};
	use(&on_heap->mutex);
	pthread_cond_signal(&good_cond);
	use_rwlock(&good_rwlock);
	use_rwlock(&writers);
	assert(pthread_mutex_init(&good, NULL) == 0);
	use(&good);
	assert(pthread_mutex_destroy(&good) == 0);
	free(on_heap);
}

int main(void)
{
	(void)mutex, (void)cond, (void)rwlock, (void)object;
#if WAY == 1
	pthread_mutex_lock(&mutex); // @mutex
#elif WAY == 2
	pthread_cond_broadcast(&cond); // @cond
#elif WAY == 3
	pthread_rwlock_wrlock(&rwlock); // @rwlock
#elif WAY == 4
	pthread_mutex_lock(&object.mutex); // @inside
#elif WAY == 5
	use_all();
#endif
	return 0;
}
