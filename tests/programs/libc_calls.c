// Ordinary library functions, with switches to other threads from within their callbacks.
// expect: source verified executions=2 fork
// expect: dpor verified executions=2
#include <assert.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static atomic_int comparisons;

static int compare(const void *a, const void *b)
{
	comparisons++;
	return *(const int *)a - *(const int *)b;
}

static void *work(void *unused)
{
	int numbers[] = {2, 1};
	jmp_buf back;
	char text[32];

	qsort(numbers, 2, sizeof *numbers, compare);
	assert(numbers[0] == 1 && numbers[1] == 2);
	snprintf(text, sizeof text, "%d-%s-%.1f", numbers[1], "x", 2.5);
	assert(strcmp(text, "2-x-2.5") == 0);
	if (setjmp(back) == 0)
		longjmp(back, 1);
	return unused;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, work, NULL);
	pthread_create(&t2, NULL, work, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	assert(comparisons == 2);
	return 0;
}
