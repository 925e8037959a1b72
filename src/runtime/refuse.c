/*
 * A function that has no model must never run by itself: it would block or race
 * outside the scheduler, and "verified" would be a lie.
 */
#include "runtime/runtime.h"

#define MODELLED(name)
#define PURE(name)
#define REFUSED(name)                                                                                                  \
	void refused_##name(void) __asm__(#name);                                                                      \
	void refused_##name(void)                                                                                      \
	{                                                                                                              \
		anomaly(EV_REFUSED, #name " is not supported yet");                                                    \
	}
#include "runtime/functions.def"

/* What pthread_cleanup_push is made of in C. */
void refused_cleanup(void) __asm__("__pthread_register_cancel");
void refused_cleanup(void)
{
	anomaly(EV_REFUSED, "pthread_cleanup_push is not supported yet");
}

void refused_cleanup_defer(void) __asm__("__pthread_register_cancel_defer");
void refused_cleanup_defer(void)
{
	anomaly(EV_REFUSED, "pthread_cleanup_push_defer_np is not supported yet");
}

/*
 * Once before main, where nobody else runs, is enough for the C++ library, which does so
 * to set up its locales and looks again ever after.
 */
int pthread_once(pthread_once_t *control, void (*function)(void))
{
	enum { DONE = 2 }; /* glibc's own value */

	if (*control == DONE)
		return 0;
	if (rt->phase != PHASE_START)
		anomaly(EV_REFUSED, "pthread_once is not supported yet");
	*control = DONE;
	function();
	return 0;
}
