// Functions that are not modelled are refused by name and line, never passed through.
// expect: source error line=@barrier [says: pthread_barrier_wait] [cc: -DWAY=1]
// expect: source error line=@semaphore [says: sem_wait] [cc: -DWAY=2]
// expect: source error line=@rwlock [says: pthread_rwlock_rdlock] [cc: -DWAY=3]
// expect: source error line=@c11 [says: mtx_lock] [cc: -DWAY=4]
// expect: source error line=@cancel [says: pthread_cancel] [cc: -DWAY=5]
#include <pthread.h>
#include <semaphore.h>
#include <threads.h>

int main(void)
{
#if WAY == 1
	static pthread_barrier_t barrier;

	pthread_barrier_wait(&barrier); // @barrier
#elif WAY == 2
	static sem_t semaphore;

	sem_wait(&semaphore); // @semaphore
#elif WAY == 3
	static pthread_rwlock_t rwlock;

	pthread_rwlock_rdlock(&rwlock); // @rwlock
#elif WAY == 4
	static mtx_t mutex;

	mtx_lock(&mutex); // @c11
#elif WAY == 5
	pthread_cancel(pthread_self()); // @cancel
#endif
	return 0;
}
