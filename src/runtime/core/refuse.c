/*
 * A function that has no model must never run by itself: it would block or race
 * outside the scheduler, and "verified" would be a lie.
 */
#include "runtime/core/anomaly.h"

#define MODELLED(name, use)
#define ACCEPTED(name, use)
#define PURE(name, use)
#define REFUSED(name)                                                                                                  \
	void refused_##name(void) __asm__(#name);                                                                      \
	void refused_##name(void)                                                                                      \
	{                                                                                                              \
		anomaly(EV_REFUSED, #name " is not supported");                                                        \
	}
#include "wire/functions.def"
