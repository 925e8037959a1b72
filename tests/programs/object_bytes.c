// Synchronisation objects are memory, too: what is written over them, when their stack ends, what is copied.
// expect: source bug=race executions=2 line=@assigned_mutex_lock [args: assigned_mutex]
// expect: dpor bug=race executions=2 line=@assigned_mutex_lock [args: assigned_mutex]
// expect: all bug=race executions=2 line=@assigned_mutex_lock [args: assigned_mutex]
// expect: - bug=race executions=1 line=@assigned_mutex_lock [args: assigned_mutex] [options: --stateful]
// expect: optimal bug=lock,race executions=7 line=@assigned_mutex_lock [args: assigned_mutex] [options: --keep-going]
// expect: optimal bug=lock,race executions=7 line=@assigned_mutex_lock [args: assigned_mutex] [options: --keep-going --jobs=2]
// expect: optimal bug=lock executions=1 line=@assigned_held [args: assigned_held]
// expect: - bug=lock executions=1 line=@assigned_held [args: assigned_held] [options: --stateful]
// expect: all bug=lock executions=1 line=@assigned_held [args: assigned_held]
// expect: optimal bug=lock executions=1 line=@assigned_waiter [args: assigned_waiter]
// expect: - bug=lock executions=1 line=@assigned_waiter [args: assigned_waiter] [options: --stateful]
// expect: all bug=lock executions=1 line=@assigned_waiter [args: assigned_waiter]
// expect: optimal verified executions=2 [args: assigned_between]
// expect: - verified executions=2 [args: assigned_between] [options: --stateful]
// expect: all verified executions=2 [args: assigned_between]
// expect: optimal verified executions=2 [args: made_late]
// expect: - verified executions=3 [args: made_late] [options: --stateful]
// expect: all verified executions=336 blocked=35 [args: made_late]
// expect: optimal verified executions=2 [args: made_on_stack]
// expect: - verified executions=3 [args: made_on_stack] [options: --stateful]
// expect: optimal bug=race executions=1 line=@armed_again_call [args: armed_again]
// expect: - bug=race executions=1 line=@armed_again_call [args: armed_again] [options: --stateful]
// expect: optimal bug=assertion executions=2 line=@armed_after [args: armed_after]
// expect: optimal bug=lock,race executions=1 line=@spin_lock [args: spin_zero]
// expect: optimal bug=race executions=1 line=@posted [args: sem_copied]
// expect: optimal verified executions=1 [args: pooled]
// expect: all verified executions=1 [args: pooled]
// expect: optimal verified executions=3 [args: copied]
// expect: optimal bug=race executions=2 line=@signal_late [args: signal_late]
// expect: optimal bug=memory executions=1 line=@ended_lock [args: ended_lock]
// expect: - bug=memory executions=1 line=@ended_lock [args: ended_lock] [options: --stateful]
// expect: all bug=memory executions=1 line=@ended_lock [args: ended_lock]
// expect: optimal bug=memory executions=1 line=@ended_tls [args: ended_tls]
// expect: optimal bug=memory executions=1 line=@freed_once [args: freed_once]
// expect: optimal bug=memory executions=2 line=@dead_lock replay [args: dead_mutex]
// expect: all bug=memory executions=2 line=@dead_lock [args: dead_mutex]
// expect: - bug=memory executions=2 line=@dead_lock [args: dead_mutex] [options: --stateful]
// expect: optimal bug=memory executions=2 line=@dead_rwlock replay [args: dead_rwlock]
// expect: all bug=memory executions=2 line=@dead_rwlock [args: dead_rwlock]
// expect: - bug=memory executions=2 line=@dead_rwlock [args: dead_rwlock] [options: --stateful]
// expect: optimal bug=memory executions=1 line=@dead_rwlock [args: dead_at_once]
// expect: optimal bug=crash executions=4 line=@unmapped_lock [args: unmapped] [options: --keep-going]
// expect: optimal bug=crash executions=4 line=@unmapped_lock [args: unmapped] [options: --keep-going --seed=2]
// expect: optimal bug=lock,race executions=40 line=@halves [args: halves] [options: --keep-going]
// expect: - bug=lock,race executions=29 line=@halves [args: halves] [options: --keep-going --stateful]
#include "api.h"

#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_spinlock_t spin;
static sem_t semaphore, other;
static atomic_int inside;

