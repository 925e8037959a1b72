#include "common/invariant.h"
#include "runtime/arch/arch.h"
#include "runtime/core/text.h"

#include <stdarg.h>
#include <sys/syscall.h>

static size_t length(const char *text)
{
	size_t n = 0;

	while (text[n])
		n++;
	return n;
}

void text_copy(char *to, size_t size, const char *from)
{
	invariant(size);
	to[0] = 0;
	text_append(to, size, from);
}

void text_append(char *to, size_t size, const char *from)
{
	size_t n = length(to);

	invariant(n < size);
	while (*from && n + 1 < size)
		to[n++] = *from++;
	to[n] = 0;
}

void text_append_number(char *to, size_t size, uint64_t number)
{
	char digits[24];
	char *p = digits + sizeof digits;

	*--p = 0;
	do
		*--p = (char)('0' + number % 10);
	while (number /= 10);
	text_append(to, size, p);
}

void text_write(const char *text)
{
	SYS3(SYS_write, 2, text, length(text));
}

void message_set(char message[MAX_MESSAGE], const char *first, ...)
{
	va_list args;

	text_copy(message, MAX_MESSAGE, first);
	va_start(args, first);
	for (const char *part; (part = va_arg(args, const char *));)
		text_append(message, MAX_MESSAGE, part);
	va_end(args);
}
