/* What C++ asks of its run-time library, as far as threads are concerned: guards of static objects, thread_local ones. */
#ifndef INSPECT_RUNTIME_CXX_CXX_H
#define INSPECT_RUNTIME_CXX_CXX_H

#include <stdbool.h>
#include <stdint.h>

/* The names below are the runtime's own: a program may have the same (Makefile, RUNTIME_NAMES). */
#pragma GCC visibility push(hidden)

/* The running thread's thread_local objects are destroyed: it or the process ends. */
void run_thread_destructors(void);

/* Before the first execution, after the donors: the C++ library must know that there are threads. */
void prepare_cxx(void);
/* The parts of that: containers.c, exceptions.c. */
void prepare_containers(void);
void prepare_exceptions(void);

#pragma GCC visibility pop

#endif
