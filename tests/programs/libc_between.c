// Other threads come between the reads and the write of a string function, and change how long the strings are.
// expect: all bug=race executions=46 [options: --keep-going] [cc: -DCASE=1]
// expect: source bug=race executions=4 fork [options: --keep-going] [cc: -DCASE=1]
// expect: dpor bug=race executions=4 [options: --keep-going] [cc: -DCASE=1]
// expect: all bug=race executions=46 [options: --keep-going] [cc: -DCASE=2]
// expect: source bug=race executions=3 [options: --keep-going] [cc: -DCASE=2]
// expect: dpor bug=race executions=3 [options: --keep-going] [cc: -DCASE=2]
// expect: all bug=race executions=87 [options: --keep-going] [cc: -DCASE=3]
// expect: source bug=race executions=3 blocked=1 [options: --keep-going] [cc: -DCASE=3]
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static char from[16] = "alpha\0beta", to[16];
static int result;

static void *change_source(void *unused)
{
	from[CASE == 2 ? 1 : 5] = CASE == 2 ? 0 : '-';
	return unused;
}

static void *work(void *unused)
{
#if CASE == 3
	result = strcmp(to, from);
#else
	strcpy(to, from);
#endif
	return unused;
}

static void *change_target(void *unused)
{
	if (CASE == 3)
		memcpy(to, "alpha-bet", 10);
	else
		to[3] = 0;
	return unused;
}

int main(void)
{
	pthread_t t1, t2, t3;

	pthread_create(&t1, NULL, change_source, NULL);
	pthread_create(&t2, NULL, work, NULL);
	pthread_create(&t3, NULL, change_target, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	pthread_join(t3, NULL);
	printf("%s %d\n", to, result < 0 ? -1 : result > 0);
	return 0;
}
