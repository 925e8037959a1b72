/*
 * Reads a trace file, and believes nothing that it says before it was checked.
 */
#define _GNU_SOURCE
#include "result/tracefile.h"

#include "common/buffer.h"
#include "common/invariant.h"
#include "common/trouble.h"
#include "common/list.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_LINE (1u << 20)

enum key {
	KEY_PROGRAM_ID,
	KEY_KIND,
	KEY_MESSAGE,
	KEY_DIRECTORY,
	KEY_PROGRAM,
	KEY_BUILD,
	KEY_ARG,
	KEY_MAX_STEPS,
	KEY_ISOLATION,
	KEY_MODES,
	KEY_ENDING,
	KEY_AT,
	KEY_THREAD,
	KEY_SHARED,
	KEY_AWAIT,
	KEY_AWAIT_LOOP,
	KEY_STEP,
	KEY_END,
	KEYS
};

struct reader {
	const char *path;
	FILE *in;
	char *line; /* without its newline */
	size_t capacity;
	unsigned number; /* of the line, from 1 */
	struct tracefile *trace;
	struct list build, args;
	bool seen[KEYS];
	size_t events_capacity, shared_capacity;
};

/* --- fields --- */

/* The next blank-separated number, in the base and at most max; false if there is none. */
static bool take_number(char **rest, unsigned base, uint64_t max, uint64_t *number)
{
	char *word = strsep(rest, " ");
	uint64_t value = 0;

	invariant(base == 10 || base == 16);
	if (!word || !*word)
		return false;
	for (; *word; word++) {
		const char *digits = "0123456789abcdef", *digit = memchr(digits, *word, base);
		if (!digit || __builtin_mul_overflow(value, (uint64_t)base, &value) ||
		    __builtin_add_overflow(value, (uint64_t)(digit - digits), &value))
			return false;
	}
	*number = value;
	return value <= max;
}

static bool take_decimal(char **rest, uint32_t max, uint32_t *number)
{
	uint64_t value;

	if (!take_number(rest, 10, max, &value))
		return false;
	invariant(value <= UINT32_MAX);
	*number = (uint32_t)value;
	return true;
}

static int hex_digit(char c)
{
	const char *digits = "0123456789abcdef", *digit = c ? strchr(digits, c) : NULL;

	return digit ? (int)(digit - digits) : -1;
}

/* The rest of the line as a string, decoded and malloced; NULL when it is no such string. */
static char *take_string(char **rest)
{
	struct buffer text = {0};
	char *c = *rest;

	*rest = NULL;
	for (; c && *c; c++) {
		if (*c == '%') {
			int high = hex_digit(c[1]), low = high < 0 ? -1 : hex_digit(c[2]);
			if (low < 0 || high * 16 + low == 0)
				break;
			buffer_add_char(&text, (char)(high * 16 + low));
			c += 2;
		} else {
			buffer_add_char(&text, *c);
		}
	}
	if (c && !*c)
		return buffer_take(&text);
	buffer_release(&text);
	return NULL;
}

static bool take_into(char **rest, char **string)
{
	*string = take_string(rest);
	return *string != NULL;
}

static bool take_word(char **rest, struct list *words)
{
	char *word = take_string(rest);

	if (!word)
		return false;
	list_add(words, word);
	free(word);
	return true;
}

/* --- lines --- */

static bool read_kind(char **rest, enum finding_kind *kind)
{
	for (unsigned i = 0; i < FINDING_KINDS; i++) {
		if (*rest && !strcmp(*rest, finding_kind_name(i))) {
			*kind = i;
			*rest = NULL;
			return true;
		}
	}
	return false;
}

static bool read_isolation(char **rest, enum isolation *isolation)
{
	char *word = strsep(rest, " ");

	*isolation = word && !strcmp(word, "fork") ? ISOLATION_FORK : ISOLATION_SNAPSHOT;
	return word && (!strcmp(word, "fork") || !strcmp(word, "snapshot"));
}

