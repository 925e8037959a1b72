// Reads commute: any number of readers of data written before they were created is one execution.
// expect: source verified executions=1 fork
// expect: dpor verified executions=1
#include <assert.h>
#include <pthread.h>

static int data;

static void *look(void *unused)
{
	assert(data == 42);
	return unused;
}

int main(void)
{
	pthread_t threads[10];

	data = 42;
	for (int i = 0; i < 10; i++)
		pthread_create(&threads[i], NULL, look, NULL);
	for (int i = 0; i < 10; i++)
		pthread_join(threads[i], NULL);
	data = 43;
	return 0;
}
