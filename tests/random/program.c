/*
 * A random concurrent program: it does what its argument says (text.h).
 *
 *   program "write0=2 join1 | lock0 read1 unlock0"
 *
 * Main creates the threads, does its own steps and prints what it saw, with what the threads that it
 * joined saw: the final state of the execution.  Nothing but the instructions themselves is visible.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "hidden.h"

static int plain[OBJECTS];
static atomic_int atomics[OBJECTS];
static pthread_mutex_t mutexes[OBJECTS] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_cond_t conds[OBJECTS] = {PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER};
static pthread_rwlock_t rwlocks[OBJECTS] = {PTHREAD_RWLOCK_INITIALIZER, PTHREAD_RWLOCK_INITIALIZER};
static sem_t semaphores[OBJECTS];
static pthread_spinlock_t spin;
static pthread_barrier_t barriers[2]; /* of two, of three */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static const struct timespec late = {.tv_sec = 2000000000};
static int *blocks[OBJECTS];
static pthread_key_t key;
static struct locks {
	int value;
	pthread_mutex_t mutex;
	sem_t semaphore;
} *locks; /* on the heap */
static _Atomic(int *) published; /* a local of some thread */
static atomic_int main_left; /* by pthread_exit */
static _Atomic uint64_t main_saw; /* once it has come to its end, in programs with exit handlers */
static _Thread_local uint64_t exit_saw; /* its exit handlers have */
static _Thread_local unsigned me;

unsigned inspect_choose(unsigned n);
void inspect_assume(int condition);
void inspect_atomic_begin(void);
void inspect_atomic_end(void);

/* One thread: what it has seen, which locks it holds. */
struct local {
	uint64_t seen; /* a hash of all of it */
	int last;
	unsigned thread;
	unsigned held, reading, writing; /* mutexes, rwlocks */
	unsigned depth; /* of atomic blocks that were begun one by one */
	_Alignas(64) int visited;
	_Alignas(64) int unused; /* what is visited shares no piece of the stack with the rest */
};

/* What is not instrumented is shared, too: others may come before it. */
static void before_hidden(void)
{
	static atomic_int gate;

	(void)atomic_load(&gate);
}

static void see(struct local *local, int value)
{
	local->seen = (local->seen ^ (unsigned)value) * 0x100000001b3ull + 1;
	local->last = value;
}

static void look_at(struct local *local, enum object sort, unsigned object)
{
	local->seen = (local->seen ^ hidden_version(sort, object, false)) * 0x100000001b3ull + 2;
}

static void change(struct local *local, enum object sort, unsigned object)
{
	local->seen = (local->seen ^ hidden_version(sort, object, true)) * 0x100000001b3ull + 3;
}

/* --- memory --- */

static void read_plain(struct local *local, unsigned object)
{
	int value = plain[object];

	look_at(local, OF_PLAIN, object);
	see(local, value);
}

static void write_plain(struct local *local, unsigned object, int value)
{
	plain[object] = value;
	change(local, OF_PLAIN, object);
}

static void increment(struct local *local, unsigned object)
{
	read_plain(local, object);
	write_plain(local, object, local->last + 1);
}

static void load(struct local *local, unsigned object)
{
	int value = atomic_load(&atomics[object]);

	look_at(local, OF_ATOMICS, object);
	see(local, value);
}

static void add(struct local *local, unsigned object, int value)
{
	int old = atomic_fetch_add(&atomics[object], value);

	change(local, OF_ATOMICS, object);
	see(local, old);
}

static void compare_and_swap(struct local *local, unsigned object, int expected, int value)
{
	bool done = atomic_compare_exchange_strong(&atomics[object], &expected, value);

	if (done)
		change(local, OF_ATOMICS, object);
	else
		look_at(local, OF_ATOMICS, object);
	see(local, done);
}

/* --- basic --- */

static bool holds(const struct local *local, unsigned object)
{
	return local->held >> object & 1;
}

