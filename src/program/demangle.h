/*
 * Names of C++ as they are written: "worker(int)" for "_Z6workeri".
 *
 * The C++ library knows how.  It is asked only when such a name is to be printed, and
 * who checks C++ programs has it.
 */
#ifndef INSPECT_PROGRAM_DEMANGLE_H
#define INSPECT_PROGRAM_DEMANGLE_H

/* To be freed; NULL for a name that is not one of C++. */
char *demangle(const char *name);

#endif
