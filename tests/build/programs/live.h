/* Between live.c, which is instrumented, and live_native.c, which is not. */
#include <stdint.h>

enum task {
	NO_TASK = -1,
	DEAD_ARGUMENT,
	OPERAND,
	TWO_VALUES,
	TWO_NUMBERS,
	COUNTER,
	FAINT,
	CALLER,
	PASSED_ON,
	CALLEE,
	VARIADIC,
	RECURSION,
	POINTER,
	LONG_NUMBER,
	LONG_DOUBLE,
	RESULT,
	VECTOR,
	NO_VALUE,
	MEMORY,
	PLACES,
};

int next_task(void);
long input(int i);
void look(void); /* at LIVE as it is now */
void look_at(long value);
void use(long value);
void use_number(double value);
void remember(const char *address);
void must_be_zero(const char *memory, unsigned size, const char *what); /* NULL: what was remembered */
void call_back(void (*function)(void));
void must_be_inside(uint64_t outside);
int finish(void);
