#ifndef QUEUE_H
#define QUEUE_H

#include <pthread.h>

struct queue {
	pthread_mutex_t mutex;
	int numbers[10];
	int length;
};

#define QUEUE_INITIALIZER {.mutex = PTHREAD_MUTEX_INITIALIZER}

void queue_put(struct queue *queue, int number);

#endif
