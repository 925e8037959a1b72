// The file system of the first paper on dynamic partial order reduction (POPL 2005): each thread gives its inode a
// free block.  From 14 threads on, each further thread begins its search at a block that another one takes: a factor of 2.
// expect: optimal verified executions=8 fork [args: 16]
// expect: optimal verified executions=128 [args: 20]
// expect: optimal verified executions=8192 [args: 26]
// expect: source verified executions=1 [args: 13]
// expect: source verified executions=2 fork [args: 14]
// expect: source verified executions=4 [args: 15]
// expect: source verified executions=8 [args: 16]
// expect: source verified executions=128 [args: 20]
// expect: dpor verified executions=1 [args: 13]
// expect: dpor verified executions=4 blocked=48 [args: 15]
// expect: dpor verified executions=128 blocked=18876 [args: 20]
// expect: - verified executions=8 [args: 16]
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#define BLOCKS 26
#define INODES 32

static pthread_mutex_t inode_lock[INODES], block_lock[BLOCKS];
static int inode[INODES];
static bool busy[BLOCKS];

static bool take(int i, int b)
{
	bool taken = false;

	pthread_mutex_lock(&block_lock[b]);
	if (!busy[b]) {
		busy[b] = true;
		inode[i] = b + 1;
		taken = true;
	}
	pthread_mutex_unlock(&block_lock[b]);
	return taken;
}

static void *allocate(void *argument)
{
	int i = (int)(intptr_t)argument % INODES;
	int b = i * 2 % BLOCKS;

	pthread_mutex_lock(&inode_lock[i]);
	if (inode[i] == 0) {
		while (!take(i, b))
			b = (b + 1) % BLOCKS;
	}
	pthread_mutex_unlock(&inode_lock[i]);
	return NULL;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 14;
	pthread_t threads[INODES];

	for (int i = 0; i < INODES; i++)
		pthread_mutex_init(&inode_lock[i], NULL);
	for (int i = 0; i < BLOCKS; i++)
		pthread_mutex_init(&block_lock[i], NULL);
	for (int i = 0; i < n; i++)
		pthread_create(&threads[i], NULL, allocate, (void *)(intptr_t)i);
	for (int i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
