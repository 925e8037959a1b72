#define _GNU_SOURCE
#include "common/trouble.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/invariant.h"

static void (*cleanups[8])(void);
static unsigned ncleanups;

static void (*diversion)(int status, const char *line);

void trouble_divert(void (*function)(int status, const char *line))
{
	diversion = function;
}

static void tell(int status, const char *format, va_list args)
{
	void (*function)(int status, const char *line) = diversion;
	char line[1024];

	diversion = NULL; /* it may be in trouble itself */
	vsnprintf(line, sizeof line, format, args);
	function(status, line);
	diversion = function;
}

static void say(int status, const char *format, va_list args)
{
	if (diversion) {
		tell(status, format, args);
		return;
	}
	fflush(stdout);
	fputs("inspect: ", stderr);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
}

void on_trouble(void (*function)(void))
{
	if (ncleanups == sizeof cleanups / sizeof *cleanups)
		abort();
	cleanups[ncleanups++] = function;
}

void run_cleanups(void)
{
	while (ncleanups)
		cleanups[--ncleanups]();
}

void die(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say(STATUS_USAGE, format, args);
	va_end(args);
	run_cleanups();
	exit(STATUS_USAGE);
}

void failure(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say(STATUS_FAILURE, format, args);
	va_end(args);
	run_cleanups();
	exit(STATUS_FAILURE);
}

static void (*elsewhere)(const char *what) __attribute__((noreturn));

void trouble_elsewhere(void (*function)(const char *what) __attribute__((noreturn)))
{
	elsewhere = function;
}

_Noreturn void invariant_failed(const char *what)
{
	if (elsewhere)
		elsewhere(what);
	failure("this does not hold, which is a mistake in inspect: %s", what);
}

void warn(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say(0, format, args);
	va_end(args);
}

static void *checked(void *memory)
{
	if (!memory)
		failure("out of memory");
	return memory;
}

void *xmalloc(unsigned long size)
{
	return checked(malloc(size ? size : 1));
}

void *xcalloc(unsigned long count, unsigned long size)
{
	return checked(calloc(count ? count : 1, size ? size : 1));
}

void *xrealloc(void *old, unsigned long size)
{
	return checked(realloc(old, size ? size : 1));
}

char *xstrdup(const char *string)
{
	return checked(strdup(string));
}

char *xasprintf(const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	if (vasprintf(&text, format, args) < 0)
		failure("out of memory");
	va_end(args);
	return text;
}
