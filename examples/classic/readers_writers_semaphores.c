/*
 * Readers and writers with two semaphores (Courtois, Heymans and Parnas 1971).
 *
 * The first reader in takes the room for all readers, the last one out gives it back;
 * `mutex` protects the number of readers.
 *
 * Correct: entering and leaving are both done under `mutex`.
 * Fault:   leaving is not.  Two readers that leave at once can lose an update of the
 *          number, or one that enters meets one that leaves.  The race is reported first;
 *          --keep-going shows what it leads to: a room that nobody gives back.
 *
 *     inspect check examples/classic/readers_writers_semaphores.c
 *     inspect check -DFAULTY --keep-going examples/classic/readers_writers_semaphores.c
 *
 * With two readers and one writer, the two entries and two exits under `mutex` come in 6
 * orders.  In 4 of them the visits overlap, and the writer is before or after both; in 2
 * they do not, and the writer is before, between or after: 4 * 2 + 2 * 3 = 14 executions.
 */
// expect: source verified executions=2 fork [cc: -DREADERS=1]
// expect: source verified executions=14 [cc: -DREADERS=2]
// expect: dpor verified executions=2 [cc: -DREADERS=1]
// expect: dpor verified executions=14 blocked=2 [cc: -DREADERS=2]
// expect: all verified executions=50 [cc: -DREADERS=1]
// expect: source bug=race executions=1 line=@count replay [cc: -DFAULTY]
// expect: source bug=assertion,deadlock,race executions=42 line=@count [cc: -DFAULTY] [options: --keep-going]
// expect: dpor bug=assertion,deadlock,race executions=42 blocked=10 line=@count [cc: -DFAULTY] [options: --keep-going]
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

#ifndef READERS
#define READERS 2
#endif

static sem_t mutex, room;
static int readers; /* inside */
static int data;

static void *reader(void *unused)
{
	sem_wait(&mutex);
	if (++readers == 1) // @count
		sem_wait(&room);
	sem_post(&mutex);

	assert(data == 0 || data == 1);

#ifndef FAULTY
	sem_wait(&mutex);
#endif
	if (--readers == 0) // @count
		sem_post(&room);
#ifndef FAULTY
	sem_post(&mutex);
#endif
	return unused;
}

static void *writer(void *unused)
{
	sem_wait(&room);
	data++;
	sem_post(&room);
	return unused;
}

int main(void)
{
	pthread_t threads[READERS + 1];

	sem_init(&mutex, 0, 1);
	sem_init(&room, 0, 1);
	for (int i = 0; i < READERS; i++)
		pthread_create(&threads[i], NULL, reader, NULL);
	pthread_create(&threads[READERS], NULL, writer, NULL);
	for (int i = 0; i < READERS + 1; i++)
		pthread_join(threads[i], NULL);
	assert(data == 1 && readers == 0);
	sem_destroy(&room);
	sem_destroy(&mutex);
	return 0;
}
