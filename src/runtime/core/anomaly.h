/*
 * Findings by themselves: a misuse, a crash, a failed assertion, what is not supported.  Each is a visible operation (EV_ANOMALY),
 * the thread's last one, which conflicts with whatever the other threads would do next: so it is met in every order in
 * which it can be.
 */
#ifndef INSPECT_RUNTIME_CORE_ANOMALY_H
#define INSPECT_RUNTIME_CORE_ANOMALY_H

#include <stdint.h>

#include "wire/channel.h"

/* The names below are the runtime's own: a program may have the same (Makefile, RUNTIME_NAMES). */
#pragma GCC visibility push(hidden)

/* The running thread meets its end, and that of the process; before main the process ends at once. */
void anomaly(enum event_kind kind, const char *message) __attribute__((noreturn));
/* The same about memory: where it is, and the heap block that it is about (or NULL). */
void anomaly_at(enum event_kind kind, const char *message, uint64_t address, const struct block_info *block)
	__attribute__((noreturn));
/* The same with what the thread has in `message` and `fault`. */
void meet_anomaly(enum event_kind kind) __attribute__((noreturn));

#pragma GCC visibility pop

#endif
