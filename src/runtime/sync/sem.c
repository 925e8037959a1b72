/*
 * Semaphores, unnamed and named.  The state is in the sem_t itself; sem_t has no static
 * initialiser, so one that was never initialised is recognised.
 *
 * Named semaphores belong to the process under test alone: nothing in the system is
 * opened, and no name exists when main begins.
 */
#define _GNU_SOURCE
#include "common/invariant.h"
#include "runtime/arch/arch.h"
#include "runtime/core/anomaly.h"
#include "runtime/core/primitive.h"
#include "runtime/core/runtime.h"
#include "runtime/core/schedule.h"
#include "runtime/core/text.h"
#include "runtime/core/thread.h"
#include "runtime/memory/arguments.h"
#include "runtime/memory/memory.h"
#include "runtime/sync/sync.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <semaphore.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define ALIVE 0x6573616cu
#define DESTROYED 0x64656d6eu

struct semaphore {
	uint32_t value;
	uint32_t state; /* ALIVE, DESTROYED or anything */
};

_Static_assert(sizeof(struct semaphore) <= sizeof(sem_t), "the state fits");

struct named_semaphore {
	sem_t semaphore; /* first: its address is that of the structure */
	struct named_semaphore *next;
	uint32_t opened; /* how often */
	bool unlinked;
	char name[];
};

static struct semaphore *inside(uint64_t semaphore)
{
	return (struct semaphore *)semaphore;
}

uint32_t sem_value(uint64_t semaphore)
{
	return inside(semaphore)->state == ALIVE ? inside(semaphore)->value : 1;
}

static bool ready(const struct op *op)
{
	return sem_value(op->object) > 0;
}

static enum event_kind kind(const struct thread *thread)
{
	const struct op *op = &thread->pending;

	return op->kind == EV_SEM_TRYWAIT && !sem_value(op->object) ? EV_SEM_TRYWAIT_FAIL : op->kind;
}

static uint64_t value(const struct op *op)
{
	return op->object ? sem_value(op->object) : 0;
}

const struct primitive primitive_SEM = {
	.ready = ready, .kind = kind, .value = value, .size = sizeof(sem_t), .telling = sizeof(uint32_t)};

static int fail_with(int error)
{
	errno = error;
	return -1;
}

static void check_alive(const sem_t *semaphore, const char *function)
{
	char message[MAX_MESSAGE];

	if (inside((uint64_t)semaphore)->state == ALIVE)
		return;
	message_set(message, function,
		    inside((uint64_t)semaphore)->state == DESTROYED ? " of a semaphore that was destroyed"
								    : " of a semaphore that was never initialised",
		    NULL);
	anomaly(EV_MISUSE, message);
}

static uint64_t waiters(const sem_t *semaphore)
{
	uint64_t found = 0;

	for (uint64_t left = rt->schedule.blocking; left; left &= left - 1) {
		unsigned i = (unsigned)__builtin_ctzll(left);
		if (i != rt->current && rt->threads[i].pending.kind == EV_SEM_WAIT &&
		    rt->threads[i].pending.object == (uint64_t)semaphore)
			found |= bit(i);
	}
	return found;
}

int sem_init(sem_t *semaphore, int shared, unsigned value)
{
	struct op op = make_op(EV_SEM_INIT, semaphore);

	touch(semaphore);
	if (value > SEM_VALUE_MAX)
		return fail_with(EINVAL);
	if (shared)
		anomaly(EV_REFUSED, "sem_init of a semaphore shared between processes is not supported");
	point(&op);
	if (inside((uint64_t)semaphore)->state == ALIVE && !is_in_reused_memory(semaphore))
		anomaly(EV_MISUSE, "sem_init of a semaphore that is initialised already");
	memset(semaphore, 0, sizeof *semaphore);
	*inside((uint64_t)semaphore) = (struct semaphore){.value = value, .state = ALIVE};
	reconsider_object((uint64_t)semaphore);
	return 0;
}

int sem_destroy(sem_t *semaphore)
{
	struct op op = make_op(EV_SEM_DESTROY, semaphore);

	touch(semaphore);
	point(&op);
	check_alive(semaphore, "sem_destroy");
	if (waiters(semaphore))
		anomaly(EV_MISUSE, "sem_destroy of a semaphore that a thread waits on");
	inside((uint64_t)semaphore)->state = DESTROYED;
	return 0;
}

int sem_post(sem_t *semaphore)
{
	struct op op = make_op(EV_SEM_POST, semaphore);

	touch(semaphore);
	point(&op);
	check_alive(semaphore, "sem_post");
	if (inside((uint64_t)semaphore)->value == SEM_VALUE_MAX)
		return fail_with(EOVERFLOW);
	inside((uint64_t)semaphore)->value++;
	reconsider_object((uint64_t)semaphore);
	return 0;
}

static void take(sem_t *semaphore)
{
	invariant(inside((uint64_t)semaphore)->state == ALIVE);
	invariant(inside((uint64_t)semaphore)->value);
	inside((uint64_t)semaphore)->value--;
	reconsider_object((uint64_t)semaphore);
}

/* Outside a running thread nobody else can post. */
static void refuse_to_wait(const struct event *event, const sem_t *semaphore)
{
	if (!event && !inside((uint64_t)semaphore)->value)
		anomaly(EV_REFUSED, "sem_wait outside a running thread would wait for ever");
}

