#include "common/invariant.h"
#include "common/utf8.h"

#include <stdbool.h>
#include <string.h>

/* The smallest code point that needs so many bytes; below it the encoding is overlong. */
static const unsigned long smallest[5] = {0, 0, 0x80, 0x800, 0x10000};

static size_t expected_length(unsigned char first)
{
	if (first < 0x80)
		return 1;
	if (first >= 0xc2 && first < 0xe0)
		return 2;
	if (first >= 0xe0 && first < 0xf0)
		return 3;
	if (first >= 0xf0 && first < 0xf5)
		return 4;
	return 0;
}

size_t utf8_length(const char *text, size_t size)
{
	const unsigned char *bytes = (const unsigned char *)text;
	size_t length = size ? expected_length(bytes[0]) : 0;
	unsigned long point;

	if (!length || length > size)
		return 0;
	invariant(length <= 4);
	if (length == 1)
		return 1;
	point = bytes[0] & (0x7fu >> length);
	for (size_t i = 1; i < length; i++) {
		if ((bytes[i] & 0xc0) != 0x80)
			return 0;
		point = point << 6 | (bytes[i] & 0x3f);
	}
	bool surrogate = point >= 0xd800 && point < 0xe000;
	return point < smallest[length] || surrogate || point > 0x10ffff ? 0 : length;
}

/* An invalid byte takes a column of its own. */
static size_t step(const char *text, size_t size)
{
	size_t length = utf8_length(text, size);

	return length ? length : 1;
}

size_t utf8_width(const char *text)
{
	size_t size = strlen(text), columns = 0;

	for (size_t at = 0; at < size; columns++)
		at += step(text + at, size - at);
	return columns;
}

size_t utf8_fit(const char *text, size_t columns)
{
	size_t size = strlen(text), at = 0;

	while (at < size && columns--)
		at += step(text + at, size - at);
	invariant(at <= size);
	return at;
}
