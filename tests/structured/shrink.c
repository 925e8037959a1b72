#include "harness.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_CANDIDATES = 2048, MAX_ROUNDS = 100, FIRST = 16 /* candidates: often enough one of them */, MORE = 64 };

/* Programs that are one change away, the smallest first. */
struct candidates {
	const struct program *from;
	struct candidate {
		struct program program;
		unsigned size;
	} *all;
	unsigned count;
};

/* What is to become smaller: nodes first, then what they say. */
static unsigned size_of(const struct program *program)
{
	unsigned size = 100u * program->nnodes;

	for (unsigned i = 1; i < program->nnodes; i++) {
		const struct node *node = &program->nodes[i];
		size += (unsigned)(abs(node->a) + abs(node->b) + abs(node->c));
		/* a value is simpler than an operation */
		size += kind_rows[node->kind].is_expression && node->kind != K_CONST ? 20 : 0;
	}
	for (unsigned i = 0; i < LOCATIONS; i++)
		size += (unsigned)abs(program->initial[i]);
	for (unsigned t = 0; t < THREADS; t++)
		size += (unsigned)__builtin_popcount(program->live[t]);
	return size + (unsigned)program->tokens[0] + program->place;
}

static void add_candidate(struct candidates *candidates, struct program *program)
{
	if (candidates->count == MAX_CANDIDATES || program->nnodes == 0)
		return;
	program_compact(program);
	unsigned size = size_of(program);
	if (size >= size_of(candidates->from) || !program_is_valid(program))
		return;
	candidates->all[candidates->count].program = *program;
	candidates->all[candidates->count++].size = size;
}

/* Every link that leads to the node leads to another one. */
static void redirect(struct program *program, uint16_t node, uint16_t to)
{
	for (unsigned f = 0; f < FUNCTIONS; f++)
		if (program->body[f] == node)
			program->body[f] = to;
	for (unsigned i = 1; i < program->nnodes; i++) {
		if (program->nodes[i].next == node)
			program->nodes[i].next = to;
		for (unsigned k = 0; k < KIDS; k++)
			if (program->nodes[i].kid[k] == node)
				program->nodes[i].kid[k] = to;
	}
}

static void try_removal(struct candidates *candidates, uint16_t at)
{
	struct program program = *candidates->from;

	redirect(&program, at, program.nodes[at].next);
	add_candidate(candidates, &program);
}

/* One of its lists takes the place of a statement. */
static void try_list(struct candidates *candidates, uint16_t at, unsigned kid)
{
	struct program program = *candidates->from;
	uint16_t first = program.nodes[at].kid[kid], last = first;

	if (!first)
		return;
	while (program.nodes[last].next)
		last = program.nodes[last].next;
	program.nodes[last].next = program.nodes[at].next;
	redirect(&program, at, first);
	add_candidate(candidates, &program);
}

static void try_expression(struct candidates *candidates, uint16_t at, unsigned kid)
{
	struct program program = *candidates->from;

	redirect(&program, at, program.nodes[at].kid[kid]);
	add_candidate(candidates, &program);
}

static void try_constant(struct candidates *candidates, uint16_t at, int value)
{
	struct program program = *candidates->from;

	program.nodes[at] = (struct node){.kind = K_CONST, .a = (int8_t)value};
	add_candidate(candidates, &program);
}

static void try_number(struct candidates *candidates, uint16_t at, unsigned which, int value)
{
	struct program program = *candidates->from;
	int8_t *numbers[] = {&program.nodes[at].a, &program.nodes[at].b, &program.nodes[at].c};

	if (*numbers[which] == value)
		return;
	*numbers[which] = (int8_t)value;
	add_candidate(candidates, &program);
}

