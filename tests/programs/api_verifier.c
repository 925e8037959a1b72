// The names that the software verification competition uses.
// expect: source verified executions=4 [args: booleans]
// expect: dpor verified executions=4 [args: booleans]
// expect: all verified executions=4 [args: booleans]
// expect: source bug=assertion executions=5 [args: integers] [options: --nondet-range=-2..2 --keep-going] line=@integers
// expect: dpor bug=assertion executions=5 [args: integers] [options: --nondet-range=-2..2 --keep-going] line=@integers
// expect: all bug=assertion executions=5 [args: integers] [options: --nondet-range=-2..2 --keep-going] line=@integers
// expect: source verified executions=16 [args: unsigned_integers] [options: --nondet-range=0..3]
// expect: dpor verified executions=16 [args: unsigned_integers] [options: --nondet-range=0..3]
// expect: all verified executions=16 [args: unsigned_integers] [options: --nondet-range=0..3]
// expect: source verified executions=2 [args: assumed] [options: --nondet-range=0..9]
// expect: dpor verified executions=2 [args: assumed] [options: --nondet-range=0..9]
// expect: all verified executions=2 [args: assumed] [options: --nondet-range=0..9]
// expect: source error line=@integers [args: integers] [says: --nondet-range]
// expect: source error line=@longs [args: longs] [says: --nondet-range]
// expect: source verified executions=2 [args: atomic_blocks]
// expect: dpor verified executions=2 [args: atomic_blocks]
// expect: all verified executions=2 [args: atomic_blocks]
// expect: source bug=assertion executions=1 line=@error_reached [args: error_reached] [says: reach_error]
// expect: source bug=assertion executions=1 line=@verifier_error [args: verifier_error] [says: __VERIFIER_error]
// expect: source bug=assertion executions=1 line=@verifier_assert [args: verifier_assert] [says: __VERIFIER_assert]
// expect: source verified executions=2 [args: atomic_function]
// expect: dpor verified executions=2 [args: atomic_function]
// expect: all verified executions=2 [args: atomic_function]
#include "api.h"

extern _Bool __VERIFIER_nondet_bool(void);
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
extern long __VERIFIER_nondet_long(void);
extern void __VERIFIER_assume(int);
extern void __VERIFIER_assert(int);
extern void __VERIFIER_error(void);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
extern void reach_error(void);

static int word;

CASE(booleans)
{
	int sum = __VERIFIER_nondet_bool() + __VERIFIER_nondet_bool();

	assert(sum >= 0 && sum <= 2);
}

CASE(integers)
{
	int value = __VERIFIER_nondet_int(); // @integers

	assert(value >= -2 && value <= 2);
	assert(value != -1); // @integers
}

CASE(unsigned_integers)
{
	assert(__VERIFIER_nondet_uint() + __VERIFIER_nondet_uchar() <= 6);
}

CASE(assumed)
{
	int value = __VERIFIER_nondet_int();

	__VERIFIER_assume(value > 7);
	assert(value == 8 || value == 9);
}

static void *in_block(void *unused)
{
	__VERIFIER_atomic_begin();
	word++;
	__VERIFIER_atomic_end();
	return unused;
}

CASE(atomic_blocks)
{
	pthread_t thread = start(in_block, NULL);

	in_block(NULL);
	finish(thread);
	assert(word == 2);
}

/* A function of such a name is an atomic block. */
void __VERIFIER_atomic_increment(void)
{
	word++;
}

static void *in_function(void *unused)
{
	__VERIFIER_atomic_increment();
	return unused;
}

CASE(atomic_function)
{
	pthread_t thread = start(in_function, NULL);

	in_function(NULL);
	finish(thread);
	assert(word == 2);
}

MISUSE(longs, __VERIFIER_nondet_long()); // @longs
MISUSE(error_reached, reach_error()); // @error_reached
MISUSE(verifier_error, __VERIFIER_error()); // @verifier_error
MISUSE(verifier_assert, __VERIFIER_assert(word == 1)); // @verifier_assert
