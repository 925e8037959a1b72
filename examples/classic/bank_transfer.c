/*
 * Transfers between two accounts, each with a lock of its own; N clerks move money, the even
 * ones in one direction, the odd ones in the other.
 *
 * Correct: the account with the smaller number is locked first, whatever the direction.
 * Fault:   the account that pays is locked first.  Two opposite transfers can take one lock
 *          each and wait for the other's.
 *
 *     inspect check -DN=3 examples/classic/bank_transfer.c
 *     inspect check -DN=3 -DFAULTY examples/classic/bank_transfer.c
 *
 * Correct: each transfer has both locks, so the transfers come one after the other: N! executions.
 * Faulty, two clerks: the same 2 and the deadlock, 3.  Three clerks, of whom the odd one goes the
 * other way: 6 orders, and deadlocks of the odd one with either of the even ones (2), while the
 * third is either done before (1) or waits as well (1): 6 + 2 * 2 = 10.
 */
// expect: source verified executions=2 fork [cc: -DN=2]
// expect: source verified executions=6 [cc: -DN=3]
// expect: source verified executions=24 [cc: -DN=4]
// expect: dpor verified executions=2 [cc: -DN=2]
// expect: dpor verified executions=6 [cc: -DN=3]
// expect: dpor verified executions=24 [cc: -DN=4]
// expect: all verified executions=10 [cc: -DN=2]
// expect: all verified executions=190 [cc: -DN=3]
// expect: source bug=deadlock executions=2 line=@lock replay [cc: -DFAULTY -DN=2]
// expect: source bug=deadlock executions=3 line=@lock [cc: -DFAULTY -DN=2] [options: --keep-going]
// expect: source bug=deadlock executions=10 line=@lock [cc: -DFAULTY -DN=3] [options: --keep-going]
// expect: dpor bug=deadlock executions=3 line=@lock [cc: -DFAULTY -DN=2] [options: --keep-going]
// expect: dpor bug=deadlock executions=10 line=@lock [cc: -DFAULTY -DN=3] [options: --keep-going]
// expect: all bug=deadlock executions=21 line=@lock [cc: -DFAULTY -DN=2] [options: --keep-going]
// expect: all bug=deadlock executions=595 line=@lock [cc: -DFAULTY -DN=3] [options: --keep-going]
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

#ifndef N
#define N 2
#endif

static struct account {
	pthread_mutex_t mutex;
	int balance;
} accounts[2] = {{PTHREAD_MUTEX_INITIALIZER, 100}, {PTHREAD_MUTEX_INITIALIZER, 100}};

static void transfer(struct account *from, struct account *to, int amount)
{
#ifdef FAULTY
	struct account *first = from, *second = to;
#else
	struct account *first = from < to ? from : to, *second = from < to ? to : from;
#endif

	pthread_mutex_lock(&first->mutex); // @lock
	pthread_mutex_lock(&second->mutex); // @lock
	from->balance -= amount;
	to->balance += amount;
	pthread_mutex_unlock(&second->mutex);
	pthread_mutex_unlock(&first->mutex);
}

static void *clerk(void *argument)
{
	int i = (int)(intptr_t)argument;

	transfer(&accounts[i % 2], &accounts[1 - i % 2], 10);
	return NULL;
}

int main(void)
{
	pthread_t clerks[N];

	for (int i = 0; i < N; i++)
		pthread_create(&clerks[i], NULL, clerk, (void *)(intptr_t)i);
	for (int i = 0; i < N; i++)
		pthread_join(clerks[i], NULL);
	assert(accounts[0].balance + accounts[1].balance == 200);
	assert(accounts[0].balance == 100 - 10 * (N % 2));
	return 0;
}
