#include "tree.h"

#include <assert.h>
#include <stdarg.h>
#include <string.h>

static const char *const binaries[BINARIES] = {"+", "-", "&", "^", "%", "==", "!=", "<", ">", "&&", "||"};
static const char *const fetches[FETCHES] = {"add", "sub", "or", "and", "xor"};

enum { MAX_SCOPES = 32, MAX_INDENT = 40 };

struct printer {
	struct source *source;
	const struct program *program;
	struct places *places;
	unsigned indent;
	unsigned nscopes;
	struct entered {
		enum scope scope;
		bool is_for;
		int8_t mutex;
	} scopes[MAX_SCOPES];
};

__attribute__((format(printf, 2, 3))) static void put(struct source *source, const char *format, ...)
{
	char text[1024];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	for (const char *c = text; *c; c++)
		source->line += *c == '\n';
	fputs(text, source->out);
}

static void new_line(struct printer *printer)
{
	put(printer->source, "\n%.*s", (int)printer->indent, "\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t");
}

/* --- parts of nodes --- */

static void print_node(struct printer *printer, uint16_t at);

static void print_location(struct printer *printer, const struct node *node, const char *array)
{
	if (node->a == PARAMETER) {
		put(printer->source, "*p");
		return;
	}
	put(printer->source, "%s[%d", array, node->a);
	if (node->kid[0]) {
		put(printer->source, " + (");
		print_node(printer, node->kid[0]);
		put(printer->source, " & 1)");
	}
	put(printer->source, "]");
}

/* A compare-and-swap that fails is a load. */
static const char *order_of(const struct node *node, char use)
{
	if (node->b == SEQ_CST)
		return "memory_order_seq_cst";
	if (node->b == RELAXED)
		return "memory_order_relaxed";
	return use == 'r' ? "memory_order_acquire" : use == 'w' ? "memory_order_release" : "memory_order_acq_rel";
}

static unsigned fors(const struct printer *printer)
{
	unsigned count = 0;

	for (unsigned i = 0; i < printer->nscopes; i++)
		count += printer->scopes[i].is_for;
	return count;
}

/* Before a break, a continue or a return. */
static void print_releases(struct printer *printer, bool whole_function)
{
	for (unsigned i = printer->nscopes; i-- > 0;) {
		const struct entered *entered = &printer->scopes[i];
		if (entered->scope == SCOPE_LOOP && !whole_function)
			return;
		if (entered->scope == SCOPE_LOCK)
			put(printer->source, "pthread_mutex_unlock(&m[%d]);", entered->mutex);
		else if (entered->scope == SCOPE_ATOMIC)
			put(printer->source, "inspect_atomic_end();");
		else
			continue;
		new_line(printer);
	}
}

/* --- lists --- */

/* Each statement on a line of its own. */
static void print_list(struct printer *printer, const struct node *node, unsigned kid)
{
	enum scope scope = scope_of(node->kind, kid);

	assert(printer->nscopes < MAX_SCOPES);
	printer->scopes[printer->nscopes++] = (struct entered){scope, node->kind == K_FOR, node->a};
	for (uint16_t at = node->kid[kid]; at; at = printer->program->nodes[at].next) {
		if (at != node->kid[kid])
			new_line(printer);
		print_node(printer, at);
	}
	printer->nscopes--;
}

static void print_block(struct printer *printer, const struct node *node, unsigned kid, bool unlock)
{
	put(printer->source, "{");
	printer->indent++;
	new_line(printer);
	print_list(printer, node, kid);
	if (unlock && node->kid[kid])
		new_line(printer);
	if (unlock)
		put(printer->source, "pthread_mutex_unlock(&m[%d]);", node->a);
	printer->indent--;
	new_line(printer);
	put(printer->source, "}");
}

/* --- nodes --- */

/* One escape of a row of kinds.def, after its %; returns how long it is. */
static unsigned print_escape(struct printer *printer, const struct node *node, const char *escape)
{
	struct source *source = printer->source;
	unsigned kid = escape[1] >= '0' && escape[1] < '0' + KIDS ? (unsigned)(escape[1] - '0') : 0;

	switch (*escape) {
	case 'a': put(source, node->a < 0 ? "(%d)" : "%d", node->a); return 1;
	case 'b': put(source, "%d", node->b); return 1;
	case 'c': put(source, "%d", node->c); return 1;
	case '0':
	case '1':
	case '2': print_node(printer, node->kid[*escape - '0']); return 1;
	case 'L': print_location(printer, node, "x"); return 1;
	case 'Y': print_location(printer, node, "Y"); return 1;
	case 'r':
	case 'w':
	case 'u': put(source, "%s", order_of(node, *escape)); return 1;
	case 'v': put(source, "%s", node->kind == K_FETCH ? fetches[node->c] : binaries[node->a]); return 1;
	case 'i': put(source, "i%u", fors(printer) + (node->kind == K_FOR)); return 1;
	case ';': new_line(printer); return 1;
	case 'x': print_releases(printer, node->kind == K_RETURN); return 1;
	case '[':
		print_list(printer, node, kid);
		if (node->kid[kid])
			new_line(printer);
		return 2;
	case '{':
	case '}': print_block(printer, node, kid, *escape == '}'); return 2;
	case 'e':
		if (node->kid[kid]) {
			put(source, " else ");
			print_block(printer, node, kid, false);
		}
		return 2;
	}
	assert(!"an escape of kinds.def");
	return 1;
}

