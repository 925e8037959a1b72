#include "tree.h"

#include <assert.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

const struct kind_row kind_rows[KINDS] = {
	{"none", "", "", false},
#define EXPRESSION(id, name, kids, text) {name, kids, text, true},
#define STATEMENT(id, name, kids, text) {name, kids, text, false},
#include "kinds.def"
#undef EXPRESSION
#undef STATEMENT
};

void program_init(struct program *program)
{
	*program = (struct program){.nnodes = 1};
}

uint16_t node_add(struct program *program, struct node node)
{
	assert(node.kind > NO_KIND && node.kind < KINDS);
	if (program->nnodes == MAX_NODES)
		return 0;
	program->nodes[program->nnodes] = node;
	return program->nnodes++;
}

/* The list that begins with this node, in another program. */
static uint16_t copy_list(struct program *to, const struct program *from, uint16_t first)
{
	uint16_t head = 0, last = 0;

	for (uint16_t at = first; at; at = from->nodes[at].next) {
		struct node node = from->nodes[at];
		for (unsigned k = 0; k < KIDS; k++)
			node.kid[k] = copy_list(to, from, node.kid[k]);
		node.next = 0;
		uint16_t copy = node_add(to, node);
		assert(copy);
		if (last)
			to->nodes[last].next = copy;
		else
			head = copy;
		last = copy;
	}
	return head;
}

void program_compact(struct program *program)
{
	struct program old = *program;

	program->nnodes = 1;
	for (unsigned f = 0; f < FUNCTIONS; f++)
		program->body[f] = copy_list(program, &old, old.body[f]);
}

bool program_uses(const struct program *program, enum kind kind)
{
	for (unsigned i = 1; i < program->nnodes; i++)
		if (program->nodes[i].kind == kind)
			return true;
	return false;
}

bool program_has_files(const struct program *program)
{
	return program_uses(program, K_CREATE) || program_uses(program, K_UNLINK) || program_uses(program, K_EXISTS);
}

bool program_has_descriptors(const struct program *program)
{
	return program_uses(program, K_DUP) || program_uses(program, K_CLOSE) || program_uses(program, K_OPENED);
}

bool program_has_page(const struct program *program)
{
	return program_uses(program, K_TOUCH) || program_uses(program, K_FILL) || program_uses(program, K_PROTECT) ||
	       program_uses(program, K_RENEW);
}

bool program_has_system_calls(const struct program *program)
{
	return program_has_files(program) || program_has_descriptors(program) || program_has_page(program);
}

static bool has_order(enum kind kind)
{
	return kind == K_LOAD || kind == K_EXCHANGE || kind == K_FETCH || kind == K_CAS || kind == K_CAS_LOCAL ||
	       kind == K_STORE;
}

bool program_is_weak(const struct program *program)
{
	for (unsigned i = 1; i < program->nnodes; i++)
		if (has_order(program->nodes[i].kind) && program->nodes[i].b != SEQ_CST)
			return true;
	return false;
}

enum scope scope_of(enum kind kind, unsigned kid)
{
	switch (kind) {
	case K_FOR:
	case K_LOOP: return SCOPE_LOOP;
	case K_WHILE: return kid == 1 ? SCOPE_LOOP : NO_SCOPE;
	case K_DO: return kid == 0 ? SCOPE_LOOP : NO_SCOPE;
	case K_LOCKED: return SCOPE_LOCK;
	case K_TRYLOCK: return kid == 0 ? SCOPE_LOCK : NO_SCOPE;
	case K_POLLOCK: return kid == 0 ? SCOPE_LOOP : SCOPE_LOCK;
	case K_ATOMIC: return SCOPE_ATOMIC;
	default: return NO_SCOPE;
	}
}

/* --- which programs make sense --- */

struct context {
	const struct program *program;
	bool in_helper, in_atomic, at_top; /* at_top: in main's own list */
	unsigned loops, fors;
	unsigned held; /* mutexes, a bit each */
	int innermost; /* the last of them; -1 for none */
	unsigned *spawned, *joined; /* threads so far */
};

static bool list_is_valid(struct context context, uint16_t first);

static bool within(int number, int limit)
{
	return number >= 0 && number < limit;
}

static bool location_is_valid(const struct context *context, const struct node *node)
{
	if (node->a == PARAMETER)
		return context->in_helper && !node->kid[0];
	return within(node->a, node->kid[0] ? LOCATIONS - 1 : LOCATIONS);
}

/* One thread waits for others here, or for ever. */
static bool may_wait(enum kind kind)
{
	return kind == K_WHILE || kind == K_DO || kind == K_LOOP || kind == K_LOCKED || kind == K_POLLOCK ||
	       kind == K_TRYLOCK || kind == K_WAIT || kind == K_SLEEP || kind == K_CALL;
}

