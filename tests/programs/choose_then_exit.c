// The outcomes of a choice are explored one after the other, although sequences that begin with another thread came before
// one of them: these are sequences that the choice can begin, and go on below it.
// expect: optimal bug=exit executions=35 [options: --keep-going]
// expect: source bug=exit executions=35 [options: --keep-going]
// expect: dpor bug=exit executions=35 blocked=1 [options: --keep-going]
// expect: - bug=exit executions=35 [options: --keep-going --jobs=3]
// expect: all bug=exit executions=1152 [options: --keep-going]
// expect: optimal bug=exit executions=83 [cc: -DMORE] [options: --keep-going]
// expect: source bug=exit executions=83 [cc: -DMORE] [options: --keep-going]
#include <inspect.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int looked_at, count;

static void *look(void *unused)
{
	atomic_load(&looked_at);
	return unused;
}

static void *leave(void *unused)
{
#ifdef MORE
	while (inspect_choose(2) && atomic_load(&count) < 1)
		atomic_fetch_add(&count, 1);
#else
	if (inspect_choose(2))
		atomic_load(&count);
#endif
	exit(1);
	return unused;
}

int main(void)
{
	pthread_t looker, leaver;

	pthread_create(&looker, NULL, look, NULL);
	pthread_create(&leaver, NULL, leave, NULL);
	atomic_fetch_add(&count, 1);
	atomic_store(&looked_at, 1);
	pthread_join(looker, NULL);
	return 0;
}
