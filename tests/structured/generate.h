/*
 * Programs of seeds.  C leaves open in which order arguments are evaluated, and so what is drawn first: the program of a
 * seed is the same for one compiler.
 */
#ifndef STRUCTURED_GENERATE_H
#define STRUCTURED_GENERATE_H

#include "tree.h"

/* What a program may be made of; each program uses some of them only. */
enum ingredient {
#define INGREDIENT(id, name, by_default) I_##id,
#include "ingredients.def"
#undef INGREDIENT
	INGREDIENTS
};

struct ingredient_row {
	const char *name;
	bool by_default;
};
extern const struct ingredient_row ingredient_rows[INGREDIENTS];

/* The program of a seed, from a set of ingredients (a bit each).  Always valid. */
void generate(struct program *program, uint64_t seed, uint32_t ingredients);

#endif