static void *enter(void *unused)
{
	pthread_mutex_lock(&mutex); // @assigned_mutex_lock
	assert(++inside == 1);
	inside--;
	pthread_mutex_unlock(&mutex);
	return unused;
}

CASE(assigned_mutex)
{
	pthread_t thread = start(enter, NULL);

	mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER; // @assigned_mutex
	enter(NULL);
	finish(thread);
}

static void *hold(void *unused)
{
	pthread_mutex_lock(&mutex);
	sem_post(&semaphore);
	sem_wait(&other);
	pthread_mutex_unlock(&mutex);
	return unused;
}

/* Ordered, so there is no race; but the lock is nobody's any more. */
CASE(assigned_held)
{
	sem_init(&semaphore, 0, 0);
	sem_init(&other, 0, 0);
	pthread_t thread = start(hold, NULL);
	sem_wait(&semaphore);
	memset(&mutex, 0, sizeof mutex); // @assigned_held
	sem_post(&other);
	finish(thread);
}

static void *wait_for_it(void *unused)
{
	sem_wait(&semaphore);
	pthread_mutex_lock(&mutex);
	return unused;
}

/* The other thread's lock never comes to pass, and so takes part in no race. */
CASE(assigned_waiter)
{
	sem_init(&semaphore, 0, 0);
	pthread_mutex_lock(&mutex);
	pthread_t thread = start(wait_for_it, NULL);
	sem_post(&semaphore);
	*(volatile int *)&mutex = 0; // @assigned_waiter
	finish(thread);
}

CASE(assigned_between)
{
	pthread_t thread = start(enter, NULL);

	finish(thread);
	mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	thread = start(enter, NULL);
	enter(NULL);
	finish(thread);
}

struct counter {
	pthread_mutex_t mutex;
	int value;
};

static _Atomic(struct counter *) published;

static void add(struct counter *counter)
{
	pthread_mutex_lock(&counter->mutex);
	counter->value++;
	pthread_mutex_unlock(&counter->mutex);
}

static void *use(void *unused)
{
	while (!published)
		;
	add(published);
	return unused;
}

/* Made while there are other threads, by plain writes, as C++ makes a std::mutex. */
CASE(made_late)
{
	pthread_t thread = start(use, NULL);
	struct counter *counter = calloc(1, sizeof *counter);

	counter->mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	published = counter;
	add(counter);
	finish(thread);
	assert(counter->value == 2);
	free(counter);
}

CASE(made_on_stack)
{
	pthread_t thread = start(use, NULL);
	struct counter counter = {.mutex = PTHREAD_MUTEX_INITIALIZER};

	published = &counter;
	add(&counter);
	finish(thread);
	assert(counter.value == 2);
}

static atomic_int calls;

static void count_call(void)
{
	calls++;
}

static void *call(void *unused)
{
	pthread_once(&once, count_call); // @armed_again_call
	return unused;
}

CASE(armed_again)
{
	pthread_t thread = start(call, NULL);

	once = PTHREAD_ONCE_INIT; // @armed_again
	finish(thread);
}

static void *call_and_arm(void *unused)
{
	pthread_mutex_lock(&mutex);
	call(NULL);
	once = PTHREAD_ONCE_INIT;
	pthread_mutex_unlock(&mutex);
	return unused;
}

/* No race, but what is seen depends on who was first. */
CASE(armed_after)
{
	pthread_t thread = start(call_and_arm, NULL);

	pthread_mutex_lock(&mutex);
	call(NULL);
	pthread_mutex_unlock(&mutex);
	finish(thread);
	assert(calls == 1); // @armed_after
}

static void *spin_and_go(void *unused)
{
	pthread_spin_lock(&spin); // @spin_lock
	pthread_spin_unlock(&spin);
	return unused;
}

CASE(spin_zero)
{
	pthread_spin_init(&spin, 0);
	pthread_t thread = start(spin_and_go, NULL);
	spin = 0; // @spin_zero
	finish(thread);
}

static void *post(void *unused)
{
	sem_post(&semaphore); // @posted
	return unused;
}

CASE(sem_copied)
{
	sem_init(&semaphore, 0, 0);
	sem_init(&other, 0, 1);
	pthread_t thread = start(post, NULL);
	semaphore = other; // @sem_copied
	finish(thread);
}

static union {
	pthread_mutex_t mutex;
	int number;
} pool;

static void *lock_first(void *unused)
{
	pthread_mutex_lock(&pool.mutex);
	pthread_mutex_unlock(&pool.mutex);
	sem_post(&semaphore);
	return unused;
}