static bool read_modes(char **rest, struct tracefile *trace)
{
	uint64_t low, high;

	if (!take_decimal(rest, TIMEOUTS_LAST_RESORT, &trace->modes.timeouts) ||
	    !take_decimal(rest, 1, &trace->modes.spurious_wakeups) || !take_number(rest, 10, UINT64_MAX, &low) ||
	    !take_number(rest, 10, UINT64_MAX, &high) ||
	    !take_decimal(rest, UINT32_MAX, &trace->finding.execution.features) ||
	    !take_decimal(rest, UINT32_MAX, &trace->modes.idle_rounds))
		return false;
	trace->modes.nondet_low = (int64_t)low;
	trace->modes.nondet_high = (int64_t)high;
	return true;
}

static bool read_ending(char **rest, struct execution *execution)
{
	uint32_t status, signal;

	if (!take_decimal(rest, ENDING_ASSUMED, &execution->ending) || !take_decimal(rest, UINT32_MAX, &status) ||
	    !take_decimal(rest, UINT32_MAX, &signal))
		return false;
	execution->exit_status = (int32_t)status;
	execution->signal = (int32_t)signal;
	return true;
}

static bool read_at(char **rest, struct finding *finding)
{
	uint32_t weak;

	if (!take_decimal(rest, MAX_THREADS - 1, &finding->thread) || !take_decimal(rest, UINT32_MAX, &finding->site) ||
	    !take_decimal(rest, MAX_THREADS - 1, &finding->other_thread) ||
	    !take_decimal(rest, UINT32_MAX, &finding->other_site) ||
	    !take_number(rest, 16, UINT64_MAX, &finding->fault_pc) ||
	    !take_decimal(rest, UINT32_MAX, &finding->preemptions) ||
	    !take_number(rest, 10, UINT64_MAX, &finding->count) || !take_decimal(rest, 1, &weak))
		return false;
	finding->weak = weak != 0;
	return true;
}

static bool read_thread(char **rest, struct execution *execution)
{
	uint32_t number, parent, index;

	if (!take_decimal(rest, MAX_THREADS - 1, &number) || number != execution->nthreads ||
	    !take_decimal(rest, number - 1, &parent) || !take_decimal(rest, UINT16_MAX, &index))
		return false;
	invariant(number >= 1); /* as main, which is there from the start, has 0 */
	execution->names[number] = (struct thread_name){.parent = (uint8_t)parent, .index = (uint16_t)index};
	execution->nthreads++;
	return true;
}

static bool read_shared(char **rest, struct reader *reader)
{
	struct execution *execution = &reader->trace->finding.execution;
	struct shared_piece piece;

	if (!take_decimal(rest, SHARED_MEMORY, &piece.thread) || !take_decimal(rest, UINT32_MAX, &piece.piece))
		return false;
	if (piece.thread != SHARED_MEMORY && (piece.thread >= execution->nthreads || piece.piece >= STACK_PIECES))
		return false;
	if (execution->nshared == reader->shared_capacity) {
		reader->shared_capacity = reader->shared_capacity ? 2 * reader->shared_capacity : 64;
		execution->shared = xrealloc(execution->shared, reader->shared_capacity * sizeof *execution->shared);
	}
	execution->shared[execution->nshared++] = piece;
	return true;
}

static bool read_await(char **rest, struct execution *execution)
{
	struct await_location location;

	if (!take_number(rest, 16, UINT64_MAX, &location.address) || !take_decimal(rest, 8, &location.size) ||
	    !take_decimal(rest, AWAIT_MIXED | AWAIT_APART, &location.flags) ||
	    execution->nawait_locations == MAX_AWAIT_LOCATIONS)
		return false;
	execution->await_locations = xrealloc(execution->await_locations,
					      (execution->nawait_locations + 1) * sizeof *execution->await_locations);
	execution->await_locations[execution->nawait_locations++] = location;
	return true;
}

static bool read_await_loop(char **rest, struct execution *execution)
{
	uint32_t site;

	if (!take_decimal(rest, MAX_AWAIT_SITES - 1, &site) || execution->nawait_sites == MAX_AWAIT_SITES)
		return false;
	execution->await_sites =
		xrealloc(execution->await_sites, (execution->nawait_sites + 1) * sizeof *execution->await_sites);
	execution->await_sites[execution->nawait_sites++] = site;
	return true;
}

