/*
 * Double-checked initialisation.
 *
 * To save the lock, `get` looks at the pointer first without it.  With a plain
 * pointer that look races with the writing of it.  An atomic pointer makes it
 * correct (-DATOMIC): the reader that sees the pointer also sees what it points to.
 *
 *     inspect check examples/double_checked_init.c
 *     inspect check -DATOMIC examples/double_checked_init.c
 */
// expect: source bug=race executions=1 line=@look
// expect: source verified executions=4 [cc: -DATOMIC]
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct settings {
	int level;
};

#ifdef ATOMIC
static struct settings *_Atomic settings;
#else
static struct settings *settings;
#endif
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static struct settings *get(void)
{
	if (!settings) { // @look
		pthread_mutex_lock(&mutex);
		if (!settings) {
			struct settings *fresh = malloc(sizeof *fresh);

			fresh->level = 3;
			settings = fresh; // @look
		}
		pthread_mutex_unlock(&mutex);
	}
	return settings; // @look
}

static void *use(void *unused)
{
	assert(get()->level == 3);
	return unused;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, use, NULL);
	pthread_create(&t2, NULL, use, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	free(settings);
	return 0;
}
