/*
 * What C++ asks of its run-time library (Itanium C++ ABI): static variables of
 * functions are initialised once, thread_local objects are destroyed with their
 * thread, an exception that nobody catches ends the process.
 *
 * The C++ library is referred to weakly: C programs do not need it.
 */
#include "common/invariant.h"
#include "runtime/core/anomaly.h"
#include "runtime/core/primitive.h"
#include "runtime/core/runtime.h"
#include "runtime/core/schedule.h"
#include "runtime/core/text.h"
#include "runtime/cxx/cxx.h"

#include <stdlib.h>
#include <string.h>

/* --- static variables of functions --- */

/*
 * The guard variable.  Compiled code reads `done` (an atomic load that acquires)
 * before it calls __cxa_guard_acquire; the rest is ours, and rolled back with the
 * program's memory.
 */
struct guard {
	uint8_t done;
	uint8_t busy; /* a thread is initialising the variable */
	uint16_t unused;
	uint32_t owner; /* its number */
};

_Static_assert(sizeof(struct guard) == 8, "the ABI's guard variable");

static bool ready(const struct op *op)
{
	return !((const struct guard *)op->object)->busy;
}

const struct primitive primitive_GUARD = {.ready = ready, .size = sizeof(uint64_t), .telling = sizeof(int)};

static void guard_end(struct guard *guard, uint32_t site)
{
	struct op op = {.kind = EV_GUARD_END, .site = site, .object = (uint64_t)guard};

	point(&op);
	guard->busy = 0;
	reconsider_object((uint64_t)guard);
}

/* Both threads may have seen `done` unset: who comes second looks again. */
int __cxa_guard_acquire(struct guard *guard)
{
	struct op op = make_op(EV_GUARD_BEGIN, guard);

	if (guard->busy && guard->owner == rt->current)
		anomaly(EV_MISUSE, "the initialisation of a static variable comes back to itself");
	point(&op);
	invariant(rt->phase != PHASE_RUN || !guard->busy);
	guard->busy = 1;
	guard->owner = rt->current;
	reconsider_object((uint64_t)guard);
	if (!guard->done)
		return 1;
	guard_end(guard, op.site);
	return 0;
}

void __cxa_guard_release(struct guard *guard)
{
	uint32_t site = rt->current_site;

	__inspect_atomic_store(&guard->done, sizeof guard->done, site, ORDER_RELEASE);
	guard->done = 1;
	guard_end(guard, site);
}

/* The initialisation has thrown an exception: the next one to come tries again. */
void __cxa_guard_abort(struct guard *guard)
{
	guard_end(guard, rt->current_site);
}

/* --- thread_local objects --- */

/* Blocks of the program's heap, so that they are rolled back. */
struct destructor {
	void (*function)(void *);
	void *object;
	struct destructor *next;
};

/* Before main they are collected apart: every execution begins with them. */
static struct destructor **destructors(void)
{
	return rt->phase == PHASE_START ? &rt->beginning.destructors : &self()->cxx.destructors;
}

int __cxa_thread_atexit_impl(void (*function)(void *), void *object, void *library)
{
	struct destructor *destructor = malloc(sizeof *destructor);

	(void)library; /* nothing is ever unloaded */
	if (!destructor)
		return -1;
	*destructor = (struct destructor){.function = function, .object = object, .next = *destructors()};
	*destructors() = destructor;
	return 0;
}

void run_thread_destructors(void)
{
	struct thread *thread = self();

	/* one at a time: a destructor may register others */
	while (thread->cxx.destructors) {
		struct destructor last = *thread->cxx.destructors;
		free(thread->cxx.destructors);
		thread->cxx.destructors = last.next;
		last.function(last.object);
	}
}

/* --- assertions of the C++ library: std::__glibcxx_assert_fail --- */

void __assert_fail(const char *condition, const char *file, unsigned line, const char *function)
	__attribute__((noreturn));

void library_assert_fail(const char *file, int line, const char *function,
			 const char *condition) __asm__("_ZSt21__glibcxx_assert_failPKciS0_S0_");
void library_assert_fail(const char *file, int line, const char *function, const char *condition)
{
	__assert_fail(condition, file, (unsigned)line, function);
}

/* --- std::random_device, which asks the processor --- */

