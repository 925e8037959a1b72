// A structure copy reads first and writes later: a write to either side may come between.
// expect: all bug=race executions=36 [options: --keep-going] [says: data race]
// expect: source bug=race executions=4 fork [options: --keep-going]
// expect: dpor bug=race executions=4 [options: --keep-going]
#include <pthread.h>
#include <stdio.h>

struct block {
	long words[8];
};

static struct block from, to;

static void *change_source(void *unused)
{
	from.words[0] = 1;
	return unused;
}

static void *copy(void *unused)
{
	to = from;
	return unused;
}

static void *change_target(void *unused)
{
	to.words[3] = 9;
	return unused;
}

int main(void)
{
	pthread_t t1, t2, t3;

	pthread_create(&t1, NULL, change_source, NULL);
	pthread_create(&t2, NULL, copy, NULL);
	pthread_create(&t3, NULL, change_target, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	pthread_join(t3, NULL);
	printf("%ld %ld\n", to.words[0], to.words[3]);
	return 0;
}
