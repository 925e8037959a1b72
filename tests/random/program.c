/*
 * A random concurrent program, drawn from the seed in its arguments:
 *
 *   program SEED THREADS LENGTH
 *
 * Every thread draws its own instructions into its own stack, so that only what
 * they do is visible.  What the threads saw and the memory they left are printed:
 * the final state of the execution.
 *
 * Half of the instructions are memory, mutexes and condition variables; the other half
 * are of one flavour, chosen by the seed.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_LENGTH = 16, VARIABLES = 2, LOCKS = 2 };

static int plain[VARIABLES];
static atomic_int atomics[VARIABLES];
static pthread_mutex_t mutexes[LOCKS] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER, second_cond = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rwlocks[LOCKS] = {PTHREAD_RWLOCK_INITIALIZER, PTHREAD_RWLOCK_INITIALIZER};
static sem_t semaphores[LOCKS];
static pthread_spinlock_t spin;
static pthread_barrier_t barrier;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_t first; /* written only if the flavour needs it */
static const struct timespec late = {.tv_sec = 2000000000};

unsigned inspect_choose(unsigned n);
void inspect_assume(int condition);
void inspect_atomic_begin(void);
void inspect_atomic_end(void);
static int *blocks[VARIABLES];
static pthread_key_t key;
static struct locks {
	int value;
	pthread_mutex_t mutex;
	sem_t semaphore;
} *locks; /* on the heap */
static _Atomic(int *) published; /* a local of some thread */

enum instruction {
	READ,
	WRITE,
	INCREMENT,
	ATOMIC_READ,
	ATOMIC_WRITE,
	ATOMIC_ADD,
	ATOMIC_CAS,
	LOCK,
	TRYLOCK,
	UNLOCK,
	SKIP_IF,
	ASSERT,
	WAIT,
	SIGNAL,
	BROADCAST,
	BASIC, /* how many there are in every program */
	POST = BASIC,
	TAKE,
	TRY_TAKE,
	GET_VALUE,
	READ_LOCK,
	WRITE_LOCK,
	TRY_READ_LOCK,
	TRY_WRITE_LOCK,
	RW_UNLOCK,
	ARRIVE,
	ONCE,
	SPIN,
	CHOOSE,
	ASSUME,
	ATOMIC_BLOCK,
	TIMED_LOCK,
	TIMED_WAIT,
	TIMED_TAKE,
	CANCEL,
	TEST_CANCEL,
	DISABLE_CANCEL,
	AWAIT,
	AWAIT_TWO,
	EXCHANGE_LOCK,
	TRYLOCK_LOOP,
	BLOCK_READ,
	BLOCK_WRITE,
	BLOCK_ATOMIC_READ,
	FREE,
	FREE_TOO,
	ALLOCATE,
	PUBLISH,
	VISIT,
	TIMED_READ_LOCK,
	TIMED_WRITE_LOCK,
	NESTED_READ,
	WRITE_BETWEEN,
	TRY_JOIN,
	TIMED_JOIN,
	KILL,
	DETACH,
	EXIT,
	SET_SPECIFIC,
	SET_SPECIFIC_TOO,
	GET_SPECIFIC,
	DELETE_KEY,
	CREATE_KEY,
	LOCK_IN_BLOCK,
	POST_IN_BLOCK,
	FREE_LOCKS,
	LOCK_ATOMICALLY,
	TAKE_ATOMICALLY,
	WAIT_ATOMICALLY,
	POST_TOO,
	WAIT_FOR_SECOND,
	SIGNAL_SECOND,
	RECURSE,
	CHOOSE_OFTEN,
};

static const struct flavour {
	uint8_t first, last;
} flavours[] = {
	{POST, GET_VALUE},
	{READ_LOCK, RW_UNLOCK},
	{ARRIVE, SPIN},
	{CHOOSE, ATOMIC_BLOCK},
	{TIMED_LOCK, TIMED_TAKE},
	{CANCEL, DISABLE_CANCEL},
	{READ, BROADCAST},
	{POST, SPIN},
	{AWAIT, TRYLOCK_LOOP},
	{BLOCK_READ, VISIT},
	{TIMED_READ_LOCK, WRITE_BETWEEN},
	{TRY_JOIN, EXIT},
	{SET_SPECIFIC, CREATE_KEY},
	{LOCK_IN_BLOCK, FREE_LOCKS},
	{LOCK_ATOMICALLY, POST_TOO},
	{WAIT_FOR_SECOND, CHOOSE_OFTEN},
};

