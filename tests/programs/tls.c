// What belongs to a thread stays with it over switches: __thread variables, errno, its locals.  Four updates of one
// variable, two by each thread: six orders.
// expect: source verified executions=6 fork
// expect: dpor verified executions=6
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static __thread int mine = 5;
static __thread char text[8];
static atomic_int other;

/* Any access to a shared atomic is a place where the other thread may run. */
static void let_others_run(void)
{
	other++;
}

static void *work(void *argument)
{
	int i = (int)(intptr_t)argument;
	char words[] = "a b", *rest;

	assert(mine == 5 && text[0] == 0);
	mine = i;
	errno = i;
	words[0] = words[2] = (char)('a' + i);
	assert(strtok_r(words, " ", &rest)[0] == 'a' + i);
	let_others_run();
	assert(mine == i && errno == i);
	assert(strtok_r(NULL, " ", &rest)[0] == 'a' + i);
	assert(strtol("99999999999999999999", NULL, 10) && errno == ERANGE);
	let_others_run();
	assert(errno == ERANGE && strtok_r(NULL, " ", &rest) == NULL);
	text[0] = 1;
	return NULL;
}

int main(void)
{
	pthread_t t1, t2;

	errno = 77;
	pthread_create(&t1, NULL, work, (void *)1);
	pthread_create(&t2, NULL, work, (void *)2);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	assert(errno == 77 && mine == 5 && other == 4);
	return 0;
}