static void print_node(struct printer *printer, uint16_t at)
{
	const struct node *node = &printer->program->nodes[at];

	if (printer->places)
		printer->places->line[at] = printer->source->line;
	for (const char *c = kind_rows[node->kind].text; *c;) {
		if (*c == '%') {
			c += 1 + print_escape(printer, node, c + 1);
		} else {
			put(printer->source, "%c", *c++);
		}
	}
}

/* --- functions --- */

static void print_body(struct printer *printer, unsigned function)
{
	struct node list = {.kid = {printer->program->body[function]}};

	printer->indent = 1;
	new_line(printer);
	print_list(printer, &list, 0);
	if (list.kid[0])
		new_line(printer);
}

static void print_helper(struct printer *printer, unsigned helper)
{
	struct source *source = printer->source;

	put(source, "static int P(h%u)(atomic_int *p, int r0, int *y)\n{\n\tint r1 = 0, r2 = 0, r3 = 0, result = 0;\n",
	    helper);
	print_body(printer, THREADS + helper);
	put(source, "(void)p, (void)y, (void)r0, (void)r1, (void)r2, (void)r3;\n\treturn result;\n}\n\n");
}

/* Live locals leave the thread with its result. */
static void print_result(struct printer *printer, unsigned thread)
{
	put(printer->source, "(0");
	for (unsigned i = 0; i < LOCALS; i++)
		if (printer->program->live[thread] & 1u << i)
			put(printer->source, " | (unsigned long)(unsigned char)r%u << %u", i, 8 * i);
	put(printer->source, ")");
}

static void print_thread(struct printer *printer, unsigned thread)
{
	struct source *source = printer->source;

	put(source, "static void *P(t%u)(void *argument)\n{\n\tint r0 = 0, r1 = 0, r2 = 0, r3 = 0, *y = argument;\n",
	    thread);
	print_body(printer, thread);
	put(source, "(void)y, (void)r0, (void)r1, (void)r2, (void)r3;\n\treturn (void *)");
	print_result(printer, thread);
	put(source, ";\n}\n\n");
}

static bool main_does(const struct program *program, enum kind kind, unsigned thread)
{
	for (uint16_t at = program->body[0]; at; at = program->nodes[at].next)
		if (program->nodes[at].kind == kind && (unsigned)program->nodes[at].a == thread)
			return true;
	return false;
}

static const char *const plains[PLACES] = {"plain", "own", "calloc(2, sizeof(int))"};

static void print_main(struct printer *printer)
{
	struct source *source = printer->source;
	const struct program *program = printer->program;

	put(source, "static void P(main)(void)\n{\n\tpthread_t t[%d];\n\tvoid *ended[%d] = {0};\n", THREADS, THREADS);
	put(source, "\tint r0 = 0, r1 = 0, r2 = 0, r3 = 0, own[2] = {0};\n\tint *y = %s;\n\n", plains[program->place]);
	for (unsigned i = 0; i < LOCATIONS; i++)
		if (program->initial[i])
			put(source, "\tx[%u] = %d;\n", i, program->initial[i]);
	/* system calls cost time: programs without files do without */
	if (program_has_files(program))
		put(source, "\tunlink_file(0);\n\tunlink_file(1);\n");
	if (program_has_descriptors(program))
		put(source, "\tfind_descriptors();\n");
	if (program_has_page(program))
		put(source, "\tmake_page();\n");
	put(source, "\tsem_init(&s[0], 0, %d);", program->tokens[0]);
	print_body(printer, 0);
	for (unsigned t = 1; t < THREADS; t++)
		if (main_does(program, K_SPAWN, t) && !main_does(program, K_JOIN, t))
			put(source, "pthread_join(t[%u], &ended[%u]);\n\t", t, t);
	put(source, "(void)t, (void)own, (void)r0, (void)r1, (void)r2, (void)r3;\n\tended[0] = (void *)");
	print_result(printer, 0);
	put(source, ";\n\treport(ended, Y, 0");
	if (program_has_files(program))
		put(source, " | exists_file(0) | exists_file(1) << 1");
	if (program_has_descriptors(program))
		put(source, " | all_descriptors() << 2");
	if (program_has_page(program))
		put(source, " | final_page() << 8");
	put(source, ");\n}\n\n");
}

/* --- the source --- */

