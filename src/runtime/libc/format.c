#define _GNU_SOURCE
#include "runtime/libc/format.h"

#include <string.h>
#include <wchar.h>

/* Set by "%n$"; counted otherwise. */
struct cursor {
	const char *at;
	unsigned next; /* argument */
	unsigned highest; /* one more than the highest argument used */
	bool overflow;
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static unsigned parse_number(struct cursor *cursor)
{
	unsigned number = 0;

	for (; is_digit(*cursor->at); cursor->at++)
		if (number < 100000000)
			number = 10 * number + (unsigned)(*cursor->at - '0');
	return number;
}

/* "3$" → 3; 0 and nothing taken when there is no such thing. */
static unsigned parse_position(struct cursor *cursor)
{
	struct cursor trial = *cursor;
	unsigned position = parse_number(&trial);

	if (!position || *trial.at != '$')
		return 0;
	cursor->at = trial.at + 1;
	return position;
}

/* The argument that is meant: the one at the position, or else the next. */
static unsigned take_argument(struct cursor *cursor, unsigned position)
{
	unsigned argument = position ? position - 1 : cursor->next++;

	if (argument >= MAX_ARGUMENTS) {
		cursor->overflow = true;
		return MAX_ARGUMENTS - 1;
	}
	if (argument >= cursor->highest)
		cursor->highest = argument + 1;
	return argument;
}

/* Length modifiers as one character: 'H' is hh, 'q' is ll; 0 for none. */
static char parse_length(struct cursor *cursor)
{
	char first = *cursor->at;

	if (!first || !strchr("hlqLjzZt", first))
		return 0;
	cursor->at++;
	if ((first == 'h' || first == 'l') && *cursor->at == first) {
		cursor->at++;
		return first == 'h' ? 'H' : 'q';
	}
	return first;
}

static uint8_t integer_size(char length)
{
	switch (length) {
	case 'H': return 1;
	case 'h': return 2;
	case 0: return 4;
	default: return 8;
	}
}

/* --- printf --- */

/* A width or precision: a number, or `*` and then an argument; -1 when there is none. */
static int parse_amount(struct cursor *cursor, struct print_format *out, int8_t *argument)
{
	*argument = NO_ARGUMENT;
	if (*cursor->at != '*')
		return is_digit(*cursor->at) ? (int)parse_number(cursor) : -1;
	cursor->at++;
	unsigned index = take_argument(cursor, parse_position(cursor));
	out->types[index] = ARGUMENT_INT;
	*argument = (int8_t)index;
	return -1;
}

static enum argument_type type_of(char conversion, char length)
{
	if (strchr("aAeEfFgG", conversion))
		return length == 'L' || length == 'q' ? ARGUMENT_LONG_DOUBLE : ARGUMENT_DOUBLE;
	if (strchr("spnS", conversion))
		return ARGUMENT_LONG;
	if (conversion == 'c' || conversion == 'C')
		return ARGUMENT_INT;
	return integer_size(length) == 8 ? ARGUMENT_LONG : ARGUMENT_INT;
}

static enum use use_of_conversion(char conversion, char length)
{
	switch (conversion) {
	case 's': return length == 'l' ? USE_WIDE_STRING : USE_STRING;
	case 'S': return USE_WIDE_STRING;
	case 'n': return USE_COUNT;
	default: return USE_NONE;
	}
}

/* Behind a `%`. */
static void print_conversion(struct cursor *cursor, struct print_format *out)
{
	struct print_use use = {.precision = NO_PRECISION, .precision_argument = NO_ARGUMENT};
	unsigned position = parse_position(cursor);
	int8_t width_argument;

	while (*cursor->at && strchr("-+ #0'I", *cursor->at))
		cursor->at++;
	parse_amount(cursor, out, &width_argument);
	if (*cursor->at == '.') {
		cursor->at++;
		use.precision = parse_amount(cursor, out, &use.precision_argument);
		if (use.precision < 0 && use.precision_argument == NO_ARGUMENT)
			use.precision = 0;
	}
	char length = parse_length(cursor), conversion = *cursor->at;
	cursor->at += conversion != 0;
	if (!conversion || !strchr("diouxXbBcCaAeEfFgGspnS", conversion))
		return; /* %% and %m take no argument; what is unknown is printed as it is */
	use.argument = (uint8_t)take_argument(cursor, position);
	out->types[use.argument] = (uint8_t)type_of(conversion, length);
	use.use = (uint8_t)use_of_conversion(conversion, length);
	use.size = integer_size(length);
	if (use.use != USE_NONE && out->uses < MAX_ARGUMENTS)
		out->use[out->uses++] = use;
}

bool print_parse(const char *format, struct print_format *out)
{
	struct cursor cursor = {.at = format};

	memset(out, 0, sizeof *out);
	while ((cursor.at = strchr(cursor.at, '%'))) {
		cursor.at++;
		print_conversion(&cursor, out);
	}
	out->arguments = cursor.highest;
	return !cursor.overflow;
}

/* --- scanf --- */

/* "[…]" from the opening bracket to behind the closing one. */
static void skip_set(struct cursor *cursor)
{
	cursor->at++;
	if (*cursor->at == '^')
		cursor->at++;
	if (*cursor->at == ']')
		cursor->at++;
	while (*cursor->at && *cursor->at != ']')
		cursor->at++;
	if (*cursor->at)
		cursor->at++;
}

static void describe_target(struct scan_target *target, char conversion, char length)
{
	bool wide = length == 'l' || conversion == 'S' || conversion == 'C';

	switch (conversion) {
	case 's':
	case 'S':
	case '[':
		target->kind = SCAN_TEXT;
		target->size = wide ? sizeof(wchar_t) : 1;
		break;
	case 'c':
	case 'C':
		target->kind = SCAN_BLOCK;
		target->size = wide ? sizeof(wchar_t) : 1;
		if (target->width * target->size <= SCAN_ROOM) {
			target->kind = SCAN_VALUE;
			target->size = (uint8_t)(target->width * target->size);
		}
		break;
	case 'n':
		target->kind = SCAN_COUNT;
		target->size = integer_size(length);
		break;
	case 'p': target->size = sizeof(void *); break;
	case 'a':
	case 'A':
	case 'e':
	case 'E':
	case 'f':
	case 'F':
	case 'g':
	case 'G':
		target->size = length == 'L' || length == 'q' ? sizeof(long double)
			       : length == 'l'		      ? sizeof(double)
							      : sizeof(float);
		break;
	default: target->size = integer_size(length);
	}
}

static char *append(char *to, const char *from, const char *end)
{
	memcpy(to, from, (size_t)(end - from));
	return to + (end - from);
}

/* Behind a `%`; returns the end of the new format. */
static char *scan_conversion(struct cursor *cursor, struct scan_format *out, char *to)
{
	const char *start = cursor->at;
	unsigned position = parse_position(cursor);
	struct scan_target target = {.kind = SCAN_VALUE, .width = 1};
	bool suppressed = false, allocates = false;

	for (; *cursor->at && strchr("*'I", *cursor->at); cursor->at++)
		suppressed |= *cursor->at == '*';
	if (is_digit(*cursor->at))
		target.width = parse_number(cursor);
	const char *modifiers = cursor->at;
	if (*cursor->at == 'm') {
		allocates = true;
		cursor->at++;
	}
	const char *lengths = cursor->at;
	char length = parse_length(cursor), conversion = *cursor->at;
	if (!conversion || !strchr("diouxXaAeEfFgGpnsScC[", conversion))
		return append(to, start, cursor->at);
	if (conversion == '[')
		skip_set(cursor);
	else
		cursor->at++;
	to = append(to, start, modifiers);
	if (!suppressed) {
		describe_target(&target, conversion, length);
		target.argument = (uint8_t)take_argument(cursor, position);
		if (allocates || target.kind == SCAN_TEXT || target.kind == SCAN_BLOCK)
			*to++ = 'm';
		if (allocates)
			target = (struct scan_target){SCAN_POINTER, target.argument, sizeof(void *), 1};
		if (out->targets < MAX_ARGUMENTS)
			out->target[out->targets++] = target;
	}
	return append(to, lengths, cursor->at);
}

size_t scan_room(size_t length)
{
	return 2 * length + 1;
}

bool scan_parse(const char *format, struct scan_format *out, char *to)
{
	struct cursor cursor = {.at = format};

	memset(out, 0, sizeof *out);
	while (*cursor.at) {
		char c = *to++ = *cursor.at++;
		if (c != '%')
			continue;
		if (*cursor.at == '%')
			*to++ = *cursor.at++;
		else
			to = scan_conversion(&cursor, out, to);
	}
	*to = 0;
	out->arguments = cursor.highest;
	return !cursor.overflow;
}
