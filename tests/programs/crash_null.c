// A pointer is taken away before it is followed: a crash in one of the schedules.
// expect: source bug=crash executions=3 line=@crash fork replay [options: --keep-going]
// expect: dpor bug=crash executions=3 line=@crash [options: --keep-going]
// expect: all bug=crash executions=5 line=@crash [options: --keep-going]
// expect: - bug=crash executions=1 line=@crash
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static int value = 1;
static _Atomic(int *) pointer = &value;

static void *clear(void *unused)
{
	atomic_store(&pointer, NULL);
	return unused;
}

static void *follow(void *unused)
{
	int *copy = atomic_load(&pointer);

	*copy = 2; // @crash
	return unused;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, clear, NULL);
	pthread_create(&t2, NULL, follow, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return 0;
}
