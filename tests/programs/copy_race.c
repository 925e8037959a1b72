// memcpy, memset and struct assignment read and write memory like any other access.
// expect: source bug=race executions=2 line=@race fork [options: --keep-going] [cc: -DWAY=1]
// expect: source bug=race executions=2 line=@race [options: --keep-going] [cc: -DWAY=2]
// expect: source bug=race executions=2 line=@race [options: --keep-going] [cc: -DWAY=3]
// expect: source verified executions=1 [cc: -DWAY=4]
// expect: dpor bug=race executions=2 line=@race [options: --keep-going] [cc: -DWAY=1]
#include <pthread.h>
#include <string.h>

struct block {
	char bytes[64];
};

static struct block shared, source;

static void *change(void *unused)
{
#if WAY == 1
	memcpy(&shared, &source, sizeof shared); // @race
#elif WAY == 2
	memset(&shared, 1, sizeof shared); // @race
#elif WAY == 3
	shared = source; // @race
#else
	memcpy(&shared, &source, 10);
#endif
	return unused;
}

static void *look(void *unused)
{
	return shared.bytes[10] ? unused : NULL; // @race
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, change, NULL);
	pthread_create(&t2, NULL, look, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return 0;
}
