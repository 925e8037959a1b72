/* Loops that wait, of many shapes. */
#include "draw.h"

#include <assert.h>

static uint16_t wait_load(struct generator *g)
{
	int x = some_location(g), value = some_value(g);
	unsigned to = fresh_local(g);

	if (x == PARAMETER && !one_in(g, 4))
		return repeat(g, binary(g, B_NE, load(g, x), local(g, 0)), idle(g));
	expect_value(g, x, value);
	switch (draw(g, 4)) {
	case 0: return repeat(g, differs(g, load(g, x), value), idle(g));
	case 1: return repeat(g, differs(g, set(g, to, load(g, x)), value), idle(g));
	case 2: return repeat(g, binary(g, B_LT, load(g, x), number(g, value)), idle(g));
	default:
		return with(g, add(g, K_DO, 0, 0, 0), LIST(g, eval(g, set(g, to, load(g, x))), idle(g)),
			    differs(g, local(g, to), value), 0);
	}
}

static uint16_t wait_two_loads(struct generator *g)
{
	int x = some_location(g), z = one_in(g, 3) ? some_location(g) : x, value = 1 + (int)draw(g, VALUES - 1);
	unsigned a = fresh_local(g), b = fresh_local(g);

	uint16_t early =
		one_in(g, 4) ? when(g, equals(g, local(g, a), some_value(g)), add(g, K_CONTINUE, 0, 0, 0), 0) : 0;

	for (int v = one_in(g, 3) ? value : 1; v <= value; v++)
		expect_value(g, z, v);
	return loop(g, LIST(g, eval(g, set(g, a, load(g, x))), early, eval(g, set(g, b, load(g, z))),
			    one_in(g, 2) ? 0u : tell(g, a, some_value(g), b, some_value(g)),
			    when(g, equals(g, local(g, b), value), leave(g), 0), idle(g)));
}

static uint16_t taking(struct generator *g, int x)
{
	uint16_t undo = one_in(g, 3) ? 0 : eval(g, fetch(g, F_ADD, x, number(g, 1)));
	uint16_t take = when(g, binary(g, B_GT, fetch(g, F_SUB, x, number(g, 1)), number(g, 0)), leave(g), 0);

	if (one_in(g, 4))
		return loop(g, LIST(g, take, undo, idle(g)));
	return loop(g, when(g, binary(g, B_GT, load(g, x), number(g, 0)), LIST(g, take, undo), idle(g)));
}

/* Take one of several; the one who was too late gives back, or forgets to. */
static uint16_t wait_take(struct generator *g)
{
	int x = some_location(g);

	for (unsigned i = 0; i < 2 && x != PARAMETER; i += 1 + one_in(g, 2))
		expect(g, eval(g, fetch(g, F_ADD, x, number(g, 1))));
	if (x != PARAMETER && !one_in(g, 3))
		expect(g, one_in(g, 3) ? eval(g, exchange(g, x, number(g, 0))) : taking(g, x));
	return taking(g, x);
}

/* A look, then a compare-and-swap: of the value that was seen, or of another one. */
static uint16_t wait_cas(struct generator *g)
{
	int x = some_location(g), value = 1 + (int)draw(g, VALUES - 1);
	unsigned a = fresh_local(g), b = fresh_local(g);
	uint16_t expected = one_in(g, 2) ? local(g, a) : number(g, some_value(g));
	uint16_t swap = cas(g, x, expected,
			    one_in(g, 2) ? number(g, some_value(g)) : binary(g, B_ADD, local(g, a), number(g, 1)));
	uint16_t told = one_in(g, 2) ? leave(g) : add(g, K_BUMP, (int)b, 0, 0);

	for (int v = 1; v <= value; v++)
		if (v == value || one_in(g, 2))
			expect_value(g, x, v);
	if (one_in(g, 3))
		return loop(g, LIST(g, eval(g, set(g, a, load(g, x))), when(g, swap, leave(g), idle(g))));
	return loop(g, LIST(g, eval(g, set(g, a, load(g, x))),
			    when(g, equals(g, local(g, a), some_value(g)), when(g, swap, told, 0), 0),
			    when(g, equals(g, local(g, a), value), leave(g), 0), idle(g)));
}

