/*
 * Exceptions that threads share through std::exception_ptr: std::promise, std::async and
 * std::future hand them on.  The C++ library counts the references to each, and whoever
 * drops the last destroys it; that count is kept inside the library, where we see nothing.
 * So each drop is announced as the atomic update that it is: who comes last is explored,
 * and the others' uses of the exception come before its end.
 *
 * Taking a reference needs no announcement: who does it has one already.
 */
#define _GNU_SOURCE
#include "runtime/core/anomaly.h"
#include "runtime/core/runtime.h"
#include "runtime/cxx/cxx.h"

#include <dlfcn.h>

/* What lies before a thrown object: libstdc++'s __cxa_exception. */
struct header {
	void *type_or_primary; /* of a dependent exception: the object that it stands for */
	void *destructor, *unexpected, *terminate;
	struct header *next;
	int handlers, switch_value;
	const void *action, *language_data;
	void *landing, *adjusted;
	uint64_t class; /* the unwinder's part begins here */
	void *unwinder[3];
};

enum { HEADER = 112, COUNT_BEFORE_OBJECT = HEADER + 16 };
_Static_assert(sizeof(struct header) == HEADER, "the ABI's header of an exception");

#define PRIMARY 0x474e5543432b2b00ull /* "GNUCC++\0" */
#define DEPENDENT (PRIMARY + 1)

struct caught {
	struct header *first;
	unsigned uncaught;
};

extern struct caught *__cxa_get_globals(void) __attribute__((weak));
extern void __cxa_free_dependent_exception(void *header) __attribute__((weak));

/* weak: a C++ library that is linked statically brings its own */
void __cxa_end_catch(void) __attribute__((weak));
#define RELEASE "_ZNSt15__exception_ptr13exception_ptr10_M_releaseEv"
void exception_release(void **pointer) __asm__(RELEASE) __attribute__((weak));

void prepare_exceptions(void)
{
	*(void **)&rt->cxx.exception_release = dlsym(RTLD_NEXT, RELEASE);
	*(void **)&rt->cxx.end_catch = dlsym(RTLD_NEXT, "__cxa_end_catch");
}

/* A constructor comes here before main has prepared anything. */
static void need_library(void)
{
	if (!rt->cxx.end_catch)
		prepare_exceptions();
	if (!rt->cxx.end_catch || !rt->cxx.exception_release)
		anomaly(EV_REFUSED, "exceptions need the shared C++ library (no -static-libstdc++)");
}

static void announce_drop(void *object)
{
	__inspect_atomic_rmw((char *)object - COUNT_BEFORE_OBJECT, sizeof(int), rt->current_site, ORDER_ACQ_REL, 0);
}

void exception_release(void **pointer)
{
	need_library();
	if (*pointer)
		announce_drop(*pointer);
	rt->cxx.exception_release(pointer);
}

/*
 * The end of an exception that stands for another one.  The C++ library gives its memory back first, where others
 * may run, and drops the reference then: too late after the announcement.  So it is done here, the other way round.
 */
static void end_dependent(struct caught *caught)
{
	struct header *header = caught->first;
	void *object = header->type_or_primary;

	caught->first = header->next;
	exception_release(&object);
	__cxa_free_dependent_exception(header);
}

/* The last handler of an exception drops the reference that the throw took. */
void __cxa_end_catch(void)
{
	need_library();
	struct caught *caught = __cxa_get_globals();
	struct header *header = caught->first;

	/* the class first: of another language's exception there is nothing else */
	if (header && header->class == DEPENDENT && header->handlers == 1) {
		end_dependent(caught);
		return;
	}
	if (header && header->class == PRIMARY && header->handlers == 1)
		announce_drop(header + 1);
	rt->cxx.end_catch();
}