/* After an attempt to take it. */
static void took_mutex(struct local *local, unsigned object, bool success)
{
	if (success) {
		local->held |= 1u << object;
		change(local, OF_MUTEXES, object);
	} else {
		look_at(local, OF_MUTEXES, object);
	}
}

static void attempt_mutex(struct local *local, struct step step)
{
	if (holds(local, step.operand))
		return;
	pthread_mutex_t *mutex = &mutexes[step.operand];
	int busy = step.instruction == TRYLOCK ? pthread_mutex_trylock(mutex) : pthread_mutex_timedlock(mutex, &late);
	took_mutex(local, step.operand, !busy);
	see(local, busy != 0);
}

static void lock(struct local *local, unsigned object)
{
	if (holds(local, object))
		return;
	pthread_mutex_lock(&mutexes[object]);
	took_mutex(local, object, true);
}

static void unlock(struct local *local, unsigned object)
{
	if (holds(local, object))
		pthread_mutex_unlock(&mutexes[object]);
	local->held &= ~(1u << object);
}

static void clean_up(void *mutex)
{
	pthread_mutex_unlock(mutex);
}

static void wait_on(struct local *local, pthread_cond_t *cond, struct step step)
{
	pthread_mutex_t *mutex = &mutexes[step.operand];

	if (!holds(local, step.operand))
		return;
	pthread_cleanup_push(clean_up, mutex);
	int error = step.instruction == TIMED_WAIT ? pthread_cond_timedwait(cond, mutex, &late)
						   : pthread_cond_wait(cond, mutex);
	took_mutex(local, step.operand, true);
	see(local, error != 0);
	pthread_cleanup_pop(0);
}

static void basic(struct local *local, struct step step)
{
	unsigned object = step.operand;

	switch (step.instruction) {
	case READ: read_plain(local, object); break;
	case WRITE: write_plain(local, object, step.value); break;
	case INCREMENT: increment(local, object); break;
	case LOAD: load(local, object); break;
	case STORE:
		atomic_store(&atomics[object], step.value);
		change(local, OF_ATOMICS, object);
		break;
	case ADD: add(local, object, step.value); break;
	case CAS: compare_and_swap(local, object, step.value - 1, step.value); break;
	case LOCK: lock(local, object); break;
	case TRYLOCK: attempt_mutex(local, step); break;
	case UNLOCK: unlock(local, object); break;
	case ASSERT:
		load(local, object);
		assert(local->last != 3);
		break;
	case WAIT: wait_on(local, &conds[object], step); break;
	case SIGNAL: pthread_cond_signal(&conds[object]); break;
	case BROADCAST: pthread_cond_broadcast(&conds[object]); break;
	}
}

/* --- semaphores --- */

static void took_semaphore(struct local *local, unsigned object, int error)
{
	if (error)
		look_at(local, OF_SEMAPHORES, object);
	else
		change(local, OF_SEMAPHORES, object);
	see(local, error != 0);
}

static void count(struct local *local, struct step step)
{
	sem_t *semaphore = &semaphores[step.operand];
	int value = 0;

	switch (step.instruction) {
	case POST:
	case POST_TOO: sem_post(semaphore); break;
	case TAKE:
	case TAKE_ATOMICALLY: took_semaphore(local, step.operand, sem_wait(semaphore)); break;
	case TRY_TAKE: took_semaphore(local, step.operand, sem_trywait(semaphore)); break;
	case TIMED_TAKE: took_semaphore(local, step.operand, sem_timedwait(semaphore, &late)); break;
	case GET_VALUE:
		sem_getvalue(semaphore, &value);
		look_at(local, OF_SEMAPHORES, step.operand);
		see(local, value);
		break;
	}
}

/* --- read-write locks --- */

static void took_for_reading(struct local *local, unsigned object, int error)
{
	local->reading |= error ? 0 : 1u << object;
	look_at(local, OF_RWLOCKS, object);
	see(local, error != 0);
}

