/*
 * Facts that the code relies on, checked at three levels.
 *
 *   invariant()        one comparison or two: always checked, in releases as well
 *   debug_invariant()  what costs more than the code around it: with -DCHECKS=1 (make SANITIZE=1)
 *   slow_invariant()   looks at a whole structure again: with -DCHECKS=2
 *
 * A fact that does not hold is a failure of ours: the tool ends with exit status 4 and names the fact. The runtime,
 * which lives inside the program under test, ends the execution and has the explorer say so.
 */
#ifndef INSPECT_COMMON_INVARIANT_H
#define INSPECT_COMMON_INVARIANT_H

#ifndef CHECKS
#define CHECKS 0
#endif

#define INVARIANT_TEXT(number) #number
#define INVARIANT_LINE(number) INVARIANT_TEXT(number)

__attribute__((visibility("hidden"))) _Noreturn void invariant_failed(const char *what);

#define invariant(fact)                                                                                                \
	(__builtin_expect(!(fact), 0) ? invariant_failed(__FILE__ ":" INVARIANT_LINE(__LINE__) ": " #fact) : (void)0)

/* Not checked, it is compiled all the same. */
#define INVARIANT_UNCHECKED(fact) ((void)sizeof(!(fact)))

#if CHECKS >= 1
#define debug_invariant(fact) invariant(fact)
#else
#define debug_invariant(fact) INVARIANT_UNCHECKED(fact)
#endif

#if CHECKS >= 2
#define slow_invariant(fact) invariant(fact)
#else
#define slow_invariant(fact) INVARIANT_UNCHECKED(fact)
#endif

#endif
