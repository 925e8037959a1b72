/*
 * What a program under test may ask of Inspect.
 *
 * The functions are there in every program that is built with `inspect cc` or given to
 * `inspect check`; the header only declares them.  So are the names of the software
 * verification competition: __VERIFIER_assume, __VERIFIER_nondet_bool and the other
 * __VERIFIER_nondet_… (over the range of --nondet-range), __VERIFIER_atomic_begin and _end,
 * functions named __VERIFIER_atomic_…, reach_error.
 */
#ifndef INSPECT_H
#define INSPECT_H

#ifdef __cplusplus
extern "C" {
#endif

/* Any number from 0 to n - 1 (n from 1 to 65535): every one of them is explored. */
unsigned inspect_choose(unsigned n);

/*
 * Only executions in which the condition holds are of interest: one in which it does not
 * is given up, and is neither a bug nor counted as an execution.
 */
void inspect_assume(int condition);

/* Like assert(), also with NDEBUG. */
void inspect_assert(int condition);
void inspect_assertion_failed(const char *condition, const char *file, unsigned line, const char *function)
	__attribute__((noreturn));
#define inspect_assert(condition)                                                                                      \
	((condition) ? (void)0 : inspect_assertion_failed(#condition, __FILE__, __LINE__, __func__))

/*
 * No other thread runs between the two, as if what is between them were one operation;
 * unless the thread must wait for something there, which lets others run.  They nest.
 * An access in between is no data race with one outside: the two are never next to each other.
 */
void inspect_atomic_begin(void);
void inspect_atomic_end(void);

#ifdef __cplusplus
}
#endif

#endif