static void took_for_writing(struct local *local, unsigned object, int error)
{
	if (error) {
		look_at(local, OF_RWLOCKS, object);
	} else {
		local->writing |= 1u << object;
		change(local, OF_RWLOCKS, object);
	}
	see(local, error != 0);
}

static void release_rwlock(struct local *local, unsigned object)
{
	unsigned bit = 1u << object;

	if ((local->reading | local->writing) & bit)
		pthread_rwlock_unlock(&rwlocks[object]);
	local->reading &= ~bit;
	local->writing &= ~bit;
}

static void read_twice(struct local *local, unsigned object)
{
	pthread_rwlock_rdlock(&rwlocks[object]);
	pthread_rwlock_rdlock(&rwlocks[object]);
	read_plain(local, object);
	pthread_rwlock_unlock(&rwlocks[object]);
	pthread_rwlock_unlock(&rwlocks[object]);
}

static void read_write(struct local *local, struct step step)
{
	pthread_rwlock_t *rwlock = &rwlocks[step.operand];
	unsigned object = step.operand;

	if (step.instruction == RW_UNLOCK || step.instruction == TIMED_RW_UNLOCK) {
		release_rwlock(local, object);
		return;
	}
	if ((local->reading | local->writing) >> object & 1)
		return;
	switch (step.instruction) {
	case READ_LOCK: took_for_reading(local, object, pthread_rwlock_rdlock(rwlock)); break;
	case TRY_READ_LOCK: took_for_reading(local, object, pthread_rwlock_tryrdlock(rwlock)); break;
	case TIMED_READ_LOCK: took_for_reading(local, object, pthread_rwlock_timedrdlock(rwlock, &late)); break;
	case WRITE_LOCK: took_for_writing(local, object, pthread_rwlock_wrlock(rwlock)); break;
	case TRY_WRITE_LOCK: took_for_writing(local, object, pthread_rwlock_trywrlock(rwlock)); break;
	case TIMED_WRITE_LOCK: took_for_writing(local, object, pthread_rwlock_timedwrlock(rwlock, &late)); break;
	case NESTED_READ: read_twice(local, object); break;
	case WRITE_BETWEEN:
		pthread_rwlock_wrlock(rwlock);
		change(local, OF_RWLOCKS, object);
		write_plain(local, object, step.value);
		pthread_rwlock_unlock(rwlock);
		break;
	}
}

/* --- barriers, once, other locks --- */

static void run_once(void)
{
	plain[0]++;
}

static void meet(struct local *local, struct step step)
{
	switch (step.instruction) {
	case ARRIVE: see(local, pthread_barrier_wait(&barriers[0]) != 0); break;
	case ARRIVE_OF_THREE: see(local, pthread_barrier_wait(&barriers[1]) != 0); break;
	case ONCE: pthread_once(&once, run_once); break;
	case SPIN:
		pthread_spin_lock(&spin);
		increment(local, step.operand);
		pthread_spin_unlock(&spin);
		break;
	case TRY_SPIN:
		see(local, pthread_spin_trylock(&spin) != 0);
		if (local->last)
			break;
		increment(local, step.operand);
		pthread_spin_unlock(&spin);
		break;
	case RECURSE:
		pthread_mutex_lock(&recursive);
		pthread_mutex_lock(&recursive);
		increment(local, step.operand);
		pthread_mutex_unlock(&recursive);
		pthread_mutex_unlock(&recursive);
		break;
	case WAIT_CROSSED: wait_on(local, &conds[0], step); break;
	}
}

/* --- what is asked of the search --- */

static void choose(struct local *local, struct step step)
{
	switch (step.instruction) {
	case CHOOSE: see(local, (int)inspect_choose(step.value + 1u)); break;
	case CHOOSE_OFTEN:
		while (inspect_choose(2) && atomic_load(&atomics[step.operand]) < step.value)
			add(local, step.operand, 1);
		break;
	case ASSUME:
		load(local, step.operand);
		inspect_assume(local->last != 2);
		break;
	}
}

