/*
 * The cigarette smokers (Patil 1971), three rounds.
 *
 * The agent puts two of three ingredients on the table; the smoker who has the third takes both,
 * smokes, and tells the agent.  Over the three rounds each smoker has his turn.
 *
 * Correct: (Parnas 1975) for each ingredient a pusher waits; under a mutex it notes what lies on
 *          the table, and the one that completes a pair wakes the right smoker.
 * Fault:   each smoker waits for one of the ingredients he needs, then for the other.  Two
 *          smokers can take one ingredient each; both have half of what they need.
 *
 *     inspect check examples/classic/cigarette_smokers.c
 *     inspect check -DFAULTY examples/classic/cigarette_smokers.c
 *
 * Correct: in each round the two pushers have the mutex in either order and the rounds follow one
 * another: 2^3 = 8 executions.
 */
// expect: source verified executions=8 fork
// expect: dpor verified executions=8 blocked=7
// expect: source bug=deadlock executions=2 line=@needs replay [cc: -DFAULTY]
// expect: source bug=deadlock executions=3 line=@needs [cc: -DFAULTY] [options: --keep-going]
// expect: dpor bug=deadlock executions=3 blocked=3 line=@needs [cc: -DFAULTY] [options: --keep-going]
// expect: all bug=deadlock executions=17 line=@needs [cc: -DFAULTY] [options: --keep-going]
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdint.h>

#define INGREDIENTS 3

static sem_t table[INGREDIENTS]; /* how much of each lies there */
static sem_t finished;
static int smoked[INGREDIENTS]; /* by the smoker who has this ingredient */

#ifdef FAULTY
static void *smoker(void *argument)
{
	int has = (int)(intptr_t)argument;

	sem_wait(&table[(has + 1) % INGREDIENTS]); // @needs
	sem_wait(&table[(has + 2) % INGREDIENTS]); // @needs
	smoked[has]++;
	sem_post(&finished);
	return NULL;
}
#else
static sem_t wake[INGREDIENTS];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static bool noted[INGREDIENTS];

static void push(int ingredient)
{
	pthread_mutex_lock(&mutex);
	noted[ingredient] = true;
	for (int other = 0; other < INGREDIENTS; other++) {
		if (other != ingredient && noted[other]) {
			noted[ingredient] = noted[other] = false;
			sem_post(&wake[INGREDIENTS - ingredient - other]);
		}
	}
	pthread_mutex_unlock(&mutex);
}

static void *pusher(void *argument)
{
	int ingredient = (int)(intptr_t)argument;

	for (int round = 0; round < INGREDIENTS - 1; round++) {
		sem_wait(&table[ingredient]);
		push(ingredient);
	}
	return NULL;
}

static void *smoker(void *argument)
{
	int has = (int)(intptr_t)argument;

	sem_wait(&wake[has]);
	smoked[has]++;
	sem_post(&finished);
	return NULL;
}
#endif

static void agent(void)
{
	for (int missing = 0; missing < INGREDIENTS; missing++) {
		sem_post(&table[(missing + 1) % INGREDIENTS]);
		sem_post(&table[(missing + 2) % INGREDIENTS]);
		sem_wait(&finished); // @needs
		assert(smoked[missing] == 1);
	}
}

int main(void)
{
	pthread_t threads[2 * INGREDIENTS];
	int n = 0;

	sem_init(&finished, 0, 0);
	for (int i = 0; i < INGREDIENTS; i++) {
		sem_init(&table[i], 0, 0);
#ifndef FAULTY
		sem_init(&wake[i], 0, 0);
		pthread_create(&threads[n++], NULL, pusher, (void *)(intptr_t)i);
#endif
	}
	for (int i = 0; i < INGREDIENTS; i++)
		pthread_create(&threads[n++], NULL, smoker, (void *)(intptr_t)i);
	agent();
	while (n)
		pthread_join(threads[--n], NULL);
	return 0;
}
