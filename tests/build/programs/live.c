/*
 * What a program that keeps its state knows at a place: built with --stateful, run by itself.
 * Each task is done twice from the same place, with inputs that live_native.c chooses and main
 * does not know.
 */
#include "live.h"

#include "wire/hooks.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static void dead_argument(long dead, long live)
{
	use(dead);
	look();
	use(live);
}

static void two_values(long a, long b)
{
	look();
	use(a);
	use(b);
}

static void two_numbers(double a, double b)
{
	look();
	use_number(a);
	use_number(b);
}

static void counter(long end)
{
	for (long i = 0; i < end; i++)
		look();
}

static void faint(long end, long step)
{
	long sum = 0;

	for (long i = 0; i < end; i++) {
		look();
		sum += step * i;
	}
	(void)sum;
}

static void only_look(void)
{
	look();
}

static void caller(long value)
{
	only_look();
	use(value);
}

static void use_then_look(long value)
{
	use(value);
	look();
}

static void look_then_use(long value)
{
	look();
	use(value);
}

static void pass_on(long value)
{
	use_then_look(value);
}

static void pass_on_live(long value)
{
	look_then_use(value);
}

static void variadic(int n, ...)
{
	va_list list;

	va_start(list, n);
	look();
	use(va_arg(list, long));
	va_end(list);
}

static void recurse(long depth)
{
	if (depth == 0)
		look();
	else
		recurse(depth - 1);
}

static void (*volatile pointer)(void) = only_look;

static void through_pointer(long value)
{
	pointer();
	use(value);
}

static void long_number(long value)
{
	__int128 number = (__int128)value << 70;

	look();
	use((long)(number >> 65));
}

static void long_double(long value)
{
	long double number = 1.0L + (long double)value * 0x1p-63L;

	look();
	use(number > 1.0L + 0x1p-63L);
}

struct pair {
	long a, b;
};

static struct pair make_pair(long a, long b)
{
	struct pair pair = {a, b};
	return pair;
}

static void result(long a, long b)
{
	struct pair pair = make_pair(a, b);

	look();
	use(pair.b);
}

typedef int vector __attribute__((vector_size(16)));

static void with_vector(long value)
{
	vector v = {0, 0, 0, (int)value};

	look();
	use((v + v)[3]);
}

/* What the register held before must not matter. */
static void no_value(long condition, long other)
{
	long value;

	use(other * 3);
	if (condition)
		value = input(1);
	for (long i = 0; i < 2; i++) {
		look();
		if (condition)
			use(value);
	}
}

static void memory(long value)
{
	volatile long array[4];

	array[value] = value;
	look();
	use(array[1]);
}

static void places(void)
{
	look();
	look();
	look();
}

static void do_task(int task)
{
	switch (task) {
	case DEAD_ARGUMENT: dead_argument(input(0), input(1)); break;
	case OPERAND: look_at(input(0)); break;
	case TWO_VALUES: two_values(input(0), input(1)); break;
	case TWO_NUMBERS: two_numbers((double)input(0), (double)input(1)); break;
	case COUNTER: counter(input(0)); break;
	case FAINT: faint(input(0), input(1)); break;
	case CALLER: caller(input(0)); break;
	case PASSED_ON: pass_on(input(0)); break;
	case CALLEE: pass_on_live(input(0)); break;
	case VARIADIC: variadic(1, input(0)); break;
	case RECURSION: recurse(input(0)); break;
	case POINTER: through_pointer(input(0)); break;
	case LONG_NUMBER: long_number(input(0)); break;
	case LONG_DOUBLE: long_double(input(0)); break;
	case RESULT: result(input(0), input(1)); break;
	case VECTOR: with_vector(input(0)); break;
	case NO_VALUE: no_value(input(0), input(1)); break;
	case MEMORY: memory(input(0)); break;
	case PLACES: places(); break;
	default: abort();
	}
}

/* ---- memory of a function ---- */

static void fill(void)
{
	volatile char array[64];

	for (unsigned i = 0; i < sizeof array; i++)
		array[i] = (char)(i + 1);
	remember((const char *)array);
}

static void find_zeros(void)
{
	char array[64];

	must_be_zero(array, sizeof array, "a variable when its function begins");
}

struct large {
	long numbers[8];
};

static long change(struct large copy)
{
	copy.numbers[0]++;
	return copy.numbers[0] + copy.numbers[7];
}

static void pass_structure(void)
{
	struct large large = {{1, 2, 3, 4, 5, 6, 7, 8}};

	if (change(large) != 10 || large.numbers[0] != 1)
		abort();
}

static long sum_of(int n, ...)
{
	va_list list, again;
	long sum = 0;

	va_start(list, n);
	va_copy(again, list);
	for (int i = 0; i < n; i++)
		sum += va_arg(list, long) * va_arg(again, long);
	va_end(again);
	va_end(list);
	return sum;
}

static void variable_length(long n)
{
	char array[n];

	must_be_zero(array, (unsigned)n, "an array of variable length");
	memset(array, 1, (size_t)n);
}

static void called_back(void)
{
	must_be_inside(*(volatile uint64_t *)OUTSIDE_ADDRESS);
}

int main(void)
{
	int task;

	while ((task = next_task()) != NO_TASK)
		do_task(task);
	fill();
	must_be_zero(NULL, 64, "a variable when its function has returned");
	find_zeros();
	pass_structure();
	if (sum_of(8, 1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L) != 204)
		abort();
	variable_length(100);
	call_back(called_back);
	return finish();
}
