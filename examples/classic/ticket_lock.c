/*
 * A ticket lock: draw a number, wait until it is called.
 *
 * Correct: drawing is one atomic operation (fetch-and-add).
 * Fault:   it is a load and a store.  Two threads draw the same number and go in together: a race
 *          on the counter.  Or the second of them comes when its number was called already, and
 *          waits for ever: a livelock.
 *
 *     inspect check -DN=3 examples/classic/ticket_lock.c
 *     inspect check -DN=3 -DFAULTY --keep-going examples/classic/ticket_lock.c
 *
 * The order in which the tickets are drawn decides everything: N! executions.
 */
// expect: source verified executions=2 [cc: -DN=2]
// expect: source verified executions=6 [cc: -DN=3]
// expect: source verified executions=24 [cc: -DN=4]
// expect: dpor verified executions=2 blocked=2 [cc: -DN=2]
// expect: dpor verified executions=6 blocked=12 [cc: -DN=3]
// expect: source bug=livelock executions=2 line=@wait replay [cc: -DFAULTY -DN=2]
// expect: source bug=assertion,livelock,race executions=22 line=@inside [cc: -DFAULTY -DN=2] [options: --keep-going]
// expect: dpor bug=assertion,livelock,race executions=22 blocked=2 line=@inside [cc: -DFAULTY -DN=2] [options: --keep-going]
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#ifndef N
#define N 2
#endif

static atomic_uint next_ticket, now_serving;
static int counter;

static unsigned draw(void)
{
#ifdef FAULTY
	unsigned ticket = atomic_load(&next_ticket);

	atomic_store(&next_ticket, ticket + 1);
	return ticket;
#else
	return atomic_fetch_add(&next_ticket, 1);
#endif
}

static void *work(void *unused)
{
	unsigned ticket = draw();

	while (atomic_load(&now_serving) != ticket) // @wait
		sched_yield();
	counter++; // @inside
	atomic_store(&now_serving, ticket + 1);
	return unused;
}

int main(void)
{
	pthread_t threads[N];

	for (int i = 0; i < N; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	for (int i = 0; i < N; i++)
		pthread_join(threads[i], NULL);
	assert(counter == N);
	return 0;
}
