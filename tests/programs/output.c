// Output in threads: what is printed depends on the schedule, and that is no finding by itself.
// expect: source verified executions=2 fork
// expect: dpor verified executions=2
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *say(void *name)
{
	pthread_mutex_lock(&mutex);
	printf("hello from %s, pi is %.2f\n", (char *)name, 3.14159);
	pthread_mutex_unlock(&mutex);
	return NULL;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, say, "one");
	pthread_create(&t2, NULL, say, "two");
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	fprintf(stderr, "done\n");
	puts("end");
	return 0;
}
