#include "text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct instruction_info instruction_table[INSTRUCTIONS] = {
#define FLAVOUR(id)
#define INSTRUCTION(id, name, operand, value) [id] = {#name, OPERAND_##operand, value},
#include "instructions.def"
#undef FLAVOUR
#undef INSTRUCTION
};

/* The number at *text, which is moved past it; -1 when there is none. */
static int number(const char **text)
{
	char *end;
	unsigned long value = strtoul(*text, &end, 10);

	if (end == *text || **text < '0' || **text > '9' || value > 255)
		return -1;
	*text = end;
	return (int)value;
}

static unsigned find_instruction(const char *name, size_t length)
{
	for (unsigned i = 0; i < INSTRUCTIONS; i++)
		if (strlen(instruction_table[i].name) == length && !strncmp(instruction_table[i].name, name, length))
			return i;
	return INSTRUCTIONS;
}

static bool parse_step(struct step *step, const char *word)
{
	size_t length = strspn(word, "abcdefghijklmnopqrstuvwxyz_");
	unsigned instruction = find_instruction(word, length);
	int operand = 0, value = 0;

	if (instruction == INSTRUCTIONS)
		return false;
	const struct instruction_info *info = &instruction_table[instruction];
	word += length;
	if (info->operand != OPERAND_NONE)
		operand = number(&word);
	if (info->has_value)
		value = *word++ == '=' ? number(&word) : -1;
	if (operand < 0 || value < 0 || operand >= (info->operand == OPERAND_THREAD ? MAX_SECTIONS : OBJECTS))
		return false;
	*step = (struct step){(uint8_t)instruction, (uint8_t)operand, (uint8_t)value};
	return !*word;
}

static bool add_option(struct program *program, const char *word)
{
	size_t used = strlen(program->options);

	if (used + strlen(word) + 2 > sizeof program->options)
		return false;
	snprintf(program->options + used, sizeof program->options - used, "%s%s", used ? " " : "", word);
	return true;
}

static bool add_word(struct program *program, const char *word)
{
	struct section *section = &program->sections[program->nsections - 1];

	if (!strncmp(word, "--", 2))
		return program->nsections == 1 && !section->length && add_option(program, word);
	if (!strcmp(word, "|"))
		return program->nsections++ < MAX_SECTIONS;
	return section->length < MAX_LENGTH && parse_step(&section->steps[section->length++], word);
}

bool program_parse(struct program *program, const char *text)
{
	char copy[MAX_TEXT], *rest = copy, *word;

	*program = (struct program){.nsections = 1};
	if (strlen(text) >= sizeof copy)
		return false;
	strcpy(copy, text);
	while ((word = strsep(&rest, " \t\n")))
		if (*word && !add_word(program, word))
			return false;
	return true;
}

static int print_step(char *text, struct step step)
{
	const struct instruction_info *info = &instruction_table[step.instruction];
	int n = sprintf(text, "%s", info->name);

	if (info->operand != OPERAND_NONE)
		n += sprintf(text + n, "%u", step.operand);
	if (info->has_value)
		n += sprintf(text + n, "=%u", step.value);
	return n;
}

void program_print(const struct program *program, char *text)
{
	*text = 0;
	for (unsigned i = 0; i < program->nsections; i++) {
		const struct section *section = &program->sections[i];
		if (i)
			text += sprintf(text, i > 1 || program->sections[0].length ? " |" : "|");
		for (unsigned k = 0; k < section->length; k++) {
			if (i || k)
				*text++ = ' ';
			text += print_step(text, section->steps[k]);
		}
	}
}

bool program_uses(const struct program *program, unsigned instruction)
{
	for (unsigned i = 0; i < program->nsections; i++)
		for (unsigned k = 0; k < program->sections[i].length; k++)
			if (program->sections[i].steps[k].instruction == instruction)
				return true;
	return false;
}
