// A loop that goes on by a value of the thread's own is not busy waiting.
// expect: source verified executions=1
// expect: dpor verified executions=1
// expect: all verified executions=1
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

static pthread_key_t key;
static atomic_int stop;

static void *count(void *unused)
{
	for (;;) {
		uintptr_t n = (uintptr_t)pthread_getspecific(key);
		if (n == 3 || stop)
			return unused;
		pthread_setspecific(key, (void *)(n + 1));
	}
}

int main(void)
{
	pthread_t thread;

	pthread_key_create(&key, NULL);
	pthread_create(&thread, NULL, count, NULL);
	pthread_join(thread, NULL);
	return 0;
}
