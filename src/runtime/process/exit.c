/*
 * exit(), and the handlers that it runs.
 *
 * The list of handlers is the runtime's own, so that taking one from it is an operation like registering one: which
 * handlers run, in which order and by which thread, depends on the order of these.  The first thread that calls exit
 * runs them; others that call it wait for the end of the process (POSIX.1-2024; before, two calls of exit were
 * undefined).  All of that is visible only in programs in which more than one thread does it (FEATURE_EXITS).
 *
 * What libraries have registered before the program's first constructor stays with libc, which runs it last, together
 * with the functions that are marked as destructors.  Behind these, process.c looks for handlers once more, which may
 * have been registered meanwhile, and ends the execution.
 */
#define _GNU_SOURCE
#include "runtime/core/primitive.h"
#include "runtime/core/runtime.h"
#include "runtime/core/schedule.h"
#include "runtime/core/thread.h"
#include "runtime/cxx/cxx.h"
#include "runtime/process/process.h"
#include "runtime/state/state.h"

#include <dlfcn.h>
#include <stdlib.h>

/* A block of the program's heap, so that it is rolled back.  It is never freed: who ends the process does not care. */
struct exit_handler {
	void *function; /* takes the argument, after the status if that is asked for */
	void *argument;
	bool takes_status;
	struct exit_handler *next; /* registered before */
};

static void begin_to_keep(void)
{
	rt->beginning.keeps_exit_handlers = true;
}

__attribute__((section(".init_array.00000"), used)) static void (*const keep_first)(void) = begin_to_keep;

static bool ready(const struct op *op)
{
	(void)op;
	return rt->exit.owner < 0;
}

const struct primitive primitive_EXIT = {.ready = ready};

/* --- what others can see --- */

/* The running thread registers a handler or calls exit.  As long as it is the only one that does, that is its own affair. */
static bool is_seen_by_others(void)
{
	if (rt->phase != PHASE_RUN || rt->nthreads == 1)
		return false;
	rt->exit.users |= bit(rt->current);
	if (rt->exit.users & (rt->exit.users - 1))
		use_feature(FEATURE_EXITS);
	return rt->channel->features & FEATURE_EXITS;
}

static void announce(enum event_kind kind, enum exit_object object)
{
	struct op op = {.kind = kind, .site = rt->current_site, .object = object};

	if (is_seen_by_others())
		point(&op);
}

/* --- registering --- */

/* Not what belongs to the site of the call: a handler is nobody's leak. */
static struct exit_handler *new_handler(void)
{
	uint32_t site = rt->current_site;

	rt->current_site = 0;
	struct exit_handler *handler = malloc(sizeof *handler);
	rt->current_site = site;
	return handler;
}

static int add_handler(void *function, void *argument, bool takes_status)
{
	struct exit_handler *handler = new_handler();

	if (!handler)
		return -1;
	state_will_change(handler, sizeof *handler);
	*handler = (struct exit_handler){.function = function,
					 .argument = argument,
					 .takes_status = takes_status,
					 .next = rt->exit.handlers};
	rt->exit.handlers = handler;
	rt->changed = 1; /* whatever loop it is done in */
	return 0;
}

/* A handler is registered: on our list? */
static bool begin_to_register(void)
{
	if (!runtime_is_mapped || !rt->beginning.keeps_exit_handlers)
		return false;
	announce(EV_EXIT_REGISTER, EXIT_LIST);
	return rt->phase == PHASE_START || rt->phase == PHASE_RUN;
}

/* atexit() is a part of the C library that is linked into the program, and calls this. */
int __cxa_atexit(void (*function)(void *), void *argument, void *library)
{
	if (begin_to_register())
		return add_handler((void *)function, argument, false);
	int (*libc_atexit)(void (*)(void *), void *, void *) = dlsym(RTLD_NEXT, "__cxa_atexit");
	return libc_atexit(function, argument, library);
}

int on_exit(void (*function)(int, void *), void *argument)
{
	if (begin_to_register())
		return add_handler((void *)function, argument, true);
	int (*libc_on_exit)(void (*)(int, void *), void *) = dlsym(RTLD_NEXT, "on_exit");
	return libc_on_exit(function, argument);
}

/* --- exit --- */

static struct exit_handler *take_handler(void)
{
	announce(EV_EXIT_NEXT, EXIT_LIST);
	struct exit_handler *handler = rt->exit.handlers;
	if (handler)
		rt->exit.handlers = handler->next;
	return handler;
}

/* The running thread knows nothing but what it is to do next: it never comes back to where it was. */
void run_exit_handlers(void)
{
	const struct exit_handler *handler;
	uint32_t site = rt->current_site;

	set_local_state(0, 0, OUTSIDE_CALL);
	while ((handler = take_handler())) {
		set_local_state((uint64_t)handler->function, (uint64_t)handler->argument, 0);
		if (handler->takes_status)
			((void (*)(int, void *))handler->function)(self()->fault.exit_status, handler->argument);
		else
			((void (*)(void *))handler->function)(handler->argument);
		set_local_state(0, 0, OUTSIDE_CALL);
		rt->current_site = site;
	}
}

/*
 * The running thread ends the process; does not return if another one does.  It may have begun already: then a handler
 * has called exit, and the others are still to be run.
 */
static void begin_exit(void)
{
	if (rt->exit.owner != (int32_t)rt->current) {
		announce(EV_EXIT_BEGIN, EXIT_RIGHT);
		rt->exit.owner = (int32_t)rt->current;
		reconsider_object(EXIT_RIGHT);
	}
	run_thread_destructors();
}

void exit(int status)
{
	if (rt->phase == PHASE_RUN)
		begin_exit();
	if (rt->phase == PHASE_RUN || rt->phase == PHASE_START) {
		self()->fault.exit_status = status;
		if (is_stateful())
			state_private((uint64_t)status);
		run_exit_handlers();
	}
	if (!rt->library.exit) /* called by a constructor */
		rt->library.exit = (void (*)(int))dlsym(RTLD_NEXT, "exit");
	rt->library.exit(status);
	__builtin_unreachable();
}
