#include "harness.h"

#include <stdio.h>
#include <string.h>

enum flavour {
#define FLAVOUR(id) FLAVOUR_##id,
#define INSTRUCTION(id, name, operand, value)
#include "instructions.def"
#undef FLAVOUR
#undef INSTRUCTION
	FLAVOURS
};

static const uint8_t first_of[] = {
#define FLAVOUR(id) FIRST_##id,
#define INSTRUCTION(id, name, operand, value)
#include "instructions.def"
#undef FLAVOUR
#undef INSTRUCTION
	INSTRUCTIONS};

/* Small enough for the oracle, most of the time. */
static const struct shape {
	uint8_t threads, length;
} shapes[] = {{2, 2}, {2, 3}, {3, 1}, {2, 4}, {3, 2}, {2, 5}, {4, 1}};

enum { SHAPES = sizeof shapes / sizeof *shapes };

/* Their instructions have several visible operations each: programs are shorter. */
static const bool is_heavy[FLAVOURS] = {
	[FLAVOUR_CHOICES] = true, [FLAVOUR_LOOPS] = true,   [FLAVOUR_HEAP] = true,
	[FLAVOUR_KEYS] = true,	  [FLAVOUR_MEETING] = true, [FLAVOUR_LOCKS_ON_HEAP] = true};

/* What else the program may meet, rather where it matters. */
static const char *draw_mode(unsigned number, enum flavour flavour)
{
	static const char *const modes[] = {"", "--timeouts=last-resort", "--spurious-wakeups", "--timeouts=never"};
	static const char *const timed[] = {"", "--timeouts=last-resort", "--timeouts=last-resort", "--timeouts=never"};

	if (flavour == FLAVOUR_HEAP)
		return number % 2 ? "--leaks" : "";
	if (flavour == FLAVOUR_TIMED)
		return timed[number % 4];
	return number < 4 ? modes[number] : "";
}

static unsigned draw(uint64_t *state, unsigned limit)
{
	*state = *state * 6364136223846793005ull + 1442695040888963407ull;
	return (unsigned)(*state >> 33) % limit;
}

static unsigned draw_of(uint64_t *state, enum flavour flavour)
{
	return first_of[flavour] + draw(state, (unsigned)(first_of[flavour + 1] - first_of[flavour]));
}

static struct step draw_step(uint64_t *state, const enum flavour *flavours, unsigned nsections)
{
	enum flavour flavour = draw(state, 2) ? flavours[draw(state, 2)] : FLAVOUR_BASIC;
	struct step step = {.instruction = (uint8_t)draw_of(state, flavour)};

	switch (instruction_table[step.instruction].operand) {
	/* rather the first, so that threads meet */
	case OPERAND_OBJECT: step.operand = (uint8_t)(draw(state, 4) ? 0 : draw(state, OBJECTS)); break;
	case OPERAND_THREAD: step.operand = (uint8_t)(1 + draw(state, nsections - 1)); break;
	}
	if (instruction_table[step.instruction].has_value)
		step.value = (uint8_t)(1 + draw(state, step.instruction == AGAIN ? 2 : 3));
	return step;
}

/* Is it the other half of the last step on its object of these two? */
static bool is_open(const struct section *section, unsigned object, const uint8_t *openers, unsigned closer)
{
	for (unsigned i = section->length; i-- > 0;) {
		const struct step *step = &section->steps[i];
		if (step->operand != object)
			continue;
		if (step->instruction == closer)
			return false;
		for (const uint8_t *opener = openers; *opener != END; opener++)
			if (step->instruction == *opener)
				return true;
	}
	return false;
}

/* What would do nothing, because a lock is not held, takes the lock instead. */
static struct step make_sense(const struct section *section, struct step step)
{
	static const uint8_t locks[] = {LOCK, TRYLOCK, TIMED_LOCK, HOLD, END};
	static const uint8_t rwlocks[] = {READ_LOCK,	    WRITE_LOCK, TRY_READ_LOCK, TRY_WRITE_LOCK, TIMED_READ_LOCK,
					  TIMED_WRITE_LOCK, END};
	static const uint8_t blocks[] = {BEGIN_BLOCK, END};

	switch (step.instruction) {
	case UNLOCK:
	case WAIT:
	case WAIT_CROSSED:
	case TIMED_WAIT:
		if (!is_open(section, step.operand, locks, UNLOCK))
			step.instruction = LOCK;
		break;
	case END_BLOCK:
		if (!is_open(section, 0, blocks, END_BLOCK))
			step.instruction = BEGIN_BLOCK;
		break;
	case RW_UNLOCK:
		if (!is_open(section, step.operand, rwlocks, RW_UNLOCK))
			step.instruction = WRITE_LOCK;
		break;
	}
	return step;
}

static void add(struct section *section, struct step step)
{
	step = make_sense(section, step);
	if (section->length < MAX_LENGTH)
		section->steps[section->length++] = step;
}