/* Atomic blocks that may have to wait. */
static void wait_in_block(struct local *local, struct step step)
{
	inspect_atomic_begin();
	add(local, 0, 1);
	inspect_atomic_begin();
	if (step.instruction == TAKE_ATOMICALLY) {
		count(local, step);
	} else if (!holds(local, step.operand)) {
		lock(local, step.operand);
		if (step.instruction == WAIT_ATOMICALLY)
			wait_on(local, &conds[step.operand], step);
		unlock(local, step.operand);
	}
	inspect_atomic_end();
	load(local, 1);
	inspect_atomic_end();
}

static void begin_block(struct local *local)
{
	inspect_atomic_begin();
	local->depth++;
}

static void end_block(struct local *local)
{
	if (!local->depth)
		return;
	local->depth--;
	inspect_atomic_end();
}

static void block(struct local *local, struct step step)
{
	if (step.instruction == BEGIN_BLOCK) {
		begin_block(local);
	} else if (step.instruction == END_BLOCK) {
		end_block(local);
	} else if (step.instruction == POST_TOO) {
		count(local, step);
	} else if (step.instruction == ATOMIC_BLOCK) {
		inspect_atomic_begin();
		increment(local, step.operand);
		add(local, step.operand, step.value);
		inspect_atomic_end();
	} else {
		wait_in_block(local, step);
	}
}

/* --- time limits and cancellation --- */

static void timed(struct local *local, struct step step)
{
	switch (step.instruction) {
	case TIMED_LOCK: attempt_mutex(local, step); break;
	case HOLD:
		lock(local, step.operand);
		count(local, (struct step){.instruction = TIMED_TAKE});
		break;
	case TIMED_WAIT: wait_on(local, &conds[step.operand], step); break;
	case TIMED_TAKE: count(local, step); break;
	default: read_write(local, step);
	}
}

static void cancel(struct local *local, struct step step)
{
	pthread_t handle;

	switch (step.instruction) {
	case CANCEL:
		before_hidden();
		handle = hidden_handle(local->thread, step.operand);
		if (handle)
			pthread_cancel(handle);
		break;
	case TEST_CANCEL: pthread_testcancel(); break;
	case DISABLE_CANCEL:
		pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
		increment(local, step.operand);
		pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
		break;
	}
}

/* --- loops --- */

static void take_ticket(struct local *local, unsigned object)
{
	static atomic_int next, serving;
	int ticket = atomic_fetch_add(&next, 1);

	see(local, ticket);
	while (atomic_load(&serving) != ticket)
		;
	increment(local, object);
	atomic_store(&serving, ticket + 1);
}

static bool is_set_from_zero(atomic_int *word)
{
	int expected = 0;

	return atomic_compare_exchange_strong(word, &expected, 1);
}

static void take_word(struct local *local, struct step step)
{
	static atomic_int words[OBJECTS];
	atomic_int *word = &words[step.operand];

	if (step.instruction == EXCHANGE_LOCK)
		while (atomic_exchange(word, 1))
			;
	else
		while (!is_set_from_zero(word))
			;
	change(local, OF_WORDS, step.operand);
	increment(local, step.operand);
	atomic_store(word, 0);
}

static void await(struct local *local, struct step step)
{
	int value;

	switch (step.instruction) {
	case AWAIT:
		while (atomic_load(&atomics[step.operand]) < step.value)
			;
		look_at(local, OF_ATOMICS, step.operand);
		break;
	case AWAIT_TWO:
		while ((value = atomic_load(&atomics[step.operand])) < step.value && plain[1] == 0)
			;
		see(local, value);
		break;
	case EXCHANGE_LOCK:
	case CAS_LOCK: take_word(local, step); break;
	case TICKET_LOCK: take_ticket(local, step.operand); break;
	case TRYLOCK_LOOP:
		if (holds(local, step.operand))
			break;
		while (pthread_mutex_trylock(&mutexes[step.operand]))
			;
		took_mutex(local, step.operand, true);
		unlock(local, step.operand);
		break;
	}
}

