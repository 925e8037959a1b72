// Named semaphores belong to the process under test; no name exists when main begins.
// covers: sem_open sem_close sem_unlink
// misuse: sem_open sem_close sem_unlink
// expect: source verified executions=1 [args: names]
// expect: source verified executions=1 [args: unlinked_while_open]
// expect: source verified executions=10 [args: threads]
// expect: dpor verified executions=10 blocked=2 [args: threads]
// expect: all verified executions=74 [args: threads]
// expect: source bug=exit executions=2 [args: exclusive] [options: --keep-going]
// expect: dpor bug=exit executions=2 [args: exclusive] [options: --keep-going]
// expect: all bug=exit executions=2 [args: exclusive] [options: --keep-going]
// expect: source verified executions=1 [args: errors]
// expect: source bug=crash executions=1 line=@open_null [args: open_null]
// expect: source bug=crash executions=1 line=@unlink_null [args: unlink_null]
// expect: source bug=crash executions=1 line=@close_null [args: close_null]
// expect: source bug=lock executions=1 line=@close_twice [args: close_twice] [says: not open]
// expect: source bug=lock executions=1 line=@close_unnamed [args: close_unnamed] [says: not open]
// expect: source bug=lock executions=1 line=@wait_closed [args: wait_closed] [says: was destroyed]
#include "api.h"

#include <fcntl.h>
#include <limits.h>
#include <semaphore.h>
#include <stdlib.h>

CASE(names)
{
	int value;
	sem_t *first = sem_open("/inspect-test", O_CREAT, 0600, 2);

	assert(first != SEM_FAILED);
	sem_t *second = sem_open("/inspect-test", 0), *third = sem_open("/other", O_CREAT | O_EXCL, 0600, 0);
	assert(second == first && third != SEM_FAILED && third != first);
	assert(sem_getvalue(first, &value) == 0 && value == 2);
	second = sem_open("/inspect-test", O_CREAT, 0600, 7);
	assert(second == first && sem_getvalue(first, &value) == 0 && value == 2);
	assert(sem_wait(first) == 0 && sem_trywait(second) == 0 && sem_trywait(first) == -1);
	assert(sem_close(first) == 0 && sem_close(first) == 0 && sem_post(second) == 0 && sem_close(second) == 0);
	first = sem_open("/inspect-test", 0); /* the name keeps it, with its value */
	assert(first != SEM_FAILED && sem_getvalue(first, &value) == 0 && value == 1);
	assert(sem_unlink("/inspect-test") == 0 && sem_unlink("/other") == 0);
}

CASE(unlinked_while_open)
{
	int value;
	sem_t *old = sem_open("/inspect-test", O_CREAT | O_EXCL, 0600, 1);

	assert(sem_unlink("/inspect-test") == 0);
	assert(sem_open("/inspect-test", 0) == SEM_FAILED && errno == ENOENT);
	sem_t *new = sem_open("/inspect-test", O_CREAT | O_EXCL, 0600, 5);
	assert(new != SEM_FAILED &&new != old);
	assert(sem_wait(old) == 0 && sem_getvalue(new, &value) == 0 && value == 5);
	assert(sem_close(old) == 0 && sem_close(new) == 0 && sem_unlink("/inspect-test") == 0);
}

static int word;

static void *increment(void *unused)
{
	sem_t *semaphore = sem_open("/inspect-test", O_CREAT, 0600, 1);

	assert(semaphore != SEM_FAILED);
	assert(sem_wait(semaphore) == 0);
	word++;
	assert(sem_post(semaphore) == 0 && sem_close(semaphore) == 0);
	return unused;
}

CASE(threads)
{
	pthread_t thread = start(increment, NULL);

	increment(NULL);
	finish(thread);
	assert(word == 2 && sem_unlink("/inspect-test") == 0);
}

static void *create(void *unused)
{
	(void)unused;
	return sem_open("/inspect-test", O_CREAT | O_EXCL, 0600, 1);
}

CASE(exclusive)
{
	pthread_t thread = start(create, NULL);
	sem_t *mine = create(NULL);
	bool failed = mine == SEM_FAILED;

	assert(!failed || errno == EEXIST);
	assert((finish(thread) == SEM_FAILED) != failed);
	exit(failed);
}

CASE(errors)
{
	char name[NAME_MAX + 2];

	assert(sem_open("/nowhere", 0) == SEM_FAILED && errno == ENOENT);
	assert(sem_unlink("/nowhere") == -1 && errno == ENOENT);
	assert(sem_open("/a", O_CREAT | O_EXCL, 0600, 1) != SEM_FAILED);
	assert(sem_open("/a", O_CREAT | O_EXCL, 0600, 1) == SEM_FAILED && errno == EEXIST);
	assert(sem_open("/b", O_CREAT, 0600, (unsigned)SEM_VALUE_MAX + 1) == SEM_FAILED && errno == EINVAL);
	assert(sem_open("/", O_CREAT, 0600, 1) == SEM_FAILED && errno == EINVAL);
	memset(name, 'x', sizeof name - 1);
	name[0] = '/';
	name[sizeof name - 1] = 0;
	assert(sem_open(name, O_CREAT, 0600, 1) == SEM_FAILED && errno == ENAMETOOLONG);
	assert(sem_unlink("/a") == 0);
	assert(sem_unlink("/a") == -1 && errno == ENOENT);
}

static sem_t *closed(void)
{
	sem_t *semaphore = sem_open("/inspect-test", O_CREAT, 0600, 1);

	sem_unlink("/inspect-test");
	sem_close(semaphore);
	return semaphore;
}

static sem_t unnamed;

MISUSE(open_null, sem_open(NULL, 0)); // @open_null
MISUSE(unlink_null, sem_unlink(NULL)); // @unlink_null
MISUSE(close_null, sem_close(NULL)); // @close_null
MISUSE(close_twice, sem_close(closed())); // @close_twice
MISUSE(close_unnamed, sem_close(&unnamed)); // @close_unnamed
MISUSE(wait_closed, sem_wait(closed())); // @wait_closed
