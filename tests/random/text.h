/*
 * Programs and their text.
 *
 *   write0=2 join1 | lock0 read1 unlock0 | again=2
 *
 * One section per thread, the first is main's; an instruction is its name (instructions.def), the number
 * of its object or thread and its value, as far as it has them.  Words in front that begin with `--' are
 * options of `inspect check'.
 *
 * Used by the driver, and by the program itself in code that Inspect does not see.
 */
#ifndef RANDOM_TEXT_H
#define RANDOM_TEXT_H

#include <stdbool.h>
#include <stdint.h>

/* FIRST_flavour is the flavour's first instruction. */
enum instruction {
#define FLAVOUR(id) FIRST_##id, BEFORE_##id = FIRST_##id - 1,
#define INSTRUCTION(id, name, operand, value) id,
#include "instructions.def"
#undef FLAVOUR
#undef INSTRUCTION
	INSTRUCTIONS,
	END = INSTRUCTIONS /* of a thread's steps */
};

enum operand { OPERAND_NONE, OPERAND_OBJECT, OPERAND_THREAD };

enum { MAX_SECTIONS = 6, MAX_LENGTH = 24, MAX_OPTIONS = 96, OBJECTS = 2, MAX_TEXT = 4096 };

struct step {
	uint8_t instruction, operand, value;
};

struct section {
	unsigned length;
	struct step steps[MAX_LENGTH];
};

struct program {
	char options[MAX_OPTIONS]; /* words, separated by one blank */
	unsigned nsections; /* at least 1: main */
	struct section sections[MAX_SECTIONS];
};

struct instruction_info {
	const char *name;
	uint8_t operand; /* enum operand */
	uint8_t has_value;
};

extern const struct instruction_info instruction_table[INSTRUCTIONS];

/* False when the text is no program. */
bool program_parse(struct program *program, const char *text);

/* The sections only, into text[MAX_TEXT]. */
void program_print(const struct program *program, char *text);

bool program_uses(const struct program *program, unsigned instruction);

#endif