static uint16_t ordered(struct generator *g, uint16_t access, int order)
{
	if (has(g, I_WEAK) && !one_in(g, 10))
		g->program->nodes[access].b = (int8_t)order;
	return access;
}

/* One of several ways to take a lock that spins; an acquire may be on the look only. */
static uint16_t take_spinlock(struct generator *g, int x)
{
	uint16_t look = ordered(g, load(g, x), one_in(g, 6) ? RELAXED : WEAK);
	uint16_t swap = ordered(g, exchange(g, x, number(g, 1)), one_in(g, 3) ? WEAK : RELAXED);
	uint16_t change = ordered(g, cas(g, x, number(g, 0), number(g, 1)), one_in(g, 3) ? WEAK : RELAXED);

	switch (draw(g, 6)) {
	case 0: return repeat(g, equals(g, change, 0), idle(g));
	case 1: return repeat(g, swap, idle(g));
	case 2:
	case 3: return loop(g, LIST(g, repeat(g, look, idle(g)), when(g, equals(g, swap, 0), leave(g), 0)));
	default: return loop(g, when(g, equals(g, look, 0), when(g, change, leave(g), 0), idle(g)));
	}
}

static uint16_t spinlock_section(struct generator *g, int x, unsigned y, bool plain)
{
	uint16_t take = take_spinlock(g, x), give = ordered(g, store(g, x, number(g, 0)), WEAK);
	uint16_t body = plain ? plain_write(g, y, binary(g, B_ADD, plain_read(g, y), number(g, 1)))
			      : eval(g, set(g, fresh_local(g), load(g, some_location(g))));

	return LIST(g, take, body, give);
}

/* Locks that spin, and what they protect; others may use the same one, and the location for other things. */
static uint16_t wait_spinlock(struct generator *g)
{
	bool own = one_in(g, 2), plain = own || !one_in(g, 3);
	int x = own ? LOCATIONS - 1 : some_location(g);
	unsigned y = draw(g, PLAINS);

	if (x != PARAMETER) {
		g->program->initial[x] = 0;
		if (plain && (own || !one_in(g, 3)))
			expect(g, spinlock_section(g, x, y, true));
	}
	return spinlock_section(g, x, y, plain);
}

/* Updates that change nothing, or that write and write back. */
static uint16_t wait_update(struct generator *g)
{
	int x = some_location(g), value = 1 + (int)draw(g, VALUES - 1);
	unsigned a = fresh_local(g);

	expect_value(g, x, value);
	switch (draw(g, 6)) {
	case 0: return repeat(g, differs(g, fetch(g, F_ADD, x, number(g, 0)), value), idle(g));
	case 1: return repeat(g, differs(g, set(g, a, fetch(g, F_OR, x, number(g, 0))), value), idle(g));
	case 2: return repeat(g, equals(g, exchange(g, x, number(g, 0)), 0), idle(g));
	case 3: return repeat(g, cas(g, x, number(g, 0), number(g, 0)), idle(g));
	case 4:
		return loop(g, LIST(g, eval(g, set(g, a, exchange(g, x, number(g, value)))),
				    when(g, equals(g, local(g, a), value), leave(g), 0), store(g, x, local(g, a))));
	default:
		return loop(g, LIST(g, eval(g, set(g, a, fetch(g, F_ADD, x, number(g, 1)))),
				    when(g, differs(g, local(g, a), 0), leave(g), 0),
				    eval(g, fetch(g, F_SUB, x, number(g, 1)))));
	}
}

