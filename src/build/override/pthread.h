/*
 * Comes before the system's <pthread.h> when a program is compiled for Inspect: what the static
 * initialisers make can then be told from memory that is zero because nobody initialised it.
 * The numbers are those of src/runtime/{mutex,cond,rwlock}.c; the line of assembly tells the
 * instrumentor that this header was used.  In C++ the objects have constructors.
 */
#include_next <pthread.h>

#if !defined(INSPECT_OVERRIDE_PTHREAD_H) && !defined(__cplusplus) && defined(__PTHREAD_MUTEX_INITIALIZER) &&           \
	defined(__PTHREAD_RWLOCK_INITIALIZER) && defined(__x86_64__) && !defined(__ILP32__)
#define INSPECT_OVERRIDE_PTHREAD_H

__asm__(".ident \"inspect-initialisers\"");

#undef __PTHREAD_MUTEX_INITIALIZER
#define __PTHREAD_MUTEX_INITIALIZER(kind) 0, 0, 0, 0x6d757410, kind, 0, 0, {0, 0}
#undef __PTHREAD_RWLOCK_INITIALIZER
#define __PTHREAD_RWLOCK_INITIALIZER(flags) 0, 0, 0, 0, 0x6b6c7773, 0, 0, 0, __PTHREAD_RWLOCK_ELISION_EXTRA, 0, flags
#undef PTHREAD_COND_INITIALIZER
#define PTHREAD_COND_INITIALIZER                                                                                       \
	{                                                                                                              \
		{                                                                                                      \
			{0x646e6f64}, {0}, {0, 0}, {0, 0}, 0, 0, {0, 0}                                                \
		}                                                                                                      \
	}

#endif
