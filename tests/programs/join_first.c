// A thread whose first operation is a join was still created by somebody, and knows what happened before.
// expect: source verified executions=1
// expect: dpor verified executions=1
// expect: all verified executions=1
#include <pthread.h>

static int x;
static pthread_t first;

static void *nothing(void *unused)
{
	return unused;
}

static void *join_and_read(void *handle)
{
	pthread_join(*(pthread_t *)handle, NULL);
	return x == 1 ? handle : NULL;
}

int main(void)
{
	pthread_t second;

	pthread_create(&first, NULL, nothing, NULL);
	x = 1;
	pthread_create(&second, NULL, join_and_read, &first);
	pthread_join(second, NULL);
	return 0;
}
