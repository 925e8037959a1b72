// Blocks that nothing points to when the program ends, only with --leaks.
// WAY 1: lost at once
// expect: source bug=leak executions=1 line=@leak fork replay [cc: -DWAY=1] [options: --leaks] [says: 24 bytes in 1 block are never freed and no pointer to them is left]
// expect: source verified executions=1 [cc: -DWAY=1]
// WAY 2: freed
// expect: source verified executions=1 fork [cc: -DWAY=2] [options: --leaks]
// WAY 3: reachable through a global, through others, by a pointer into the middle, from thread-local storage
// expect: source verified executions=1 fork [cc: -DWAY=3] [options: --leaks]
// WAY 4: blocks that only point to each other
// expect: source bug=leak executions=1 line=@leak fork [cc: -DWAY=4] [options: --leaks] [says: 72 bytes in 3 blocks are never freed]
// WAY 5: a local of main when it calls exit()
// expect: source verified executions=1 [cc: -DWAY=5] [options: --leaks]
// WAY 6: the schedule decides
// expect: source bug=leak executions=2 line=@leak fork replay [cc: -DWAY=6] [options: --leaks --keep-going] [says: 24 bytes in 1 block are never freed]
// expect: dpor bug=leak executions=2 line=@leak [cc: -DWAY=6] [options: --leaks --keep-going]
// WAY 7: allocated by libc
// expect: source bug=leak executions=1 line=@leak [cc: -DWAY=7] [options: --leaks] [says: 6 bytes in 1 block are never freed]
// WAY 8: _exit
// expect: source verified executions=1 [cc: -DWAY=8] [options: --leaks]
// WAY 9: held by a thread that has not ended: exit comes before one of its 3 visible operations; or after them, and it leaks
// expect: source bug=leak executions=3 line=@leak fork [cc: -DWAY=9] [options: --leaks --keep-going]
// WAY 10: held by a thread that has ended
// expect: source bug=leak executions=1 line=@leak [cc: -DWAY=10] [options: --leaks] [says: 24 bytes in 1 block are never freed]
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct node {
	struct node *next;
	char text[16];
};

static struct node *kept;
static char *middle;
static __thread struct node *own;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static struct node *make(struct node *next)
{
	struct node *node = malloc(sizeof *node); // @leak

	node->next = next;
	return node;
}

/* Who comes second forgets what the first one left, if the first one left something. */
static void *replace(void *value)
{
	pthread_mutex_lock(&mutex);
	kept = value;
	pthread_mutex_unlock(&mutex);
	return NULL;
}

static void *lose_own(void *unused)
{
	own = make(NULL);
	return unused;
}

static void *with_own(void *unused)
{
	own = make(NULL);
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
	return unused;
}

static void cycle(void)
{
	struct node *first = make(NULL), *second = make(make(first));

	first->next = second;
	own = NULL;
}

int main(void)
{
	pthread_t t1, t2;

	(void)replace, (void)lose_own, (void)with_own, (void)cycle, (void)t1, (void)t2, (void)middle;
#if WAY == 1
	make(NULL);
#elif WAY == 2
	free(make(NULL));
	puts("stdio allocates, too");
#elif WAY == 3
	kept = make(make(make(NULL)));
	middle = make(NULL)->text + 3;
	own = make(NULL);
#elif WAY == 4
	cycle();
#elif WAY == 5
	struct node *local = make(NULL);
	exit(local->next != NULL); /* main's variables are still there */
#elif WAY == 6
	pthread_create(&t1, NULL, replace, make(NULL));
	pthread_create(&t2, NULL, replace, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
#elif WAY == 7
	printf("%zu\n", strlen(strdup("hello"))); // @leak
#elif WAY == 8
	make(NULL);
	_exit(0); /* nothing is looked at any more */
#elif WAY == 9
	pthread_create(&t1, NULL, with_own, NULL);
#elif WAY == 10
	pthread_create(&t1, NULL, lose_own, NULL);
	pthread_join(t1, NULL);
#endif
	return 0;
}
