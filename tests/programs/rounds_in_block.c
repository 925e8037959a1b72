// A thread that goes round a loop for nothing inside its atomic block lets others run, who see what the block has done so far.
// When what it waits for has come it goes on: it could not have come to the loop later, so no other execution stands for it.
//   CASE 1: what others saw in the middle       2: … and wrote there
//   CASE 3: trylock                             4: two locations
//   CASE 5: nothing ever comes                  6: plain memory behind it is a race
//   CASE 7: the value comes, goes and comes     8: right
// expect: optimal bug=assertion executions=4 line=@seen replay [cc: -DCASE=1]
// expect: source bug=assertion executions=4 line=@seen [cc: -DCASE=1] [options: --keep-going]
// expect: dpor bug=assertion executions=4 line=@seen [cc: -DCASE=1] [options: --keep-going]
// expect: all bug=assertion executions=4 line=@seen [cc: -DCASE=1] [options: --keep-going]
// expect: - bug=assertion executions=4 line=@seen [cc: -DCASE=1] [options: --no-awaits]
// expect: - bug=assertion executions=2 line=@seen [cc: -DCASE=1] [options: --stateful]
// expect: optimal bug=assertion executions=4 line=@written replay [cc: -DCASE=2] [options: --keep-going]
// expect: all bug=assertion executions=4 line=@written [cc: -DCASE=2] [options: --keep-going]
// expect: - bug=assertion executions=2 line=@written [cc: -DCASE=2] [options: --stateful]
// expect: optimal bug=assertion executions=3 blocked=1 line=@seen replay [cc: -DCASE=3] [options: --keep-going]
// expect: all bug=assertion executions=4 line=@seen [cc: -DCASE=3] [options: --keep-going]
// expect: - bug=assertion executions=2 line=@seen [cc: -DCASE=3] [options: --stateful]
// expect: optimal bug=assertion executions=4 line=@seen replay [cc: -DCASE=4] [options: --keep-going]
// expect: all bug=assertion executions=4 line=@seen [cc: -DCASE=4] [options: --keep-going]
// expect: - bug=assertion executions=2 line=@seen [cc: -DCASE=4] [options: --stateful]
// expect: optimal bug=livelock executions=2 replay [cc: -DCASE=5] [options: --keep-going]
// expect: all bug=livelock executions=2 [cc: -DCASE=5] [options: --keep-going]
// expect: - bug=livelock executions=1 [cc: -DCASE=5] [options: --stateful]
// expect: optimal bug=race executions=11 line=@race replay [cc: -DCASE=6] [options: --keep-going]
// expect: all bug=race executions=12 line=@race [cc: -DCASE=6] [options: --keep-going]
// expect: - bug=race executions=1 line=@race [cc: -DCASE=6] [options: --stateful]
// expect: optimal bug=livelock executions=6 replay [cc: -DCASE=7] [options: --keep-going]
// expect: all bug=livelock executions=6 [cc: -DCASE=7] [options: --keep-going]
// expect: - bug=livelock executions=4 [cc: -DCASE=7] [options: --stateful --keep-going]
// expect: optimal verified executions=4 [cc: -DCASE=8]
// expect: source verified executions=4 [cc: -DCASE=8]
// expect: dpor verified executions=4 [cc: -DCASE=8]
// expect: all verified executions=4 [cc: -DCASE=8]
// expect: - verified executions=4 [cc: -DCASE=8] [options: --stateful]
#include <assert.h>
#include <inspect.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y, z;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int plain;

static void wait_in_block(void)
{
#if CASE == 3
	while (pthread_mutex_trylock(&mutex))
		;
	pthread_mutex_unlock(&mutex);
#elif CASE == 4
	while (!y || !z)
		;
#else
	while (!y)
		;
#endif
}

static void *work(void *unused)
{
	inspect_atomic_begin();
#if CASE == 1 || CASE == 3 || CASE == 4
	if (!y) {
		x = 1;
		wait_in_block();
		x = 2;
	}
#else
	x = 1;
	wait_in_block();
	z = x;
#endif
	inspect_atomic_end();
#if CASE == 6
	plain = 1; // @race
#endif
	return unused;
}

int main(void)
{
	pthread_t thread;
	int seen;

#if CASE == 3
	pthread_mutex_lock(&mutex);
#endif
	pthread_create(&thread, NULL, work, NULL);
	seen = x;
#if CASE == 2
	if (seen == 1)
		x = 5;
#endif
#if CASE == 3
	y = 1;
	pthread_mutex_unlock(&mutex);
#elif CASE == 7
	y = 1;
	y = 0;
#elif CASE != 5
	z = 1;
	y = 1;
#endif
#if CASE == 6
	plain = 2; // @race
#endif
	pthread_join(thread, NULL);
#if CASE == 1 || CASE == 3 || CASE == 4
	assert(seen != 1); // @seen
#elif CASE == 2
	assert(z != 5); // @written
#elif CASE == 8
	assert(z == 1);
#endif
	(void)seen;
	(void)plain;
}