enum { FLAVOURS = sizeof flavours / sizeof *flavours };

struct step {
	uint8_t instruction, operand, value;
};

static unsigned draw(uint64_t *state, unsigned limit)
{
	*state = *state * 6364136223846793005ull + 1442695040888963407ull;
	return (unsigned)(*state >> 33) % limit;
}

/* Seen values and held locks of one thread. */
struct local {
	unsigned seen, held;
	unsigned reading, writing; /* rwlocks */
	_Alignas(64) int visited;
	_Alignas(64) int unused; /* what is visited shares no piece of the stack with the rest */
};

static void see(struct local *local, int value)
{
	local->seen = local->seen * 5 + (unsigned)value + 1;
}

static void release_all(struct local *local)
{
	for (unsigned i = 0; i < LOCKS; i++)
		if (local->held >> i & 1)
			pthread_mutex_unlock(&mutexes[i]);
	local->held = 0;
	for (unsigned i = 0; i < LOCKS; i++)
		if ((local->reading | local->writing) >> i & 1)
			pthread_rwlock_unlock(&rwlocks[i]);
	local->reading = local->writing = 0;
}

static void read_write(struct local *local, struct step step)
{
	unsigned bit = 1u << step.operand;
	pthread_rwlock_t *rwlock = &rwlocks[step.operand];
	bool held = (local->reading | local->writing) & bit;
	int busy = 0;

	switch (step.instruction) {
	case READ_LOCK:
	case TRY_READ_LOCK:
		if (held)
			return;
		busy = step.instruction == READ_LOCK ? pthread_rwlock_rdlock(rwlock) : pthread_rwlock_tryrdlock(rwlock);
		local->reading |= busy ? 0 : bit;
		break;
	case WRITE_LOCK:
	case TRY_WRITE_LOCK:
		if (held)
			return;
		busy = step.instruction == WRITE_LOCK ? pthread_rwlock_wrlock(rwlock)
						      : pthread_rwlock_trywrlock(rwlock);
		local->writing |= busy ? 0 : bit;
		break;
	case RW_UNLOCK:
		if (held)
			pthread_rwlock_unlock(rwlock);
		local->reading &= ~bit;
		local->writing &= ~bit;
		return;
	}
	see(local, busy);
}

static void run_once(void)
{
	plain[0]++;
}

static void count(struct local *local, struct step step)
{
	sem_t *semaphore = &semaphores[step.operand];
	int value = 0;

	switch (step.instruction) {
	case POST: sem_post(semaphore); break;
	case TAKE: sem_wait(semaphore); break;
	case TRY_TAKE: see(local, sem_trywait(semaphore) != 0); break;
	case TIMED_TAKE: see(local, sem_timedwait(semaphore, &late) != 0); break;
	case GET_VALUE:
		sem_getvalue(semaphore, &value);
		see(local, value);
		break;
	}
}

static void ask(struct local *local, struct step step)
{
	switch (step.instruction) {
	case CHOOSE: see(local, (int)inspect_choose(2)); break;
	case ASSUME: inspect_assume(atomic_load(&atomics[step.operand]) != 2); break;
	case ATOMIC_BLOCK:
		inspect_atomic_begin();
		plain[step.operand]++;
		atomic_fetch_add(&atomics[step.operand], step.value);
		inspect_atomic_end();
		break;
	case CANCEL:
		if (first)
			pthread_cancel(first);
		break;
	case TEST_CANCEL: pthread_testcancel(); break;
	case DISABLE_CANCEL:
		pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
		plain[step.operand]++;
		pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
		break;
	}
}

