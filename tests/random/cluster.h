/*
 * Between cluster.c, which knows the searches, and cluster_text.c, which knows the programs: both have steps.
 */
#ifndef RANDOM_CLUSTER_H
#define RANDOM_CLUSTER_H

#include <stdbool.h>
#include <stdint.h>

enum { CLUSTER_TEXT = 4096 + 128 };

/* The program of a seed, into text[CLUSTER_TEXT], with its options in front. */
void cluster_draw(uint64_t seed, unsigned size, char *text);

/*
 * Options of inspect and sections, each of CLUSTER_TEXT; may the same class come up again, or is even the set of classes
 * a matter of luck (compare.c)?  False when the text is no program.
 */
bool cluster_parse(const char *text, char *options, char *sections, bool *repeats, bool *varies);

#endif
