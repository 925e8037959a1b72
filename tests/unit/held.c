/* Who holds which locks, and who waits for whom. */
#include "check.h"

#include "order/held.h"

#define MAX_SAMPLE 16

static struct event events[MAX_SAMPLE];
static uint32_t nevents;
static struct pending pending[MAX_SAMPLE];
static uint32_t npending;

static void clear(void)
{
	nevents = npending = 0;
}

static void add(unsigned thread, unsigned kind, uint64_t object)
{
	events[nevents++] = (struct event){.thread = (uint8_t)thread, .op = {.kind = (uint8_t)kind, .object = object}};
}

static void pend(unsigned thread, unsigned kind, uint64_t object)
{
	pending[npending++] =
		(struct pending){.thread = (uint8_t)thread,
				 .op = {.kind = (uint8_t)kind, .object = object, .target = (uint32_t)object}};
}

/* The thread that holds the object after the first n operations, -1: nobody. */
static int owner_after(uint32_t n, uint64_t object)
{
	struct held held;
	const struct held_lock *lock;
	int owner;

	held_init(&held, events, n);
	lock = held_owner(&held, object);
	owner = lock ? (int)lock->thread : -1;
	held_release(&held);
	return owner;
}

static uint32_t step_after(uint32_t n, uint64_t object)
{
	struct held held;
	uint32_t step;

	held_init(&held, events, n);
	step = held_owner(&held, object) ? held_owner(&held, object)->since : UINT32_MAX;
	held_release(&held);
	return step;
}

static void mutexes_are_taken_and_released(void)
{
	clear();
	add(1, EV_MUTEX_LOCK, 100);
	add(2, EV_MUTEX_TRYLOCK, 200);
	add(2, EV_MUTEX_TRYLOCK_FAIL, 100);
	add(1, EV_MUTEX_RELOCK, 100);
	add(1, EV_MUTEX_REUNLOCK, 100);
	add(1, EV_MUTEX_UNLOCK, 100);
	CHECK(owner_after(0, 100) == -1 && owner_after(1, 100) == 1);
	CHECK(owner_after(2, 200) == 2 && step_after(6, 200) == 1);
	CHECK(owner_after(5, 100) == 1 && step_after(5, 100) == 0);
	CHECK(owner_after(6, 100) == -1);
}

static void a_wait_gives_the_mutex_up(void)
{
	clear();
	add(1, EV_MUTEX_LOCK, 100);
	add(1, EV_COND_WAIT, 300);
	events[1].op.object2 = 100;
	add(2, EV_MUTEX_LOCK, 100);
	add(2, EV_MUTEX_UNLOCK, 100);
	add(1, EV_COND_WAKE, 100);
	CHECK(owner_after(2, 100) == -1 && owner_after(2, 300) == -1);
	CHECK(owner_after(3, 100) == 2 && owner_after(4, 100) == -1);
	CHECK(owner_after(5, 100) == 1 && step_after(5, 100) == 4);
}

static void a_new_mutex_is_free(void)
{
	clear();
	add(1, EV_MUTEX_LOCK, 100);
	add(2, EV_MUTEX_INIT, 100);
	CHECK(owner_after(2, 100) == -1);
}

/* Memory is no lock, whatever happens to it. */
static void only_locks_are_held(void)
{
	clear();
	for (unsigned kind = EV_READ; kind <= EV_FENCE; kind++)
		add(1, kind, 100);
	add(1, EV_COND_SIGNAL, 100);
	CHECK(owner_after(nevents, 100) == -1);
}

static uint64_t stuck(void)
{
	struct held held;
	uint64_t set;

	held_init(&held, events, nevents);
	set = standstill_stuck(&(struct standstill){pending, npending, &held});
	held_release(&held);
	return set;
}

static uint32_t cycle(uint64_t set, uint32_t threads[MAX_THREADS])
{
	struct held held;
	uint32_t length;

	held_init(&held, events, nevents);
	length = standstill_cycle(&(struct standstill){pending, npending, &held}, set, threads);
	held_release(&held);
	return length;
}

static void a_cycle_is_stuck(void)
{
	uint32_t threads[MAX_THREADS];

	clear();
	add(1, EV_MUTEX_LOCK, 100);
	add(2, EV_MUTEX_LOCK, 200);
	pend(0, EV_PROCESS_EXIT, 0);
	pending[0].enabled = 1;
	pend(1, EV_MUTEX_LOCK, 200);
	pend(2, EV_MUTEX_LOCK, 100);
	pend(3, EV_JOIN, 2);
	CHECK(stuck() == 0xe);
	CHECK(cycle(0xe, threads) == 2 && threads[0] == 1 && threads[1] == 2);
	pending[2].enabled = 1;
	CHECK(stuck() == 0);
}

static void a_lock_of_the_dead_is_never_free(void)
{
	uint32_t threads[MAX_THREADS];

	clear();
	add(1, EV_MUTEX_LOCK, 100);
	add(1, EV_EXIT, 0);
	pend(2, EV_MUTEX_LOCK, 100);
	CHECK(stuck() == 4);
	CHECK(cycle(4, threads) == 0);
}

static void who_waits_for_a_living_thread_is_not_stuck(void)
{
	clear();
	add(0, EV_MUTEX_LOCK, 100);
	pend(0, EV_PROCESS_EXIT, 0);
	pending[0].enabled = 1;
	pend(1, EV_MUTEX_LOCK, 100);
	pend(2, EV_JOIN, 1);
	CHECK(stuck() == 0);
}

/* A signal may still come; so may the mutex that such a thread holds be released. */
static void who_waits_for_a_signal_is_not_stuck(void)
{
	clear();
	add(1, EV_MUTEX_LOCK, 200);
	pend(1, EV_COND_WAKE, 100);
	pending[0].waiting = 1;
	pend(2, EV_MUTEX_LOCK, 200);
	CHECK(stuck() == 0);
	pending[0].waiting = 0;
	add(2, EV_MUTEX_LOCK, 100);
	CHECK(stuck() == 6);
}

static void one_thread_is_a_cycle(void)
{
	uint32_t threads[MAX_THREADS];

	clear();
	add(1, EV_MUTEX_LOCK, 100);
	pend(1, EV_MUTEX_LOCK, 100);
	CHECK(stuck() == 2);
	CHECK(cycle(2, threads) == 1 && threads[0] == 1);
}

static void joins_make_cycles(void)
{
	uint32_t threads[MAX_THREADS];

	clear();
	pend(0, EV_JOIN, 1);
	pend(1, EV_JOIN, 0);
	CHECK(stuck() == 3);
	CHECK(cycle(3, threads) == 2);
}

int main(void)
{
	TEST(mutexes_are_taken_and_released);
	TEST(a_wait_gives_the_mutex_up);
	TEST(a_new_mutex_is_free);
	TEST(only_locks_are_held);
	TEST(a_cycle_is_stuck);
	TEST(a_lock_of_the_dead_is_never_free);
	TEST(who_waits_for_a_living_thread_is_not_stuck);
	TEST(who_waits_for_a_signal_is_not_stuck);
	TEST(one_thread_is_a_cycle);
	TEST(joins_make_cycles);
	return check_result();
}
