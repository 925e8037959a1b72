// qsort reads and writes the whole array; what the comparison looks at besides is seen as well.
// expect: source bug=race executions=2 line=@race fork [options: --keep-going] [cc: -DCASE=1] [says: numbers]
// expect: dpor bug=race executions=2 line=@race [options: --keep-going] [cc: -DCASE=1]
// expect: source verified executions=1 fork [cc: -DCASE=2]
// expect: source bug=race executions=2 line=@compare [options: --keep-going] [cc: -DCASE=3] [says: letter]
// expect: source verified executions=2 [cc: -DCASE=4]
// expect: source bug=race executions=2 line=@bsearch [options: --keep-going] [cc: -DCASE=5]
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static int numbers[] = {3, 1, 2};
static char letter[] = "ba";
static char *pointers[] = {letter, letter + 1};
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b; // @bsearch
}

static int compare_letters(const void *a, const void *b)
{
	return **(char *const *)a - **(char *const *)b; // @compare
}

static int compare_in_order(const void *a, const void *b, void *sign)
{
	return *(int *)sign * compare(a, b);
}

static const void *const comparisons[] = {compare_letters, compare_in_order};

static void *first(void *unused)
{
#if CASE == 1
	qsort(numbers, 3, sizeof *numbers, compare); // @race
#elif CASE == 2
	int own[] = {3, 1, 2}, sign = -1;

	qsort_r(own, 3, sizeof *own, compare_in_order, &sign);
	assert(own[0] == 3 && own[1] == 2 && own[2] == 1);
#elif CASE == 3
	qsort(pointers, 2, sizeof *pointers, compare_letters);
#elif CASE == 4
	pthread_mutex_lock(&mutex);
	qsort(numbers, 3, sizeof *numbers, compare);
	assert(numbers[0] <= numbers[1] && numbers[1] <= numbers[2]);
	pthread_mutex_unlock(&mutex);
#elif CASE == 5
	int key = 3;

	bsearch(&key, numbers, 3, sizeof *numbers, compare);
#endif
	return comparisons[0] ? unused : NULL;
}

static void *second(void *unused)
{
#if CASE == 1
	return numbers[1] ? unused : NULL; // @race
#elif CASE == 3
	letter[1] = 'c';
#elif CASE == 4
	pthread_mutex_lock(&mutex);
	numbers[0] = 9;
	pthread_mutex_unlock(&mutex);
#elif CASE == 5
	numbers[1] = 0; // @bsearch
#endif
	return unused;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, first, NULL);
	pthread_create(&t2, NULL, second, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return pointers[0] == NULL;
}
