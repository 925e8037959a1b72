// Two unprotected increments: a race, and behind it a lost update.  The two reads commute, so four orders matter.
// expect: source bug=assertion,race executions=4 line=@lost fork [options: --keep-going]
// expect: dpor bug=assertion,race executions=4 line=@lost [options: --keep-going]
// expect: all bug=assertion,race executions=10 line=@race [options: --keep-going]
// expect: - bug=race executions=1 line=@race replay
#include <assert.h>
#include <pthread.h>

static int counter;

static void *increment(void *unused)
{
	counter++; // @race
	return unused;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, increment, NULL);
	pthread_create(&t2, NULL, increment, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	assert(counter == 2); // @lost
	return 0;
}
