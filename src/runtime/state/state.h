/*
 * The state of the program as a hash, for --stateful (wire/states.h): all of this is called only if is_stateful(), and
 * what is in exact.c only with --exact-states as well.
 *
 * Whoever writes memory of the program says so before (state_open_range …): the old value is taken out of the sum then, and the
 * new one is put in when the thread comes to the runtime again, or at state_close().
 */
#ifndef INSPECT_RUNTIME_STATE_STATE_H
#define INSPECT_RUNTIME_STATE_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/core/runtime.h"

/* The names below are the runtime's own: a program may have the same (Makefile, RUNTIME_NAMES). */
#pragma GCC visibility push(hidden)

static inline bool is_stateful(void)
{
	return __builtin_expect(rt->states.kept, 0) && !rt->trial.active;
}

/* At the beginning of an execution. */
void state_begin(void);

/* --- memory --- */

/* The range is about to be written, by the running thread and before it comes here again. */
void state_open_range(uint64_t address, uint64_t size);
static inline void state_will_change(const void *object, uint64_t size)
{
	if (is_stateful())
		state_open_range((uint64_t)object, size);
}
/* One more, at the same time. */
void state_open_more(uint64_t address, uint64_t size);
/* What was to be written is written. */
void state_close(void);
/* What was written so far counts, while it can be looked at. */
static inline void state_settle(void)
{
	if (is_stateful())
		state_close();
}
/* A block of the heap begins or ends. */
void state_block(uint64_t block, uint64_t what);

/* --- threads and all else --- */

/* Something inside the C library or the runtime changes, and the thread learns what it was. */
void state_hidden(uint64_t what);
/* The running thread changes what is kept of another one (state_of_thread() says what counts). */
void state_of_another_changes(unsigned thread);
/* Something changes that the runtime keeps for the running thread alone. */
void state_private(uint64_t what);
/* What a thread knows, such that it is not the same at any other time, nor after another step or state. */
void state_of_its_own(uint64_t words[2]);
/* Something happens that nothing is known about. */
void state_unknown(void);
/* The running thread is about to perform the operation: what does it see? */
void state_observe(const struct event *event);
/* The running thread has seen this, and will remember it in its next operations of the same call. */
void state_saw(const void *text, uint64_t size);

/* --- the whole --- */

/* The program's state, into the trace; or that there is none to be known. */
void state_capture(void);
void state_skip(uint32_t event);
/* Was the state that was captured last there before in this execution? */
bool state_comes_again(void);
/* What the search knows about it; NULL: nothing. */
const struct state_slot *state_known(void);

/* --- exact.c --- */

void exact_begin(void);
void exact_open(uint64_t address, uint64_t size);
void exact_close(uint64_t address, uint64_t size);
/* Variables of a function that returns: whoever comes next may use the memory. */
void exact_forget(uint64_t address, uint64_t size);
/* Of the state that is written out: one word, all memory. */
void exact_put(uint64_t word);
void exact_put_memory(void);

#pragma GCC visibility pop

#endif
