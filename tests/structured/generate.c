#include "draw.h"

const struct ingredient_row ingredient_rows[INGREDIENTS] = {
#define INGREDIENT(id, name, by_default) {name, by_default},
#include "ingredients.def"
#undef INGREDIENT
};

/* --- statements --- */

static uint16_t some_statements(struct generator *g, unsigned count, unsigned depth)
{
	uint16_t all = 0;

	for (unsigned i = 0; i < count; i++)
		all = LIST(g, all, some_statement(g, depth));
	return all;
}

static uint16_t some_store(struct generator *g)
{
	if (has(g, I_PLAIN) && !g->in_block && one_in(g, 2))
		return plain_write(g, draw(g, PLAINS), some_operand(g));
	return indexed(g, store(g, some_location(g), some_operand(g)));
}

static uint16_t some_branch(struct generator *g, unsigned depth)
{
	uint16_t condition = some_condition(g);

	return when(g, condition, some_statements(g, 1, depth + 1), one_in(g, 2) ? some_statement(g, depth + 1) : 0);
}

static uint16_t some_for(struct generator *g, unsigned depth)
{
	g->fors++;
	uint16_t body = some_statements(g, 1, depth + 1);
	g->fors--;
	return with(g, add(g, K_FOR, 2 + (int)draw(g, 2), 0, 0), body, 0, 0);
}

/* Others are let in, and see what the block has done so far. */
static uint16_t some_await(struct generator *g)
{
	int x = some_location(g), value = some_value(g);

	expect_value(g, x, value);
	return add(g, K_AWAIT, x, order(g), value);
}

static uint16_t some_block(struct generator *g, unsigned depth)
{
	bool before = g->in_block;

	g->in_block = true;
	uint16_t choice = has(g, I_CHOICES) && !one_in(g, 3)
				  ? eval(g, set(g, fresh_local(g), add(g, K_CHOOSE, 2 + (int)draw(g, 2), 0, 0)))
				  : 0;
	uint16_t signal = has(g, I_CONDITIONS) && one_in(g, 3) ? add(g, K_SIGNAL, 0, 0, 0) : 0;
	uint16_t rest = some_statements(g, 1 + draw(g, 2), depth + 1);
	uint16_t await = has(g, I_WAITS) && one_in(g, 3) ? some_await(g) : 0;
	uint16_t after = await && !one_in(g, 3) ? some_statements(g, 1, depth + 1) : 0;
	g->in_block = before;
	return with(g, add(g, K_ATOMIC, 0, 0, 0), LIST(g, choice, rest, await, after, signal), 0, 0);
}

/* A protected access to plain memory; with an attempt now and then. */
static uint16_t some_section(struct generator *g)
{
	unsigned y = draw(g, PLAINS), mutex = one_in(g, 6) ? draw(g, MUTEXES) : y;
	uint16_t body = one_in(g, 2) ? plain_write(g, y,
						   one_in(g, 2) ? some_operand(g)
								: binary(g, B_ADD, plain_read(g, y), number(g, 1)))
				     : eval(g, set(g, fresh_local(g), plain_read(g, y)));

	if (one_in(g, 4))
		return with(g, add(g, K_TRYLOCK, (int)mutex, 0, 0), body,
			    one_in(g, 2) ? 0 : add(g, K_BUMP, LOCALS - 1, 0, 0), 0);
	if (one_in(g, 6))
		body = locked(g, 1 - mutex, body);
	return locked(g, mutex, body);
}

static uint16_t some_tokens(struct generator *g)
{
	switch (draw(g, 3)) {
	case 0: return add(g, K_POST, 0, 0, 0);
	case 1: expect(g, add(g, K_POST, 0, 0, 0)); return add(g, K_WAIT, 0, 0, 0);
	default: return eval(g, set(g, fresh_local(g), add(g, K_TRYWAIT, 0, 0, 0)));
	}
}

static uint16_t some_sleep(struct generator *g)
{
	int value = 1 + (int)draw(g, 2);
	uint16_t nap = add(g, K_SLEEP, 0, 0, 0), wake = add(g, one_in(g, 3) ? K_BROADCAST : K_SIGNAL, 0, 0, 0);
	uint16_t condition = differs(g, plain_read(g, 0), value);

	if (one_in(g, 4))
		wake = with(g, add(g, K_ATOMIC, 0, 0, 0), LIST(g, store(g, some_location(g), some_operand(g)), wake), 0,
			    0);
	expect(g, one_in(g, 4) ? LIST(g, locked(g, 0, plain_write(g, 0, number(g, value))), wake)
			       : locked(g, 0, LIST(g, plain_write(g, 0, number(g, value)), wake)));
	return locked(g, 0,
		      LIST(g, one_in(g, 5) ? when(g, condition, nap, 0) : repeat(g, condition, nap),
			   one_in(g, 2) ? eval(g, set(g, fresh_local(g), plain_read(g, 0))) : 0u));
}