static void insert(struct section *section, unsigned at, struct step step)
{
	if (section->length == MAX_LENGTH)
		return;
	for (unsigned i = section->length++; i > at; i--)
		section->steps[i] = section->steps[i - 1];
	section->steps[at] = step;
}

/* Most threads come to the same barrier, where three are enough. */
static void add_meeting(uint64_t *state, struct program *program)
{
	for (unsigned i = 0; i < program->nsections; i++)
		if (draw(state, 4))
			insert(&program->sections[i], draw(state, program->sections[i].length + 1),
			       (struct step){.instruction = ARRIVE_OF_THREE});
}

/* Where some of a thread's steps are an atomic block there is mostly something in it that has several outcomes. */
static void add_block(uint64_t *state, struct section *section)
{
	unsigned from = draw(state, section->length + 1), to = from + draw(state, section->length - from + 1);
	struct step choice = {.instruction = CHOOSE, .value = (uint8_t)(1 + draw(state, 2))};

	if (!draw(state, 3))
		choice = (struct step){.instruction = SIGNAL};
	insert(section, to, (struct step){.instruction = END_BLOCK});
	if (draw(state, 4))
		insert(section, from + draw(state, to - from + 1), choice);
	insert(section, from, (struct step){.instruction = BEGIN_BLOCK});
}

static void add_blocks(uint64_t *state, struct program *program)
{
	for (unsigned i = 0; i < program->nsections; i++)
		if (draw(state, i ? 3 : 2))
			add_block(state, &program->sections[i]);
}

/* A thread, often main, gives its local variable to another one, which it may not outlive. */
static void add_visit(uint64_t *state, struct program *program)
{
	unsigned owner = draw(state, 2) ? draw(state, program->nsections) : 0;
	struct section *visitor =
		&program->sections[(owner + 1 + draw(state, program->nsections - 1)) % program->nsections];
	struct step visit = {.instruction = draw(state, 2) ? VISIT : CHANGE_THERE};

	insert(&program->sections[owner], draw(state, program->sections[owner].length + 1),
	       (struct step){.instruction = PUBLISH});
	insert(visitor, draw(state, visitor->length + 1), visit);
	if (draw(state, 4))
		add(&program->sections[0], (struct step){.instruction = LEAVE});
}

/* Each thread is joined by main, in any order; some by another thread, some by nobody. */
static void add_joins(uint64_t *state, struct program *program)
{
	struct section *main = &program->sections[0];
	unsigned own = main->length;

	for (unsigned i = 1; i < program->nsections; i++) {
		struct step join = {.instruction = JOIN, .operand = (uint8_t)i};
		unsigned who = draw(state, 16), other = 1 + draw(state, program->nsections - 1);
		if (who == 0)
			continue;
		if (who == 1 && other != i)
			insert(&program->sections[other], draw(state, program->sections[other].length + 1), join);
		else
			insert(main,
			       draw(state, 2) ? own + draw(state, main->length - own + 1)
					      : draw(state, main->length + 1),
			       join);
	}
}

/* Who goes on where it is all the same: in half of the programs by the usual rule, in the others as it comes. */
static void draw_seed(uint64_t *state, struct program *program)
{
	size_t used = strlen(program->options);

	if (draw(state, 2))
		snprintf(program->options + used, sizeof program->options - used, "%s--seed=%u", used ? " " : "",
			 1 + draw(state, 1000));
}

void generate(struct program *program, uint64_t seed, unsigned size)
{
	uint64_t state = seed * 1000003ull;
	struct shape shape = shapes[seed % SHAPES];
	enum flavour flavours[2] = {(enum flavour)(seed % (FLAVOURS - 1)), (enum flavour)(seed % (FLAVOURS - 1))};

	shape.length = (uint8_t)(shape.length + size - (shape.length > 1 && is_heavy[flavours[0]]));
	for (unsigned i = 0; i < 8; i++)
		draw(&state, 2);
	if (!draw(&state, 3))
		flavours[1] = (enum flavour)draw(&state, FLAVOURS - 1);
	*program = (struct program){.nsections = shape.threads + 1u};
	snprintf(program->options, sizeof program->options, "%s", draw_mode(draw(&state, 8), flavours[0]));
	for (unsigned i = 1; i < program->nsections; i++)
		for (unsigned k = 0; k < shape.length; k++)
			add(&program->sections[i], draw_step(&state, flavours, program->nsections));
	for (unsigned k = draw(&state, 4); k > 1; k--) /* none in half of them */
		add(&program->sections[0], draw_step(&state, flavours, program->nsections));
	if (flavours[0] == FLAVOUR_MEETING && draw(&state, 2))
		add_meeting(&state, program);
	if (flavours[0] == FLAVOUR_ATOMIC_BLOCKS && draw(&state, 2))
		add_blocks(&state, program);
	if (flavours[0] == FLAVOUR_THREADS && !draw(&state, 3))
		add_visit(&state, program);
	add_joins(&state, program);
	for (unsigned i = 1; i < program->nsections; i++)
		if (draw(&state, 8))
			add(&program->sections[i], (struct step){.instruction = RELEASE});
	draw_seed(&state, program);
}
