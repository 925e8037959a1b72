// Behind mutexes, condition variables and read-write locks that nobody initialised: they work as if somebody had, so that
// data races, failed assertions and deadlocks are found, and a correct program is verified, with warnings.
//   CASE 1: a data race besides the mutex
//   CASE 2: correct, with a condition variable
//   CASE 3: a deadlock of two mutexes
//   CASE 4: readers and writers, correct
//   CASE 5: unlocked by a thread that does not hold it, which is misuse whether or not it was initialised
// expect: - bug=race executions=1 warns=lock line=@race replay [cc: -DCASE=1]
// expect: - bug=race executions=3 warns=lock line=@race replay [cc: -DCASE=1] [options: --keep-going]
// expect: - bug=lock,race executions=3 line=@lock [cc: -DCASE=1] [options: --strict=init --keep-going]
// expect: - bug=race executions=3 line=@race [cc: -DCASE=1 -DINIT] [options: --keep-going]
// expect: - verified executions=2 warns=lock [cc: -DCASE=2]
// expect: - verified executions=2 [cc: -DCASE=2 -DINIT] [options: --strict=all]
// expect: all verified executions=2 warns=lock [cc: -DCASE=2]
// expect: all verified executions=2 [cc: -DCASE=2 -DINIT]
// expect: - verified executions=2 warns=lock [cc: -DCASE=2] [options: --stateful]
// expect: - bug=deadlock executions=2 warns=lock replay [cc: -DCASE=3]
// expect: - verified executions=4 warns=lock [cc: -DCASE=4]
// expect: - verified executions=4 [cc: -DCASE=4 -DINIT]
// expect: - bug=lock executions=1 warns=lock line=@unheld replay [cc: -DCASE=5]
#include <assert.h>
#include <pthread.h>

#ifdef INIT
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
#else
static pthread_mutex_t mutex, other;
static pthread_cond_t changed;
static pthread_rwlock_t rwlock;
#endif
static int data, ready;

static void *write_data(void *unused)
{
	pthread_mutex_lock(&mutex); // @lock
	data = 3; // @race
	pthread_mutex_unlock(&mutex);
	return unused;
}

static void *announce(void *unused)
{
	pthread_mutex_lock(&mutex);
	ready = 1;
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&mutex);
	return unused;
}

static void *await(void *unused)
{
	pthread_mutex_lock(&mutex);
	while (!ready)
		pthread_cond_wait(&changed, &mutex);
	pthread_mutex_unlock(&mutex);
	return unused;
}

static void *take_both(void *backwards)
{
	pthread_mutex_lock(backwards ? &other : &mutex);
	pthread_mutex_lock(backwards ? &mutex : &other);
	pthread_mutex_unlock(&mutex);
	pthread_mutex_unlock(&other);
	return NULL;
}

static void *read_or_write(void *writes)
{
	if (writes) {
		assert(!pthread_rwlock_wrlock(&rwlock));
		data++;
	} else {
		assert(!pthread_rwlock_rdlock(&rwlock));
		assert(data >= 0);
	}
	assert(!pthread_rwlock_unlock(&rwlock));
	return NULL;
}

static void *unlock(void *unused)
{
	pthread_mutex_unlock(&mutex); // @unheld
	return unused;
}

int main(void)
{
	static void *(*const functions[][3])(void *) = {{write_data, write_data},
							{await, announce},
							{take_both, take_both},
							{read_or_write, read_or_write, read_or_write},
							{write_data, unlock}};
	pthread_t threads[3];
	int count = CASE == 4 ? 3 : 2;

	for (int i = 0; i < count; i++)
		pthread_create(&threads[i], NULL, functions[CASE - 1][i], i == 1 ? &data : NULL);
	pthread_join(threads[0], NULL);
	if (CASE == 1)
		data = 1; // @race
	for (int i = 1; i < count; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
