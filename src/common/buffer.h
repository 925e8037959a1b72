/*
 * A string that grows.  `{0}` is an empty one; `data` is NUL-terminated as soon
 * as anything was added, and buffer_text() is a string at any time.
 */
#ifndef INSPECT_COMMON_BUFFER_H
#define INSPECT_COMMON_BUFFER_H

#include <stdarg.h>
#include <stddef.h>

struct buffer {
	char *data;
	size_t size; /* without the NUL */
	size_t capacity;
};

void buffer_add(struct buffer *buffer, const void *data, size_t size);
void buffer_add_text(struct buffer *buffer, const char *text);
void buffer_add_char(struct buffer *buffer, char c);
void buffer_printf(struct buffer *buffer, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Empty, keeping the memory for reuse. */
void buffer_clear(struct buffer *buffer);
void buffer_release(struct buffer *buffer);
/* The string, which is the caller's to free; the buffer is empty afterwards. */
char *buffer_take(struct buffer *buffer);

static inline const char *buffer_text(const struct buffer *buffer)
{
	return buffer->size ? buffer->data : "";
}

#endif