static void loop(struct local *local, struct step step)
{
	int value, rounds = 0;

	switch (step.instruction) {
	case CAS_LOOP:
		value = atomic_load(&atomics[step.operand]);
		while (!atomic_compare_exchange_strong(&atomics[step.operand], &value, value + step.value))
			rounds++;
		change(local, OF_ATOMICS, step.operand);
		see(local, rounds);
		break;
	case POLL:
		while (atomic_load(&atomics[step.operand]) != step.value && rounds < 2)
			rounds++;
		see(local, rounds);
		break;
	case ADD_OFTEN:
		for (; rounds < step.value; rounds++)
			add(local, step.operand, 1);
		break;
	case LOCK_OFTEN:
		for (; rounds < step.value && !holds(local, step.operand); rounds++) {
			lock(local, step.operand);
			increment(local, step.operand);
			unlock(local, step.operand);
		}
		break;
	}
}

/* --- weak atomics --- */

static void order(struct local *local, struct step step)
{
	atomic_int *object = &atomics[step.operand];
	int value;

	switch (step.instruction) {
	case STORE_RELAXED:
		atomic_store_explicit(object, step.value, memory_order_relaxed);
		change(local, OF_ATOMICS, step.operand);
		break;
	case STORE_RELEASE:
		atomic_store_explicit(object, step.value, memory_order_release);
		change(local, OF_ATOMICS, step.operand);
		break;
	case LOAD_RELAXED:
		value = atomic_load_explicit(object, memory_order_relaxed);
		look_at(local, OF_ATOMICS, step.operand);
		see(local, value);
		break;
	case LOAD_ACQUIRE:
		value = atomic_load_explicit(object, memory_order_acquire);
		look_at(local, OF_ATOMICS, step.operand);
		see(local, value);
		break;
	case ADD_RELAXED:
		value = atomic_fetch_add_explicit(object, step.value, memory_order_relaxed);
		change(local, OF_ATOMICS, step.operand);
		see(local, value);
		break;
	case FENCE: atomic_thread_fence(memory_order_seq_cst); break;
	}
}

/* --- the heap, and stacks of others --- */

static void touch_block(struct local *local, struct step step)
{
	int **block = &blocks[step.operand];
	int *visited;

	switch (step.instruction) {
	case BLOCK_READ: see(local, **block & 3); break;
	case BLOCK_WRITE: **block = step.value; break;
	case BLOCK_LOAD: see(local, atomic_load((_Atomic int *)*block) & 3); break;
	case FREE:
	case FREE_TOO: free(*block); break;
	case ALLOCATE: *(*block = malloc(sizeof **block)) = step.value; break;
	case PUBLISH: atomic_store(&published, &local->visited); break;
	case CHANGE_THERE:
		visited = atomic_load(&published);
		if (visited)
			/* it changes the value, whatever that is in a frame that is gone */
			see(local, atomic_fetch_add((_Atomic int *)visited, 1) != 0x5eed);
		break;
	case VISIT:
		visited = atomic_load(&published);
		/* the value is 1, or that of a frame that is gone, which the end of the thread overwrites unseen */
		if (visited)
			see(local, *(volatile int *)visited != 0x5eed);
		break;
	}
}

static void use_locks(struct local *local, struct step step)
{
	switch (step.instruction) {
	case LOCK_IN_BLOCK:
		pthread_mutex_lock(&locks->mutex);
		if (step.value > 1)
			locks->value = step.value;
		see(local, locks->value);
		pthread_mutex_unlock(&locks->mutex);
		break;
	case POST_IN_BLOCK: sem_post(&locks->semaphore); break;
	case FREE_LOCKS: free(locks); break;
	}
}

