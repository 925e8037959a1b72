/*
 * Is standard input one well-formed JSON value (RFC 8259) and nothing else?
 * Exit status 0 if so; else 1 and the offset of the first wrong byte on stderr.
 */
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static char text[1 << 24];
static size_t at;

static bool value(int depth);

static void skip_blanks(void)
{
	while (text[at] && strchr(" \t\r\n", text[at]))
		at++;
}

static bool eat(char c)
{
	if (text[at] != c)
		return false;
	at++;
	return true;
}

static bool digits(void)
{
	if (!isdigit((unsigned char)text[at]))
		return false;
	while (isdigit((unsigned char)text[at]))
		at++;
	return true;
}

static bool number(void)
{
	eat('-');
	if (!eat('0') && !digits())
		return false;
	if (eat('.') && !digits())
		return false;
	if (eat('e') || eat('E')) {
		if (!eat('+'))
			eat('-');
		return digits();
	}
	return true;
}

static bool escape(void)
{
	if (text[at] && strchr("\"\\/bfnrt", text[at])) {
		at++;
		return true;
	}
	if (!eat('u'))
		return false;
	for (int i = 0; i < 4; i++) {
		if (!isxdigit((unsigned char)text[at]))
			return false;
		at++;
	}
	return true;
}

static bool string(void)
{
	if (!eat('"'))
		return false;
	while (!eat('"')) {
		if ((unsigned char)text[at] < ' ')
			return false;
		if (text[at++] == '\\' && !escape())
			return false;
	}
	return true;
}

static bool member(int depth)
{
	skip_blanks();
	if (!string())
		return false;
	skip_blanks();
	return eat(':') && value(depth);
}

static bool list(char end, bool (*item)(int), int depth)
{
	at++;
	skip_blanks();
	if (eat(end))
		return true;
	do {
		if (!item(depth))
			return false;
		skip_blanks();
	} while (eat(','));
	return eat(end);
}

static bool word(const char *expected)
{
	size_t length = strlen(expected);

	if (strncmp(text + at, expected, length) != 0)
		return false;
	at += length;
	return true;
}

static bool value(int depth)
{
	if (depth > 1000)
		return false;
	skip_blanks();
	switch (text[at]) {
	case '{': return list('}', member, depth + 1);
	case '[': return list(']', value, depth + 1);
	case '"': return string();
	case 't': return word("true");
	case 'f': return word("false");
	case 'n': return word("null");
	default: return number();
	}
}

int main(void)
{
	size_t length = fread(text, 1, sizeof text - 1, stdin);
	bool good = value(0);

	skip_blanks();
	if (good && at == length)
		return 0;
	fprintf(stderr, "not JSON: wrong at byte %zu of %zu\n", at, length);
	return 1;
}
