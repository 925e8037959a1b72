// strtok reads its hidden place when it begins and writes it when it is done: what others do in between counts.
// expect: - bug=race executions=16 [options: --keep-going] [says: strtok]
// expect: - bug=race executions=16 [options: --keep-going --seed=1]
// expect: - bug=race executions=16 [options: --keep-going --seed=2]
// expect: source bug=race executions=16 [options: --keep-going --seed=5]
// expect: - verified executions=2 [cc: -DLOCKED]
#include <pthread.h>
#include <string.h>

static char texts[2][4] = {"x y", "u v"};
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *take_apart(void *text)
{
#ifdef LOCKED
	pthread_mutex_lock(&mutex);
#endif
	strtok(text, " ");
	char *second = strtok(NULL, " ");
#ifdef LOCKED
	pthread_mutex_unlock(&mutex);
#else
	(void)mutex;
#endif
	return second;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, take_apart, texts[0]);
	take_apart(texts[1]);
	pthread_join(thread, NULL);
	return 0;
}
