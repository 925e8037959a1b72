// A thread uses the handle that its creator is still storing: pthread_create may return after the thread has begun.
// expect: source bug=lock,race executions=5 line=@store fork replay [options: --keep-going]
// expect: all bug=lock,race executions=7 line=@store [options: --keep-going]
#include <pthread.h>

static pthread_t handle;

static void *run(void *unused)
{
	pthread_detach(handle); // @store
	return unused;
}

int main(void)
{
	pthread_create(&handle, NULL, run, NULL); // @store
	pthread_exit(NULL);
}
