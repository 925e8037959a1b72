/*
 * A deadlock by lock order.
 *
 * Money goes from one account to another with both locked.  Two transfers in
 * opposite directions lock in opposite order: each may get its first lock and
 * wait for its second for ever.  The report says who holds what and who waits.
 * The repair: always lock the account with the lower number first (-DORDERED).
 *
 *     inspect check examples/abba_deadlock.c
 *     inspect check -DORDERED examples/abba_deadlock.c
 */
// expect: source bug=deadlock executions=3 line=@wait [options: --keep-going]
// expect: source verified executions=2 [cc: -DORDERED]
#include <pthread.h>

struct account {
	pthread_mutex_t mutex;
	int balance;
};

static struct account accounts[2] = {
	{PTHREAD_MUTEX_INITIALIZER, 100},
	{PTHREAD_MUTEX_INITIALIZER, 100},
};

static void transfer(struct account *from, struct account *to)
{
	struct account *first = from, *second = to;

#ifdef ORDERED
	if (second < first) {
		first = to;
		second = from;
	}
#endif
	pthread_mutex_lock(&first->mutex);
	pthread_mutex_lock(&second->mutex); // @wait
	from->balance -= 10;
	to->balance += 10;
	pthread_mutex_unlock(&second->mutex);
	pthread_mutex_unlock(&first->mutex);
}

static void *there(void *unused)
{
	transfer(&accounts[0], &accounts[1]);
	return unused;
}

static void *back(void *unused)
{
	transfer(&accounts[1], &accounts[0]);
	return unused;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, there, NULL);
	pthread_create(&t2, NULL, back, NULL);
	pthread_join(t1, NULL); // @wait
	pthread_join(t2, NULL); // @wait
	return 0;
}
