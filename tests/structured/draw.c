#include "draw.h"

#include <stdarg.h>

/* --- drawing --- */

uint64_t next_random(struct generator *generator)
{
	uint64_t z = generator->random += 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

unsigned draw(struct generator *generator, unsigned limit)
{
	return (unsigned)((next_random(generator) >> 16) % limit);
}

bool one_in(struct generator *generator, unsigned n)
{
	return draw(generator, n) == 0;
}

bool has(const struct generator *generator, enum ingredient ingredient)
{
	return generator->has & 1u << ingredient;
}

/* --- building --- */

uint16_t add(struct generator *g, enum kind kind, int a, int b, int c)
{
	return node_add(g->program,
			(struct node){.kind = (uint8_t)kind, .a = (int8_t)a, .b = (int8_t)b, .c = (int8_t)c});
}

uint16_t with(struct generator *g, uint16_t node, uint16_t zero, uint16_t one, uint16_t two)
{
	struct node *it = &g->program->nodes[node];

	it->kid[0] = zero;
	it->kid[1] = one;
	it->kid[2] = two;
	return node;
}

/* Up to a 0 that ends the arguments; lists are appended whole. */
uint16_t list(struct generator *g, unsigned count, ...)
{
	uint16_t head = 0, last = 0;
	va_list arguments;

	va_start(arguments, count);
	for (unsigned i = 0; i < count; i++) {
		uint16_t node = (uint16_t)va_arg(arguments, unsigned);
		if (!node)
			continue;
		if (last)
			g->program->nodes[last].next = node;
		else
			head = node;
		for (last = node; g->program->nodes[last].next;)
			last = g->program->nodes[last].next;
	}
	va_end(arguments);
	return head;
}

uint16_t number(struct generator *g, int value)
{
	return add(g, K_CONST, value, 0, 0);
}

uint16_t local(struct generator *g, unsigned which)
{
	return add(g, K_LOCAL, (int)which, 0, 0);
}

uint16_t binary(struct generator *g, enum binary operator, uint16_t a, uint16_t b)
{
	return with(g, add(g, K_BINARY, operator, 0, 0), a, b, 0);
}

uint16_t equals(struct generator *g, uint16_t a, int value)
{
	return binary(g, B_EQ, a, number(g, value));
}

uint16_t differs(struct generator *g, uint16_t a, int value)
{
	return binary(g, B_NE, a, number(g, value));
}

uint16_t set(struct generator *g, unsigned which, uint16_t value)
{
	g->known |= 1u << which;
	return with(g, add(g, K_SET, (int)which, 0, 0), value, 0, 0);
}

uint16_t eval(struct generator *g, uint16_t value)
{
	return with(g, add(g, K_EVAL, 0, 0, 0), value, 0, 0);
}

uint16_t when(struct generator *g, uint16_t condition, uint16_t then, uint16_t other)
{
	return with(g, add(g, K_IF, 0, 0, 0), condition, then, other);
}

uint16_t loop(struct generator *g, uint16_t body)
{
	return with(g, add(g, K_LOOP, 0, 0, 0), body, 0, 0);
}

uint16_t leave(struct generator *g)
{
	return add(g, K_BREAK, 0, 0, 0);
}

uint16_t repeat(struct generator *g, uint16_t condition, uint16_t body)
{
	return with(g, add(g, K_WHILE, 0, 0, 0), condition, body, 0);
}

int order(struct generator *g)
{
	return has(g, I_WEAK) && !one_in(g, 3) ? 1 + (int)draw(g, ORDERS - 1) : SEQ_CST;
}

uint16_t load(struct generator *g, int x)
{
	return add(g, K_LOAD, x, order(g), 0);
}

uint16_t store(struct generator *g, int x, uint16_t value)
{
	return with(g, add(g, K_STORE, x, order(g), 0), 0, value, 0);
}

uint16_t fetch(struct generator *g, enum fetch operator, int x, uint16_t value)
{
	return with(g, add(g, K_FETCH, x, order(g), (int)operator), 0, value, 0);
}

uint16_t exchange(struct generator *g, int x, uint16_t value)
{
	return with(g, add(g, K_EXCHANGE, x, order(g), 0), 0, value, 0);
}

uint16_t cas(struct generator *g, int x, uint16_t expected, uint16_t desired)
{
	return with(g, add(g, K_CAS, x, order(g), 0), 0, expected, desired);
}

uint16_t locked(struct generator *g, unsigned mutex, uint16_t body)
{
	return with(g, add(g, K_LOCKED, (int)mutex, 0, 0), body, 0, 0);
}

uint16_t plain_write(struct generator *g, unsigned y, uint16_t value)
{
	return with(g, add(g, K_WRITE, (int)y, 0, 0), 0, value, 0);
}

uint16_t plain_read(struct generator *g, unsigned y)
{
	return add(g, K_READ, (int)y, 0, 0);
}

/* --- small parts --- */

int some_value(struct generator *g)
{
	return (int)draw(g, VALUES);
}

int some_location(struct generator *g)
{
	return g->function >= THREADS && !one_in(g, 5) ? PARAMETER : (int)draw(g, g->locations);
}

unsigned fresh_local(struct generator *g)
{
	/* the first of a helper is its argument */
	unsigned first = g->function >= THREADS;

	return first + g->fresh++ % (LOCALS - first);
}

unsigned known_local(struct generator *g)
{
	unsigned which = draw(g, LOCALS);

	return g->known & 1u << which ? which : 0;
}

/* A constant, a local, or a sum: what is written. */
uint16_t some_operand(struct generator *g)
{
	switch (draw(g, 8)) {
	case 0:
	case 1:
	case 2: return local(g, known_local(g));
	case 3: return binary(g, one_in(g, 2) ? B_ADD : B_XOR, local(g, known_local(g)), number(g, 1));
	case 4:
		if (g->fors)
			return add(g, K_COUNTER, 0, 0, 0);
		/* fall through */
	default: return number(g, some_value(g));
	}
}

/* Let a location depend on data now and then. */
uint16_t indexed(struct generator *g, uint16_t access)
{
	struct node *node = &g->program->nodes[access];

	if (has(g, I_ARRAYS) && node->a < LOCATIONS - 1 && !one_in(g, 3)) {
		uint16_t index = g->fors && one_in(g, 2) ? add(g, K_COUNTER, 0, 0, 0) : local(g, known_local(g));
		node->kid[0] = index;
	}
	return access;
}

uint16_t some_update(struct generator *g)
{
	int x = some_location(g);

	switch (draw(g, 6)) {
	case 0: return indexed(g, exchange(g, x, some_operand(g)));
	case 1: return indexed(g, cas(g, x, number(g, some_value(g)), some_operand(g)));
	case 2: return indexed(g, cas(g, x, local(g, known_local(g)), some_operand(g)));
	case 3: return with(g, add(g, K_CAS_LOCAL, x, order(g), (int)known_local(g)), 0, some_operand(g), 0);
	case 4: return indexed(g, fetch(g, (enum fetch)draw(g, FETCHES), x, number(g, one_in(g, 3) ? 0 : 1)));
	default: return indexed(g, fetch(g, draw(g, 2) ? F_ADD : F_SUB, x, number(g, 1)));
	}
}

/* Who closes has got the number from somewhere, or guesses. */
static uint16_t some_descriptor(struct generator *g)
{
	enum kind kind = one_in(g, 3) ? K_DUP : one_in(g, 3) ? K_OPENED : K_CLOSE;
	uint16_t which = one_in(g, 2) ? local(g, known_local(g)) : number(g, (int)draw(g, 2));

	return with(g, add(g, kind, 0, 0, 0), kind == K_DUP ? 0 : which, 0, 0);
}

/* One look at something shared. */
uint16_t some_look(struct generator *g)
{
	if (has(g, I_DESCRIPTORS) && one_in(g, 2))
		return some_descriptor(g);
	if (has(g, I_PAGES) && one_in(g, 2))
		return add(g, K_TOUCH, 0, 0, 0);
	if (has(g, I_FILES) && one_in(g, 2))
		return add(g, one_in(g, 3) ? K_EXISTS : one_in(g, 2) ? K_UNLINK : K_CREATE, (int)draw(g, FILES), 0, 0);
	if (has(g, I_UPDATES) && one_in(g, 2))
		return some_update(g);
	if (has(g, I_PLAIN) && !g->in_block && one_in(g, 2))
		return plain_read(g, draw(g, PLAINS));
	return indexed(g, load(g, some_location(g)));
}

/* Something that is true or not, perhaps of several looks. */
uint16_t some_condition(struct generator *g)
{
	enum binary relation = (enum binary)(B_EQ + draw(g, B_GT - B_EQ + 1));

	switch (draw(g, 8)) {
	case 0: return binary(g, relation, some_look(g), number(g, some_value(g)));
	case 4: return with(g, add(g, K_COND, 0, 0, 0), some_look(g), some_look(g), some_look(g));
	case 1: return binary(g, relation, some_look(g), some_look(g));
	case 2:
		return binary(g, one_in(g, 2) ? B_BOTH : B_EITHER, equals(g, some_look(g), some_value(g)),
			      equals(g, some_look(g), some_value(g)));
	case 3: return binary(g, relation, set(g, fresh_local(g), some_look(g)), number(g, some_value(g)));
	default: return binary(g, relation, local(g, known_local(g)), number(g, some_value(g)));
	}
}

/* What a round does besides looking: nothing, most of the time. */
uint16_t idle(struct generator *g)
{
	switch (draw(g, 8)) {
	case 0: return add(g, K_YIELD, 0, 0, 0);
	case 1: return add(g, K_BUMP, LOCALS - 1, 0, 0);
	case 2: return add(g, K_COUNT, LOCALS - 2, 0, 0);
	case 3: return LIST(g, add(g, K_COUNT, LOCALS - 2, 0, 0), add(g, K_YIELD, 0, 0, 0));
	default: return 0;
	}
}

/* Another thread is to do this, so that a wait may end. */
void expect(struct generator *g, uint16_t statement)
{
	if (g->npending == MAX_PENDING || one_in(g, 16))
		return;
	g->waiter[g->npending] = g->function;
	g->pending[g->npending++] = statement;
}

/* … for a helper, that is for the location that it is called with. */
void expect_value(struct generator *g, int x, int value)
{
	if (x == PARAMETER)
		return;
	if (one_in(g, 4) && value > 0)
		expect(g, eval(g, fetch(g, F_ADD, x, number(g, value))));
	else
		expect(g, store(g, x, number(g, value)));
}

uint16_t tell(struct generator *g, unsigned a, int first, unsigned b, int second)
{
	uint16_t both = binary(g, B_BOTH, equals(g, local(g, a), first), equals(g, local(g, b), second));

	if (one_in(g, 3))
		return with(g, add(g, K_ASSERT, 0, 0, 0), equals(g, both, 0), 0, 0);
	return when(g, both, add(g, K_BUMP, LOCALS - 1, 0, 0), 0);
}
