/*
 * Publishing data through a flag.
 *
 * The writer fills in the data and sets a flag; the reader looks at the flag and
 * then at the data.  With an ordinary flag that is a race, however right it looks
 * on the machine at hand.  An atomic flag with release and acquire orders the two
 * (-DATOMIC); a relaxed one does not (-DATOMIC -DRELAXED): the race on the data is back.
 *
 *     inspect check examples/publication.c
 *     inspect check -DATOMIC examples/publication.c
 *     inspect check -DATOMIC -DRELAXED examples/publication.c
 */
// expect: source bug=race executions=2 line=@race [options: --keep-going]
// expect: source verified executions=2 [cc: -DATOMIC]
// expect: source bug=race executions=2 line=@race [cc: -DATOMIC -DRELAXED] [options: --keep-going]
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static int data;
#if !defined ATOMIC
static int flag;
#define SET(value) (flag = (value))
#define GET() flag
#elif !defined RELAXED
static atomic_int flag;
#define SET(value) atomic_store_explicit(&flag, value, memory_order_release)
#define GET() atomic_load_explicit(&flag, memory_order_acquire)
#else
static atomic_int flag;
#define SET(value) atomic_store_explicit(&flag, value, memory_order_relaxed)
#define GET() atomic_load_explicit(&flag, memory_order_relaxed)
#endif

static void *writer(void *unused)
{
	data = 42; // @race
	SET(1); // @race
	return unused;
}

static void *reader(void *unused)
{
	if (GET()) // @race
		assert(data == 42); // @race
	return unused;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, writer, NULL);
	pthread_create(&t2, NULL, reader, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return 0;
}
