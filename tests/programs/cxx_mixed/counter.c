#include "counter.h"

#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int total;

void counter_add(int n)
{
#ifndef UNLOCKED
	pthread_mutex_lock(&lock);
#endif
	int *class = &total; /* a keyword of C++ only */
	*class += n; // @race
#ifndef UNLOCKED
	pthread_mutex_unlock(&lock);
#endif
}

void counter_visit(void (*visit)(int))
{
	visit(total);
}
