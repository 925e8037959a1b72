/*
 * Which memory can only one thread ever touch?
 *
 * First version, intraprocedural and simple enough to be seen to be sound: a
 * local variable (an alloca, or the private copy behind a byval parameter) is
 * private when its address never leaves the function.  Its address may be
 * offset, cast, compared, chosen from by phi and select; memory may be loaded,
 * stored, updated and block-copied through it.  Whatever else happens to the
 * address (stored somewhere, passed to a call, returned, turned into a number)
 * makes the variable shared.
 *
 * An access is private when every object that its pointer may be based on is a
 * private variable.  Other threads can neither race with such an access nor see
 * its effect, so it needs no announcement.
 */
#ifndef INSPECT_BUILD_INSTRUMENT_ANALYSE_ESCAPE_H
#define INSPECT_BUILD_INSTRUMENT_ANALYSE_ESCAPE_H

#include "build/instrument/instrument.h"
#include "build/instrument/map.h"

struct escape {
	struct map verdicts; /* alloca or argument → enum verdict; absent = not asked yet */
};

void escape_init(struct escape *escape);
void escape_release(struct escape *escape);

bool pointer_is_private(struct escape *escape, LLVMValueRef pointer);

/* Does the pointer surely lead into a constant variable, which nobody writes? */
bool pointer_is_constant(LLVMValueRef pointer);

#endif
