#include "common/invariant.h"
#include "common/json.h"

#include "common/utf8.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static void write_escaped(FILE *out, unsigned char c)
{
	static const char named[] = "\"\"\\\\\bb\ff\nn\rr\tt"; /* pairs: character, letter */

	for (const char *pair = named; *pair; pair += 2) {
		if ((unsigned char)pair[0] == c) {
			fprintf(out, "\\%c", pair[1]);
			return;
		}
	}
	if (c < 0x20 || c == 0x7f)
		fprintf(out, "\\u%04x", c);
	else
		fputc(c, out);
}

static void write_string(FILE *out, const char *text)
{
	size_t size = strlen(text), length;

	fputc('"', out);
	for (size_t at = 0; at < size; at += length) {
		length = utf8_length(text + at, size - at);
		if (length == 1) {
			write_escaped(out, (unsigned char)text[at]);
		} else if (length) {
			fwrite(text + at, 1, length, out);
		} else {
			fputs("\xef\xbf\xbd", out); /* U+FFFD */
			length = 1;
		}
	}
	fputc('"', out);
}

static void new_line(struct json *json)
{
	fprintf(json->out, "\n%*s", (int)(2 * json->depth), "");
}

/* Comma, line and key in front of the next value. */
static void begin(struct json *json, const char *key)
{
	if (!json->depth)
		return;
	invariant((json->brackets[json->depth - 1] == '{') == (key != NULL));
	if (json->filled[json->depth - 1])
		fputc(',', json->out);
	json->filled[json->depth - 1] = true;
	new_line(json);
	if (key) {
		write_string(json->out, key);
		fputs(": ", json->out);
	}
}

void json_open(struct json *json, const char *key, char bracket)
{
	invariant(bracket == '{' || bracket == '[');
	invariant(json->depth < JSON_DEPTH);
	begin(json, key);
	fputc(bracket, json->out);
	json->brackets[json->depth] = bracket;
	json->filled[json->depth] = false;
	json->depth++;
}

void json_close(struct json *json)
{
	invariant(json->depth);
	json->depth--;
	if (json->filled[json->depth])
		new_line(json);
	fputc(json->brackets[json->depth] == '{' ? '}' : ']', json->out);
	if (!json->depth)
		fputc('\n', json->out);
}

void json_string(struct json *json, const char *key, const char *value)
{
	begin(json, key);
	if (value)
		write_string(json->out, value);
	else
		fputs("null", json->out);
}

void json_number(struct json *json, const char *key, uint64_t value)
{
	begin(json, key);
	fprintf(json->out, "%" PRIu64, value);
}

void json_real(struct json *json, const char *key, double value)
{
	begin(json, key);
	if (isfinite(value))
		fprintf(json->out, "%.6f", value);
	else
		fputs("null", json->out);
}

void json_bool(struct json *json, const char *key, bool value)
{
	begin(json, key);
	fputs(value ? "true" : "false", json->out);
}
