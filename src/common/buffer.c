#include "common/buffer.h"
#include "common/invariant.h"

#include "common/trouble.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Room for `more` bytes and the NUL. */
static void reserve(struct buffer *buffer, size_t more)
{
	size_t needed = buffer->size + more + 1;

	invariant(needed > buffer->size); /* it has not overflowed */
	invariant(buffer->data || !buffer->capacity);
	if (needed <= buffer->capacity)
		return;
	buffer->capacity = needed < 64 ? 64 : needed + needed / 2;
	buffer->data = xrealloc(buffer->data, buffer->capacity);
}

void buffer_add(struct buffer *buffer, const void *data, size_t size)
{
	invariant(data || !size);
	reserve(buffer, size);
	if (size)
		memcpy(buffer->data + buffer->size, data, size);
	buffer->size += size;
	buffer->data[buffer->size] = '\0';
}

void buffer_add_text(struct buffer *buffer, const char *text)
{
	buffer_add(buffer, text, strlen(text));
}

void buffer_add_char(struct buffer *buffer, char c)
{
	buffer_add(buffer, &c, 1);
}

void buffer_printf(struct buffer *buffer, const char *format, ...)
{
	va_list args;
	int size;

	va_start(args, format);
	size = vsnprintf(NULL, 0, format, args);
	va_end(args);
	invariant(size >= 0);
	reserve(buffer, (size_t)size);
	va_start(args, format);
	vsnprintf(buffer->data + buffer->size, (size_t)size + 1, format, args);
	va_end(args);
	buffer->size += (size_t)size;
	debug_invariant(!buffer->data[buffer->size]);
}

void buffer_clear(struct buffer *buffer)
{
	buffer->size = 0;
	if (buffer->data)
		buffer->data[0] = '\0';
}

void buffer_release(struct buffer *buffer)
{
	free(buffer->data);
	*buffer = (struct buffer){0};
}

char *buffer_take(struct buffer *buffer)
{
	char *text = buffer->data ? buffer->data : xstrdup("");

	*buffer = (struct buffer){0};
	return text;
}
