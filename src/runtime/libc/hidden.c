/*
 * Functions with state that the caller cannot see (wire/hidden.def): unsynchronised use of
 * one is a data race on that state, whatever locks the C library at hand may have inside,
 * unless the standards promise them.
 */
#define _GNU_SOURCE
#include "runtime/libc/libc.h"
#include "runtime/core/schedule.h"

/* --- random numbers: rand promises nothing, random does --- */

int WRAP(rand)(void)
{
	writes_hidden(HIDDEN_RAND);
	return rand();
}

void WRAP(srand)(unsigned seed)
{
	writes_hidden(HIDDEN_RAND);
	srand(seed);
}

int WRAP(rand_r)(unsigned *seed)
{
	unsigned own;

	read_in(&own, seed, sizeof own);
	int number = rand_r(&own);
	write_out(seed, &own, sizeof own);
	return number;
}

long WRAP(random)(void)
{
	changes_hidden(HIDDEN_RANDOM);
	return random();
}

void WRAP(srandom)(unsigned seed)
{
	changes_hidden(HIDDEN_RANDOM);
	srandom(seed);
}

char *WRAP(initstate)(unsigned seed, char *state, size_t size)
{
	writes(state, size);
	changes_hidden(HIDDEN_RANDOM);
	return initstate(seed, state, size);
}

char *WRAP(setstate)(char *state)
{
	changes_hidden(HIDDEN_RANDOM);
	return setstate(state);
}

#define OF_DRAND48(type, name)                                                                                         \
	type WRAP(name)(void)                                                                                          \
	{                                                                                                              \
		writes_hidden(HIDDEN_DRAND48);                                                                         \
		return name();                                                                                         \
	}

OF_DRAND48(double, drand48)
OF_DRAND48(long, lrand48)
OF_DRAND48(long, mrand48)

#define OF_ERAND48(type, name)                                                                                         \
	type WRAP(name)(unsigned short state[3])                                                                       \
	{                                                                                                              \
		unsigned short own[3];                                                                                 \
                                                                                                                       \
		reads_hidden(HIDDEN_DRAND48);                                                                          \
		read_in(own, state, sizeof own);                                                                       \
		type number = name(own);                                                                               \
		write_out(state, own, sizeof own);                                                                     \
		return number;                                                                                         \
	}

OF_ERAND48(double, erand48)
OF_ERAND48(long, nrand48)
OF_ERAND48(long, jrand48)

void WRAP(srand48)(long seed)
{
	writes_hidden(HIDDEN_DRAND48);
	srand48(seed);
}

unsigned short *WRAP(seed48)(unsigned short seed[3])
{
	unsigned short own[3];

	read_in(own, seed, sizeof own);
	writes_hidden(HIDDEN_DRAND48);
	unsigned short *old = seed48(own);
	writes(old, 3 * sizeof *old);
	return old;
}

void WRAP(lcong48)(unsigned short parameters[7])
{
	unsigned short own[7];

	read_in(own, parameters, sizeof own);
	writes_hidden(HIDDEN_DRAND48);
	lcong48(own);
}

/* --- the environment --- */

char *WRAP(getenv)(const char *name)
{
	reads_string(name);
	reads_hidden(HIDDEN_ENVIRONMENT);
	return getenv(name);
}

char *WRAP(secure_getenv)(const char *name)
{
	reads_string(name);
	reads_hidden(HIDDEN_ENVIRONMENT);
	return secure_getenv(name);
}

/* The list is the program's to read as well, by its own name. */
static void writes_environment(void)
{
	writes_hidden(HIDDEN_ENVIRONMENT);
	writes(&environ, sizeof environ);
}

int WRAP(setenv)(const char *name, const char *value, int replace)
{
	PRIVATE_STRING(copy, name);
	PRIVATE_STRING(copy_of_value, value);
	writes_environment();
	return setenv(copy.data, copy_of_value.data, replace);
}

int WRAP(unsetenv)(const char *name)
{
	PRIVATE_STRING(copy, name);
	writes_environment();
	return unsetenv(copy.data);
}

int WRAP(putenv)(char *string)
{
	reads_string(string);
	writes_environment();
	return putenv(string);
}

int WRAP(clearenv)(void)
{
	writes_environment();
	return clearenv();
}

/* --- the locale --- */

char *WRAP(setlocale)(int category, const char *name)
{
	if (name)
		reads_string(name);
	if (name)
		writes_hidden(HIDDEN_LOCALE);
	else
		reads_hidden(HIDDEN_LOCALE);
	return setlocale(category, name);
}

struct lconv *WRAP(localeconv)(void)
{
	writes_hidden(HIDDEN_LOCALECONV);
	struct lconv *result = localeconv();
	writes(result, sizeof *result);
	return result;
}

char *WRAP(nl_langinfo)(nl_item item)
{
	writes_hidden(HIDDEN_LANGINFO);
	return nl_langinfo(item);
}

/* --- tables of search.h: the table is one object; what entries point to is the program's business --- */

int WRAP(hcreate)(size_t size)
{
	writes_hidden(HIDDEN_HASH);
	return hcreate(size);
}

void WRAP(hdestroy)(void)
{
	writes_hidden(HIDDEN_HASH);
	hdestroy();
}

ENTRY *WRAP(hsearch)(ENTRY entry, ACTION action)
{
	reads_string(entry.key);
	writes_hidden(HIDDEN_HASH);
	return hsearch(entry, action);
}

