// The two-class database repaired: a thread waits for the other class on a condition variable, which releases the
// mutex meanwhile.  N threads of each class.
// expect: source verified executions=4 fork
// expect: dpor verified executions=4
// expect: all verified executions=65
// expect: - verified executions=4
// expect: source verified executions=2152 [args: 2]
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t nobody = PTHREAD_COND_INITIALIZER;
static int a_count, b_count;

static void enter(int *own, const int *other)
{
	pthread_mutex_lock(&mutex);
	while (*other > 0)
		pthread_cond_wait(&nobody, &mutex);
	++*own;
	pthread_mutex_unlock(&mutex);
}

static void leave(int *own)
{
	pthread_mutex_lock(&mutex);
	if (--*own == 0)
		pthread_cond_broadcast(&nobody);
	pthread_mutex_unlock(&mutex);
}

static void *class_a(void *unused)
{
	enter(&a_count, &b_count);
	assert(b_count == 0);
	leave(&a_count);
	return unused;
}

static void *class_b(void *unused)
{
	enter(&b_count, &a_count);
	assert(a_count == 0);
	leave(&b_count);
	return unused;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 1;
	pthread_t a[8], b[8];

	for (int i = 0; i < n; i++) {
		pthread_create(&a[i], NULL, class_a, NULL);
		pthread_create(&b[i], NULL, class_b, NULL);
	}
	for (int i = 0; i < n; i++) {
		pthread_join(a[i], NULL);
		pthread_join(b[i], NULL);
	}
	return 0;
}