static void try_node(struct candidates *candidates, uint16_t at)
{
	const struct node *node = &candidates->from->nodes[at];
	const char *kids = kind_rows[node->kind].kids;
	bool is_expression = kind_rows[node->kind].is_expression;

	if (is_expression) {
		for (int value = 0; value < 2 && node->kind != K_CONST; value++)
			try_constant(candidates, at, value);
	} else {
		try_removal(candidates, at);
	}
	for (unsigned k = 0; k < strlen(kids); k++) {
		if (kids[k] == 's')
			try_list(candidates, at, k);
		else if (is_expression && node->kid[k])
			try_expression(candidates, at, k);
		if (kids[k] == 'i' && node->kid[k]) {
			struct program program = *candidates->from;
			program.nodes[at].kid[k] = 0;
			add_candidate(candidates, &program);
		}
	}
	for (unsigned which = 0; which < 3; which++)
		try_number(candidates, at, which, 0);
	if (node->a > 1) {
		try_number(candidates, at, 0, node->a / 2);
		try_number(candidates, at, 0, node->a - 1);
	}
}

static void try_rest(struct candidates *candidates)
{
	for (unsigned f = 0; f < FUNCTIONS; f++) {
		struct program program = *candidates->from;
		program.body[f] = 0;
		add_candidate(candidates, &program);
	}
	for (unsigned place = 0; place < candidates->from->place; place++) {
		struct program program = *candidates->from;
		program.place = (uint8_t)place;
		add_candidate(candidates, &program);
	}
	for (unsigned i = 0; i < THREADS * LOCALS; i++) {
		struct program program = *candidates->from;
		program.live[i / LOCALS] &= (uint8_t)~(1u << i % LOCALS);
		add_candidate(candidates, &program);
	}
	for (unsigned i = 0; i <= LOCATIONS; i++) {
		struct program program = *candidates->from;
		*(i < LOCATIONS ? &program.initial[i] : &program.tokens[0]) = 0;
		add_candidate(candidates, &program);
	}
}

static int by_size(const void *a, const void *b)
{
	const struct candidate *one = a, *other = b;

	return one->size < other->size ? -1 : one->size > other->size;
}

static void find_candidates(struct candidates *candidates)
{
	candidates->count = 0;
	for (uint16_t at = 1; at < candidates->from->nnodes; at++)
		try_node(candidates, at);
	try_rest(candidates);
	if (candidates->count)
		qsort(candidates->all, candidates->count, sizeof *candidates->all, by_size);
}

static bool still_fails(const struct harness *harness, const struct search *search, enum problem problem,
			const struct member *member, unsigned number)
{
	char message[MAX_MESSAGE];
	struct result result;

	bool fails = check_search(harness, search, "shrink", member, number, &result, message) == problem;
	result_release(&result);
	return fails;
}

/* The smallest of the next candidates that still fails, `most' of them; false: none of them. */
static bool try_some(const struct harness *harness, const struct search *search, enum problem problem,
		     const struct candidates *candidates, unsigned most, unsigned *next, struct program *program)
{
	static struct batch batch;
	bool found = false;

	for (; *next < candidates->count && batch.count < most; ++*next)
		batch_add(harness, &batch, &candidates->all[*next].program, 0);
	batch_print(&batch, "shrink.c");
	if (batch.count && batch_build(harness, &batch, "shrink", search->stateful))
		for (unsigned i = 0; i < batch.count && !found && !*harness->stop; i++) {
			found = still_fails(harness, search, problem, &batch.members[i], i);
			if (found)
				*program = batch.members[i].program;
		}
	batch_clear(&batch);
	return found;
}

void shrink(const struct harness *harness, const struct search *search, enum problem problem, struct program *program)
{
	struct candidates candidates = {.from = program};
	bool smaller = true;

	candidates.all = malloc(MAX_CANDIDATES * sizeof *candidates.all);
	if (!candidates.all)
		abort();
	for (unsigned round = 0; round < MAX_ROUNDS && smaller && !*harness->stop; round++) {
		unsigned next = 0;
		smaller = false;
		find_candidates(&candidates);
		while (!smaller && next < candidates.count && !*harness->stop)
			smaller = try_some(harness, search, problem, &candidates, next ? MORE : FIRST, &next, program);
	}
	free(candidates.all);
}