/* The memory is something else after that: numbers that look like anything. */
CASE(pooled)
{
	pool.mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	sem_init(&semaphore, 0, 0);
	pthread_t thread = start(lock_first, NULL);
	sem_wait(&semaphore);
	for (int i = 0; i < 3; i++)
		pool.number = i;
	finish(thread);
}

/* Of no use, but nobody is harmed. */
CASE(copied)
{
	pthread_t thread = start(enter, NULL);
	pthread_mutex_t copy = mutex;

	(void)copy;
	finish(thread);
}

struct request {
	pthread_mutex_t mutex;
	pthread_cond_t done;
	bool is_done;
};

static void *serve(void *argument)
{
	struct request *request = argument;

	pthread_mutex_lock(&request->mutex);
	request->is_done = true;
	pthread_mutex_unlock(&request->mutex);
	pthread_cond_signal(&request->done); // @signal_late
	return NULL;
}

static void clear(void *memory, size_t size)
{
	memset(memory, 0, size); // @scope
}

/* The memory serves another purpose when the signal comes. */
CASE(signal_late)
{
	struct request request = {.mutex = PTHREAD_MUTEX_INITIALIZER, .done = PTHREAD_COND_INITIALIZER};
	pthread_t thread = start(serve, &request);

	pthread_mutex_lock(&request.mutex);
	while (!request.is_done)
		pthread_cond_wait(&request.done, &request.mutex);
	pthread_mutex_unlock(&request.mutex);
	clear(&request, sizeof request);
	finish(thread);
}

static pthread_mutex_t *left;

static void *lend(void *unused)
{
	pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;

	left = &own;
	return unused;
}

CASE(ended_lock)
{
	finish(start(lend, NULL));
	pthread_mutex_lock(left); // @ended_lock
}

static void *lend_own(void *unused)
{
	static _Thread_local pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;

	left = &own;
	return unused;
}

CASE(ended_tls)
{
	finish(start(lend_own, NULL));
	pthread_mutex_trylock(left); // @ended_tls
}

CASE(freed_once)
{
	pthread_once_t *gone = calloc(1, sizeof *gone);

	free(gone);
	pthread_once(gone, count_call); // @freed_once
}

/* Whatever is left on the stack: nobody waits for it. */
static _Atomic(void *) left_behind;

static void *leave_mutex(void *unused)
{
	pthread_mutex_t own;

	pthread_mutex_init(&own, NULL);
	pthread_mutex_lock(&own);
	left_behind = &own;
	pthread_mutex_unlock(&own);
	return unused;
}

static void *lock_it(void *unused)
{
	pthread_mutex_lock(left_behind); // @dead_lock
	return unused;
}

CASE(dead_mutex)
{
	finish(start(leave_mutex, NULL));
	start(lock_it, NULL);
}

static void *leave_rwlock(void *unused)
{
	pthread_rwlock_t own;

	pthread_rwlock_init(&own, NULL);
	left_behind = &own;
	return unused;
}

static void *read_it(void *unused)
{
	pthread_rwlock_rdlock(left_behind); // @dead_rwlock
	return unused;
}

CASE(dead_rwlock)
{
	finish(start(leave_rwlock, NULL));
	start(read_it, NULL);
}

CASE(dead_at_once)
{
	finish(start(leave_rwlock, NULL));
	read_it(NULL);
}

/* The thread that does it crashes, not who took the memory away. */
static pthread_mutex_t *mapped;

static void *lock_mapped(void *unused)
{
	pthread_mutex_lock(mapped); // @unmapped_lock
	pthread_mutex_unlock(mapped); // @unmapped_lock
	return unused;
}

CASE(unmapped)
{
	mapped = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_mutex_init(mapped, NULL);
	pthread_t thread = start(lock_mapped, NULL);
	pthread_mutex_lock(mapped);
	pthread_mutex_unlock(mapped);
	munmap(mapped, 4096);
	finish(thread);
}

/* What was destroyed is used while its initialiser is half written. */
static void *renew(void *unused)
{
	pthread_mutex_destroy(&mutex);
	mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER; // @halves
	return unused;
}

static void *use_and_renew(void *unused)
{
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
	mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER; // @halves
	return unused;
}

CASE(halves)
{
	pthread_t thread = start(use_and_renew, NULL), other_one = start(renew, NULL);

	finish(thread);
	finish(other_one);
}
