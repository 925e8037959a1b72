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
