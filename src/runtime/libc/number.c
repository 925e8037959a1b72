/*
 * Numbers in strings: stdlib.h, inttypes.h and their wide twins.  What is read is the number
 * and the character behind it; of a string that is none, the blanks and the character behind.
 */
#define _GNU_SOURCE
#include "runtime/libc/libc.h"

static size_t characters_read(const char *string, const char *end)
{
	return (size_t)(end - string) + (end == string ? strspn(string, " \t\n\v\f\r") : 0) + 1;
}

static size_t wide_characters_read(const wchar_t *string, const wchar_t *end)
{
	return (size_t)(end - string) + (end == string ? wcsspn(string, L" \t\n\v\f\r") : 0) + 1;
}

/* The result of `convert`, an expression that sets `stop`; errno is that of the last conversion. */
#define CONVERT(string, end, looked, convert)                                                                          \
	__typeof__(*(string)) *stop;                                                                                   \
	int error = errno;                                                                                             \
	READ_STABLE(string, ({                                                                                         \
			    (void)convert;                                                                             \
			    looked(string, stop) * sizeof *stop;                                                       \
		    }));                                                                                               \
	errno = error;                                                                                                 \
	__typeof__(convert) number = convert;                                                                          \
	if (end)                                                                                                       \
		write_out((void *)(end), &stop, sizeof stop);                                                          \
	return number

#define INTEGER(type, name)                                                                                            \
	type WRAP(name)(const char *restrict string, char **restrict end, int base)                                    \
	{                                                                                                              \
		CONVERT(string, end, characters_read, name(string, (char **)&stop, base));                             \
	}

#define REAL(type, name)                                                                                               \
	type WRAP(name)(const char *restrict string, char **restrict end)                                              \
	{                                                                                                              \
		CONVERT(string, end, characters_read, name(string, (char **)&stop));                                   \
	}

#define WIDE_INTEGER(type, name)                                                                                       \
	type WRAP(name)(const wchar_t *restrict string, wchar_t **restrict end, int base)                              \
	{                                                                                                              \
		CONVERT(string, end, wide_characters_read, name(string, (wchar_t **)&stop, base));                     \
	}

#define WIDE_REAL(type, name)                                                                                          \
	type WRAP(name)(const wchar_t *restrict string, wchar_t **restrict end)                                        \
	{                                                                                                              \
		CONVERT(string, end, wide_characters_read, name(string, (wchar_t **)&stop));                           \
	}

INTEGER(long, strtol)
INTEGER(unsigned long, strtoul)
INTEGER(long long, strtoll)
INTEGER(unsigned long long, strtoull)
REAL(float, strtof)
REAL(double, strtod)
REAL(long double, strtold)
WIDE_INTEGER(long, wcstol)
WIDE_INTEGER(unsigned long, wcstoul)
WIDE_INTEGER(long long, wcstoll)
WIDE_INTEGER(unsigned long long, wcstoull)
WIDE_REAL(float, wcstof)
WIDE_REAL(double, wcstod)
WIDE_REAL(long double, wcstold)

int WRAP(atoi)(const char *string)
{
	return (int)WRAP(strtol)(string, NULL, 10);
}

long WRAP(atol)(const char *string)
{
	return WRAP(strtol)(string, NULL, 10);
}

long long WRAP(atoll)(const char *string)
{
	return WRAP(strtoll)(string, NULL, 10);
}

double WRAP(atof)(const char *string)
{
	return WRAP(strtod)(string, NULL);
}

long WRAP(a64l)(const char *string)
{
	reads_string_max(string, 6);
	return a64l(string);
}
