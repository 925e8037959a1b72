// One thread looks for a flag at most LOOKS times, or for ever.  Bounded: the flag is set before one of the looks or
// after them all.  For ever: an execution can get longer than any limit.
// expect: source verified executions=4 fork [cc: -DLOOKS=3]
// expect: dpor verified executions=4 [cc: -DLOOKS=3]
// expect: all verified executions=5 [cc: -DLOOKS=3]
// expect: source incomplete executions=194 line=@look [cc: -DLOOKS=1000000000] [options: --max-steps=200] [says: main.1 was in a loop here]
// expect: - incomplete executions=194 line=@look [cc: -DLOOKS=1000000000] [options: --max-steps=200] [says: --max-steps=N allows more]
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag;

static void *look(void *unused)
{
	for (int i = 0; i < LOOKS; i++) {
		if (atomic_load(&flag)) // @look
			break;
	}
	return unused;
}

static void *set(void *unused)
{
	atomic_store(&flag, 1);
	return unused;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, look, NULL);
	pthread_create(&t2, NULL, set, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return 0;
}
