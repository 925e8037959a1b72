// Loops that nobody can end, and loops that seem to be such.
//   CASE 1: a thread that only yields for ever, and a race of others
//   CASE 2: … which somebody joins
//   CASE 3: a loop with a fence at its head, which ends
//   CASE 4: it goes round through two places for ever, each time as an await: more of them than there was room for
//   CASE 5: each of two threads waits for the other, and writes all the while
//   CASE 6: one looks at what nobody else knows, under a lock, and the other waits for it
//   CASE 7: it only yields for ever, once it has told main what to return; the process ends nevertheless
// expect: - bug=race executions=1 line=@race replay [cc: -DCASE=1]
// expect: all bug=race executions=1 line=@race [cc: -DCASE=1]
// expect: - bug=race executions=1 line=@race [cc: -DCASE=1] [options: --stateful]
// expect: - bug=livelock executions=1 line=@yield replay [cc: -DCASE=2]
// expect: source bug=livelock executions=1 [cc: -DCASE=2]
// expect: - bug=livelock executions=1 [cc: -DCASE=2] [options: --stateful]
// expect: - verified executions=1 [cc: -DCASE=3]
// expect: - verified executions=1 [cc: -DCASE=3] [options: --stateful]
// expect: - verified executions=1 [cc: -DCASE=3] [options: --stateful --exact-states]
// expect: source incomplete executions=1 [cc: -DCASE=4] [options: --max-steps=100000] [says: was in a loop here]
// expect: - bug=livelock executions=4 [cc: -DCASE=4] [options: --stateful]
// expect: - verified executions=3 [cc: -DCASE=5] [options: --stateful]
// expect: - bug=livelock executions=3 [cc: -DCASE=6] [options: --stateful]
// expect: - bug=livelock executions=1 [cc: -DCASE=6]
// expect: - bug=exit executions=3 replay [cc: -DCASE=7] [options: --keep-going]
// expect: source bug=exit executions=3 [cc: -DCASE=7] [options: --keep-going]
// expect: all bug=exit executions=3 [cc: -DCASE=7] [options: --keep-going]
// expect: - bug=exit executions=3 [cc: -DCASE=7] [options: --keep-going --stateful]
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int x, y, a, b, next[5];
static int data, known;

static void *yield(void *unused)
{
	a = 1;
	for (;;)
		sched_yield(); // @yield
	return unused;
}

static void *change(void *unused)
{
	data = 1; // @race
	x = 1;
	return unused;
}

static void *chain(void *unused)
{
	next[0] = 1;
	next[1] = 2;
	next[2] = 1;
	return unused;
}

static void *write_first(void *unused)
{
	do
		x = 1;
	while (!b);
	a = 1;
	return unused;
}

static void *write_second(void *unused)
{
	do
		y = 1;
	while (!a);
	b = 1;
	return unused;
}

static void *look(void *unused)
{
	int seen;

	do {
		pthread_mutex_lock(&lock);
		seen = known;
		pthread_mutex_unlock(&lock);
	} while (!seen);
	x = 1;
	return unused;
}

static void go_on(void)
{
	int at = 0;

	switch (CASE) {
	case 1: data = 2; break; // @race
	case 3:
		do
			atomic_thread_fence(memory_order_acquire);
		while (!x);
		data = 2;
		break;
	case 4:
		while (at != 4) {
			int to = next[at];
			if (to)
				at = to;
		}
		break;
	case 6:
		while (!x && !x)
			;
		known = 1;
		break;
	default: break;
	}
}

int main(void)
{
	static void *(*const pairs[][2])(void *) = {
		{change, yield}, {yield}, {change}, {chain}, {write_first, write_second}, {look}, {yield},
	};
	pthread_t threads[2];
	int count = pairs[CASE - 1][1] ? 2 : 1;

	for (int i = 0; i < count; i++)
		pthread_create(&threads[i], NULL, pairs[CASE - 1][i], NULL);
	go_on();
	for (int i = 0; i < (CASE == 7 ? 0 : CASE == 1 ? 1 : count); i++)
		pthread_join(threads[i], NULL);
	return CASE == 7 && a;
}
