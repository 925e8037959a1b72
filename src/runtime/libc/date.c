/*
 * Times and dates: time.h.  The clocks themselves are in runtime/process/time.c; here is what they
 * write, and the hidden structures of localtime and its kin, which callers read as well.
 */
#define _GNU_SOURCE
#include "runtime/libc/libc.h"

/* --- clocks --- */

/*
 * What a thread notes down for itself when it asks for the time is no change that a loop is to be told of: who waits for a time
 * asks again and again (runtime/await/rounds.c).
 */
static void tell_time(void *to, const void *now, size_t size)
{
	uint32_t changed = rt->changed, nevents = rt->nevents;

	write_out(to, now, size);
	if (rt->nevents == nevents)
		rt->changed = changed;
}

time_t WRAP(time)(time_t *to)
{
	time_t now = time(NULL);

	if (to)
		tell_time(to, &now, sizeof now);
	return now;
}

int WRAP(clock_gettime)(clockid_t id, struct timespec *to)
{
	struct timespec now;
	int result = clock_gettime(id, &now);

	if (!result)
		tell_time(to, &now, sizeof now);
	return result;
}

int WRAP(timespec_get)(struct timespec *to, int base)
{
	struct timespec now;
	int result = timespec_get(&now, base);

	if (result)
		tell_time(to, &now, sizeof now);
	return result;
}

int WRAP(gettimeofday)(struct timeval *restrict to, void *restrict zone)
{
	struct timeval now;
	int result = gettimeofday(&now, zone);

	if (!result)
		tell_time(to, &now, sizeof now);
	return result;
}

int WRAP(nanosleep)(const struct timespec *wanted, struct timespec *left)
{
	struct timespec own, rest = {0};

	read_in(&own, wanted, sizeof *wanted);
	int result = nanosleep(&own, &rest);
	if (left && result)
		write_out(left, &rest, sizeof rest);
	return result;
}

int WRAP(clock_nanosleep)(clockid_t id, int flags, const struct timespec *wanted, struct timespec *left)
{
	struct timespec own, rest = {0};

	read_in(&own, wanted, sizeof *wanted);
	int result = clock_nanosleep(id, flags, &own, &rest);
	if (left && result == EINTR)
		write_out(left, &rest, sizeof rest);
	return result;
}

/* --- conversion --- */

static time_t take_time(const time_t *from)
{
	time_t own;

	read_in(&own, from, sizeof *from);
	return own;
}

static struct tm take_date(const struct tm *from)
{
	struct tm own;

	read_in(&own, from, sizeof *from);
	return own;
}

struct tm *WRAP(localtime_r)(const time_t *restrict from, struct tm *restrict to)
{
	time_t t = take_time(from);
	struct tm own;

	if (!localtime_r(&t, &own))
		return NULL;
	write_out(to, &own, sizeof own);
	return to;
}

struct tm *WRAP(gmtime_r)(const time_t *restrict from, struct tm *restrict to)
{
	time_t t = take_time(from);
	struct tm own;

	if (!gmtime_r(&t, &own))
		return NULL;
	write_out(to, &own, sizeof own);
	return to;
}

static char *give_text(const char *own, char *to)
{
	if (!own)
		return NULL;
	write_out(to, own, strlen(own) + 1);
	return to;
}

char *WRAP(ctime_r)(const time_t *restrict from, char *restrict to)
{
	time_t t = take_time(from);
	char own[64];

	return give_text(ctime_r(&t, own), to);
}

char *WRAP(asctime_r)(const struct tm *restrict from, char *restrict to)
{
	struct tm date = take_date(from);
	char own[128];

	return give_text(asctime_r(&date, own), to);
}

/* It also brings the date into its proper form. */
time_t WRAP(mktime)(struct tm *date)
{
	struct tm own = take_date(date);
	time_t t = mktime(&own);

	write_out(date, &own, sizeof own);
	return t;
}

time_t WRAP(timegm)(struct tm *date)
{
	struct tm own = take_date(date);
	time_t t = timegm(&own);

	write_out(date, &own, sizeof own);
	return t;
}

size_t WRAP(strftime)(char *restrict to, size_t size, const char *restrict format, const struct tm *restrict date)
{
	PRIVATE_STRING(copy, format);
	struct tm own = take_date(date);
	TEMPORARY(text, size);
	size_t length = strftime(text.data, size, copy.data, &own);

	if (length)
		write_out(to, text.data, length + 1);
	return length;
}

size_t WRAP(wcsftime)(wchar_t *restrict to, size_t size, const wchar_t *restrict format, const struct tm *restrict date)
{
	PRIVATE_WIDE(copy, format);
	struct tm own = take_date(date);
	TEMPORARY(text, size * sizeof *to);
	size_t length = wcsftime(text.data, size, copy.data, &own);

	if (length)
		write_out(to, text.data, (length + 1) * sizeof *to);
	return length;
}

/* Fields that the format does not name are left alone: the date is read and written as a whole. */
char *WRAP(strptime)(const char *restrict string, const char *restrict format, struct tm *restrict date)
{
	PRIVATE_STRING(copy, format);
	struct tm own = take_date(date);
	reads_string(string);
	char *end = strptime(string, copy.data, &own);

	write_out(date, &own, sizeof own);
	return end;
}

/* --- with hidden state --- */

/* The static result: written again after it was announced, because others may have run. */
static void *hidden_result(void *result, size_t size)
{
	char own[256];

	if (!result)
		return NULL;
	memcpy(own, result, size);
	write_out(result, own, size);
	return result;
}

struct tm *WRAP(localtime)(const time_t *from)
{
	time_t t = take_time(from);

	writes_hidden(HIDDEN_TIME);
	return hidden_result(localtime(&t), sizeof(struct tm));
}

struct tm *WRAP(gmtime)(const time_t *from)
{
	time_t t = take_time(from);

	writes_hidden(HIDDEN_TIME);
	return hidden_result(gmtime(&t), sizeof(struct tm));
}

char *WRAP(ctime)(const time_t *from)
{
	time_t t = take_time(from);

	writes_hidden(HIDDEN_TIME);
	char *text = ctime(&t);
	return hidden_result(text, text ? strlen(text) + 1 : 0);
}

char *WRAP(asctime)(const struct tm *from)
{
	struct tm date = take_date(from);

	writes_hidden(HIDDEN_TIME);
	char *text = asctime(&date);
	return hidden_result(text, text ? strlen(text) + 1 : 0);
}

void WRAP(tzset)(void)
{
	reads_hidden(HIDDEN_ENVIRONMENT);
	changes_hidden(HIDDEN_ZONE);
	tzset();
}
