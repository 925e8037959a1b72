/*
 * The repair of bank_account.c: a mutex around the update.
 *
 * Now the two payments can only happen one after the other.  There are two
 * orders; Inspect tries both and says "verified".
 *
 *     inspect check examples/bank_account_fixed.c
 */
// expect: source verified executions=2
// expect: - verified executions=2
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int balance;

static void *pay_in(void *unused)
{
	pthread_mutex_lock(&mutex);
	balance += 100;
	pthread_mutex_unlock(&mutex);
	return unused;
}

int main(void)
{
	pthread_t alice, bob;

	pthread_create(&alice, NULL, pay_in, NULL);
	pthread_create(&bob, NULL, pay_in, NULL);
	pthread_join(alice, NULL);
	pthread_join(bob, NULL);
	assert(balance == 200);
	return 0;
}
