// A local of one child is written by another one: its address travels through a global.  The write may also come when
// the child has ended.  The visitor sees no address (before, after) or writes before the owner does, after it, or after
// its end; and that last bug shows before or after main's join of the owner: 2 + 2 + 2 executions.
// expect: source bug=memory,race executions=6 line=@race fork replay [options: --keep-going] [says: on the stack of main.1, which has ended]
// expect: dpor bug=memory,race executions=6 line=@race [options: --keep-going]
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
