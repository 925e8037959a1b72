#define _GNU_SOURCE
#include "hidden.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { NOBODY = MAX_SECTIONS };

static struct program program;
static bool is_program;
static unsigned versions[SORTS][OBJECTS];
static pthread_t handles[MAX_SECTIONS];

/* Once, not in every execution. */
__attribute__((constructor)) static void read_program(int argc, char **argv)
{
	is_program = argc == 2 && program_parse(&program, argv[1]);
}

bool hidden_begin(void)
{
	if (is_program)
		return true;
	dprintf(STDERR_FILENO, "the argument is to be a program, as text (tests/random/text.h)\n");
	exit(2);
}

unsigned hidden_sections(void)
{
	return program.nsections;
}

struct step hidden_step(unsigned thread, unsigned index)
{
	const struct section *section = &program.sections[thread];

	return index < section->length ? section->steps[index] : (struct step){.instruction = END};
}

unsigned hidden_version(enum object sort, unsigned object, bool changes)
{
	return versions[sort][object] += changes;
}

static bool has_step(unsigned thread, unsigned instruction, unsigned operand)
{
	const struct section *section = &program.sections[thread];

	for (unsigned i = 0; i < section->length; i++)
		if (section->steps[i].instruction == instruction && section->steps[i].operand == operand)
			return true;
	return false;
}

/* The first who has it in its steps; NOBODY if main creates it at the start. */
static unsigned creator_of(unsigned thread)
{
	for (unsigned i = 0; i < program.nsections; i++)
		if (i != thread && has_step(i, CREATE, thread))
			return i;
	return NOBODY;
}

bool hidden_is_created_at_start(unsigned thread)
{
	return creator_of(thread) == NOBODY;
}

bool hidden_creates(unsigned creator, unsigned thread)
{
	return thread && thread < program.nsections && creator_of(thread) == creator && !handles[thread];
}

bool hidden_set_handle(unsigned thread, pthread_t handle)
{
	handles[thread] = handle;
	return true;
}

pthread_t hidden_handle(unsigned self, unsigned thread)
{
	unsigned creator = creator_of(thread);

	return thread == self || (creator != NOBODY && creator != self) ? 0 : handles[thread];
}

static bool main_joins_all(void)
{
	for (unsigned i = 1; i < program.nsections; i++)
		if (!has_step(0, JOIN, i) || !hidden_is_created_at_start(i))
			return false;
	return !has_step(0, SKIP_IF, 0) && !has_step(0, LEAVE, 0);
}

/* One system call: they are what an execution spends its time on. */
void hidden_print(uint64_t seen, const int *plain, const int *atomics)
{
	char line[128];
	int n = snprintf(line, sizeof line, "main saw %llx", (unsigned long long)seen);

	if (atomics && main_joins_all())
		for (unsigned i = 0; i < OBJECTS; i++)
			n += snprintf(line + n, sizeof line - (size_t)n, " %d,%d", plain[i], atomics[i]);
	if (write(STDOUT_FILENO, line, (size_t)n) != n)
		abort();
}