static bool read_step(char **rest, struct reader *reader)
{
	struct execution *execution = &reader->trace->finding.execution;
	uint32_t thread, choice, kind, site;
	uint64_t object;

	if (!take_decimal(rest, execution->nthreads - 1, &thread) || !take_decimal(rest, UINT16_MAX, &choice) ||
	    !take_decimal(rest, EV_COUNT - 1, &kind) || kind == EV_NOTHING || !take_decimal(rest, UINT32_MAX, &site) ||
	    !take_number(rest, 16, UINT64_MAX, &object) || execution->nevents == MAX_EVENTS + MAX_THREADS)
		return false;
	if (execution->nevents == reader->events_capacity) {
		reader->events_capacity = reader->events_capacity ? 2 * reader->events_capacity : 64;
		execution->events = xrealloc(execution->events, reader->events_capacity * sizeof *execution->events);
	}
	invariant(execution->nevents < reader->events_capacity);
	execution->events[execution->nevents++] = (struct event){
		.thread = (uint8_t)thread,
		.choice = (uint16_t)choice,
		.op = {.kind = (uint8_t)kind, .site = site, .object = object},
	};
	return true;
}

static const struct {
	const char *name;
	bool repeats;
	bool optional;
} keys[KEYS] = {
	[KEY_PROGRAM_ID] = {.name = "program-id"},
	[KEY_KIND] = {.name = "kind"},
	[KEY_MESSAGE] = {.name = "message"},
	[KEY_DIRECTORY] = {.name = "directory"},
	[KEY_PROGRAM] = {.name = "program"},
	[KEY_BUILD] = {.name = "build", .repeats = true, .optional = true},
	[KEY_ARG] = {.name = "arg", .repeats = true, .optional = true},
	[KEY_MAX_STEPS] = {.name = "max-steps"},
	[KEY_ISOLATION] = {.name = "isolation"},
	[KEY_MODES] = {.name = "modes"},
	[KEY_ENDING] = {.name = "ending"},
	[KEY_AT] = {.name = "at"},
	[KEY_THREAD] = {.name = "thread", .repeats = true, .optional = true},
	[KEY_SHARED] = {.name = "shared", .repeats = true, .optional = true},
	[KEY_AWAIT] = {.name = "await", .repeats = true, .optional = true},
	[KEY_AWAIT_LOOP] = {.name = "await-loop", .repeats = true, .optional = true},
	[KEY_STEP] = {.name = "step", .repeats = true, .optional = true},
	[KEY_END] = {.name = "end"},
};

static bool read_value(struct reader *reader, enum key key, char **rest)
{
	struct tracefile *trace = reader->trace;
	struct finding *finding = &trace->finding;
	struct execution *execution = &finding->execution;

	switch (key) {
	case KEY_PROGRAM_ID: return take_number(rest, 16, UINT64_MAX, &trace->program_id);
	case KEY_KIND: return read_kind(rest, &finding->kind);
	case KEY_MESSAGE: return take_into(rest, &finding->message) && *finding->message;
	case KEY_DIRECTORY: return take_into(rest, &trace->directory);
	case KEY_PROGRAM: return take_into(rest, &trace->program);
	case KEY_BUILD: return take_word(rest, &reader->build);
	case KEY_ARG: return take_word(rest, &reader->args);
	case KEY_MAX_STEPS: return take_decimal(rest, MAX_EVENTS, &trace->max_steps) && trace->max_steps;
	case KEY_ISOLATION: return read_isolation(rest, &trace->isolation);
	case KEY_MODES: return read_modes(rest, trace);
	case KEY_ENDING: return read_ending(rest, execution);
	case KEY_AT: return read_at(rest, finding);
	case KEY_THREAD: return !reader->seen[KEY_STEP] && read_thread(rest, execution);
	case KEY_SHARED: return read_shared(rest, reader);
	case KEY_AWAIT: return read_await(rest, execution);
	case KEY_AWAIT_LOOP: return read_await_loop(rest, execution);
	case KEY_STEP: return read_step(rest, reader);
	case KEY_END: return true;
	case KEYS: break;
	}
	return false;
}

/* --- the file --- */

static char *damaged(const struct reader *reader, const char *what)
{
	invariant(reader->number > 0);
	return xasprintf("%s is damaged: %s in line %u", reader->path, what, reader->number);
}