int WRAP(hcreate_r)(size_t size, struct hsearch_data *table)
{
	writes(table, sizeof *table);
	return hcreate_r(size, table);
}

void WRAP(hdestroy_r)(struct hsearch_data *table)
{
	writes(table, sizeof *table);
	hdestroy_r(table);
}

int WRAP(hsearch_r)(ENTRY entry, ACTION action, ENTRY **found, struct hsearch_data *table)
{
	ENTRY *own;

	reads_string(entry.key);
	if (action == ENTER)
		writes(table, sizeof *table);
	else
		reads(table, sizeof *table);
	int result = hsearch_r(entry, action, &own, table);
	write_out(found, &own, sizeof(ENTRY *));
	return result;
}

void *WRAP(tsearch)(const void *key, void **root, __compar_fn_t compare)
{
	writes(root, sizeof *root);
	return tsearch(key, root, compare);
}

void *WRAP(tfind)(const void *key, void *const *root, __compar_fn_t compare)
{
	reads(root, sizeof *root);
	return tfind(key, root, compare);
}

void *WRAP(tdelete)(const void *restrict key, void **restrict root, __compar_fn_t compare)
{
	writes(root, sizeof *root);
	return tdelete(key, root, compare);
}

/* --- results in static memory --- */

/* It may be constant, or the caller's: only what can be a static buffer is announced. */
static char *static_text(enum hidden_state state, char *(*make)(void *), void *argument)
{
	writes_hidden(state);
	char *text = make(argument);
	if (text && *text)
		writes(text, strlen(text) + 1);
	return text;
}

static char *make_l64a(void *number)
{
	return l64a(*(long *)number);
}

char *WRAP(l64a)(long number)
{
	return static_text(HIDDEN_L64A, make_l64a, &number);
}

static char *make_ttyname(void *fd)
{
	return ttyname(*(int *)fd);
}

char *WRAP(ttyname)(int fd)
{
	return static_text(HIDDEN_TTYNAME, make_ttyname, &fd);
}

static char *make_login(void *unused)
{
	(void)unused;
	return getlogin();
}

char *WRAP(getlogin)(void)
{
	return static_text(HIDDEN_LOGIN, make_login, NULL);
}

static char *make_inet(void *address)
{
	return inet_ntoa(*(struct in_addr *)address);
}

char *WRAP(inet_ntoa)(struct in_addr address)
{
	return static_text(HIDDEN_NETWORK, make_inet, &address);
}

#define OF_ECVT(name)                                                                                                  \
	char *WRAP(name)(double value, int digits, int *restrict point, int *restrict sign)                            \
	{                                                                                                              \
		int own_point, own_sign;                                                                               \
                                                                                                                       \
		writes_hidden(HIDDEN_ECVT);                                                                            \
		char *text = name(value, digits, &own_point, &own_sign);                                               \
		writes(text, strlen(text) + 1);                                                                        \
		write_out(point, &own_point, sizeof own_point);                                                        \
		write_out(sign, &own_sign, sizeof own_sign);                                                           \
		return text;                                                                                           \
	}

OF_ECVT(ecvt)
OF_ECVT(fcvt)

char *WRAP(gcvt)(double value, int digits, char *to)
{
	TEMPORARY(own, digits > 0 ? (size_t)digits + 64 : 64);
	gcvt(value, digits, own.data);
	write_out(to, own.data, strlen(own.data) + 1);
	return to;
}

#define OF_PASSWD(type, name, parameter, announce, state)                                                              \
	type *WRAP(name)(parameter key)                                                                                \
	{                                                                                                              \
		announce;                                                                                              \
		writes_hidden(state);                                                                                  \
		type *entry = name(key);                                                                               \
		if (entry)                                                                                             \
			writes(entry, sizeof *entry);                                                                  \
		return entry;                                                                                          \
	}

OF_PASSWD(struct passwd, getpwnam, const char *, reads_string(key), HIDDEN_PASSWD)
OF_PASSWD(struct passwd, getpwuid, uid_t, (void)key, HIDDEN_PASSWD)
OF_PASSWD(struct group, getgrnam, const char *, reads_string(key), HIDDEN_GROUP)
OF_PASSWD(struct group, getgrgid, gid_t, (void)key, HIDDEN_GROUP)
OF_PASSWD(struct hostent, gethostbyname, const char *, reads_string(key), HIDDEN_HOSTS)

/* --- getopt --- */

static void announce_options(const char *options)
{
	reads_string(options);
	writes_hidden(HIDDEN_GETOPT);
	writes(&optind, sizeof optind);
	writes(&optarg, sizeof optarg);
}

int WRAP(getopt)(int argc, char *const *argv, const char *options)
{
	announce_options(options);
	return getopt(argc, argv, options);
}

int WRAP(getopt_long)(int argc, char *const *argv, const char *options, const struct option *longs, int *index)
{
	announce_options(options);
	if (index)
		writes(index, sizeof *index);
	return getopt_long(argc, argv, options, longs, index);
}

int WRAP(getopt_long_only)(int argc, char *const *argv, const char *options, const struct option *longs, int *index)
{
	announce_options(options);
	if (index)
		writes(index, sizeof *index);
	return getopt_long_only(argc, argv, options, longs, index);
}
