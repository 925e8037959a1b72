// Locking a normal mutex twice waits for oneself, in every schedule.
// expect: source bug=deadlock executions=1 line=@again replay [options: --keep-going]
// expect: all bug=deadlock executions=1 line=@again
#include <pthread.h>

int main(void)
{
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

	pthread_mutex_lock(&mutex);
	pthread_mutex_lock(&mutex); // @again
	return 0;
}
