// The core of Dekker's algorithm: under sequential consistency the two threads cannot both miss each other.
// Four operations on two variables; each store is before or after the other's load, not both after.
// expect: source verified executions=3 fork
// expect: dpor verified executions=3
// expect: all verified executions=35
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y;
static int saw_x, saw_y;

static void *one(void *unused)
{
	x = 1;
	saw_y = y;
	return unused;
}

static void *two(void *unused)
{
	y = 1;
	saw_x = x;
	return unused;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, one, NULL);
	pthread_create(&t2, NULL, two, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	assert(saw_x || saw_y);
	return 0;
}
