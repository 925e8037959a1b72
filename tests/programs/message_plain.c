// Message passing through an ordinary variable: a race on the flag and on the data.
// expect: source bug=race executions=2 line=@flag fork replay [options: --keep-going]
// expect: dpor bug=race executions=2 line=@flag [options: --keep-going]
// expect: all bug=race executions=5 line=@flag [options: --keep-going]
#include <assert.h>
#include <pthread.h>

static int data, flag;

static void *send(void *unused)
{
	data = 42; // @data
	flag = 1; // @flag
	return unused;
}

static void *receive(void *unused)
{
	if (flag) // @flag
		assert(data == 42); // @data
	return unused;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, send, NULL);
	pthread_create(&t2, NULL, receive, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return 0;
}
