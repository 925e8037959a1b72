/*
 * Visible operations: their kinds, their shape, and when two of them conflict.
 *
 * Everything here is shared by the runtime (which keeps sleep sets) and the
 * explorer (which computes happens-before), so that both sides can never
 * disagree about a conflict.  No function here allocates or touches state.
 */
#ifndef INSPECT_WIRE_EVENTS_H
#define INSPECT_WIRE_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

/* The names below are the runtime's own: a program may have the same (Makefile, RUNTIME_NAMES). */
#pragma GCC visibility push(hidden)

enum event_kind {
	EV_NOTHING = 0, /* no operation; never in a trace */
#define EVENT(id, ...) EV_##id,
#include "wire/events.def"
#undef EVENT
	EV_COUNT
};

enum event_flag {
	EV_LOCAL = 1 << 0,
	EV_BLOCKING = 1 << 1,
	EV_PLAIN = 1 << 2,
	EV_END = 1 << 3,
	EV_ANOMALY = 1 << 4,
	EV_QUIET = 1 << 5,
	EV_STEADY = 1 << 6,
	EV_APART = 1 << 7,
	EV_INIT = 1 << 8,
	EV_DESTROY = 1 << 9,
	EV_LETS_GO = 1 << 10,
	EV_LET_GO = 1 << 11,
	EV_TIMED_OUT = 1 << 12,
	EV_FAILED = 1 << 13,
	EV_IDLE = 1 << 14,
	EV_TAKES_NOTHING = 1 << 15,
	EV_TAKES_AWAY = 1 << 16,
};

/* Kinds of objects; a class is the kind that stands for it. */
enum object_kind {
#define OBJECT(id, ...) OBJECT_##id,
#include "wire/objects.def"
#undef OBJECT
	OBJECT_KINDS
};

enum object_flag { OBJECT_DIES = 1, OBJECT_BYTES = 2, OBJECT_LOCK = 4, OBJECT_ORDERS = 8, OBJECT_SECTION = 16 };

/* Which effects on one object conflict: all pairs, but … */
enum conflict_rule {
	RULE_NEVER, /* none does; memory, system calls and the end of the process have rules of their own */
	RULE_TESTS_COMMUTE, /* two looks */
	RULE_RELEASES_COMMUTE, /* … and two releases: there is one owner, or they add up */
	RULE_READERS_COMMUTE, /* … and what readers do, and readers that are kept out */
	RULE_WAITERS_COMMUTE, /* two looks, and two that begin to wait or stop: they are a set */
};

enum effect {
	EFFECT_NONE,
	EFFECT_READ,
	EFFECT_WRITE,
	EFFECT_ACQUIRE, /* blocks until the object can be had, alone */
	EFFECT_TRY_ACQUIRE, /* took it without waiting for it */
	EFFECT_RELEASE,
	EFFECT_READ_ACQUIRE, /* blocks until it can be had together with other readers */
	EFFECT_TRY_READ_ACQUIRE,
	EFFECT_READ_RELEASE,
	EFFECT_TEST, /* saw the state of the object, changed nothing */
	EFFECT_READ_TEST, /* saw that readers are kept out */
	EFFECT_WAIT,
	EFFECT_LEAVE, /* stopped waiting by itself */
	EFFECT_SIGNAL,
	EFFECT_CHANGE,
};

enum memory_order { ORDER_PLAIN, ORDER_RELAXED, ORDER_ACQUIRE, ORDER_RELEASE, ORDER_ACQ_REL, ORDER_SEQ_CST };

static inline bool order_acquires(unsigned order)
{
	return order == ORDER_ACQUIRE || order >= ORDER_ACQ_REL;
}

static inline bool order_releases(unsigned order)
{
	return order >= ORDER_RELEASE;
}

struct event_info {
	const char *name;
	uint32_t flags; /* enum event_flag */
	uint8_t object; /* enum object_kind */
	uint8_t object_class; /* … that stands for its class; NONE for what is EV_LOCAL or EV_APART */
	uint8_t object_flags; /* enum object_flag, of the object; 0 where the class is NONE */
	uint8_t effect; /* enum effect */
	uint8_t strongest, attempt, timeout, cancelled, last, arrival; /* enum event_kind; 0: none, or the same */
};