/* Several locations in a round. */
static uint16_t wait_scan(struct generator *g)
{
	int x = some_location(g), z = some_location(g), value = 1 + (int)draw(g, 2), other = 1 + (int)draw(g, 2);
	unsigned a = fresh_local(g);

	expect_value(g, x, value);
	if (one_in(g, 2))
		expect_value(g, z, other);
	switch (draw(g, 4)) {
	case 0:
		return loop(g, LIST(g, when(g, equals(g, load(g, x), value), leave(g), 0),
				    when(g, equals(g, set(g, a, load(g, z)), other), leave(g), 0), idle(g)));
	case 1:
		return repeat(g, binary(g, B_BOTH, differs(g, load(g, x), value), differs(g, load(g, z), other)),
			      idle(g));
	case 2: return repeat(g, binary(g, B_LT, binary(g, B_ADD, load(g, x), load(g, z)), number(g, value)), idle(g));
	default:
		return repeat(g, binary(g, B_EITHER, differs(g, load(g, x), value), differs(g, load(g, z), other)),
			      idle(g));
	}
}

/* A loop that waits inside of another one. */
static uint16_t wait_nested(struct generator *g)
{
	int x = some_location(g), z = some_location(g), value = 1 + (int)draw(g, 2);
	unsigned a = fresh_local(g);

	expect_value(g, x, 1);
	expect_value(g, z, value);
	return loop(g, LIST(g, repeat(g, equals(g, load(g, x), 0), idle(g)), eval(g, set(g, a, load(g, z))),
			    when(g, equals(g, local(g, a), value), leave(g), 0),
			    one_in(g, 2) ? eval(g, cas(g, x, number(g, 1), number(g, 0))) : 0u));
}

/* Only so often. */
static uint16_t wait_tries(struct generator *g)
{
	int x = some_location(g), value = 1 + (int)draw(g, 2);
	unsigned a = fresh_local(g);
	uint16_t look = one_in(g, 2) ? load(g, x) : cas(g, x, number(g, value), number(g, 0));

	expect_value(g, x, value);
	return with(g, add(g, K_FOR, 2, 0, 0),
		    LIST(g, when(g, equals(g, set(g, a, look), value), leave(g), 0), idle(g)), 0, 0);
}

/* Flags and a turn, as in Peterson's algorithm. */
static uint16_t wait_turn(struct generator *g)
{
	int mine = (int)(g->function % 2), x = 1 - mine, turn = (int)draw(g, g->locations);

	expect_value(g, x, 0);
	return LIST(g, store(g, mine, number(g, 1)), store(g, turn, number(g, x)),
		    repeat(g, binary(g, B_BOTH, load(g, x), equals(g, load(g, turn), x)), idle(g)),
		    one_in(g, 2) ? store(g, mine, number(g, 0)) : 0u);
}

static uint16_t wait_polling(struct generator *g)
{
	unsigned mutex = draw(g, MUTEXES), y = draw(g, PLAINS), a = fresh_local(g);
	int value = 1 + (int)draw(g, 2);

	expect(g, locked(g, mutex, plain_write(g, y, number(g, value))));
	switch (draw(g, 4)) {
	case 0:
		return loop(g, LIST(g, locked(g, mutex, when(g, equals(g, plain_read(g, y), value), leave(g), 0)),
				    idle(g)));
	case 1:
		return with(g, add(g, K_DO, 0, 0, 0),
			    LIST(g, locked(g, mutex, eval(g, set(g, a, plain_read(g, y)))), idle(g)),
			    differs(g, local(g, a), value), 0);
	case 2:
		return loop(g, with(g, add(g, K_TRYLOCK, (int)mutex, 0, 0),
				    when(g, equals(g, plain_read(g, y), value), leave(g), 0), idle(g), 0));
	default: return with(g, add(g, K_POLLOCK, (int)mutex, 0, 0), idle(g), eval(g, set(g, a, plain_read(g, y))), 0);
	}
}

static uint16_t wait_tokens(struct generator *g)
{
	expect(g, add(g, K_POST, 0, 0, 0));
	return repeat(g, equals(g, add(g, K_TRYWAIT, 0, 0, 0), 0), idle(g));
}

