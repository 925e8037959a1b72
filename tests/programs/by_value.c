// A structure passed by value is read where it is passed.
// expect: source bug=race executions=2 line=@pass replay [options: --keep-going]
#include <pthread.h>

struct block {
	long words[8];
};

static struct block shared;
static long seen;

static long first(struct block block)
{
	return block.words[0];
}

static void *look(void *unused)
{
	seen = first(shared); // @pass
	return unused;
}

static void *change(void *unused)
{
	shared.words[0] = 1; // @pass
	return unused;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, look, NULL);
	pthread_create(&t2, NULL, change, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return 0;
}
