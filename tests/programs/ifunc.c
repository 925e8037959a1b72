// Functions whose code is chosen when the program is loaded, before any other of its code is run.
// expect: - verified executions=2 fork
// expect: all verified executions=8
// expect: - verified executions=2 [options: --stateful]
// expect: - bug=assertion,race executions=24 [cc: -DBUG] [options: --keep-going] line=@assert replay
// expect: - bug=assertion,race executions=28 [cc: -DBUG] [options: --stateful --keep-going]
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static int resolved, sum, table[8], wanted = 3;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/* also called when the program runs */
static int add_up(int n)
{
	int result = 0;

	for (int i = 0; i < n; i++)
		result += table[i];
	return result;
}

static int add_one(int n)
{
	return n + 1;
}

static int add_two(int n)
{
	sum += 0;
	return n + 2;
}

/* reads and writes global variables, loops, calls */
static int (*choose(void))(int)
{
	int local[4] = {1, 2, 3, 4}, *chosen = &local[1];

	for (int i = 0; i < 8; i++)
		table[i] = i * (i < 4 ? local[i] : 1);
	resolved++;
	return add_up(wanted) == 0 + 2 * 1 + 3 * 2 && *chosen == 2 ? add_two : add_one;
}

static int increase(int n) __attribute__((ifunc("choose")));

__attribute__((target_clones("default", "sse4.2", "avx2"))) int count_bits(unsigned n)
{
	int count = 0;

	for (; n; n &= n - 1)
		count++;
	return count;
}

static void *run(void *unused)
{
#ifndef BUG
	pthread_mutex_lock(&mutex);
#endif
	sum = increase(sum);
#ifndef BUG
	pthread_mutex_unlock(&mutex);
#endif
	return unused;
}

int main(void)
{
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, run, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert(sum == 4); // @assert
	assert(resolved == 1);
	assert(add_up(8) == 0 + 2 + 6 + 12 + 4 + 5 + 6 + 7);
	assert(count_bits(0x1234) == 5);
	return 0;
}
