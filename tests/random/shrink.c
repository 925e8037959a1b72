#include "harness.h"

#include <string.h>

/* What is lost may show as a lost end in one program and as a lost class in a smaller one. */
static bool is_loss(enum problem problem)
{
	return problem == PROBLEM_ENDS || problem == PROBLEM_MODEL || problem == PROBLEM_FINDINGS ||
	       problem == PROBLEM_CLASSES;
}

/* Without the oracle it is not known which of two strategies is wrong. */
static bool is_same(const struct verdict *a, const struct verdict *b)
{
	return (a->problem == b->problem || (is_loss(a->problem) && is_loss(b->problem))) &&
	       (a->strategy == b->strategy || !b->with_oracle);
}

/* The attempt fails the same way: it is what there is to shrink now. */
static bool keep(const struct harness *harness, struct program *program, const struct program *attempt,
		 struct verdict *wanted)
{
	struct verdict verdict;

	if (*harness->stop)
		return false;
	check(harness, attempt, wanted->option != NULL, &verdict);
	if (!is_same(&verdict, wanted))
		return false;
	*program = *attempt;
	*wanted = verdict;
	return true;
}

static void remove_steps(struct section *section, unsigned at, unsigned count)
{
	section->length -= count;
	memmove(&section->steps[at], &section->steps[at + count], (section->length - at) * sizeof *section->steps);
}

/* Without its thread; operands name the others by their new numbers. */
static void remove_section(struct program *program, unsigned thread)
{
	program->nsections--;
	memmove(&program->sections[thread], &program->sections[thread + 1],
		(program->nsections - thread) * sizeof *program->sections);
	for (unsigned i = 0; i < program->nsections; i++) {
		struct section *section = &program->sections[i];
		for (unsigned k = section->length; k-- > 0;) {
			struct step *step = &section->steps[k];
			if (instruction_table[step->instruction].operand != OPERAND_THREAD || step->operand < thread)
				continue;
			if (step->operand-- == thread)
				remove_steps(section, k, 1);
		}
	}
}

static bool shrink_threads(const struct harness *harness, struct program *program, struct verdict *verdict)
{
	bool changed = false;

	for (unsigned i = program->nsections - 1; i > 0; i--) {
		struct program attempt = *program;
		remove_section(&attempt, i);
		changed |= keep(harness, program, &attempt, verdict);
	}
	return changed;
}

static bool shrink_steps(const struct harness *harness, struct program *program, struct verdict *verdict,
			 unsigned count)
{
	bool changed = false;

	for (unsigned i = 0; i < program->nsections; i++) {
		for (unsigned k = program->sections[i].length; k-- > 0;) {
			struct program attempt = *program;
			if (k + count > attempt.sections[i].length)
				continue;
			remove_steps(&attempt.sections[i], k, count);
			changed |= keep(harness, program, &attempt, verdict);
		}
	}
	return changed;
}

/* The smallest operand and value of one step. */
static bool shrink_step(const struct harness *harness, struct program *program, struct verdict *verdict,
			struct step *step)
{
	struct program attempt = *program;
	struct step *same = (struct step *)((char *)&attempt + ((char *)step - (char *)program));
	bool changed = false;

	if (instruction_table[step->instruction].operand == OPERAND_OBJECT && step->operand) {
		same->operand = 0;
		changed |= keep(harness, program, &attempt, verdict);
	}
	attempt = *program;
	if (step->value > 1) {
		same->value = 1;
		changed |= keep(harness, program, &attempt, verdict);
	}
	return changed;
}

static bool shrink_operands(const struct harness *harness, struct program *program, struct verdict *verdict)
{
	bool changed = false;

	for (unsigned i = 0; i < program->nsections; i++)
		for (unsigned k = 0; k < program->sections[i].length; k++)
			changed |= shrink_step(harness, program, verdict, &program->sections[i].steps[k]);
	return changed;
}

static bool shrink_options(const struct harness *harness, struct program *program, struct verdict *verdict)
{
	struct program attempt = *program;

	if (!*program->options)
		return false;
	*attempt.options = 0;
	return keep(harness, program, &attempt, verdict);
}

void shrink(const struct harness *harness, struct program *program, struct verdict *verdict)
{
	bool changed = true;

	while (changed) {
		changed = shrink_options(harness, program, verdict);
		changed |= shrink_threads(harness, program, verdict);
		for (unsigned count = 4; count; count /= 2)
			changed |= shrink_steps(harness, program, verdict, count);
		changed |= shrink_operands(harness, program, verdict);
	}
}
