#include "cluster.h"

#include <stdio.h>
#include <string.h>

#include "harness.h"

void cluster_draw(uint64_t seed, unsigned size, char *text)
{
	struct program program;
	char sections[MAX_TEXT];

	generate(&program, seed, size);
	program_print(&program, sections);
	snprintf(text, CLUSTER_TEXT, "%s%s%s", program.options, *program.options ? " " : "", sections);
}

bool cluster_parse(const char *text, char *options, char *sections, bool *repeats, bool *varies)
{
	struct program program;

	if (!program_parse(&program, text))
		return false;
	strcpy(options, program.options);
	program_print(&program, sections);
	*repeats = *varies = program_uses(&program, FREE_LOCKS);
	for (unsigned i = FIRST_ATOMIC_BLOCKS; i < FIRST_TIMED; i++)
		*repeats |= program_uses(&program, i);
	return true;
}
