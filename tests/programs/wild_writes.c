// Writes where nothing of the program's is: they end the execution that they are in, and harm no other.
// expect: optimal bug=memory executions=3 line=@write [cc: -DPLACE=0x10001000] [says: where the program has no memory]
// expect: optimal bug=memory executions=3 line=@write [cc: -DPLACE=0x110000001000]
// expect: optimal bug=memory executions=3 line=@write [cc: -DPLACE=0x140000001000]
// expect: optimal bug=memory executions=3 line=@write [cc: -DPLACE=0x150000001000]
// expect: optimal bug=memory executions=3 line=@write [cc: -DPLACE=0x280000001000]
// expect: optimal bug=memory executions=3 line=@write [cc: -DPLACE=0x400000001000]
// expect: source bug=memory executions=4 line=@write [cc: -DPLACE=0x150000001000] [options: --keep-going]
// expect: - bug=memory executions=4 line=@write [cc: -DPLACE=0x150000001000] [options: --jobs=2 --keep-going]
// expect: all bug=memory executions=7 line=@write [cc: -DPLACE=0x150000001000] [options: --keep-going]
#include <pthread.h>
#include <stdatomic.h>

static atomic_int turn;

/* Only if it comes in between. */
static void *write(void *unused)
{
	volatile long *place = (volatile long *)PLACE;

	if (atomic_load(&turn) == 1)
		*place = -1; // @write
	return unused;
}

static void *move(void *unused)
{
	atomic_store(&turn, 1);
	atomic_store(&turn, 2);
	return unused;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, write, NULL);
	pthread_create(&b, NULL, move, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