/* Who is to be created or joined: each thread once, in this order, and not in a loop. */
static bool thread_is_valid(const struct context *context, const struct node *node)
{
	unsigned bit = 1u << node->a, *set = node->kind == K_SPAWN ? context->spawned : context->joined;

	if (!context->at_top || node->a < 1 || node->a >= THREADS || *set & bit)
		return false;
	*set |= bit;
	return node->kind == K_SPAWN || *context->spawned & bit;
}

static bool numbers_are_valid(const struct context *context, const struct node *node)
{
	switch (node->kind) {
	case K_LOCAL:
	case K_SET:
	case K_COUNT:
	case K_BUMP: return within(node->a, LOCALS);
	case K_COUNTER: return context->fors > 0;
	case K_BINARY: return within(node->a, BINARIES);
	case K_FETCH: return within(node->c, FETCHES) && location_is_valid(context, node);
	case K_CAS_LOCAL: return within(node->c, LOCALS) && location_is_valid(context, node);
	case K_LOAD:
	case K_EXCHANGE:
	case K_CAS:
	case K_STORE: return within(node->b, ORDERS) && location_is_valid(context, node);
	case K_AWAIT: return context->in_atomic && within(node->b, ORDERS) && location_is_valid(context, node);
	case K_CALL: return !context->in_helper && within(node->b, HELPERS) && location_is_valid(context, node);
	case K_READ:
	case K_WRITE: return !context->in_atomic && within(node->a, node->kid[0] ? PLAINS - 1 : PLAINS);
	case K_CHOOSE: return node->a >= 1 && node->a <= 4;
	case K_CREATE:
	case K_UNLINK:
	case K_EXISTS: return within(node->a, FILES);
	case K_PROTECT: return within(node->a, 2);
	case K_FOR: return node->a >= 0;
	case K_BREAK:
	case K_CONTINUE: return context->loops > 0;
	case K_RETURN: return context->in_helper;
	case K_LOCKED:
	case K_TRYLOCK:
	case K_POLLOCK: return within(node->a, MUTEXES) && !(context->held & 1u << node->a);
	case K_TRYWAIT:
	case K_POST:
	case K_WAIT: return within(node->a, SEMAPHORES);
	case K_SLEEP: return within(node->a, CONDITIONS) && context->innermost == node->b;
	case K_SIGNAL:
	case K_BROADCAST: return within(node->a, CONDITIONS);
	case K_SPAWN:
	case K_JOIN: return thread_is_valid(context, node);
	default: return true;
	}
}

static struct context entered(const struct context *context, const struct node *node, unsigned kid)
{
	struct context inner = *context;

	inner.at_top = false;
	switch (scope_of(node->kind, kid)) {
	case SCOPE_LOOP:
		inner.loops++;
		inner.fors += node->kind == K_FOR;
		break;
	case SCOPE_LOCK:
		inner.held |= 1u << node->a;
		inner.innermost = node->a;
		break;
	case SCOPE_ATOMIC: inner.in_atomic = true; break;
	case NO_SCOPE: break;
	}
	return inner;
}

static bool node_is_valid(const struct context *context, const struct node *node)
{
	const char *kids = kind_rows[node->kind].kids;

	if (!numbers_are_valid(context, node) || (context->in_atomic && may_wait(node->kind)))
		return false;
	for (unsigned k = 0; k < KIDS; k++) {
		char kid = k < strlen(kids) ? kids[k] : 0;
		if (!kid ? node->kid[k] : kid == 'e' && !node->kid[k])
			return false;
		if (kid == 's'
			    ? !list_is_valid(entered(context, node, k), node->kid[k])
			    : node->kid[k] && (!kind_rows[context->program->nodes[node->kid[k]].kind].is_expression ||
					       !node_is_valid(context, &context->program->nodes[node->kid[k]])))
			return false;
	}
	return true;
}

static bool list_is_valid(struct context context, uint16_t first)
{
	for (uint16_t at = first; at; at = context.program->nodes[at].next) {
		const struct node *node = &context.program->nodes[at];
		if (kind_rows[node->kind].is_expression || !node_is_valid(&context, node))
			return false;
	}
	return true;
}

bool program_is_valid(const struct program *program)
{
	unsigned spawned = 0, joined = 0;

	for (unsigned f = 0; f < FUNCTIONS; f++) {
		struct context context = {.program = program,
					  .in_helper = f >= THREADS,
					  .at_top = f == 0,
					  .innermost = -1,
					  .spawned = &spawned,
					  .joined = &joined};
		if (!list_is_valid(context, program->body[f]))
			return false;
	}
	return spawned != 0;
}

