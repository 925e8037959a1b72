// A bug of each kind, each behind its own order of two threads: one run with --keep-going reports them all, each with
// its own trace.
// expect: source bug=assertion,crash,deadlock,lock,memory,race executions=40 replay [options: --keep-going]
// expect: dpor bug=assertion,crash,deadlock,lock,memory,race executions=40 [options: --keep-going]
// expect: all bug=assertion,crash,deadlock,lock,memory,race executions=474 [options: --keep-going]
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static atomic_int turn;
static int counter;

static void take_both(pthread_mutex_t *one, pthread_mutex_t *other)
{
	pthread_mutex_lock(one);
	pthread_mutex_lock(other);
	pthread_mutex_unlock(other);
	pthread_mutex_unlock(one);
}

/* Counts up to 6: how far depends on when the other looks. */
static void *count(void *unused)
{
	for (int i = 0; i < 6; i++)
		turn++;
	take_both(&a, &b);
	return unused;
}

static void *look(void *unused)
{
	char *block;

	switch (turn) {
	case 1: counter++; break; /* main reads it */
	case 2: take_both(&b, &a); break;
	case 3: assert(!"reached"); break;
	case 4: pthread_mutex_unlock(&b); break;
	case 5:
		block = malloc(1);
		free(block);
		free(block);
		break;
	case 6: *(volatile int *)0 = 1; break;
	}
	return unused;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, count, NULL);
	pthread_create(&t2, NULL, look, NULL);
	pthread_join(t1, NULL);
	int seen = counter;
	pthread_join(t2, NULL);
	return seen > 1;
}
