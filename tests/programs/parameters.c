// What functions of the threads library read and write through their parameters are accesses like others.
// expect: optimal bug=race executions=1 line=@deadline [args: deadline]
// expect: - bug=race executions=1 line=@deadline [args: deadline] [options: --stateful]
// expect: all bug=race executions=1 line=@deadline [args: deadline]
// expect: optimal bug=memory executions=1 line=@freed_deadline [args: freed_deadline]
// expect: optimal bug=memory executions=1 line=@freed_mutex_deadline [args: freed_mutex_deadline]
// expect: optimal bug=memory executions=1 line=@freed_rwlock_deadline [args: freed_rwlock_deadline]
// expect: optimal bug=memory executions=1 line=@freed_cond_deadline [args: freed_cond_deadline]
// expect: optimal bug=memory executions=1 line=@freed_join_deadline [args: freed_join_deadline]
// expect: optimal bug=memory executions=1 line=@freed_old_state [args: freed_old_state]
// expect: optimal bug=memory executions=1 line=@freed_old_type [args: freed_old_type]
// expect: optimal bug=memory executions=1 line=@freed_mask [args: freed_mask]
// expect: optimal bug=memory executions=1 line=@freed_attributes [args: freed_attributes]
// expect: optimal bug=memory executions=1 line=@freed_for_init [args: freed_for_init]
// expect: optimal bug=memory executions=1 line=@freed_for_create [args: freed_for_create]
// expect: optimal bug=race executions=1 line=@shared_attributes [args: shared_attributes]
// expect: optimal bug=race executions=1 line=@shared_old [args: shared_old]
// expect: optimal bug=race executions=1 line=@nap [args: nap]
// expect: - bug=race executions=1 line=@nap [args: nap] [options: --stateful]
// expect: optimal bug=memory executions=1 line=@freed_nap [args: freed_nap]
// expect: optimal bug=race executions=1 line=@name [args: name]
// expect: optimal bug=memory executions=1 line=@freed_name [args: freed_name]
// expect: optimal bug=memory executions=1 line=@freed_action [args: freed_action]
// expect: optimal bug=memory executions=1 line=@freed_block [args: freed_block] [says: malloc_usable_size]
// expect: optimal verified executions=4 [args: own]
// expect: all verified executions=4 [args: own]
#include "api.h"

#include <fcntl.h>
#include <malloc.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <threads.h>

static sem_t semaphore;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static struct timespec until = {.tv_sec = 1};

static void *gone(size_t size)
{
	void *block = calloc(1, size);

	free(block);
	return block;
}

static void *wait_until(void *unused)
{
	sem_timedwait(&semaphore, &until); // @deadline
	return unused;
}

CASE(deadline)
{
	sem_init(&semaphore, 0, 0);
	pthread_t thread = start(wait_until, NULL);
	until.tv_sec = 2; // @deadline
	finish(thread);
}

CASE(freed_deadline)
{
	sem_init(&semaphore, 0, 1);
	sem_timedwait(&semaphore, gone(sizeof until)); // @freed_deadline
}

MISUSE(freed_mutex_deadline, pthread_mutex_timedlock(&mutex, gone(sizeof until))); // @freed_mutex_deadline
MISUSE(freed_rwlock_deadline, pthread_rwlock_timedrdlock(&rwlock, gone(sizeof until))); // @freed_rwlock_deadline

CASE(freed_cond_deadline)
{
	pthread_mutex_lock(&mutex);
	pthread_cond_timedwait(&cond, &mutex, gone(sizeof until)); // @freed_cond_deadline
}

static void *nothing(void *unused)
{
	return unused;
}

CASE(freed_join_deadline)
{
	pthread_timedjoin_np(start(nothing, NULL), NULL, gone(sizeof until)); // @freed_join_deadline
}

MISUSE(freed_old_state, pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, gone(sizeof(int)))); // @freed_old_state
MISUSE(freed_old_type, pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, gone(sizeof(int)))); // @freed_old_type
MISUSE(freed_mask, pthread_sigmask(SIG_BLOCK, gone(sizeof(sigset_t)), NULL)); // @freed_mask
MISUSE(freed_attributes, pthread_attr_init(gone(sizeof(pthread_attr_t)))); // @freed_attributes

CASE(freed_for_init)
{
	pthread_mutex_t own;

	pthread_mutex_init(&own, gone(sizeof(pthread_mutexattr_t))); // @freed_for_init
}

CASE(freed_for_create)
{
	pthread_t thread;

	pthread_create(&thread, gone(sizeof(pthread_attr_t)), nothing, NULL); // @freed_for_create
}

static pthread_mutexattr_t attributes;

static void *make_recursive(void *unused)
{
	pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE); // @shared_attributes
	return unused;
}

CASE(shared_attributes)
{
	int type;

	pthread_mutexattr_init(&attributes);
	pthread_t thread = start(make_recursive, NULL);
	pthread_mutexattr_gettype(&attributes, &type); // @shared_attributes
	finish(thread);
}

static int old;

static void *disable(void *unused)
{
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old); // @shared_old
	return unused;
}

CASE(shared_old)
{
	pthread_t thread = start(disable, NULL);

	disable(NULL);
	finish(thread);
}

static void *use_own(void *unused)
{
	struct timespec time = in_seconds(CLOCK_REALTIME, 1);
	int state;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	if (pthread_mutex_timedlock(&mutex, &time) == 0)
		pthread_mutex_unlock(&mutex);
	return unused;
}

CASE(own)
{
	pthread_t thread = start(use_own, NULL);

	use_own(NULL);
	finish(thread);
}

static void *sleep_a_while(void *unused)
{
	thrd_sleep(&until, NULL); // @nap
	return unused;
}

CASE(nap)
{
	pthread_t thread = start(sleep_a_while, NULL);
	until.tv_sec = 2; // @nap
	finish(thread);
}

MISUSE(freed_nap, thrd_sleep(gone(sizeof until), NULL)); // @freed_nap

static char name_of_it[] = "/one";

static void *open_it(void *unused)
{
	sem_open(name_of_it, O_CREAT, 0600, 1); // @name
	return unused;
}

CASE(name)
{
	pthread_t thread = start(open_it, NULL);
	name_of_it[1] = 'O'; // @name
	finish(thread);
}

MISUSE(freed_name, sem_unlink(gone(5))); // @freed_name
MISUSE(freed_action, sigaction(SIGUSR1, gone(sizeof(struct sigaction)), NULL)); // @freed_action

CASE(freed_block)
{
	assert(malloc_usable_size(gone(8))); // @freed_block
}
