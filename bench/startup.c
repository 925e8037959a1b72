/* A program of about 100 lines with the usual headers: how long does it take until it runs?  See startup.sh. */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ROOM 2
#define ITEMS 1

struct queue {
	pthread_mutex_t mutex;
	pthread_cond_t not_empty, not_full;
	int items[ROOM];
	unsigned first, count;
	bool closed;
};

struct worker {
	pthread_t thread;
	struct queue *queue;
	unsigned number;
	int sum;
	char name[16];
};

static atomic_int produced, consumed;

static void queue_init(struct queue *queue)
{
	memset(queue, 0, sizeof *queue);
	pthread_mutex_init(&queue->mutex, NULL);
	pthread_cond_init(&queue->not_empty, NULL);
	pthread_cond_init(&queue->not_full, NULL);
}

static void queue_put(struct queue *queue, int item)
{
	pthread_mutex_lock(&queue->mutex);
	while (queue->count == ROOM)
		pthread_cond_wait(&queue->not_full, &queue->mutex);
	queue->items[(queue->first + queue->count++) % ROOM] = item;
	pthread_cond_signal(&queue->not_empty);
	pthread_mutex_unlock(&queue->mutex);
}

static bool queue_get(struct queue *queue, int *item)
{
	bool found;

	pthread_mutex_lock(&queue->mutex);
	while (!queue->count && !queue->closed)
		pthread_cond_wait(&queue->not_empty, &queue->mutex);
	found = queue->count > 0;
	if (found) {
		*item = queue->items[queue->first];
		queue->first = (queue->first + 1) % ROOM;
		queue->count--;
		pthread_cond_signal(&queue->not_full);
	}
	pthread_mutex_unlock(&queue->mutex);
	return found;
}

static void queue_close(struct queue *queue)
{
	pthread_mutex_lock(&queue->mutex);
	queue->closed = true;
	pthread_cond_broadcast(&queue->not_empty);
	pthread_mutex_unlock(&queue->mutex);
}

static void *consume(void *argument)
{
	struct worker *worker = argument;
	int item;

	snprintf(worker->name, sizeof worker->name, "worker %u", worker->number);
	while (queue_get(worker->queue, &item)) {
		worker->sum += item;
		atomic_fetch_add(&consumed, 1);
	}
	return worker;
}

int main(void)
{
	struct queue *queue = malloc(sizeof *queue);
	struct worker worker = {.queue = queue, .number = 1};

	queue_init(queue);
	if (pthread_create(&worker.thread, NULL, consume, &worker))
		return EXIT_FAILURE;
	for (int i = 1; i <= ITEMS; i++) {
		queue_put(queue, i);
		atomic_fetch_add(&produced, 1);
	}
	queue_close(queue);
	pthread_join(worker.thread, NULL);
	assert(worker.sum == ITEMS * (ITEMS + 1) / 2 && consumed == produced);
	free(queue);
	return EXIT_SUCCESS;
}
