/*
 * A data race.
 *
 * Two threads pay 100 into one account.  `balance += amount` reads, adds and
 * writes: when both read before either writes, one payment is lost.  Inspect
 * reports the race as soon as it sees the two accesses unordered; with
 * --keep-going it also shows the interleaving in which the money is gone.
 *
 *     inspect check --keep-going examples/bank_account.c
 */
// expect: source bug=assertion,race executions=4 line=@lost [options: --keep-going]
// expect: - bug=race executions=1 line=@pay
#include <assert.h>
#include <pthread.h>

static int balance;

static void *pay_in(void *unused)
{
	balance += 100; // @pay
	return unused;
}

int main(void)
{
	pthread_t alice, bob;

	pthread_create(&alice, NULL, pay_in, NULL);
	pthread_create(&bob, NULL, pay_in, NULL);
	pthread_join(alice, NULL);
	pthread_join(bob, NULL);
	assert(balance == 200); // @lost
	return 0;
}
