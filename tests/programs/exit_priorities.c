// Functions that are marked as destructors run before the process ends, those with a priority as well, which come last.
// A thread that is still there may run before, between and after them.
//
// CASE 1: one thread: the destructor with the highest urgency sees what the others did.
// expect: - bug=assertion executions=1 line=@fails fork replay [cc: -DCASE=1]
// expect: all bug=assertion executions=1 line=@fails [cc: -DCASE=1]
// expect: - verified executions=1 [cc: -DCASE=1 -DFIXED]
// CASE 2: the update of the detached thread comes before the first look, between the two, after both, or not any more.
// expect: - bug=assertion executions=4 line=@between replay [cc: -DCASE=2] [options: --keep-going]
// expect: source bug=assertion executions=4 line=@between [cc: -DCASE=2] [options: --keep-going]
// expect: - bug=assertion executions=4 line=@between [cc: -DCASE=2] [options: --keep-going --seed=2]
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int x;

#if CASE == 1

__attribute__((destructor(101))) static void last(void)
{
#ifdef FIXED
	assert(x == 3);
#else
	assert(x != 3); // @fails
#endif
}

__attribute__((destructor(102))) static void second(void)
{
	x |= 2;
}

__attribute__((destructor)) static void first(void)
{
	x |= 1;
}

int main(void)
{
	return 0;
}

#else

static int seen;

__attribute__((destructor(102))) static void first(void)
{
	seen = x;
}

__attribute__((destructor(101))) static void last(void)
{
	assert(x == seen); // @between
}

static void *update(void *unused)
{
	x = 1;
	return unused;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, update, NULL);
	pthread_detach(thread);
	return 0;
}

#endif