int sem_wait(sem_t *semaphore)
{
	struct op op = make_op(EV_SEM_WAIT, semaphore);

	touch(semaphore);
	cancellation_point();
	make_cancellable(&op);
	struct event *event = point(&op);
	if (event && event->op.kind == EV_SEM_CANCELLED)
		act_on_cancel();
	check_alive(semaphore, "sem_wait");
	refuse_to_wait(event, semaphore);
	take(semaphore);
	return 0;
}

int STATEFUL(sem_clockwait)(sem_t *semaphore, clockid_t clock, const struct timespec *until)
{
	struct op op = make_op(EV_SEM_WAIT, semaphore);
	struct timespec own;

	touch(semaphore);
	read_in(&own, until, sizeof own);
	until = &own;
	if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC)
		return fail_with(EINVAL);
	cancellation_point();
	if (!time_is_valid(until)) /* matters only if it had to wait, which others decide */
		op.kind = EV_SEM_TRYWAIT;
	else
		make_cancellable(&op);
	struct event *event = timed_point(&op, op.kind == EV_SEM_WAIT ? timeout_mode(clock, until) : TIMED_NO);
	if (event && event->op.kind == EV_SEM_CANCELLED)
		act_on_cancel();
	check_alive(semaphore, "sem_timedwait");
	if (event && event->op.kind == EV_SEM_TRYWAIT_FAIL)
		return fail_with(EINVAL);
	if (event && is_timeout(event->op.kind)) {
		timeout_happened(clock, until);
		return fail_with(ETIMEDOUT);
	}
	refuse_to_wait(event, semaphore);
	take(semaphore);
	return 0;
}

int STATEFUL(sem_timedwait)(sem_t *semaphore, const struct timespec *until)
{
	return STATEFUL(sem_clockwait)(semaphore, CLOCK_REALTIME, until);
}

int sem_trywait(sem_t *semaphore)
{
	struct op op = make_op(EV_SEM_TRYWAIT, semaphore);

	touch(semaphore);
	point(&op);
	check_alive(semaphore, "sem_trywait");
	if (!inside((uint64_t)semaphore)->value)
		return fail_with(EAGAIN);
	take(semaphore);
	return 0;
}

int sem_getvalue(sem_t *semaphore, int *value)
{
	struct op op = make_op(EV_SEM_GETVALUE, semaphore);

	touch(semaphore);
	point(&op);
	check_alive(semaphore, "sem_getvalue");
	int seen = (int)inside((uint64_t)semaphore)->value;
	__inspect_write(value, sizeof *value, op.site);
	*value = seen;
	return 0;
}

/* --- named --- */

static struct named_semaphore *find_named(const char *name)
{
	struct named_semaphore *named = rt->sync.named;

	while (named && (named->unlinked || strcmp(named->name, name)))
		named = named->next;
	return named;
}

static struct named_semaphore *make_named(const char *name, unsigned value)
{
	size_t length = strlen(name);
	struct named_semaphore *named = calloc(1, sizeof *named + length + 1);

	if (!named)
		return NULL;
	memcpy(named->name, name, length + 1);
	*inside((uint64_t)named) = (struct semaphore){.value = value, .state = ALIVE};
	named->next = rt->sync.named;
	rt->sync.named = named;
	return named;
}

static sem_t *open_failed(int error)
{
	errno = error;
	return SEM_FAILED;
}

sem_t *sem_open(const char *name, int flags, ...)
{
	struct op op = make_op(EV_SEM_NAME, NULL);
	char own[NAME_MAX];
	unsigned value = 0;

	read_in_string(own, name, sizeof own);
	name = own;
	if (flags & O_CREAT) {
		va_list arguments;
		va_start(arguments, flags);
		(void)va_arg(arguments, unsigned); /* permissions: there is but one process */
		value = va_arg(arguments, unsigned);
		va_end(arguments);
	}
	if (rt->phase == PHASE_START)
		anomaly(EV_REFUSED, "sem_open before main is not supported");
	if (value > SEM_VALUE_MAX || !name[0] || !strcmp(name, "/"))
		return open_failed(EINVAL);
	if (strlen(name) > NAME_MAX - 4)
		return open_failed(ENAMETOOLONG);
	point(&op);
	struct named_semaphore *named = find_named(name);
	if (named && flags & O_CREAT && flags & O_EXCL)
		return open_failed(EEXIST);
	if (!named && !(flags & O_CREAT))
		return open_failed(ENOENT);
	if (!named)
		named = make_named(name, value);
	if (!named)
		return open_failed(ENOMEM);
	named->opened++;
	invariant(!named->unlinked);
	return &named->semaphore;
}

int sem_close(sem_t *semaphore)
{
	struct op op = make_op(EV_SEM_NAME, NULL);
	struct named_semaphore *named;

	touch(semaphore);
	point(&op);
	for (named = rt->sync.named; named && &named->semaphore != semaphore; named = named->next)
		;
	if (!named || !named->opened)
		anomaly(EV_MISUSE, "sem_close of a semaphore that is not open");
	named->opened--;
	if (!named->opened && named->unlinked)
		inside((uint64_t)semaphore)->state = DESTROYED;
	return 0;
}

int sem_unlink(const char *name)
{
	struct op op = make_op(EV_SEM_NAME, NULL);
	char own[NAME_MAX];

	read_in_string(own, name, sizeof own);
	name = own;
	point(&op);
	struct named_semaphore *named = find_named(name);
	if (!named)
		return fail_with(ENOENT);
	named->unlinked = true;
	if (!named->opened)
		inside((uint64_t)named)->state = DESTROYED;
	return 0;
}
