/*
 * The part of live.c that is not instrumented: it says what to do next, looks at what the program
 * keeps (wire/hooks.h) whenever it is called, and compares.
 */
#include "live.h"

#include "wire/hooks.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum wanted { SAME, OTHER, ALL_OTHER };

struct seen {
	uint64_t live[2];
};

/* Each is run twice, with these inputs; SAME and OTHER compare the two runs, ALL_OTHER what is seen in the first. */
static const struct {
	const char *name;
	enum task task;
	enum wanted wanted;
	long first[2], second[2];
} cases[] = {
	{"a dead argument", DEAD_ARGUMENT, SAME, {1, 5}, {2, 5}},
	{"a live argument", DEAD_ARGUMENT, OTHER, {1, 5}, {1, 6}},
	{"the same once more", DEAD_ARGUMENT, SAME, {1, 5}, {1, 5}},
	{"an operand of the call", OPERAND, OTHER, {1, 0}, {2, 0}},
	{"exchanged values", TWO_VALUES, OTHER, {1, 2}, {2, 1}},
	{"two values that both change their sign", TWO_VALUES, OTHER, {3, 4}, {-3, -4}},
	{"one more, one less", TWO_VALUES, OTHER, {3, 4}, {4, 3}},
	{"two numbers that both change their sign", TWO_NUMBERS, OTHER, {3, 4}, {-3, -4}},
	{"a loop's counter", COUNTER, ALL_OTHER, {4, 0}, {4, 0}},
	{"the loop once more", COUNTER, SAME, {4, 0}, {4, 0}},
	{"a sum that nobody needs", FAINT, SAME, {3, 1}, {3, 2}},
	{"what the caller needs", CALLER, OTHER, {1, 0}, {2, 0}},
	{"an argument that nobody needs any more", PASSED_ON, SAME, {1, 0}, {2, 0}},
	{"the callee's argument", CALLEE, OTHER, {1, 0}, {2, 0}},
	{"arguments behind the dots", VARIADIC, OTHER, {1, 0}, {2, 0}},
	{"the depth of a recursion", RECURSION, OTHER, {3, 0}, {4, 0}},
	{"called through a pointer, what the caller needs", POINTER, OTHER, {1, 0}, {2, 0}},
	{"called through a pointer, once more", POINTER, SAME, {1, 0}, {1, 0}},
	{"the upper half of a long number", LONG_NUMBER, OTHER, {1, 0}, {2, 0}},
	{"the last bit of a long double", LONG_DOUBLE, OTHER, {1, 0}, {2, 0}},
	{"the live part of a result", RESULT, OTHER, {1, 5}, {1, 6}},
	{"the dead part of a result", RESULT, SAME, {1, 5}, {2, 5}},
	{"a vector", VECTOR, OTHER, {1, 0}, {2, 0}},
	{"a variable that has no value yet", NO_VALUE, SAME, {0, 0}, {0, 7}},
	{"memory is no part of it", MEMORY, SAME, {1, 0}, {2, 0}},
	{"two places", PLACES, ALL_OTHER, {0, 0}, {0, 0}},
};

enum { CASES = sizeof cases / sizeof *cases, MAX_SEEN = 32 };

static int at = -1; /* twice the case, and 1 for its second run */
static struct seen seen[2][MAX_SEEN];
static unsigned count[2];
static int failed;
static const char *variable;

static void fail(const char *name, const char *what)
{
	printf("%s: %s\n", name, what);
	failed = 1;
}

/* Either half is a hash by itself. */
static void compare(int number, const struct seen *a, const struct seen *b)
{
	bool same = cases[number].wanted == SAME;

	for (unsigned i = 0; i < 2; i++)
		if ((a->live[i] == b->live[i]) != same)
			fail(cases[number].name, same ? "should be the same" : "should differ");
}

static void judge(int number)
{
	if (!count[0] || count[0] != count[1] || count[0] > MAX_SEEN)
		fail(cases[number].name, "not seen as often as wanted");
	for (unsigned i = 0; i < count[0]; i++) {
		if (cases[number].wanted != ALL_OTHER)
			compare(number, &seen[0][i], &seen[1][i]);
		for (unsigned k = 0; k < i; k++)
			if (cases[number].wanted == ALL_OTHER)
				compare(number, &seen[0][i], &seen[0][k]);
	}
}

int next_task(void)
{
	at++;
	if (at % 2 == 0 && at)
		judge(at / 2 - 1);
	if (at == 2 * CASES)
		return NO_TASK;
	count[at % 2] = 0;
	return cases[at / 2].task;
}

long input(int i)
{
	return at % 2 ? cases[at / 2].second[i] : cases[at / 2].first[i];
}

void look(void)
{
	struct seen *now = &seen[at % 2][count[at % 2]++ % MAX_SEEN];

	memcpy(now->live, (const void *)LIVE_ADDRESS, sizeof now->live);
	if (*(const uint64_t *)OUTSIDE_ADDRESS != OUTSIDE_CALL)
		fail(cases[at / 2].name, "OUTSIDE is not set in a call outside");
}

void look_at(long value)
{
	(void)value;
	look();
}

void use(long value)
{
	(void)value;
}

void use_number(double value)
{
	(void)value;
}

/* ---- memory ---- */

void remember(const char *address)
{
	variable = address;
}

static int is_zero(const char *memory, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		if (memory[i])
			return 0;
	return 1;
}

void must_be_zero(const char *memory, unsigned size, const char *what)
{
	if (!is_zero(memory ? memory : variable, size))
		fail(what, "is not zero");
}

/* ---- calls back ---- */

void call_back(void (*function)(void))
{
	function();
	if (*(const uint64_t *)OUTSIDE_ADDRESS != OUTSIDE_CALL)
		fail("a function that was called back", "OUTSIDE is not what it was");
}

void must_be_inside(uint64_t outside)
{
	if (outside != 0)
		fail("a function that was called back", "OUTSIDE is set inside");
}

int finish(void)
{
	if (!failed)
		puts("all as wanted");
	return failed;
}
