// A server that never ends, with finitely many states: requests go through a slot for one.
// expect: - verified executions=18 [options: --stateful]
// expect: - bug=assertion executions=12 line=@wrong replay [options: --stateful --keep-going] [cc: -DWRONG=2]
// expect: - bug=deadlock executions=18 replay [options: --stateful] [cc: -DTWO_CLIENTS]
#include <assert.h>
#include <pthread.h>

#ifndef WRONG
#define WRONG 3
#endif

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int full, request;

static void *ask(void *unused)
{
	(void)unused;
	for (;;) {
		pthread_mutex_lock(&mutex);
		while (full)
			pthread_cond_wait(&changed, &mutex);
		full = 1;
		request = (request + 1) % 3;
		pthread_cond_signal(&changed);
		pthread_mutex_unlock(&mutex);
	}
	return NULL;
}

static void *serve(void *unused)
{
	(void)unused;
	for (;;) {
		pthread_mutex_lock(&mutex);
		while (!full)
			pthread_cond_wait(&changed, &mutex);
		full = 0;
		assert(request != WRONG); // @wrong
		pthread_cond_signal(&changed);
		pthread_mutex_unlock(&mutex);
	}
	return NULL;
}

int main(void)
{
	pthread_t threads[3];

	pthread_create(&threads[0], NULL, ask, NULL);
	pthread_create(&threads[1], NULL, serve, NULL);
#ifdef TWO_CLIENTS
	pthread_create(&threads[2], NULL, ask, NULL); /* a signal may wake the wrong one */
#endif
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	return 0;
}
