// Block functions touch the bytes they are given, also when they are called through a pointer.
// expect: source bug=race executions=2 line=@race fork [options: --keep-going] [cc: -DCASE=1]
// expect: dpor bug=race executions=2 line=@race [options: --keep-going] [cc: -DCASE=1]
// expect: source bug=race executions=2 line=@race [options: --keep-going] [cc: -DCASE=2]
// expect: source bug=race executions=2 line=@race [options: --keep-going] [cc: -DCASE=3]
// expect: source verified executions=1 [cc: -DCASE=4]
// expect: source bug=race executions=2 line=@race [options: --keep-going] [cc: -DCASE=5] [says: shared]
// expect: source bug=race executions=2 line=@race [options: --keep-going] [cc: -DCASE=6 -fno-builtin]
// expect: source bug=race executions=2 line=@race [options: --keep-going] [cc: -DCASE=7]
// expect: source verified executions=2 [cc: -DCASE=8]
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <string.h>
#include <wchar.h>

static char shared[64] = "0123456789", other[64];
static wchar_t wide[16];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static void *(*const functions[])(void *, const void *, size_t) = {memcpy, memmove, mempcpy};
static void *(*volatile set)(void *, int, size_t) = memset;

static void *first(void *unused)
{
#if CASE == 1
	memcmp(shared, other, 6); // @race
#elif CASE == 2
	functions[0](other, shared, 6); // @race
#elif CASE == 3
	set(shared, 'x', 6); // @race
#elif CASE == 4
	memchr(shared, '4', sizeof shared); /* up to what it finds */
#elif CASE == 5
	mempcpy(other, shared, 6); // @race
#elif CASE == 6
	bzero(shared, 6); // @race
#elif CASE == 7
	wmemset(wide, L'x', 6); // @race
#elif CASE == 8
	pthread_mutex_lock(&mutex);
	memccpy(shared, "new", 0, sizeof shared);
	pthread_mutex_unlock(&mutex);
#endif
	return functions[0] ? unused : NULL;
}

static void *second(void *unused)
{
#if CASE == 7
	wide[5] = 'y'; // @race
#elif CASE == 8
	pthread_mutex_lock(&mutex);
	assert(!memcmp(shared, "new", 4) || !memcmp(shared, "0123456789", 11));
	pthread_mutex_unlock(&mutex);
#else
	shared[5] = 'y'; // @race
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
	return 0;
}