/* NULL and the next line, or what is wrong. */
static char *next_line(struct reader *reader)
{
	ssize_t size;

	errno = 0;
	size = getline(&reader->line, &reader->capacity, reader->in);
	reader->number++;
	if (size < 0 && ferror(reader->in))
		return xasprintf("cannot read %s: %s", reader->path, strerror(errno));
	if (size <= 0 || reader->line[size - 1] != '\n')
		return xasprintf("%s is cut off: it ends in line %u without the word `end'", reader->path,
				 reader->number);
	reader->line[size - 1] = '\0';
	if (strlen(reader->line) != (size_t)size - 1 || size > MAX_LINE)
		return damaged(reader, "binary data");
	return NULL;
}

static char *read_first_line(struct reader *reader)
{
	char start[8];
	size_t size = fread(start, 1, sizeof start, reader->in);

	if (ferror(reader->in))
		return xasprintf("cannot read %s: %s", reader->path, strerror(errno));
	if (!size)
		return xasprintf("%s is empty", reader->path);
	if (memcmp(start, "inspect-", size))
		return xasprintf("%s is not a trace of inspect", reader->path);
	char *why = next_line(reader);
	if (why)
		return why;
	if (strncmp(reader->line, "trace ", 6))
		return xasprintf("%s is not a trace of inspect", reader->path);
	if (strcmp(reader->line, "trace 3"))
		return xasprintf("%s was written by another version of inspect (trace format %.20s)", reader->path,
				 reader->line + 6);
	return NULL;
}

/* NOLINTBEGIN(clang-analyzer-unix.Malloc): reader->line is freed once, where the file is closed, which is not seen */
static char *read_line(struct reader *reader)
{
	char *why = next_line(reader), *rest, *name;
	unsigned key = 0;

	if (why)
		return why;
	invariant(!reader->seen[KEY_END]);
	rest = reader->line;
	name = strsep(&rest, " ");
	while (key < KEYS && strcmp(keys[key].name, name))
		key++;
	if (key == KEYS)
		return damaged(reader, "unknown word");
	if (reader->seen[key] && !keys[key].repeats)
		return damaged(reader, "repeated entry");
	if (!read_value(reader, key, &rest) || rest)
		return damaged(reader, "invalid entry");
	reader->seen[key] = true;
	return NULL;
}

static char *check_whole(struct reader *reader)
{
	const struct finding *finding = &reader->trace->finding;
	const struct execution *execution = &finding->execution;

	if (getc(reader->in) != EOF)
		return xasprintf("%s is damaged: something follows its end", reader->path);
	for (unsigned key = 0; key < KEYS; key++) {
		if (!reader->seen[key] && !keys[key].optional)
			return xasprintf("%s is damaged: it has no line `%s'", reader->path, keys[key].name);
	}
	if (finding->thread >= execution->nthreads || finding->other_thread >= execution->nthreads)
		return xasprintf("%s is damaged: it is about a thread that it does not have", reader->path);
	return NULL;
}

char *tracefile_read(const char *path, struct tracefile *tracefile)
{
	struct reader reader = {.path = path, .trace = tracefile};
	char *why;

	*tracefile = (struct tracefile){.finding = {.execution = {.nthreads = 1}}};
	list_init(&reader.build);
	list_init(&reader.args);
	reader.in = fopen(path, "re");
	if (!reader.in) {
		why = xasprintf("cannot read %s: %s", path, strerror(errno));
	} else {
		why = read_first_line(&reader);
		while (!why && !reader.seen[KEY_END])
			why = read_line(&reader);
		if (!why)
			why = check_whole(&reader);
		fclose(reader.in);
	}
	free(reader.line);
	tracefile->build = list_take_items(&reader.build);
	tracefile->args = list_take_items(&reader.args);
	/* what a file says is the user's, but nothing wrong has come through */
	invariant(why || (tracefile->directory && tracefile->program));
	debug_invariant(why || finding_is_valid(&tracefile->finding));
	return why;
}

void tracefile_release(struct tracefile *tracefile)
{
	free(tracefile->finding.message);
	free(tracefile->directory);
	free(tracefile->program);
	list_free_items(tracefile->build);
	list_free_items(tracefile->args);
	execution_release(&tracefile->finding.execution);
	*tracefile = (struct tracefile){0};
}
/* NOLINTEND(clang-analyzer-unix.Malloc) */