static const char head[] = "#define _GNU_SOURCE\n#include <fcntl.h>\n#include <pthread.h>\n#include <sched.h>\n"
			   "#include <semaphore.h>\n#include <stdatomic.h>\n#include <stdio.h>\n#include <stdlib.h>\n"
			   "#include <sys/mman.h>\n#include <unistd.h>\n"
			   "#include <inspect.h>\n\n";
static const char objects[] = "static atomic_int x[4];\nstatic int plain[2];\nstatic sem_t s[1];\n"
			      "static pthread_mutex_t m[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};\n"
			      "static pthread_cond_t c[1] = {PTHREAD_COND_INITIALIZER};\n\n";
static const char files[] =
	"static const char *const names[] = {\"structured-0\", \"structured-1\"};\n"
	"static int create_file(int k)\n{\n\tint f = open(names[k], O_CREAT | O_EXCL | O_WRONLY, 0600);\n\n"
	"\tif (f >= 0)\n\t\tclose(f);\n\treturn f >= 0;\n}\n\n"
	"static int unlink_file(int k)\n{\n\treturn unlink(names[k]) == 0;\n}\n\n"
	"static int exists_file(int k)\n{\n\treturn access(names[k], F_OK) == 0;\n}\n\n";
static const char descriptors[] =
	"static int base;\n"
	"static void find_descriptors(void)\n{\n\tbase = dup(0);\n\tclose(base);\n}\n\n"
	"static int take_descriptor(void)\n{\n\treturn dup(0) - base;\n}\n\n"
	"static int close_descriptor(int k)\n{\n\treturn close(base + (k & 3)) == 0;\n}\n\n"
	"static int has_descriptor(int k)\n{\n\treturn fcntl(base + (k & 3), F_GETFD) >= 0;\n}\n\n"
	"static int all_descriptors(void)\n{\n\tint all = 0;\n\n\tfor (int k = 0; k < 4; k++)\n"
	"\t\tall |= has_descriptor(k) << k;\n\treturn all;\n}\n\n";
static const char pages[] =
	"static atomic_int *page;\n"
	"static void renew_page(void)\n{\n\tif (mmap(page, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | "
	"MAP_FIXED, -1, 0) != page)\n\t\tabort();\n}\n\n"
	"static void make_page(void)\n{\n\tpage = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | "
	"MAP_ANONYMOUS, "
	"-1, 0);\n}\n\n"
	"static void protect_page(int off)\n{\n\tif (mprotect(page, 4096, off ? PROT_READ | PROT_WRITE : PROT_NONE))\n"
	"\t\tabort();\n}\n\n"
	"static int final_page(void)\n{\n\tprotect_page(1);\n\treturn atomic_load(page) & 255;\n}\n\n";
/* What was printed is no part of a state that --stateful knows; what was stored is. */
static const char report[] =
	"static struct {\n\tvoid *ended[3];\n\tint y[2], files;\n} results;\n\n"
	"static void report(void *const *ended, const int *y, int files)\n{\n"
	"\tfor (int i = 0; i < 3; i++)\n\t\tresults.ended[i] = ended[i];\n"
	"\tfor (int i = 0; i < 2; i++)\n\t\tresults.y[i] = y[i];\n"
	"\tresults.files = files;\n"
	"\tprintf(\"%lx %lx %lx x %d %d %d %d y %d %d f %d\", (unsigned long)ended[0], (unsigned long)ended[1],\n"
	"\t       (unsigned long)ended[2], x[0], x[1], x[2], x[3], y[0], y[1], files);\n}\n\n";

void source_begin(struct source *source, FILE *out)
{
	*source = (struct source){out, 1, 0};
	put(source, "%s", head);
	put(source, "%s", objects);
	put(source, "%s", files);
	put(source, "%s", descriptors);
	put(source, "%s", pages);
	put(source, "%s", report);
}

void source_add(struct source *source, const struct program *program, struct places *places)
{
	struct printer printer = {.source = source, .program = program, .places = places};

	put(source, "#undef P\n#define P(name) p%u_##name\n", source->count++);
	put(source, "#undef Y\n#define Y %s\n\n", program->place == PLACE_STATIC ? "plain" : "y");
	for (unsigned h = 0; h < HELPERS; h++)
		if (program_uses(program, K_CALL))
			print_helper(&printer, h);
	for (unsigned t = 1; t < THREADS; t++)
		if (main_does(program, K_SPAWN, t))
			print_thread(&printer, t);
	print_main(&printer);
}

void source_end(struct source *source)
{
	put(source, "int main(int argc, char **argv)\n{\n\tswitch (argc > 1 ? atoi(argv[1]) : 0) {\n");
	for (unsigned i = 0; i < source->count; i++)
		put(source, "\tcase %u: p%u_main(); break;\n", i, i);
	put(source, "\t}\n\treturn 0;\n}\n");
}