/* Loops that wait for others; some of them for ever. */
static void spin_until(struct local *local, struct step step)
{
	static atomic_int word;

	switch (step.instruction) {
	case AWAIT:
		while (atomic_load(&atomics[step.operand]) < step.value)
			;
		break;
	case AWAIT_TWO:
		while (atomic_load(&atomics[0]) < step.value && plain[1] == 0)
			;
		break;
	case EXCHANGE_LOCK:
		while (atomic_exchange(&word, 1))
			;
		plain[step.operand]++;
		atomic_store(&word, 0);
		break;
	case TRYLOCK_LOOP:
		if (local->held >> step.operand & 1)
			break;
		while (pthread_mutex_trylock(&mutexes[step.operand]))
			;
		pthread_mutex_unlock(&mutexes[step.operand]);
		break;
	}
}

static void unlock(void *mutex)
{
	pthread_mutex_unlock(mutex);
}

static void wait_on_cond(struct local *local, struct step step)
{
	pthread_mutex_t *mutex = &mutexes[step.operand];

	pthread_cleanup_push(unlock, mutex);
	if (step.instruction == WAIT)
		pthread_cond_wait(&cond, mutex);
	else
		see(local, pthread_cond_timedwait(&cond, mutex, &late) != 0);
	pthread_cleanup_pop(0);
}

static void read_write_more(struct local *local, struct step step)
{
	pthread_rwlock_t *rwlock = &rwlocks[step.operand];
	unsigned bit = 1u << step.operand;
	int busy;

	if ((local->reading | local->writing) & bit)
		return;
	switch (step.instruction) {
	case TIMED_READ_LOCK:
		busy = pthread_rwlock_timedrdlock(rwlock, &late);
		local->reading |= busy ? 0 : bit;
		see(local, busy != 0);
		break;
	case TIMED_WRITE_LOCK:
		busy = pthread_rwlock_timedwrlock(rwlock, &late);
		local->writing |= busy ? 0 : bit;
		see(local, busy != 0);
		break;
	case NESTED_READ:
		pthread_rwlock_rdlock(rwlock);
		pthread_rwlock_rdlock(rwlock);
		see(local, plain[step.operand]);
		pthread_rwlock_unlock(rwlock);
		pthread_rwlock_unlock(rwlock);
		break;
	case WRITE_BETWEEN:
		pthread_rwlock_wrlock(rwlock);
		plain[step.operand] = step.value;
		pthread_rwlock_unlock(rwlock);
		break;
	}
}