/* --- threads --- */

static void *run(void *thread);

static void create(unsigned thread)
{
	pthread_t handle;

	pthread_create(&handle, NULL, run, (void *)(uintptr_t)thread);
	if (!hidden_set_handle(thread, handle))
		abort();
}

static void take_result(struct local *local, const void *result)
{
	local->seen = local->seen * 0x100000001b3ull + (uintptr_t)result;
}

static void leave(struct local *local)
{
	if (!local->thread)
		atomic_store(&main_left, 1);
	pthread_exit((void *)(uintptr_t)local->seen);
}

/* One of the handlers that threads register. */
static void handle_exit(unsigned object)
{
	unsigned handlers = hidden_version(OF_HANDLERS, 0, true);
	int old = atomic_fetch_add(&atomics[object], 2);
	unsigned version = hidden_version(OF_ATOMICS, object, true);

	exit_saw = (exit_saw ^ (handlers << 16 | version << 8 | (unsigned)old)) * 0x100000001b3ull + object;
}

static void handle_exit_0(void)
{
	handle_exit(0);
}

static void handle_exit_1(void)
{
	handle_exit(1);
}

static void register_handler(struct local *local, unsigned object)
{
	atexit(object ? handle_exit_1 : handle_exit_0);
	change(local, OF_HANDLERS, 0);
}

/* The last exit handler, in programs that have others: what have they seen, and who was it that ran them? */
static void tell_exit(void)
{
	uint64_t saw = atomic_load(&main_saw);

	hidden_print((exit_saw ^ saw) * 0x100000001b3ull + me, plain, saw ? (const int *)atomics : NULL);
}

/* An exit handler, in programs whose main may leave: which thread was the last? */
static void tell_last(void)
{
	if (!atomic_load(&main_left))
		return;
	before_hidden();
	hidden_print(me, plain, (const int *)atomics);
}

static bool has_step(unsigned thread, unsigned instruction)
{
	struct step step;

	for (unsigned i = 0; step = hidden_step(thread, i), step.instruction != END; i++)
		if (step.instruction == instruction)
			return true;
	return false;
}

static bool has_exit_handlers(void)
{
	for (unsigned i = 0; i < hidden_sections(); i++)
		if (has_step(i, AT_EXIT))
			return true;
	return false;
}

static void handle(struct local *local, struct step step)
{
	pthread_t target = 0;
	void *result = NULL;

	if (step.instruction == EXIT)
		exit(step.value);
	if (step.instruction == LEAVE)
		leave(local);
	if (step.instruction == AT_EXIT) {
		register_handler(local, step.operand);
		return;
	}
	before_hidden();
	if (step.instruction == CREATE && hidden_creates(local->thread, step.operand))
		create(step.operand);
	else if (step.instruction != CREATE)
		target = hidden_handle(local->thread, step.operand);
	if (!target)
		return;
	switch (step.instruction) {
	case JOIN: pthread_join(target, &result); break;
	case TRY_JOIN: see(local, pthread_tryjoin_np(target, &result) != 0); break;
	case TIMED_JOIN: see(local, pthread_timedjoin_np(target, &result, &late) != 0); break;
	case KILL: see(local, pthread_kill(target, 0) != 0); break;
	case DETACH: pthread_detach(target); break;
	}
	take_result(local, result);
}

static void destroy(void *value)
{
	plain[0] += *(int *)value;
}

static void specific(struct local *local, struct step step)
{
	static int one = 1;

	switch (step.instruction) {
	case SET_SPECIFIC:
	case SET_SPECIFIC_TOO: pthread_setspecific(key, &one); break;
	case GET_SPECIFIC: see(local, pthread_getspecific(key) != NULL); break;
	case DELETE_KEY: see(local, pthread_key_delete(key) != 0); break;
	case CREATE_KEY: pthread_key_create(&key, destroy); break;
	}
}

