/*
 * A random concurrent program, drawn from the seed in its arguments:
 *
 *   program SEED THREADS LENGTH
 *
 * Every thread draws its own instructions into its own stack, so that only what
 * they do is visible.  What the threads saw and the memory they left are printed:
 * the final state of the execution.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_LENGTH = 16, VARIABLES = 2, LOCKS = 2 };

static int plain[VARIABLES];
static atomic_int atomics[VARIABLES];
static pthread_mutex_t mutexes[LOCKS] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int *blocks[VARIABLES];
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
	/* memory that comes and goes: in one program of four */
	BLOCK_READ,
	BLOCK_WRITE,
	BLOCK_ATOMIC_READ,
	FREE,
	FREE_TOO,
	ALLOCATE,
	PUBLISH,
	VISIT,
	INSTRUCTIONS
};

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
			pthread_cond_wait(&cond, &mutexes[step.operand]);
		break;
	case SIGNAL: pthread_cond_signal(&cond); break;
	case BROADCAST: pthread_cond_broadcast(&cond); break;
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
	unsigned instructions = ((uintptr_t)argument >> 11) % 4 ? BLOCK_READ : INSTRUCTIONS;

	for (unsigned i = 0; i < 8; i++)
		draw(&state, 2);
	for (unsigned i = 0; i < length; i++) {
		steps[i].instruction = (uint8_t)draw(&state, instructions);
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
	for (unsigned i = 0; i < VARIABLES; i++)
		*(blocks[i] = malloc(sizeof(int) * (i ? 1 : 100))) = 0; /* a small and a large one */
	for (unsigned i = 0; i < nthreads; i++)
		pthread_create(&handles[i], NULL, run, (void *)((seed * 8 + i) << 8 | length));
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