/* What happens to the first thread, or to all of them. */
static void handle(struct local *local, struct step step)
{
	pthread_t target = step.instruction == EXIT ? 0 : first;

	if (step.instruction == EXIT)
		exit(step.value);
	if (!target || pthread_equal(target, pthread_self()))
		return;
	switch (step.instruction) {
	case TRY_JOIN: see(local, pthread_tryjoin_np(target, NULL) != 0); break;
	case TIMED_JOIN: see(local, pthread_timedjoin_np(target, NULL, &late) != 0); break;
	case KILL: see(local, pthread_kill(target, 0) != 0); break;
	case DETACH: pthread_detach(target); break;
	}
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

static void use_locks(struct step step)
{
	switch (step.instruction) {
	case LOCK_IN_BLOCK:
		pthread_mutex_lock(&locks->mutex);
		if (step.value > 1)
			locks->value = step.value;
		pthread_mutex_unlock(&locks->mutex);
		break;
	case POST_IN_BLOCK: sem_post(&locks->semaphore); break;
	case FREE_LOCKS: free(locks); break;
	}
}

/* Atomic blocks that may have to wait. */
static void block(struct local *local, struct step step)
{
	inspect_atomic_begin();
	atomic_fetch_add(&atomics[0], 1);
	inspect_atomic_begin();
	if (step.instruction == TAKE_ATOMICALLY) {
		sem_wait(&semaphores[step.operand]);
	} else if (!(local->held >> step.operand & 1)) {
		pthread_mutex_lock(&mutexes[step.operand]);
		if (step.instruction == WAIT_ATOMICALLY)
			wait_on_cond(local, (struct step){WAIT, step.operand, 0});
		pthread_mutex_unlock(&mutexes[step.operand]);
	}
	inspect_atomic_end();
	see(local, atomic_load(&atomics[1]));
	inspect_atomic_end();
}

static void various(struct local *local, struct step step)
{
	switch (step.instruction) {
	case WAIT_FOR_SECOND:
		if (local->held >> step.operand & 1)
			pthread_cond_wait(&second_cond, &mutexes[step.operand]);
		break;
	case SIGNAL_SECOND: pthread_cond_signal(&second_cond); break;
	case RECURSE:
		pthread_mutex_lock(&recursive);
		pthread_mutex_lock(&recursive);
		see(local, plain[step.operand]++);
		pthread_mutex_unlock(&recursive);
		pthread_mutex_unlock(&recursive);
		break;
	case CHOOSE_OFTEN:
		while (inspect_choose(2) && atomic_load(&atomics[step.operand]) < step.value)
			atomic_fetch_add(&atomics[step.operand], 1);
		break;
	}
}

static void do_more(struct local *local, struct step step)
{
	if (step.instruction >= WAIT_FOR_SECOND)
		various(local, step);
	else if (step.instruction == POST_TOO)
		sem_post(&semaphores[step.operand]);
	else if (step.instruction >= LOCK_ATOMICALLY)
		block(local, step);
	else if (step.instruction >= LOCK_IN_BLOCK)
		use_locks(step);
	else if (step.instruction >= SET_SPECIFIC)
		specific(local, step);
	else if (step.instruction >= TRY_JOIN)
		handle(local, step);
	else
		read_write_more(local, step);
}

static void synchronise_more(struct local *local, struct step step)
{
	unsigned bit = 1u << step.operand;
	int busy;

	switch (step.instruction) {
	case ARRIVE: see(local, pthread_barrier_wait(&barrier) != 0); break;
	case ONCE: pthread_once(&once, run_once); break;
	case SPIN:
		pthread_spin_lock(&spin);
		see(local, plain[step.operand]++);
		pthread_spin_unlock(&spin);
		break;
	case TIMED_LOCK:
		if (local->held & bit)
			break;
		busy = pthread_mutex_timedlock(&mutexes[step.operand], &late);
		see(local, busy != 0);
		if (!busy)
			local->held |= bit;
		break;
	case TIMED_WAIT:
		if (local->held & bit)
			wait_on_cond(local, step);
		break;
	case POST:
	case TAKE:
	case TRY_TAKE:
	case TIMED_TAKE:
	case GET_VALUE: count(local, step); break;
	case READ_LOCK:
	case WRITE_LOCK:
	case TRY_READ_LOCK:
	case TRY_WRITE_LOCK:
	case RW_UNLOCK: read_write(local, step); break;
	case AWAIT:
	case AWAIT_TWO:
	case EXCHANGE_LOCK:
	case TRYLOCK_LOOP: spin_until(local, step); break;
	default:
		if (step.instruction > VISIT)
			do_more(local, step);
		else
			ask(local, step);
	}
}

static void synchronise(struct local *local, struct step step)
{
	unsigned bit = 1u << step.operand;

	switch (step.instruction) {
	case LOCK:
		if (!(local->held & bit))
			pthread_mutex_lock(&mutexes[step.operand]);
		local->held |= bit;
		break;
	case TRYLOCK:
		if (local->held & bit)
			break;
		int busy = pthread_mutex_trylock(&mutexes[step.operand]);
		see(local, busy != 0);
		if (!busy)
			local->held |= bit;
		break;
	case UNLOCK:
		if (local->held & bit)
			pthread_mutex_unlock(&mutexes[step.operand]);
		local->held &= ~bit;
		break;
	case WAIT:
		if (local->held & bit)
			wait_on_cond(local, step);
		break;
	case SIGNAL: pthread_cond_signal(&cond); break;
	case BROADCAST: pthread_cond_broadcast(&cond); break;
	default: synchronise_more(local, step);
	}
}

static void touch_block(struct local *local, struct step step)
{
	int **block = &blocks[step.operand];

	switch (step.instruction) {
	case BLOCK_READ: see(local, **block & 3); break;
	case BLOCK_WRITE: **block = step.value; break;
	case BLOCK_ATOMIC_READ: see(local, atomic_load((_Atomic int *)*block) & 3); break;
	case FREE:
	case FREE_TOO: free(*block); break;
	case ALLOCATE: *(*block = malloc(sizeof **block)) = step.value; break;
	case PUBLISH: atomic_store(&published, &local->visited); break;
	case VISIT:
		if (atomic_load(&published))
			see(local, *atomic_load(&published));
		break;
	default: synchronise(local, step);
	}
}

static void touch(struct local *local, struct step step)
{
	int expected = step.value - 1;

	switch (step.instruction) {
	case READ: see(local, plain[step.operand]); break;
	case WRITE: plain[step.operand] = step.value; break;
	case INCREMENT: plain[step.operand]++; break;
	case ATOMIC_READ: see(local, atomic_load(&atomics[step.operand])); break;
	case ATOMIC_WRITE: atomic_store(&atomics[step.operand], step.value); break;
	case ATOMIC_ADD: see(local, atomic_fetch_add(&atomics[step.operand], step.value)); break;
	case ATOMIC_CAS:
		see(local, atomic_compare_exchange_strong(&atomics[step.operand], &expected, step.value));
		break;
	case ASSERT: assert(atomic_load(&atomics[step.operand]) != 3); break;
	default: touch_block(local, step);
	}
}

/* All a thread needs is in its argument: reading it from memory would be visible. */
static void *run(void *argument)
{
	struct step steps[MAX_LENGTH];
	struct local local = {.visited = 1};
	unsigned length = (uintptr_t)argument & 0xff;
	uint64_t state = ((uintptr_t)argument >> 8) * 1000003ull;
	struct flavour flavour = flavours[((uintptr_t)argument >> 11) % FLAVOURS];

	for (unsigned i = 0; i < 8; i++)
		draw(&state, 2);
	for (unsigned i = 0; i < length; i++) {
		steps[i].instruction = (uint8_t)draw(&state, BASIC);
		if (draw(&state, 2))
			steps[i].instruction =
				(uint8_t)(flavour.first + draw(&state, flavour.last - flavour.first + 1u));
		steps[i].operand = (uint8_t)draw(&state, VARIABLES);
		steps[i].value = (uint8_t)(draw(&state, 3) + 1);
	}
	for (unsigned i = 0; i < length; i++) {
		if (steps[i].instruction == SKIP_IF)
			i += local.seen % 2;
		else
			touch(&local, steps[i]);
	}
	if (draw(&state, 8))
		release_all(&local);
	return (void *)(uintptr_t)local.seen;
}

int main(int argc, char **argv)
{
	pthread_t handles[8];
	void *seen;
	uintptr_t seed = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
	unsigned nthreads = argc > 2 ? (unsigned)atoi(argv[2]) : 2;
	unsigned length = argc > 3 ? (unsigned)atoi(argv[3]) : 4;

	if (nthreads > 8 || length > MAX_LENGTH)
		return 2;
	for (unsigned i = 0; i < LOCKS; i++)
		sem_init(&semaphores[i], 0, i);
	pthread_barrier_init(&barrier, NULL, 2);
	pthread_key_create(&key, destroy);
	locks = calloc(1, sizeof *locks);
	pthread_mutex_init(&locks->mutex, NULL);
	sem_init(&locks->semaphore, 0, 0);
	pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
	for (unsigned i = 0; i < VARIABLES; i++)
		*(blocks[i] = malloc(sizeof(int) * (i ? 1 : 100))) = 0; /* a small and a large one */
	for (unsigned i = 0; i < nthreads; i++) {
		pthread_create(&handles[i], NULL, run, (void *)((seed * 8 + i) << 8 | length));
		if (!i && (flavours[seed % FLAVOURS].first == CANCEL || flavours[seed % FLAVOURS].first == TRY_JOIN))
			first = handles[0];
	}
	/* one program in eight ends while a thread may still run */
	for (unsigned i = seed % 8 == 0; i < nthreads; i++) {
		pthread_join(handles[i], &seen);
		printf("%u: %u\n", i, (unsigned)(uintptr_t)seen);
	}
	if (seed % 8)
		for (unsigned i = 0; i < VARIABLES; i++)
			printf("%d %d\n", plain[i], atomics[i]);
	return 0;
}