/* --- text: name,a,b,c[kid][kid] … --- */

struct writer {
	const struct program *program;
	char *at, *end;
};

__attribute__((format(printf, 2, 3))) static void put(struct writer *writer, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	int n = vsnprintf(writer->at, (size_t)(writer->end - writer->at), format, arguments);
	va_end(arguments);
	writer->at += n < writer->end - writer->at ? n : writer->end - writer->at - 1;
}

static void write_list(struct writer *writer, uint16_t first)
{
	for (uint16_t at = first; at; at = writer->program->nodes[at].next) {
		const struct node *node = &writer->program->nodes[at];
		put(writer, "%s%s", at == first ? "" : " ", kind_rows[node->kind].name);
		if (node->a || node->b || node->c)
			put(writer, ",%d", node->a);
		if (node->b || node->c)
			put(writer, ",%d", node->b);
		if (node->c)
			put(writer, ",%d", node->c);
		for (unsigned k = 0; k < KIDS; k++) {
			if (!node->kid[k] && k >= strlen(kind_rows[node->kind].kids))
				break;
			put(writer, "[");
			write_list(writer, node->kid[k]);
			put(writer, "]");
		}
	}
}

void program_write(const struct program *program, char text[MAX_TREE_TEXT])
{
	struct writer writer = {program, text, text + MAX_TREE_TEXT};

	if (program->place)
		put(&writer, "@%d ", program->place);
	for (unsigned i = 0; i < LOCATIONS; i++)
		put(&writer, "%d ", program->initial[i]);
	put(&writer, "%d ", program->tokens[0]);
	for (unsigned i = 0; i < THREADS; i++)
		put(&writer, "%d ", program->live[i]);
	for (unsigned f = 0; f < FUNCTIONS; f++) {
		put(&writer, "[");
		write_list(&writer, program->body[f]);
		put(&writer, "]");
	}
}

struct reader {
	struct program *program;
	const char *at;
	bool failed;
};

static uint16_t read_list(struct reader *reader);

static int read_number(struct reader *reader)
{
	char *end;
	long value = strtol(reader->at, &end, 10);

	reader->failed |= end == reader->at || value < INT8_MIN || value > INT8_MAX;
	reader->at = end;
	return (int)value;
}

static enum kind read_kind(struct reader *reader)
{
	size_t length = strspn(reader->at, "abcdefghijklmnopqrstuvwxyz");

	for (unsigned k = 1; k < KINDS; k++) {
		if (strlen(kind_rows[k].name) != length || strncmp(kind_rows[k].name, reader->at, length))
			continue;
		reader->at += length;
		return k;
	}
	reader->failed = true;
	return NO_KIND;
}

static uint16_t read_node(struct reader *reader)
{
	struct node node = {.kind = (uint8_t)read_kind(reader)};
	int8_t *numbers[] = {&node.a, &node.b, &node.c};

	for (unsigned i = 0; i < 3 && *reader->at == ',' && !reader->failed; i++) {
		reader->at++;
		*numbers[i] = (int8_t)read_number(reader);
	}
	for (unsigned k = 0; k < KIDS && *reader->at == '[' && !reader->failed; k++)
		node.kid[k] = read_list(reader);
	uint16_t added = reader->failed ? 0 : node_add(reader->program, node);
	reader->failed |= !added;
	return added;
}

/* With its brackets. */
static uint16_t read_list(struct reader *reader)
{
	uint16_t head = 0, last = 0;

	reader->at += strspn(reader->at, " ");
	reader->failed |= *reader->at != '[';
	reader->at += !reader->failed;
	while (!reader->failed && *reader->at != ']') {
		uint16_t node = read_node(reader);
		if (last)
			reader->program->nodes[last].next = node;
		else
			head = node;
		last = node;
		reader->at += strspn(reader->at, " ");
	}
	reader->at += !reader->failed;
	return head;
}

bool program_parse(struct program *program, const char *text)
{
	struct reader reader = {program, text, false};

	program_init(program);
	if (*reader.at == '@') {
		reader.at++;
		program->place = (uint8_t)read_number(&reader);
	}
	for (unsigned i = 0; i < LOCATIONS; i++)
		program->initial[i] = (int8_t)read_number(&reader);
	program->tokens[0] = (int8_t)read_number(&reader);
	for (unsigned i = 0; i < THREADS; i++)
		program->live[i] = (uint8_t)read_number(&reader);
	for (unsigned f = 0; f < FUNCTIONS; f++)
		program->body[f] = read_list(&reader);
	reader.at += strspn(reader.at, " \n");
	return !reader.failed && !*reader.at && program_is_valid(program);
}
