/*
 * The work-stealing deque of Chase and Lev (2005), of fixed size.
 *
 * The owner puts tasks in and takes them out at the bottom; thieves steal at the top.  Each task
 * must be done exactly once.
 *
 * Correct: for the last task, owner and thieves compete by a compare-and-swap on the top.
 * Fault:   the owner takes the last task without it.  A thief that has read the same task
 *          before succeeds as well: the task is done twice.
 *
 *     inspect check examples/classic/work_stealing_deque.c
 *     inspect check -DFAULTY examples/classic/work_stealing_deque.c
 */
// expect: source verified executions=12 fork [cc: -DTASKS=1]
// expect: source verified executions=21 [cc: -DTASKS=2]
// expect: source verified executions=368 [cc: -DTASKS=2 -DTHIEVES=2]
// expect: dpor verified executions=12 [cc: -DTASKS=1]
// expect: dpor verified executions=21 [cc: -DTASKS=2]
// expect: all verified executions=1369 [cc: -DTASKS=1]
// expect: all verified executions=22149 [cc: -DTASKS=2]
// expect: source bug=assertion executions=11 line=@done replay [cc: -DFAULTY]
// expect: source bug=assertion executions=17 line=@done [cc: -DFAULTY -DTASKS=1] [options: --keep-going]
// expect: source bug=assertion executions=36 line=@done [cc: -DFAULTY -DTASKS=2] [options: --keep-going]
// expect: source bug=assertion executions=1407 blocked=130 line=@done [cc: -DFAULTY -DTHIEVES=2] [options: --keep-going]
// expect: dpor bug=assertion executions=36 line=@done [cc: -DFAULTY -DTASKS=2] [options: --keep-going]
// expect: all bug=assertion executions=2434 line=@done [cc: -DFAULTY -DTASKS=1] [options: --keep-going]
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#ifndef THIEVES
#define THIEVES 1
#endif
#ifndef TASKS
#define TASKS 2
#endif
#define SIZE 4
#define NOTHING (-1)

static atomic_int top, bottom; /* of the tasks top … bottom - 1 */
static atomic_int tasks[SIZE];
static atomic_int done[TASKS];

static void push(int task)
{
	int b = atomic_load(&bottom);

	atomic_store(&tasks[b % SIZE], task);
	atomic_store(&bottom, b + 1);
}

static int take(void)
{
	int b = atomic_load(&bottom) - 1, t, task = NOTHING;

	atomic_store(&bottom, b); /* from here on, thieves leave this task alone, unless it is the last */
	t = atomic_load(&top);
	if (t < b)
		return atomic_load(&tasks[b % SIZE]);
	if (t == b) {
		task = atomic_load(&tasks[b % SIZE]);
#ifdef FAULTY
		atomic_store(&top, t + 1);
#else
		if (!atomic_compare_exchange_strong(&top, &t, t + 1))
			task = NOTHING;
#endif
	}
	atomic_store(&bottom, b + 1);
	return task;
}

static int steal(void)
{
	int t = atomic_load(&top), b = atomic_load(&bottom), task;

	if (t >= b)
		return NOTHING;
	task = atomic_load(&tasks[t % SIZE]);
	return atomic_compare_exchange_strong(&top, &t, t + 1) ? task : NOTHING;
}

static void perform(int task)
{
	int before = atomic_fetch_add(&done[task], 1);

	assert(before == 0); // @done
}

static void *thief(void *unused)
{
	int task = steal();

	if (task != NOTHING)
		perform(task);
	return unused;
}

int main(void)
{
	pthread_t thieves[THIEVES];

	for (int i = 0; i < THIEVES; i++)
		pthread_create(&thieves[i], NULL, thief, NULL);
	for (int i = 0; i < TASKS; i++)
		push(i);
	for (int task = take(); task != NOTHING; task = take())
		perform(task);
	for (int i = 0; i < THIEVES; i++)
		pthread_join(thieves[i], NULL);
	for (int i = 0; i < TASKS; i++)
		assert(done[i] == 1);
	return 0;
}