/* weak: a C++ library that is linked statically may bring its own */
unsigned random_device_value(void *device) __asm__("_ZNSt13random_device9_M_getvalEv") __attribute__((weak));
unsigned random_device_value(void *device)
{
	(void)device;
	anomaly(EV_REFUSED, "std::random_device, which gives no second execution the same, is not supported");
}

/* --- exceptions that nobody catches --- */

typedef void handler(void);

#define WEAK __attribute__((weak))
extern handler *set_terminate(handler *) __asm__("_ZSt13set_terminatePFvvE") WEAK;
extern handler *get_terminate(void) __asm__("_ZSt13get_terminatev") WEAK;
extern void default_handler(void) __asm__("_ZN9__gnu_cxx27__verbose_terminate_handlerEv") WEAK;
extern struct type_info type_of_exception __asm__("_ZTISt9exception") WEAK;
extern const struct type_info *__cxa_current_exception_type(void) WEAK;
/* returns a std::exception_ptr, which holds the exception's address */
extern void current_exception(void **result) __asm__("_ZSt17current_exceptionv") WEAK;
extern char *__cxa_demangle(const char *name, char *buffer, size_t *size, int *status) WEAK;

extern const void *classic_locale(void) __asm__("_ZNSt6locale7classicEv") WEAK;
extern int _Unwind_Backtrace(int (*)(void *, void *), void *) WEAK;

struct type_info {
	void **table; /* of virtual functions */
	const char *name; /* as the linker knows it; an asterisk before it says that it is local */
};

/* Places in the tables of virtual functions of libstdc++'s std::type_info and std::exception. */
enum { SLOT_DO_CATCH = 4, SLOT_WHAT = 2 };

/* The text of an exception whose type is derived from std::exception, else NULL. */
static const char *text_of_exception(const struct type_info *type)
{
	void *object = NULL;

	if (!current_exception || !&type_of_exception)
		return NULL;
	current_exception(&object);
	bool (*do_catch)(const struct type_info *, const struct type_info *, void **, unsigned) =
		type_of_exception.table[SLOT_DO_CATCH];
	if (!object || !do_catch(&type_of_exception, type, &object, 1))
		return NULL;
	const char *(*what)(void *) = (*(void ***)object)[SLOT_WHAT];
	return what(object);
}

static const char *name_of_type(const struct type_info *type)
{
	const char *name = type->name + (type->name[0] == '*');
	int status = 0;
	char *readable = __cxa_demangle ? __cxa_demangle(name, NULL, NULL, &status) : NULL;

	return readable && !status ? readable : name;
}

/* The line is that of the throw; what() may be code of the program and pass other lines. */
static void on_terminate(void)
{
	const struct type_info *type = __cxa_current_exception_type ? __cxa_current_exception_type() : NULL;
	uint32_t site = rt->current_site;
	char message[MAX_MESSAGE];

	if (!type && self()->ending)
		anomaly(EV_TERMINATE,
			"std::terminate was called: the end of the thread (pthread_exit, or a cancellation) came "
			"to a function that lets no exception through");
	if (!type)
		anomaly(EV_TERMINATE, "std::terminate was called (a std::thread that was neither joined nor detached "
				      "before its end?)");
	const char *text = text_of_exception(type);
	message_set(message, "uncaught exception of type ", name_of_type(type), text && *text ? ": " : NULL, text,
		    NULL);
	rt->current_site = site;
	anomaly(EV_TERMINATE, message);
}

/* The end of a walk up the stack. */
static int stop_walk(void *context, void *argument)
{
	(void)context, (void)argument;
	return 5; /* _URC_END_OF_STACK */
}

/*
 * A handler that the program has set in a constructor stays.  What the unwinder and the
 * C++ library set up once for all threads, they set up now: in an execution that would
 * synchronise threads that throw or format text.
 */
void prepare_cxx(void)
{
	if (!set_terminate)
		return; /* no C++ */
	prepare_containers();
	prepare_exceptions();
	if (_Unwind_Backtrace)
		_Unwind_Backtrace(stop_walk, NULL);
	if (classic_locale)
		classic_locale();
	if (get_terminate && get_terminate() == default_handler)
		set_terminate(on_terminate);
}