static uint16_t some_assertion(struct generator *g)
{
	uint16_t condition = binary(g, B_BOTH, equals(g, local(g, known_local(g)), some_value(g)),
				    equals(g, some_look(g), some_value(g)));

	return with(g, add(g, K_ASSERT, 0, 0, 0), equals(g, condition, 0), 0, 0);
}

static uint16_t some_choice(struct generator *g)
{
	return eval(g, set(g, fresh_local(g), add(g, K_CHOOSE, 2 + (int)draw(g, 2), 0, 0)));
}

/* Protected for a while, or for good; the crash of who comes then is what must be found. */
static uint16_t some_page(struct generator *g)
{
	switch (draw(g, 5)) {
	case 0: return add(g, K_RENEW, 0, 0, 0);
	case 1: return add(g, K_PROTECT, (int)draw(g, 2), 0, 0);
	case 2: return LIST(g, add(g, K_PROTECT, 0, 0, 0), some_store(g), add(g, K_PROTECT, 1, 0, 0));
	default: return with(g, add(g, K_FILL, 0, 0, 0), some_operand(g), 0, 0);
	}
}

static uint16_t some_call(struct generator *g);

/* Those that need an ingredient, or 0. */
static uint16_t special_statement(struct generator *g, unsigned depth)
{
	bool outside = !g->in_block, in_thread = g->function < THREADS;

	switch (draw(g, 8)) {
	case 0: return outside && has(g, I_MUTEXES) && depth < 2 ? some_section(g) : 0;
	case 1: return outside && has(g, I_SEMAPHORES) ? some_tokens(g) : 0;
	case 2: return outside && has(g, I_CONDITIONS) && depth < 2 && in_thread ? some_sleep(g) : 0;
	case 3: return has(g, I_CHOICES) ? some_choice(g) : 0;
	case 4: return outside && has(g, I_BLOCKS) && depth < 2 ? some_block(g, depth) : 0;
	case 5: return outside && has(g, I_HELPERS) && in_thread ? some_call(g) : 0;
	case 6:
	case 7:
		if (has(g, I_PAGES))
			return some_page(g);
		return has(g, I_FILES) || has(g, I_DESCRIPTORS) ? eval(g, set(g, fresh_local(g), some_look(g))) : 0;
	default: return 0;
	}
}

uint16_t some_statement(struct generator *g, unsigned depth)
{
	uint16_t special = one_in(g, 2) ? special_statement(g, depth) : 0;

	if (special)
		return special;
	if (depth < 2 && !g->in_block && (has(g, I_WAITS) || has(g, I_ROUNDS) || has(g, I_VALUES)) && one_in(g, 3))
		return some_waiting(g);
	switch (draw(g, 12)) {
	case 0:
	case 1:
	case 2: return some_store(g);
	case 3:
	case 4: return eval(g, set(g, fresh_local(g), some_look(g)));
	case 5: return eval(g, some_look(g));
	case 6: return eval(g, set(g, fresh_local(g), some_condition(g)));
	case 7:
	case 8: return depth < 3 ? some_branch(g, depth) : some_store(g);
	case 9: return depth < 2 ? some_for(g, depth) : some_store(g);
	case 10: return one_in(g, 2) ? some_assertion(g) : some_store(g);
	default: return eval(g, has(g, I_UPDATES) ? some_update(g) : some_look(g));
	}
}

/* --- functions --- */

static uint16_t some_helper(struct generator *g)
{
	uint16_t body = one_in(g, 4) ? some_statements(g, 1, 1) : some_waiting(g);
	unsigned returned = one_in(g, 2) ? g->fresh : 1;

	return LIST(g, body, with(g, add(g, K_RETURN, 0, 0, 0), local(g, returned % LOCALS), 0, 0));
}

/* The helper is made when it is first called. */
static uint16_t some_call(struct generator *g)
{
	unsigned helper = draw(g, HELPERS), function = g->function, known = g->known, fors = g->fors;
	int x = (int)draw(g, g->locations);

	if (!g->helper_used[helper]) {
		g->helper_used[helper] = true;
		g->function = THREADS + helper;
		g->fors = 0;
		g->known = 1;
		uint16_t body = some_helper(g);
		g->program->body[THREADS + helper] = body;
		g->function = function;
		g->known = known;
		g->fors = fors;
	}
	int value = 1 + (int)draw(g, 2);
	expect_value(g, x, value);
	uint16_t argument = one_in(g, 4) ? some_operand(g) : number(g, value);
	uint16_t call = with(g, add(g, K_CALL, x, (int)helper, 0), 0, argument, 0);
	return eval(g, set(g, fresh_local(g), call));
}

static void some_function(struct generator *g, unsigned thread, unsigned length)
{
	g->function = thread;
	g->fresh = 0;
	g->known = 0;
	uint16_t body = some_statements(g, length, 0);
	g->program->body[thread] = body;
}

