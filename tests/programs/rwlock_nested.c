// A reader that holds its lock twice: the writer can come before both or after both, not in between.
// expect: source verified executions=2
// expect: dpor verified executions=2
// expect: all verified executions=5
// expect: source bug=assertion executions=2 [args: early] [options: --keep-going]
// expect: dpor bug=assertion executions=2 [args: early] [options: --keep-going]
// expect: all bug=assertion executions=5 [args: early] [options: --keep-going]
#include <assert.h>
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int written, seen;

static void *read_twice(void *unused)
{
	pthread_rwlock_rdlock(&lock);
	pthread_rwlock_rdlock(&lock);
	seen = written;
	pthread_rwlock_unlock(&lock);
	pthread_rwlock_unlock(&lock);
	return unused;
}

static void *write_once(void *unused)
{
	pthread_rwlock_wrlock(&lock);
	written = 1;
	pthread_rwlock_unlock(&lock);
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t reader, writer;

	(void)argv;
	pthread_create(&reader, NULL, read_twice, NULL);
	pthread_create(&writer, NULL, write_once, NULL);
	pthread_join(reader, NULL);
	pthread_join(writer, NULL);
	if (argc > 1)
		assert(seen == 0);
	return 0;
}