/* So many values that nobody can try all of them. */
static uint16_t wait_values(struct generator *g)
{
	int x = some_location(g), last = 34 + (int)draw(g, 12), modulus = 2 + (int)draw(g, 2);
	unsigned a = fresh_local(g);
	uint16_t writer = store(g, x, binary(g, B_ADD, add(g, K_COUNTER, 0, 0, 0), number(g, 1)));

	if (x == PARAMETER || g->npending == MAX_PENDING)
		return wait_load(g);
	g->waiter[g->npending] = g->function;
	g->pending[g->npending++] = with(g, add(g, K_FOR, last, 0, 0), writer, 0, 0);
	return repeat(g, differs(g, binary(g, B_MOD, set(g, a, load(g, x)), number(g, modulus)), 1), 0);
}

/* A file as a lock. */
static uint16_t wait_file(struct generator *g)
{
	int file = (int)draw(g, FILES);
	unsigned y = draw(g, PLAINS);
	uint16_t section[2];

	for (unsigned i = 0; i < 2; i++)
		section[i] = LIST(g, repeat(g, equals(g, add(g, K_CREATE, file, 0, 0), 0), idle(g)),
				  plain_write(g, y, binary(g, B_ADD, plain_read(g, y), number(g, 1))),
				  eval(g, add(g, K_UNLINK, file, 0, 0)));
	expect(g, section[1]);
	return section[0];
}

/* A loop whose rounds do anything, with one way out. */
static uint16_t wait_round(struct generator *g)
{
	int x = some_location(g), value = 1 + (int)draw(g, 2);
	unsigned a = fresh_local(g);
	uint16_t look = eval(g, set(g, a, one_in(g, 4) ? some_look(g) : load(g, x)));
	uint16_t way_out = when(g, equals(g, local(g, a), value), leave(g), idle(g));
	uint16_t one = one_in(g, 2) ? some_statement(g, 2) : 0, two = one_in(g, 3) ? some_statement(g, 2) : 0;

	expect_value(g, x, value);
	if (one_in(g, 2))
		return loop(g, LIST(g, look, one, two, way_out));
	return loop(g, LIST(g, one, look, way_out, two));
}

static const struct waiting {
	uint16_t (*make)(struct generator *g);
	unsigned weight;
	uint32_t needs; /* ingredients */
} waitings[] = {
	{wait_load, 3, 1u << I_WAITS},
	{wait_two_loads, 4, 1u << I_WAITS},
	{wait_take, 3, 1u << I_WAITS},
	{wait_cas, 4, 1u << I_WAITS},
	{wait_spinlock, 3, 1u << I_WAITS},
	{wait_spinlock, 9, 1u << I_WAITS | 1u << I_WEAK},
	{wait_update, 3, 1u << I_WAITS},
	{wait_scan, 3, 1u << I_WAITS},
	{wait_nested, 2, 1u << I_WAITS},
	{wait_tries, 1, 1u << I_WAITS},
	{wait_turn, 1, 1u << I_WAITS},
	{wait_polling, 3, 1u << I_WAITS | 1u << I_MUTEXES},
	{wait_tokens, 3, 1u << I_WAITS | 1u << I_SEMAPHORES},
	{wait_values, 4, 1u << I_VALUES},
	{wait_file, 8, 1u << I_WAITS | 1u << I_FILES},
	{wait_round, 8, 1u << I_ROUNDS},
};

uint16_t some_waiting(struct generator *g)
{
	unsigned sum = 0, n = sizeof waitings / sizeof *waitings;

	for (unsigned i = 0; i < n; i++)
		sum += (g->has & waitings[i].needs) == waitings[i].needs ? waitings[i].weight : 0;
	if (!sum)
		return wait_load(g);
	unsigned drawn = draw(g, sum);
	for (unsigned i = 0; i < n; i++) {
		if ((g->has & waitings[i].needs) != waitings[i].needs)
			continue;
		if (drawn < waitings[i].weight)
			return waitings[i].make(g);
		drawn -= waitings[i].weight;
	}
	assert(!"one of them");
	return 0;
}
