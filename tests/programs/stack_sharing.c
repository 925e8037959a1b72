// main hands pointers to its own locals to threads: unprotected they race, with a lock (itself a local) they do not.
// expect: source bug=assertion,race executions=4 line=@race fork [options: --keep-going]
// expect: dpor bug=assertion,race executions=4 line=@race [options: --keep-going]
// expect: source bug=race executions=1 line=@race replay
// expect: source verified executions=2 fork [cc: -DLOCKED]
// expect: dpor verified executions=2 [cc: -DLOCKED]
#include <assert.h>
#include <pthread.h>

struct account {
	pthread_mutex_t mutex;
	int balance;
};

static void *pay(void *argument)
{
	struct account *account = argument;

#ifdef LOCKED
	pthread_mutex_lock(&account->mutex);
#endif
	account->balance++; // @race
#ifdef LOCKED
	pthread_mutex_unlock(&account->mutex);
#endif
	return NULL;
}

int main(void)
{
	struct account account = {.balance = 0};
	pthread_t t1, t2;

	pthread_mutex_init(&account.mutex, NULL);
	pthread_create(&t1, NULL, pay, &account);
	pthread_create(&t2, NULL, pay, &account);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	assert(account.balance == 2);
	return 0;
}
