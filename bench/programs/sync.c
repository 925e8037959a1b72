// One program for each way to synchronise; N threads.
//   sync spin|rwlock|sem|cond|heap N
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define MAX 16

static atomic_flag busy = ATOMIC_FLAG_INIT;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static sem_t places;
static int value, ready;
static struct item {
	struct item *next;
	int value;
} *list;

/* a lock made of an atomic flag */
static void *spin(void *unused)
{
	while (atomic_flag_test_and_set(&busy))
		;
	value++;
	atomic_flag_clear(&busy);
	return unused;
}

/* the first thread writes, the others read */
static void *rwlock_user(void *number)
{
	if (number == NULL) {
		pthread_rwlock_wrlock(&rwlock);
		value++;
	} else {
		pthread_rwlock_rdlock(&rwlock);
		number = value ? number : NULL;
	}
	pthread_rwlock_unlock(&rwlock);
	return number;
}

/* two of the threads at a time, then one */
static void *semaphore(void *unused)
{
	sem_wait(&places);
	pthread_mutex_lock(&mutex);
	value++;
	pthread_mutex_unlock(&mutex);
	sem_post(&places);
	return unused;
}

/* all wait until the last one has come */
static void *condition(void *number)
{
	pthread_mutex_lock(&mutex);
	if (++ready == (int)(long)number)
		pthread_cond_broadcast(&changed);
	while (ready < (int)(long)number)
		pthread_cond_wait(&changed, &mutex);
	pthread_mutex_unlock(&mutex);
	return NULL;
}

/* a list of blocks that each thread adds one to and takes one from */
static void *heap(void *unused)
{
	struct item *item = malloc(sizeof *item);

	item->value = 1;
	pthread_mutex_lock(&mutex);
	item->next = list;
	list = item;
	pthread_mutex_unlock(&mutex);
	pthread_mutex_lock(&mutex);
	item = list;
	list = item->next;
	pthread_mutex_unlock(&mutex);
	free(item);
	return unused;
}

static const struct {
	const char *name;
	void *(*thread)(void *);
} ways[] = {{"spin", spin}, {"rwlock", rwlock_user}, {"sem", semaphore}, {"cond", condition}, {"heap", heap}};

int main(int argc, char **argv)
{
	int n = argc > 2 ? atoi(argv[2]) : 2;
	void *(*run)(void *) = spin;
	pthread_t threads[MAX];

	for (unsigned i = 0; argc > 1 && i < sizeof ways / sizeof *ways; i++)
		if (!strcmp(argv[1], ways[i].name))
			run = ways[i].thread;
	sem_init(&places, 0, 2);
	for (long i = 0; i < n; i++)
		pthread_create(&threads[i], NULL, run, (void *)(run == condition ? n : i));
	for (int i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
