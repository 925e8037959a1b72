// The process ends inside an atomic block; the others could have gone on before that block.
// expect: source bug=assertion executions=2 [options: --keep-going]
// expect: dpor bug=assertion executions=2 [options: --keep-going]
// expect: all bug=assertion executions=2 [options: --keep-going]
#include <assert.h>
#include <inspect.h>
#include <pthread.h>
#include <stdlib.h>

static void *leave(void *unused)
{
	inspect_atomic_begin();
	exit(0);
	return unused;
}

static void *fail(void *unused)
{
	assert(0);
	return unused;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, leave, NULL);
	pthread_create(&b, NULL, fail, NULL);
	pthread_join(a, NULL);
	return 0;
}
