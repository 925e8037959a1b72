// Different fields of one struct are different places; two bit-fields of one unit are the same place.
// expect: source verified executions=1 [cc: -DFIRST=a -DSECOND=b]
// expect: source bug=race executions=2 line=@race fork [options: --keep-going] [cc: -DFIRST=a -DSECOND=a]
// expect: source bug=race executions=4 line=@race [options: --keep-going] [cc: -DFIRST=low -DSECOND=high]
// expect: dpor bug=race executions=4 line=@race [options: --keep-going] [cc: -DFIRST=low -DSECOND=high]
#include <pthread.h>

static struct {
	int a, b;
	unsigned low : 3, high : 5;
} shared;

static void *first(void *unused)
{
	shared.FIRST = 1; // @race
	return unused;
}

static void *second(void *unused)
{
	shared.SECOND = 1; // @race
	return unused;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, first, NULL);
	pthread_create(&t2, NULL, second, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return 0;
}
