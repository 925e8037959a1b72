// The limit is on threads of one execution in all, so 40 + 40 one after the other is too many, 30 + 30 is not.
// expect: source verified executions=1 [args: 30]
// expect: source error [args: 40] [says: 64 threads]
#include <pthread.h>
#include <stdlib.h>

static void *nothing(void *unused)
{
	return unused;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 30;
	pthread_t thread;

	for (int i = 0; i < 2 * n; i++) {
		pthread_create(&thread, NULL, nothing, NULL);
		pthread_join(thread, NULL);
	}
	return 0;
}
