// A key that is deleted while a thread still has a value: its destructor runs, or it does not.
// expect: source bug=assertion executions=2 [options: --keep-going]
// expect: dpor bug=assertion executions=2 [options: --keep-going]
// expect: all bug=assertion executions=20 [options: --keep-going]
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>

static pthread_key_t key;
static sem_t has_value;
static atomic_bool destroyed;

static void destroy(void *unused)
{
	(void)unused;
	destroyed = true;
}

static void *use(void *unused)
{
	pthread_setspecific(key, &key);
	sem_post(&has_value);
	return unused;
}

int main(void)
{
	pthread_t thread;

	sem_init(&has_value, 0, 0);
	pthread_key_create(&key, destroy);
	pthread_create(&thread, NULL, use, NULL);
	sem_wait(&has_value);
	pthread_key_delete(key);
	pthread_join(thread, NULL);
	assert(destroyed);
	return 0;
}
