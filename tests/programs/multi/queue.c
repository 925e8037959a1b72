#include "queue.h"

void queue_put(struct queue *queue, int number)
{
#ifndef UNLOCKED
	pthread_mutex_lock(&queue->mutex);
#endif
	queue->numbers[queue->length] = number; // @race
	queue->length++; // @race
#ifndef UNLOCKED
	pthread_mutex_unlock(&queue->mutex);
#endif
}
