// Accesses to memory that only one thread touches: a heap block, a global and its own stack, a third each.
//   private ROUNDS    two threads, one of which does ROUNDS rounds of ACCESSES reads and writes
#include <pthread.h>
#include <stdlib.h>

/* 48 in all, a multiple of what STEP does */
#define STEP(i) block[(i)] += n, global += n, stack[(i)] += n;
#define EIGHT STEP(0) STEP(1) STEP(2) STEP(3) STEP(4) STEP(5) STEP(6) STEP(7)

static volatile long global;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long rounds;

static void *other(void *unused)
{
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	return unused;
}

static void work(volatile long *block, volatile long *stack)
{
	for (long n = 0, end = rounds; n < end; n++) {
		EIGHT
	}
}

static void *worker(void *unused)
{
	volatile long *block = calloc(8, sizeof *block), stack[8] = {0};

	work(block, stack);
	free((void *)block);
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t one, two;

	rounds = argc > 1 ? atol(argv[1]) : 1000;
	pthread_create(&one, NULL, other, NULL);
	pthread_create(&two, NULL, worker, NULL);
	pthread_join(one, NULL);
	pthread_join(two, NULL);
	return 0;
}