struct object_info {
	const char *name;
	const char *waits, *lacks; /* words for a blocked thread, or NULL */
	uint8_t flags; /* enum object_flag */
	uint8_t object_class; /* enum object_kind */
	uint8_t rule; /* enum conflict_rule, of the class */
};

extern const struct event_info event_table[EV_COUNT];
extern const struct object_info object_table[OBJECT_KINDS];

/*
 * One operation: what a thread is about to do, or did.
 *
 * `object` is an address for memory and synchronisation objects, a thread number
 * for THREAD, 0 for KEYS and an enum exit_object for EXIT; `size` counts bytes of memory (0 elsewhere).
 * `object2` is the mutex that COND_WAIT releases, and in what ends that wait; else 0.  Where a
 * thread may be cancelled while it waits, `size` of a synchronisation operation is
 * CANCELLABLE(its number): it then conflicts with a CANCEL of that thread.  SYSTEM operations have sets of
 * objects instead (wire/system.h).
 */
#define CANCELLABLE(thread) ((uint32_t)(thread) + 1)

/*
 * `order' of an operation on a synchronisation object that the program also accesses as memory (it assigns
 * a static initialiser, say): it conflicts with all accesses of the object's first byte.
 */
#define OBJECT_ACCESSED 1

/* What exit() uses: the right to end the process, the list of exit handlers. */
enum exit_object { EXIT_RIGHT = 1, EXIT_LIST };

struct op {
	uint8_t kind; /* enum event_kind */
	uint8_t order; /* enum memory_order, of atomics and fences; of others OBJECT_ACCESSED or 0 */
	uint16_t choices; /* how many outcomes the runtime could choose from; 0 and 1 mean one */
	uint32_t site; /* index into the site table (wire/sites.h), 0 = unknown */
	uint64_t object;
	uint64_t object2;
	uint32_t size;
	uint32_t target; /* the thread that CREATE made, JOIN waits for, DETACH detaches */
};

static inline bool event_is(unsigned kind, unsigned flags)
{
	return (event_table[kind].flags & flags) != 0;
}

static inline bool event_takes_away(unsigned kind)
{
	return event_is(kind, EV_TAKES_AWAY);
}

/* It is the end of the synchronisation objects in the memory as well. */
static inline bool event_frees(unsigned kind)
{
	return kind == EV_FREE || event_takes_away(kind);
}

/* The end of a wait on a condition variable: the mutex is taken again, or nobody can have it any more. */
static inline bool event_is_wake(unsigned kind)
{
	return kind == EV_COND_WAKE || kind == EV_COND_WAKE_LOST;
}

static inline bool object_is(unsigned object, unsigned flags)
{
	return (object_table[object].flags & flags) != 0;
}

/* Is it an operation on an object of such a kind?  What is EV_APART does not touch it. */
static inline bool op_is_on(const struct op *op, unsigned object_flags)
{
	return (event_table[op->kind].object_flags & object_flags) != 0;
}

/* Is it about a synchronisation object in the program's memory, whose bytes belong to the runtime? */
static inline bool op_has_object(const struct op *op)
{
	return op_is_on(op, OBJECT_BYTES) && op->object;
}

/* An atomic operation with which who reads a value need not come after who wrote it. */
bool op_is_weak(const struct op *op);

/* Are the two, which conflict, a data race unless they are ordered? */
bool ops_race(const struct op *a, const struct op *b);

/*
 * Do the two operations, by different threads, conflict: does their order, or
 * whether one of them can run at all, depend on the other?  Symmetric.
 */
bool ops_conflict(const struct op *a, const struct op *b);

/*
 * What the operation touches, as a set of bits: two that have no bit in common do not conflict,
 * by whatever kinds they may turn out to have (event_at_its_strongest()).
 */
uint64_t op_footprint(const struct op *op);

/* The kind that the same operation may turn out to be in another state and that conflicts with most. */
static inline enum event_kind event_at_its_strongest(enum event_kind kind)
{
	return event_table[kind].strongest ? (enum event_kind)event_table[kind].strongest : kind;
}

/*
 * May both operations be enabled in one state?  False only when that is
 * impossible whatever the program does (an unlock and a lock of one mutex).
 * Symmetric; meaningful for conflicting operations only.
 */
bool ops_may_be_coenabled(const struct op *a, const struct op *b);

#pragma GCC visibility pop

#endif
