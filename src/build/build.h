/*
 * From C and C++ sources to a program that the explorer can run.
 *
 * The compiler driver (this header) runs in `inspect`; the part that needs LLVM
 * is a program of its own, inspect-instrument, so that the command starts fast
 * and a crash in LLVM is an error message.
 */
#ifndef INSPECT_BUILD_BUILD_H
#define INSPECT_BUILD_BUILD_H

#include <stdbool.h>

/*
 * `inspect cc ARGS…`: a drop-in compiler and linker.  Returns the exit status:
 * that of the compiler for what the compiler refuses.  argv[0] is the command's
 * own name, as for main, and argv[argc] is NULL.
 */
int build_cc(int argc, char **argv);

/* `inspect c++ ARGS…`: the same for C++. */
int build_cxx(int argc, char **argv);

/*
 * Compile, instrument and link sources with flags (argv-like, NULL-terminated:
 * what `inspect check` was given before `--`) into the program `output`.  All
 * intermediate files are made in `scratch`, a directory that the caller made and
 * removes.  `--stateful` among the flags makes a program for the stateful search, as for
 * `inspect cc`.  With use_cache, a program that was built before from the same is taken from
 * the cache (cache/cache.h).  Returns 0, or the exit status 2 after the compiler's message or one
 * line of ours was printed to stderr.
 */
int build_program(char *const arguments[], const char *output, const char *scratch, bool use_cache);

/* Is this argument a C or C++ source by its name? */
bool build_is_source(const char *argument);

#endif
