// Much happens before the threads compete: executions go on from checkpoints, and come to the same as without.
//   CASE 1: output before and after, locks, the heap
//   CASE 2: a large block is copied meanwhile, which needs memory that is not rolled back
//   CASE 3: a wrong order of three makes it crash
//   CASE 4: a thread crashes early and waits for its turn on a stack that is not rolled back
//   CASE 5: a file is opened, which leaves state in the kernel
// expect: source verified executions=90 fork [args: 3000] [cc: -DCASE=1]
// expect: source verified executions=90 [args: 3000] [cc: -DCASE=1] [options: --checkpoints=0]
// expect: source verified executions=90 [args: 300] [cc: -DCASE=1] [options: --checkpoints=1]
// expect: dpor verified executions=90 [args: 300] [cc: -DCASE=1] [options: --checkpoints=1]
// expect: optimal verified executions=90 [args: 300] [cc: -DCASE=1] [options: --checkpoints=1]
// expect: source incomplete executions=200 [args: 1] [cc: -DCASE=2] [options: --checkpoints=0 --max-executions=200]
// expect: source incomplete executions=200 [args: 1] [cc: -DCASE=2] [options: --checkpoints=1 --max-executions=200]
// expect: source bug=crash executions=4 line=@crash replay [args: 3000] [cc: -DCASE=3] [options: --checkpoints=0]
// expect: source bug=crash executions=4 line=@crash replay [args: 3000] [cc: -DCASE=3]
// expect: source bug=crash executions=4 line=@crash replay [args: 300] [cc: -DCASE=3] [options: --checkpoints=1]
// expect: source bug=crash executions=6 line=@crash replay [args: 3000] [cc: -DCASE=3] [options: --keep-going]
// expect: source bug=crash executions=527 line=@early [args: 30] [cc: -DCASE=4] [options: --keep-going --checkpoints=0]
// expect: source bug=crash executions=527 line=@early [args: 30] [cc: -DCASE=4] [options: --keep-going --checkpoints=1]
// expect: source verified executions=90 [args: 300] [cc: -DCASE=5] [options: --checkpoints=0]
// expect: source verified executions=90 [args: 300] [cc: -DCASE=5] [options: --checkpoints=1]
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 3, TIMES = CASE == 1 || CASE == 5 ? 2 : 1, ORDERS = 8 };

static atomic_int steps;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char order[ORDERS];
static unsigned norder;
static char *blocks[THREADS * TIMES];
static struct large {
	char bytes[300000];
} from, to;

static void *prepare(void *argument)
{
	for (int i = *(int *)argument; i > 0; i--)
		atomic_fetch_add(&steps, 1);
	return NULL;
}

static void *crash(void *unused)
{
	*(volatile int *)unused = 1; // @early
	return NULL;
}

static void *copy(void *unused)
{
	for (int i = 0; i < 20; i++) {
		pthread_mutex_lock(&lock);
		to = from; // read, then written: a checkpoint may be due between
		assert(to.bytes[0] == 'x' && to.bytes[sizeof to.bytes - 1] == 'x');
		pthread_mutex_unlock(&lock);
	}
	return unused;
}

static void *compete(void *argument)
{
	for (int i = 0; i < TIMES; i++) {
		pthread_mutex_lock(&lock);
		blocks[norder] = malloc(100);
		memset(blocks[norder], *(char *)argument, 100);
		order[norder++] = *(char *)argument;
		if (CASE == 2)
			to.bytes[1] = from.bytes[1];
		pthread_mutex_unlock(&lock);
	}
	return argument;
}

static void check_blocks(void)
{
	assert(norder == THREADS * TIMES);
	for (unsigned i = 0; i < norder; i++) {
		assert(blocks[i][0] == order[i] && blocks[i][99] == order[i]);
		free(blocks[i]);
	}
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS], extra;
	int n = argc > 1 ? atoi(argv[1]) : 1000;
	char names[] = "abc";

	from.bytes[0] = from.bytes[sizeof from.bytes - 1] = 'x'; // a page is copied only if it was written
	if (CASE == 2)
		pthread_create(&extra, NULL, copy, NULL);
	if (CASE == 4)
		pthread_create(&extra, NULL, crash, NULL);
	pthread_create(&threads[0], NULL, prepare, &n);
	pthread_join(threads[0], NULL);
	FILE *file = CASE == 5 ? fopen("/dev/null", "w") : NULL;
	printf("before\n");
	fflush(stdout);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, compete, &names[i]);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	if (CASE == 2)
		pthread_join(extra, NULL);
	if (file)
		fclose(file);
	printf("%.*s\n", ORDERS, order);
	check_blocks();
	if (CASE == 3 && !memcmp(order, "bca", 3))
		*(volatile int *)(long)(n - n) = 1; // @crash
	return 0;
}
