// Memory that a program maps at addresses of its choice, between what is the runtime's there, is the program's.
// expect: optimal verified executions=2
// expect: optimal verified executions=2 [options: --search-place=inside]
// expect: all verified executions=3
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>

static atomic_int *const place = (atomic_int *)0x180000000000;

static void *add(void *unused)
{
	atomic_fetch_add(place, 1);
	return unused;
}

int main(void)
{
	pthread_t a, b;

	if (mmap(place, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != place)
		return 1;
	pthread_create(&a, NULL, add, NULL);
	pthread_create(&b, NULL, add, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return atomic_load(place) != 2;
}
