/*
 * What a program asks of the search by itself: include/inspect.h, and the names that the
 * software verification competition uses for the same.
 */
#include "common/invariant.h"
#include "runtime/core/anomaly.h"
#include "runtime/core/runtime.h"
#include "runtime/core/schedule.h"
#include "runtime/core/text.h"

#include "inspect.h"

enum { MAX_CHOICES = 65535 };

unsigned inspect_choose(unsigned n)
{
	struct op op = make_op(EV_CHOOSE, NULL);

	if (n == 0 || n > MAX_CHOICES)
		anomaly(EV_REFUSED, "inspect_choose needs a number of choices from 1 to 65535");
	op.choices = (uint16_t)n;
	struct event *event = n > 1 ? point(&op) : NULL;
	invariant(!event || event->choice < n);
	return event ? event->choice : 0;
}

/* The thread waits for ever; nobody takes that for a deadlock. */
void inspect_assume(int condition)
{
	struct op op = make_op(EV_ASSUME, NULL);

	if (condition)
		return;
	if (rt->phase != PHASE_RUN)
		anomaly(EV_REFUSED, "a failed assumption outside a running thread is not supported");
	point(&op);
}

void inspect_assertion_failed(const char *condition, const char *file, unsigned line, const char *function)
{
	extern void __assert_fail(const char *, const char *, unsigned, const char *) __attribute__((noreturn));

	__assert_fail(condition, file, line, function);
}

/* Called where the header is not included and the macro is not there. */
void(inspect_assert)(int condition)
{
	if (!condition)
		anomaly(EV_ASSERT_FAIL, "inspect_assert failed");
}

/* --- atomic blocks --- */

void inspect_atomic_begin(void)
{
	struct op op = make_op(EV_ATOMIC_BEGIN, NULL);

	if (rt->phase != PHASE_RUN)
		return;
	if (!self()->atomic_depth)
		point(&op);
	invariant(rt->schedule.atomic_owner == -1 || rt->schedule.atomic_owner == (int32_t)rt->current);
	self()->atomic_depth++;
	rt->schedule.atomic_owner = (int32_t)rt->current;
	reconsider_all();
}

void inspect_atomic_end(void)
{
	struct op op = make_op(EV_ATOMIC_END, NULL);

	if (rt->phase != PHASE_RUN)
		return;
	if (!self()->atomic_depth)
		anomaly(EV_MISUSE, "the end of an atomic block that was not begun");
	invariant(rt->schedule.atomic_owner == (int32_t)rt->current);
	if (--self()->atomic_depth)
		return;
	local_event(&op);
	rt->schedule.atomic_owner = -1;
	reconsider_all();
}

/* --- the names of the competition; programs often define some of them themselves --- */

#define WEAK __attribute__((weak))

WEAK void __VERIFIER_assume(int condition)
{
	inspect_assume(condition);
}

WEAK void __VERIFIER_assert(int condition)
{
	if (!condition)
		anomaly(EV_ASSERT_FAIL, "__VERIFIER_assert failed");
}

WEAK void __VERIFIER_error(void)
{
	anomaly(EV_ASSERT_FAIL, "__VERIFIER_error was called");
}

WEAK void reach_error(void)
{
	anomaly(EV_ASSERT_FAIL, "reach_error was called");
}

WEAK void __VERIFIER_atomic_begin(void)
{
	inspect_atomic_begin();
}

WEAK void __VERIFIER_atomic_end(void)
{
	inspect_atomic_end();
}

/* Two values can all be explored; of more, nobody can say which matter. */
WEAK _Bool __VERIFIER_nondet_bool(void)
{
	return inspect_choose(2);
}

#define UNBOUNDED(type, name)                                                                                          \
	WEAK type __VERIFIER_nondet_##name(void)                                                                       \
	{                                                                                                              \
		return (type)unbounded("__VERIFIER_nondet_" #name);                                                    \
	}

/* Explored over the range that --nondet-range gives, else refused. */
static long unbounded(const char *function)
{
	char message[MAX_MESSAGE];
	int64_t low = rt->channel->modes.nondet_low, high = rt->channel->modes.nondet_high;

	if (low <= high)
		return low + inspect_choose((unsigned)(high - low + 1));
	message_set(message, function,
		    " may return any value, which cannot be explored: give a range with --nondet-range, or use "
		    "inspect_choose(n)",
		    NULL);
	anomaly(EV_REFUSED, message);
}

UNBOUNDED(char, char)
UNBOUNDED(unsigned char, uchar)
UNBOUNDED(short, short)
UNBOUNDED(unsigned short, ushort)
UNBOUNDED(int, int)
UNBOUNDED(unsigned, uint)
UNBOUNDED(unsigned, unsigned)
UNBOUNDED(long, long)
UNBOUNDED(unsigned long, ulong)
UNBOUNDED(long long, longlong)
UNBOUNDED(unsigned long long, ulonglong)
UNBOUNDED(unsigned long, size_t)
UNBOUNDED(double, double)
UNBOUNDED(float, float)
UNBOUNDED(void *, pointer)
