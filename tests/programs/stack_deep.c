// A local of one child is written by another one: its address travels through a global.
// expect: source bug=race executions=4 line=@race fork replay [options: --keep-going]
// expect: dpor bug=race executions=4 line=@race [options: --keep-going]
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static _Atomic(int *) address;

static void *owner(void *unused)
{
	int local = 0;

	atomic_store(&address, &local);
	local = 1; // @race
	atomic_store(&address, NULL);
	return unused;
}

static void *visitor(void *unused)
{
	int *pointer = atomic_load(&address);

	if (pointer)
		*pointer = 2; // @race
	return unused;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, owner, NULL);
	pthread_create(&t2, NULL, visitor, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return 0;
}
