// What happens inside an atomic block may have several outcomes: all are explored, though nobody else can be chosen there.
// expect: - bug=assertion executions=3 line=@three fork replay [options: --keep-going]
// expect: source bug=assertion executions=3 line=@three [options: --keep-going]
// expect: dpor bug=assertion executions=3 line=@three [options: --keep-going]
// expect: all bug=assertion executions=3 line=@three [options: --keep-going]
// expect: - bug=assertion executions=3 line=@three [options: --keep-going --stateful]
// expect: - bug=assertion executions=3 line=@three [options: --keep-going --checkpoints=1]
// expect: - bug=assertion executions=3 line=@three [options: --keep-going --jobs=2]
// Two threads with one block each that writes what was chosen: both orders, with all outcomes; three likewise.
// expect: - verified executions=8 [cc: -DTHREADS=2]
// expect: source verified executions=8 [cc: -DTHREADS=2]
// expect: dpor verified executions=8 [cc: -DTHREADS=2]
// expect: all verified executions=12 [cc: -DTHREADS=2]
// expect: - verified executions=12 [cc: -DTHREADS=2] [options: --stateful]
// expect: - verified executions=8 [cc: -DTHREADS=2] [options: --jobs=2]
// expect: - verified executions=48 [cc: -DTHREADS=3]
// expect: - verified executions=48 [cc: -DTHREADS=3] [options: --checkpoints=1]
// expect: source verified executions=48 [cc: -DTHREADS=3]
// expect: dpor verified executions=48 [cc: -DTHREADS=3]
// expect: - verified executions=44 [cc: -DTHREADS=3] [options: --stateful --exact-states]
// Blocks of several choices, one inside another: 2 · 3 · 2 outcomes each.
// expect: - verified executions=12 [cc: -DNESTED]
// expect: source verified executions=12 [cc: -DNESTED]
// expect: dpor verified executions=12 [cc: -DNESTED]
// expect: all verified executions=12 [cc: -DNESTED]
// expect: - verified executions=12 [cc: -DNESTED] [options: --stateful]
// The second outcome only meets what another thread does, and the third only what it does after that.
// expect: - bug=assertion executions=7 blocked=8 line=@met [cc: -DMEETS] [options: --keep-going]
// expect: source bug=assertion executions=7 blocked=8 line=@met [cc: -DMEETS] [options: --keep-going]
// expect: dpor bug=assertion executions=7 blocked=8 line=@met [cc: -DMEETS] [options: --keep-going]
// expect: all bug=assertion executions=15 line=@met [cc: -DMEETS] [options: --keep-going]
// expect: - bug=assertion executions=15 line=@met [cc: -DMEETS] [options: --keep-going --stateful]
// A function that is one atomic block; a block in an exit handler, and in the destructor of a thread's value.
// expect: - bug=assertion executions=2 line=@named [cc: -DNAMED] [options: --keep-going]
// expect: - bug=assertion executions=2 line=@named [cc: -DNAMED] [options: --keep-going --stateful]
// expect: - bug=assertion executions=2 line=@handler [cc: -DHANDLER] [options: --keep-going]
// expect: all bug=assertion executions=2 line=@handler [cc: -DHANDLER] [options: --keep-going]
// expect: - bug=assertion executions=2 line=@destructor [cc: -DDESTRUCTOR] [options: --keep-going]
// expect: - bug=assertion executions=2 line=@destructor [cc: -DDESTRUCTOR] [options: --keep-going --stateful]
#include <assert.h>
#include <inspect.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

_Bool __VERIFIER_nondet_bool(void);

static atomic_int x, y;

static void *write_chosen(void *unused)
{
	inspect_atomic_begin();
	x = (int)inspect_choose(2);
	inspect_atomic_end();
	return unused;
}

static void start(int n, void *(*run)(void *))
{
	pthread_t threads[4];

	for (int i = 0; i < n; i++)
		pthread_create(&threads[i], NULL, run, NULL);
	for (int i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
}

static void choose_first_and_last(void)
{
	inspect_atomic_begin();
	x = (int)inspect_choose(2);
	inspect_atomic_begin();
	y = (int)inspect_choose(3);
	inspect_atomic_end();
	inspect_choose(2);
	inspect_atomic_end();
}

static void *meet(void *unused)
{
	inspect_atomic_begin();
	switch (inspect_choose(3)) {
	case 1: assert(x != 1); break; // @met
	case 2: assert(y != 1); break; // @met
	}
	inspect_atomic_end();
	return unused;
}

static void set_both(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, meet, NULL);
	x = 1;
	x = 2;
	y = 1;
	y = 2;
	pthread_join(thread, NULL);
}

void __VERIFIER_atomic_choose(void)
{
	x = __VERIFIER_nondet_bool();
}

static void handle_exit(void)
{
	inspect_atomic_begin();
	assert(!inspect_choose(2)); // @handler
	inspect_atomic_end();
}

static void destroy(void *unused)
{
	(void)unused;
	inspect_atomic_begin();
	assert(!inspect_choose(2)); // @destructor
	inspect_atomic_end();
}

static void *use_key(void *unused)
{
	pthread_key_t key;

	pthread_key_create(&key, destroy);
	pthread_setspecific(key, &x);
	return unused;
}

int main(void)
{
#if defined THREADS
	start(THREADS, write_chosen);
#elif defined NESTED
	choose_first_and_last();
#elif defined MEETS
	set_both();
#elif defined NAMED
	__VERIFIER_atomic_choose();
	assert(!x); // @named
#elif defined HANDLER
	atexit(handle_exit);
#elif defined DESTRUCTOR
	start(1, use_key);
#else
	inspect_atomic_begin();
	assert(inspect_choose(3) != 1); // @three
	inspect_atomic_end();
#endif
	(void)start, (void)write_chosen, (void)choose_first_and_last, (void)set_both, (void)handle_exit, (void)use_key;
	return 0;
}
