/*
 * Double-checked locking: look without the lock whether the work is done already.
 *
 * Correct: the flag is atomic; who reads it set (acquire) sees what was written before it was
 *          set (release).
 * Fault:   the flag is an ordinary variable.  The look without the lock races with the store
 *          under the lock; compiler and processor may let the flag overtake the data.
 *
 *     inspect check -DN=3 examples/classic/double_checked_locking.c
 *     inspect check -DN=3 -DFAULTY examples/classic/double_checked_locking.c
 *
 * One of the N threads is first to have the lock and sets the flag.  Each other has looked
 * before that, and then comes to the lock, or after, and has no need to.  With k who looked before,
 * these take the lock in any order: N * sum over k of C(N-1,k) * k! executions: 4, 15, 64.
 */
// expect: source verified executions=4 fork [cc: -DN=2]
// expect: source verified executions=15 [cc: -DN=3]
// expect: source verified executions=64 [cc: -DN=4]
// expect: dpor verified executions=4 [cc: -DN=2]
// expect: dpor verified executions=15 [cc: -DN=3]
// expect: all verified executions=167 [cc: -DN=2]
// expect: source bug=race executions=1 line=@look replay [cc: -DFAULTY -DN=2]
// expect: source bug=race executions=4 line=@look [cc: -DFAULTY -DN=2] [options: --keep-going]
// expect: dpor bug=race executions=4 line=@look [cc: -DFAULTY -DN=2] [options: --keep-going]
// expect: all bug=race executions=167 line=@look [cc: -DFAULTY -DN=2] [options: --keep-going]
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#ifndef N
#define N 2
#endif

#ifdef FAULTY
static bool ready;
#define is_ready() ready // @look
#define set_ready() (ready = true) // @look
#else
static atomic_bool ready;
#define is_ready() atomic_load_explicit(&ready, memory_order_acquire)
#define set_ready() atomic_store_explicit(&ready, true, memory_order_release)
#endif

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int table, initialisations;

static int get(void)
{
	if (!is_ready()) { // @look
		pthread_mutex_lock(&mutex);
		if (!is_ready()) { // @look
			table = 42;
			initialisations++;
			set_ready(); // @look
		}
		pthread_mutex_unlock(&mutex);
	}
	return table;
}

static void *use(void *unused)
{
	int value = get();

	assert(value == 42);
	return unused;
}

int main(void)
{
	pthread_t threads[N];

	for (int i = 0; i < N; i++)
		pthread_create(&threads[i], NULL, use, NULL);
	for (int i = 0; i < N; i++)
		pthread_join(threads[i], NULL);
	assert(initialisations == 1);
	return 0;
}
