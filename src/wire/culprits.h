/*
 * What a program may do that gives another result in the next execution: noted by
 * the runtime as it happens, so that a report of nondeterminism can name it.  What can
 * be made repeatable (clocks, process numbers …) is, and what must not happen at all
 * (random devices …) is refused; these are let through.
 */
#ifndef INSPECT_WIRE_CULPRITS_H
#define INSPECT_WIRE_CULPRITS_H

/* CULPRIT(id, "what happens"), the most suspicious first. */
#define CULPRITS(CULPRIT)                                                                                              \
	CULPRIT(PROCESSOR, "the processor's clock or random numbers are read")                                         \
	CULPRIT(READ, "a file is read")                                                                                \
	CULPRIT(DIRECTORY, "a directory is listed")                                                                    \
	CULPRIT(SYSTEM, "the state of the system is asked for")                                                        \
	CULPRIT(STATUS, "the existence, size or times of a file are asked for")

enum culprit {
#define CULPRIT(id, text) CULPRIT_##id,
	CULPRITS(CULPRIT)
#undef CULPRIT
		CULPRIT_COUNT
};

#endif
