// Accesses to memory that only one thread touches: a heap block, a global, the thread's own stack.
//   private ROUNDS: two threads, of which one does ROUNDS rounds of 3 reads and 3 writes; prints nanoseconds per access
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

static long global;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long rounds;

static void *other(void *unused)
{
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	return unused;
}

static void *worker(void *unused)
{
	long *block = malloc(64 * sizeof *block), local[8] = {0};
	long *volatile stack = local; // its address escapes: the accesses are announced

	for (int i = 0; i < 64; i++)
		block[i] = i;
	for (long i = 0; i < rounds; i++) {
		block[i & 63] += i;
		global += i;
		stack[i & 7] += i;
	}
	long sum = block[5] + global + local[1];
	free(block);
	(void)unused;
	return (void *)(sum & 1);
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
