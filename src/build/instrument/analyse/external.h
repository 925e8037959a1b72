/*
 * What leaves instrumented code: calls of library functions and through
 * pointers, LLVM's intrinsic functions, inline assembly.
 */
#ifndef INSPECT_BUILD_INSTRUMENT_ANALYSE_EXTERNAL_H
#define INSPECT_BUILD_INSTRUMENT_ANALYSE_EXTERNAL_H

#include "build/instrument/instrument.h"

enum call_class {
	CALL_INSIDE, /* of a function of the program: its own accesses are announced there */
	CALL_OUTSIDE, /* may leave instrumented code: CURRENT_SITE is set before it */
	CALL_HARMLESS, /* touches no memory that another thread could see */
	CALL_COPY, /* memcpy, memmove (to, from, size): intrinsic or library function */
	CALL_SET, /* memset (to, value, size) */
	CALL_FENCE, /* inline assembly that is a full memory barrier */
	CALL_UNREPEATABLE, /* reads what is different each time: the processor's clock, a random number */
	CALL_REFUSED, /* no model: the execution ends there with a message */
};

/* Class of a call, invoke or callbr instruction. */
enum call_class classify_call(LLVMValueRef call);

/*
 * A call of a library function of which the runtime knows all that it changes: one that it
 * models, or one that only lets time pass.
 */
bool is_known_call(LLVMValueRef call);
/* Does the call do nothing but pass the time? */
bool is_quiet_call(LLVMValueRef call);

bool is_intrinsic_call(LLVMValueRef call);

/* What is refused, for the message: "inline assembly: TEXT", "intrinsic NAME".  In static memory. */
const char *refusal(LLVMValueRef call);

#endif
