/*
 * Inside of the generator: what has been drawn so far, and how nodes are made.
 *
 * The parts of a program are drawn from the top: functions of statements (generate.c), of which some are loops that wait
 * (waits.c), made of small parts (draw.c).  What a loop waits for is left to be done by another thread: expect().
 */
#ifndef STRUCTURED_DRAW_H
#define STRUCTURED_DRAW_H

#include "generate.h"

enum { MAX_PENDING = 8, VALUES = 4 };

struct generator {
	struct program *program;
	uint64_t random;
	uint32_t has; /* ingredients of this program */
	unsigned locations; /* that it uses: few, so that threads meet */
	unsigned function, fors;
	unsigned fresh; /* the local that is assigned next */
	unsigned known; /* locals that have been assigned, a bit each */
	bool in_block, helper_used[HELPERS];
	/* what other threads should do for loops that wait: statements, and for whom they are */
	uint16_t pending[MAX_PENDING];
	unsigned waiter[MAX_PENDING], npending;
};

/* --- drawing --- */

uint64_t next_random(struct generator *generator);
unsigned draw(struct generator *generator, unsigned limit);
bool one_in(struct generator *generator, unsigned n);
bool has(const struct generator *generator, enum ingredient ingredient);

/* --- nodes --- */

uint16_t add(struct generator *g, enum kind kind, int a, int b, int c);
uint16_t with(struct generator *g, uint16_t node, uint16_t zero, uint16_t one, uint16_t two);
/* All that are not 0, one after the other; lists are appended whole. */
uint16_t list(struct generator *g, unsigned count, ...);
#define COUNT_OF(...) (sizeof((unsigned[]){__VA_ARGS__}) / sizeof(unsigned))
#define LIST(g, ...) list(g, COUNT_OF(__VA_ARGS__), __VA_ARGS__)
uint16_t number(struct generator *g, int value);
uint16_t local(struct generator *g, unsigned which);
uint16_t binary(struct generator *g, enum binary operator, uint16_t a, uint16_t b);
uint16_t equals(struct generator *g, uint16_t a, int value);
uint16_t differs(struct generator *g, uint16_t a, int value);
uint16_t set(struct generator *g, unsigned which, uint16_t value);
uint16_t eval(struct generator *g, uint16_t value);
uint16_t when(struct generator *g, uint16_t condition, uint16_t then, uint16_t other);
uint16_t loop(struct generator *g, uint16_t body);
uint16_t leave(struct generator *g);
uint16_t repeat(struct generator *g, uint16_t condition, uint16_t body);
int order(struct generator *g);
uint16_t load(struct generator *g, int x);
uint16_t store(struct generator *g, int x, uint16_t value);
uint16_t fetch(struct generator *g, enum fetch operator, int x, uint16_t value);
uint16_t exchange(struct generator *g, int x, uint16_t value);
uint16_t cas(struct generator *g, int x, uint16_t expected, uint16_t desired);
uint16_t locked(struct generator *g, unsigned mutex, uint16_t body);
uint16_t plain_write(struct generator *g, unsigned y, uint16_t value);
uint16_t plain_read(struct generator *g, unsigned y);

/* --- small parts: values, looks, conditions --- */

int some_value(struct generator *g);
int some_location(struct generator *g);
unsigned fresh_local(struct generator *g);
unsigned known_local(struct generator *g);
uint16_t some_operand(struct generator *g);
uint16_t indexed(struct generator *g, uint16_t access);
uint16_t some_update(struct generator *g);
uint16_t some_look(struct generator *g);
uint16_t some_condition(struct generator *g);
/* What a round of a waiting loop does besides looking: nothing, most of the time. */
uint16_t idle(struct generator *g);
/* Another thread is to do this, so that a wait may end. */
void expect(struct generator *g, uint16_t statement);
/* … to give a location this value; not for what a helper was given. */
void expect_value(struct generator *g, int x, int value);
/* Two locals have these values: worth an assertion, or counting. */
uint16_t tell(struct generator *g, unsigned a, int first, unsigned b, int second);

/* --- statements --- */

uint16_t some_statement(struct generator *g, unsigned depth);
uint16_t some_waiting(struct generator *g);

#endif
