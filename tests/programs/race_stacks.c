// Both accesses of a race are told with their calls: the line alone, in a function that everybody calls, says little.
// expect: source bug=race executions=4 fork replay [options: --keep-going] [says: "function": "bump"] [says: "function": "deposit"] [says: "function": "teller"] [says: "function": "withdraw"]
#include <pthread.h>

static int balance;

static void bump(int *what, int by)
{
	*what += by;
}

static void deposit(void)
{
	bump(&balance, 1);
}

static void withdraw(void)
{
	bump(&balance, -1);
}

static void *teller(void *unused)
{
	deposit();
	return unused;
}

static void *customer(void *unused)
{
	withdraw();
	return unused;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, teller, NULL);
	pthread_create(&t2, NULL, customer, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return 0;
}
