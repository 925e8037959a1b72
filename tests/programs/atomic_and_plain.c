// An atomic access and a plain one of the same place race; two atomic ones do not.
// expect: source bug=race executions=2 line=@race fork replay [options: --keep-going]
// expect: source verified executions=2 [cc: -DATOMIC]
#include <pthread.h>

static int flag;

static void *set(void *unused)
{
#ifdef ATOMIC
	__atomic_store_n(&flag, 1, __ATOMIC_RELAXED);
#else
	flag = 1; // @race
#endif
	return unused;
}

static void *look(void *unused)
{
	return __atomic_load_n(&flag, __ATOMIC_SEQ_CST) ? unused : NULL; // @race
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, set, NULL);
	pthread_create(&t2, NULL, look, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return 0;
}
