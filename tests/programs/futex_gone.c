// To wake those who wait at an address is no access: what was there may be gone by then.
// expect: optimal verified executions=3 [args: stack]
// expect: dpor verified executions=3 [args: stack]
// expect: - verified executions=14 [args: stack] [options: --stateful]
// expect: optimal verified executions=3 [args: heap]
// expect: dpor verified executions=3 [args: heap]
// expect: - verified executions=14 [args: heap] [options: --stateful]
#include "api.h"

#include <linux/futex.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static _Atomic(atomic_int *) published;

static void await(atomic_int *word)
{
	published = word;
	while (!*word)
		syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
}

static void *wait_on_stack(void *unused)
{
	atomic_int word = 0;

	await(&word);
	return unused;
}

static void *wait_on_heap(void *unused)
{
	atomic_int *word = calloc(1, sizeof *word);

	await(word);
	free(word);
	return unused;
}

static void wake(pthread_t thread)
{
	atomic_int *word;

	while (!(word = published))
		;
	*word = 1; /* from here on it may be gone */
	syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
	finish(thread);
}

CASE(stack)
{
	wake(start(wait_on_stack, NULL));
}

CASE(heap)
{
	wake(start(wait_on_heap, NULL));
}
