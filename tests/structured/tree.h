/*
 * Programs as trees.
 *
 * A program has up to three threads (the first is main, which creates and joins the others) and two helper
 * functions, each a list of statements; what they share is a fixed set of objects.  The same tree is printed as C
 * (print.c), for Inspect, and interpreted (compile.c, interpret.c), which knows nothing of Inspect.
 *
 * A tree is plain data without pointers: copying the struct copies the program.  Node 0 stands for none.
 */
#ifndef STRUCTURED_TREE_H
#define STRUCTURED_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum {
	THREADS = 3,
	HELPERS = 2,
	FUNCTIONS = THREADS + HELPERS, /* main, the other threads, helpers */
	LOCATIONS = 4, /* atomic */
	PARAMETER = LOCATIONS, /* as a location: the one that a helper was given */
	PLAINS = 2,
	MUTEXES = 2,
	SEMAPHORES = 1,
	CONDITIONS = 1,
	FILES = 2,
	DESCRIPTORS = 4, /* more are too many */
	LOCALS = 4, /* of each function; the first of a helper is its argument */
	KIDS = 3,
	MAX_NODES = 512,
	MAX_TREE_TEXT = 16384
};

enum kind {
	NO_KIND,
#define EXPRESSION(id, name, kids, text) K_##id,
#define STATEMENT(id, name, kids, text) K_##id,
#include "kinds.def"
#undef EXPRESSION
#undef STATEMENT
	KINDS
};

struct kind_row {
	const char *name, *kids, *text; /* kinds.def */
	bool is_expression;
};
extern const struct kind_row kind_rows[KINDS];

enum binary { B_ADD, B_SUB, B_AND, B_XOR, B_MOD, B_EQ, B_NE, B_LT, B_GT, B_BOTH, B_EITHER, BINARIES };
enum fetch { F_ADD, F_SUB, F_OR, F_AND, F_XOR, FETCHES };
enum place { PLACE_STATIC, PLACE_STACK /* of main */, PLACE_HEAP, PLACES };
enum order { SEQ_CST, RELAXED, WEAK /* acquire, release or both */, ORDERS };

struct node {
	uint8_t kind;
	int8_t a, b, c; /* what they mean depends on the kind */
	uint16_t next; /* in the list of statements */
	uint16_t kid[KIDS]; /* expressions, or first statements of lists */
};

struct program {
	uint16_t nnodes; /* with node 0 */
	uint16_t body[FUNCTIONS];
	int8_t initial[LOCATIONS], tokens[SEMAPHORES];
	uint8_t live[THREADS]; /* which locals are printed at the end */
	uint8_t place; /* where the plain locations are */
	struct node nodes[MAX_NODES];
};

void program_init(struct program *program);

/* 0 when there is no room, which makes what is built from it invalid. */
uint16_t node_add(struct program *program, struct node node);

/* Unused nodes are left out; lists and trees stay as they are. */
void program_compact(struct program *program);

/* Is it a program that may be printed and interpreted?  See the rules in tree.c. */
bool program_is_valid(const struct program *program);

bool program_uses(const struct program *program, enum kind kind);
bool program_has_files(const struct program *program); /* their names, that is */
bool program_has_descriptors(const struct program *program);
bool program_has_page(const struct program *program);
bool program_has_system_calls(const struct program *program); /* any of these */
bool program_is_weak(const struct program *program); /* some memory order is not seq_cst */

/* What is entered with a list of statements, and must be left again with a break or a return. */
enum scope { NO_SCOPE, SCOPE_LOOP, SCOPE_LOCK, SCOPE_ATOMIC };
enum scope scope_of(enum kind kind, unsigned kid);

/* --- text --- */

/* One line, by which a program is kept. */
void program_write(const struct program *program, char text[MAX_TREE_TEXT]);
bool program_parse(struct program *program, const char *text);

/* --- print.c --- */

/* Lines of the C program at which its assertions are: by node. */
struct places {
	uint32_t line[MAX_NODES];
};

/*
 * One C source of many programs, of which argv[1] says which one to run.  Begin, print each, end.
 * `line' is the number of the next line; places may be NULL.
 */
struct source {
	FILE *out;
	unsigned line, count;
};
void source_begin(struct source *source, FILE *out);
void source_add(struct source *source, const struct program *program, struct places *places);
void source_end(struct source *source);

#endif