/* --- one thread --- */

static void release(struct local *local)
{
	for (unsigned i = 0; i < OBJECTS; i++)
		unlock(local, i);
	for (unsigned i = 0; i < OBJECTS; i++)
		release_rwlock(local, i);
}

static void execute(struct local *local, struct step step)
{
	switch (step.instruction) {
	case FIRST_BASIC ... BEFORE_SEMAPHORES: basic(local, step); break;
	case FIRST_SEMAPHORES ... BEFORE_RWLOCKS: count(local, step); break;
	case FIRST_RWLOCKS ... BEFORE_MEETING: read_write(local, step); break;
	case FIRST_MEETING ... BEFORE_CHOICES: meet(local, step); break;
	case FIRST_CHOICES ... BEFORE_ATOMIC_BLOCKS: choose(local, step); break;
	case FIRST_ATOMIC_BLOCKS ... BEFORE_TIMED: block(local, step); break;
	case FIRST_TIMED ... BEFORE_CANCELLATION: timed(local, step); break;
	case FIRST_CANCELLATION ... BEFORE_AWAITING: cancel(local, step); break;
	case FIRST_AWAITING ... BEFORE_LOOPS: await(local, step); break;
	case FIRST_LOOPS ... BEFORE_ORDERS: loop(local, step); break;
	case FIRST_ORDERS ... BEFORE_HEAP: order(local, step); break;
	case FIRST_HEAP ... BEFORE_THREADS: touch_block(local, step); break;
	case FIRST_THREADS ... BEFORE_KEYS: handle(local, step); break;
	case FIRST_KEYS ... BEFORE_LOCKS_ON_HEAP: specific(local, step); break;
	case FIRST_LOCKS_ON_HEAP ... BEFORE_ENDS: use_locks(local, step); break;
	case RELEASE: release(local); break;
	}
}

static void *run(void *thread)
{
	struct local local = {.thread = (unsigned)(uintptr_t)thread, .visited = 1};
	uint8_t rounds[MAX_LENGTH] = {0};
	struct step step;

	me = local.thread;
	for (unsigned i = 0; step = hidden_step(local.thread, i), step.instruction != END; i++) {
		if (step.instruction == SKIP_IF)
			i += (unsigned)local.last % 2;
		else if (step.instruction == AGAIN && i && rounds[i]++ < step.value)
			i -= 2;
		else if (step.instruction != AGAIN)
			execute(&local, step);
	}
	while (local.depth)
		end_block(&local);
	return (void *)(uintptr_t)local.seen;
}

static void init(void)
{
	for (unsigned i = 0; i < OBJECTS; i++)
		sem_init(&semaphores[i], 0, i);
	for (unsigned i = 0; i < 2; i++)
		pthread_barrier_init(&barriers[i], NULL, 2 + i);
	pthread_key_create(&key, destroy);
	locks = calloc(1, sizeof *locks);
	pthread_mutex_init(&locks->mutex, NULL);
	sem_init(&locks->semaphore, 0, 0);
	pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
	for (unsigned i = 0; i < OBJECTS; i++)
		*(blocks[i] = malloc(sizeof(int) * (i ? 1 : 100))) = 0; /* a large and a small one */
}

int main(void)
{
	if (!hidden_begin())
		abort();
	init();
	if (has_step(0, LEAVE))
		atexit(tell_last);
	if (has_exit_handlers())
		atexit(tell_exit);
	for (unsigned i = 1; i < hidden_sections(); i++)
		if (hidden_is_created_at_start(i))
			create(i);
	uint64_t seen = (uint64_t)(uintptr_t)run(NULL);
	if (has_exit_handlers()) {
		atomic_store(&main_saw, seen | 1);
		return 0;
	}
	before_hidden();
	hidden_print(seen, plain, (const int *)atomics);
	return 0;
}
