/*
 * Functions of the C library that touch memory through pointers, or have hidden
 * state, are replaced by the runtime's wrappers (wire/libc.def), which announce
 * what they do.  Only instrumented code is redirected, by the name of the
 * declaration; a function that the program defines itself, in C or in a native object, is
 * its own.
 */
#ifndef INSPECT_BUILD_INSTRUMENT_LIBC_H
#define INSPECT_BUILD_INSTRUMENT_LIBC_H

#include "build/instrument/instrument.h"

/* The name of the wrapper for a declared function; NULL when it has none. */
const char *libc_wrapper(LLVMValueRef function);

/* Rename the declarations; comes after the hooks were inserted, which look at the names of functions. */
void redirect_libc(struct program *program);

#endif