/* Before, behind or between the statements of a thread. */
static void insert(struct generator *g, unsigned thread, uint16_t statement)
{
	uint16_t *body = &g->program->body[thread];
	unsigned length = 0, at;

	for (uint16_t node = *body; node; node = g->program->nodes[node].next)
		length++;
	at = one_in(g, 2) ? length : draw(g, length + 1);
	if (!at) {
		*body = LIST(g, statement, *body);
		return;
	}
	uint16_t before = *body;
	while (--at)
		before = g->program->nodes[before].next;
	uint16_t rest = g->program->nodes[before].next;
	g->program->nodes[before].next = 0;
	*body = LIST(g, *body, statement, rest);
}

/* What loops wait for is done by other threads. */
static void place_pending(struct generator *g, unsigned threads, bool with_main)
{
	for (unsigned i = 0; i < g->npending; i++) {
		unsigned thread = with_main ? draw(g, threads + 1) : 1 + draw(g, threads);
		if (thread == g->waiter[i])
			thread = with_main ? (thread + 1) % (threads + 1) : 1 + thread % threads;
		g->function = thread;
		insert(g, thread, g->pending[i]);
	}
}

static void place_threads(struct generator *g, unsigned threads)
{
	uint16_t *body = &g->program->body[0];

	for (unsigned t = threads; t >= 1; t--) {
		if (t == 2 && one_in(g, 6))
			insert(g, 0, add(g, K_SPAWN, (int)t, 0, 0));
		else
			*body = LIST(g, add(g, K_SPAWN, (int)t, 0, 0), *body);
	}
	if (threads == 2 && one_in(g, 8))
		*body = LIST(g, *body, add(g, K_JOIN, 1, 0, 0), eval(g, set(g, 0, load(g, 0))));
}

static const uint32_t rare = 1u << I_FILES | 1u << I_DESCRIPTORS | 1u << I_PAGES | 1u << I_PLACES;

/*
 * Which of these a program has depends on its seed alone, so that the others are what they were; half of the programs where
 * somebody wants nothing else of them, and else one in twelve.
 */
static uint32_t some_rare(uint64_t seed, uint32_t allowed)
{
	uint32_t wanted = allowed & rare;

	if (__builtin_popcount(wanted) == 1)
		return seed % 2 ? wanted : 0;
	switch (seed % 24) {
	case 1: return 1u << I_FILES;
	case 5: return 1u << I_DESCRIPTORS;
	case 13: return 1u << I_PAGES;
	case 7:
	case 17: return 1u << I_PLACES;
	default: return 0;
	}
}

static void draw_ingredients(struct generator *g, uint64_t seed, uint32_t allowed)
{
	static const uint32_t waiting = 1u << I_WAITS | 1u << I_ROUNDS;

	g->has = (uint32_t)next_random(g);
	g->has &= (uint32_t)next_random(g) | (uint32_t)next_random(g);
	if (!one_in(g, 4))
		g->has |= one_in(g, 3) ? waiting : one_in(g, 2) ? 1u << I_WAITS : 1u << I_ROUNDS;
	if (!one_in(g, 8))
		g->has &= ~(1u << I_VALUES);
	g->has &= ~rare;
	g->has |= some_rare(seed, allowed);
	g->has &= allowed;
	if (g->has & 1u << I_VALUES && one_in(g, 2))
		g->has = 1u << I_VALUES;
}

/* Two threads of some statements, or three of fewer. */
static void draw_program(struct generator *g, uint64_t seed, uint32_t ingredients)
{
	struct program *program = g->program;

	program_init(program);
	draw_ingredients(g, seed, ingredients);
	g->locations = 1 + draw(g, 2) + one_in(g, 4);
	bool with_main = one_in(g, 2);
	unsigned threads = with_main ? 1 + one_in(g, 3) : 2;
	for (unsigned i = 0; i < g->locations; i++)
		program->initial[i] = one_in(g, 4) ? 1 : 0;
	program->tokens[0] = (int8_t)draw(g, 2);
	for (unsigned t = with_main ? 0 : 1; t <= threads; t++)
		some_function(g, t, 1 + draw(g, threads + with_main > 2 ? 2 : 3));
	place_pending(g, threads, with_main);
	place_threads(g, threads);
	for (unsigned t = 0; t < THREADS; t++)
		program->live[t] = (uint8_t)(one_in(g, 4) ? draw(g, 1u << LOCALS) : 11);
	if (has(g, I_PLACES))
		program->place = (uint8_t)(1 + one_in(g, 3));
}

void generate(struct program *program, uint64_t seed, uint32_t ingredients)
{
	struct generator generator = {.program = program, .random = seed * 0x2545f4914f6cdd1dull + 1};

	do {
		uint64_t random = generator.random;
		generator = (struct generator){.program = program, .random = random};
		draw_program(&generator, seed, ingredients);
		program_compact(program);
	} while (!program_is_valid(program));
}
