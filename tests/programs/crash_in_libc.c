// The crash happens inside a library function: the report names the line that called it.
// expect: source bug=crash executions=4 line=@crash fork replay [options: --keep-going]
// expect: dpor bug=crash executions=4 line=@crash [options: --keep-going]
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

static _Atomic(char *) text;
static char hello[] = "hello";

static void *publish(void *unused)
{
	atomic_store(&text, hello);
	return unused;
}

static void *measure(void *unused)
{
	static size_t length;

	length = strlen(atomic_load(&text)); // @crash
	return length ? unused : NULL;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, publish, NULL);
	pthread_create(&t2, NULL, measure, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return 0;
}
