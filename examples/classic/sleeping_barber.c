/*
 * The sleeping barber (Dijkstra 1965), with semaphores.
 *
 * Customers sit down if a chair is free and wake the barber; otherwise they go away.  The barber
 * sleeps while nobody waits.  In the evening main closes the shop.
 *
 * Correct: whether a chair is free is looked up under the mutex under which one sits down.
 * Fault:   it is looked up before.  Two customers see the same free chair: a race on the number
 *          of those who wait, and with --keep-going two customers on one chair.
 *
 *     inspect check examples/classic/sleeping_barber.c
 *     inspect check -DFAULTY --keep-going examples/classic/sleeping_barber.c
 *
 * Two customers: either is first (2).  The second one comes before the first is called up, and goes
 * away (1), or after, and both are called; then the two calls and the two who follow them can come
 * in 4 orders, no call being followed before it was made: 2 * (1 + 4) = 10 executions.
 */
// expect: source verified executions=1 fork [cc: -DCUSTOMERS=1]
// expect: source verified executions=10 [cc: -DCUSTOMERS=2]
// expect: dpor verified executions=1 blocked=2 [cc: -DCUSTOMERS=1]
// expect: dpor verified executions=10 blocked=19 [cc: -DCUSTOMERS=2]
// expect: all verified executions=6 [cc: -DCUSTOMERS=1]
// expect: all verified executions=3432 [cc: -DCUSTOMERS=2]
// expect: source bug=race executions=1 line=@chairs replay [cc: -DFAULTY]
// expect: source bug=assertion,race executions=24 line=@full [cc: -DFAULTY] [options: --keep-going]
// expect: dpor bug=assertion,race executions=24 blocked=44 line=@full [cc: -DFAULTY] [options: --keep-going]
// expect: all bug=assertion,race executions=28598 line=@full [cc: -DFAULTY] [options: --keep-going]
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdint.h>

#ifndef CUSTOMERS
#define CUSTOMERS 2
#endif
#define CHAIRS 1

static sem_t mutex, customers, barber_ready;
static int waiting, cut;
static bool closed;

static void *barber(void *unused)
{
	for (;;) {
		sem_wait(&customers);
		sem_wait(&mutex);
		if (waiting == 0 && closed) { // @chairs
			sem_post(&mutex);
			return unused;
		}
		waiting--; // @chairs
		cut++;
		sem_post(&barber_ready);
		sem_post(&mutex);
	}
}

static bool sit_down(void)
{
#ifdef FAULTY
	bool free = waiting < CHAIRS; // @chairs

	sem_wait(&mutex);
#else
	bool free;

	sem_wait(&mutex);
	free = waiting < CHAIRS;
#endif
	if (free) {
		waiting++; // @chairs
		assert(waiting <= CHAIRS); // @full
		sem_post(&customers);
	}
	sem_post(&mutex);
	return free;
}

static void *customer(void *unused)
{
	(void)unused;
	if (!sit_down())
		return NULL;
	sem_wait(&barber_ready);
	return (void *)1;
}

int main(void)
{
	pthread_t barber_thread, threads[CUSTOMERS];
	intptr_t served = 0;

	sem_init(&mutex, 0, 1);
	sem_init(&customers, 0, 0);
	sem_init(&barber_ready, 0, 0);
	pthread_create(&barber_thread, NULL, barber, NULL);
	for (int i = 0; i < CUSTOMERS; i++)
		pthread_create(&threads[i], NULL, customer, NULL);
	for (int i = 0; i < CUSTOMERS; i++) {
		void *was_served;

		pthread_join(threads[i], &was_served);
		served += (intptr_t)was_served;
	}
	sem_wait(&mutex);
	closed = true;
	sem_post(&mutex);
	sem_post(&customers);
	pthread_join(barber_thread, NULL);
	assert(served == cut && served >= 1);
	return 0;
}
