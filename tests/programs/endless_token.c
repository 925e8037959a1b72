// Two threads hand a token to each other for ever: only a search that knows states comes to an end.
// expect: - verified executions=1 [options: --stateful]
// expect: - bug=race executions=26 replay [options: --stateful --keep-going] [cc: -DRACE]
#include <pthread.h>
#include <stdatomic.h>

static atomic_int token;
static int passed;

static void *hold(void *number)
{
	int mine = (int)(long)number;

	for (;;) {
		while (atomic_load(&token) != mine)
			;
#ifdef RACE
		atomic_store(&token, !mine);
		passed = !passed; /* too late */
#else
		passed = !passed;
		atomic_store(&token, !mine);
#endif
	}
	return NULL;
}

int main(void)
{
	pthread_t first, second;

	pthread_create(&first, NULL, hold, (void *)0L);
	pthread_create(&second, NULL, hold, (void *)1L);
	pthread_join(first, NULL);
	pthread_join(second, NULL);
	return 0;
}
