/* What the wrappers of file, number, date and hidden-state functions announce: see wrap.h. */
#define _GNU_SOURCE
#include "wrap.h"

/* Calls that read a path, which is in a. */
#define WITH_PATH(path, call) (strcpy(a, path), call)

static void transfers(void)
{
	int fd = memfd_create("test", 0);
	struct iovec parts[] = {{a, 3}, {b, 2}};

	CHECK(fd >= 0);
	TOUCHES(write, WRAP(write)(fd, a, 5), "c;r a 5");
	TOUCHES(pwrite, WRAP(pwrite)(fd, b, 4, 5), "c;r b 4");
	TOUCHES(writev, WRAP(writev)(fd, parts, 2), "c;r ? 32;r a 3;r b 2");
	lseek(fd, 0, SEEK_SET);
	GIVES(read, WRAP(read)(fd, c, 5), !strcmp(c, "alpha"), "c;w c 5");
	GIVES(pread, WRAP(pread)(fd, c, 99, 3), !strcmp(c, "haalpbe"), "c;w c 7");
	GIVES(readv, WRAP(readv)(fd, parts, 2), !strncmp(a, "alp", 3) && !strncmp(b, "be", 2), "c;r ? 32;w a 3;w b 2");
	GIVES(read, n[0] = WRAP(read)(fd, c, 5), n[0] == 0, "c");
	TOUCHES(fsync, n[0] = WRAP(fsync)(fd), "c");
	TOUCHES(fdatasync, n[0] |= WRAP(fdatasync)(fd), "c");
	TOUCHES(close, n[0] |= WRAP(close)(fd), "c");
	CHECK(n[0] == 0 && fcntl(fd, F_GETFD) < 0);
}

static void paths(void)
{
	const char *missing = "/nowhere/x";

	TOUCHES(open, WITH_PATH("/dev/null", close(WRAP(open)(a, O_RDONLY))), "c;r a 10");
	TOUCHES(openat, WITH_PATH("/dev/null", close(WRAP(openat)(AT_FDCWD, a, O_RDONLY))), "c;r a 10");
	TOUCHES(creat, WITH_PATH(missing, WRAP(creat)(a, 0600)), "c;r a 11");
	TOUCHES(unlink, WITH_PATH(missing, WRAP(unlink)(a)), "r a 11");
	TOUCHES(remove, WITH_PATH(missing, WRAP(remove)(a)), "r a 11");
	TOUCHES(rmdir, WITH_PATH(missing, WRAP(rmdir)(a)), "r a 11");
	TOUCHES(chdir, WITH_PATH(missing, WRAP(chdir)(a)), "r a 11");
	TOUCHES(access, WITH_PATH(missing, WRAP(access)(a, R_OK)), "r a 11");
	TOUCHES(mkdir, WITH_PATH(missing, WRAP(mkdir)(a, 0700)), "r a 11");
	TOUCHES(chmod, WITH_PATH(missing, WRAP(chmod)(a, 0700)), "r a 11");
	TOUCHES(truncate, WITH_PATH(missing, WRAP(truncate)(a, 0)), "r a 11");
	TOUCHES(rename, WITH_PATH(missing, WRAP(rename)(a, b)), "r a 11;r b 5");
	GIVES(realpath, WITH_PATH("/./", WRAP(realpath)(a, c)), !strcmp(c, "/"), "r a 4;w c 2");
	GIVES(realpath, WITH_PATH("/", p = WRAP(realpath)(a, NULL)), !strcmp(p, "/"), "r a 2;w ? 2");
	free(p);
	TOUCHES(readlink, WITH_PATH(missing, WRAP(readlink)(a, c, 9)), "r a 11");
	GIVES(__xpg_basename, WITH_PATH("/x/y", p = WRAP(__xpg_basename)(a)), !strcmp(p, "y"), "r a 5;w a 5");
	GIVES(dirname, WITH_PATH("/x/y", p = WRAP(dirname)(a)), !strcmp(p, "/x"), "r a 5;w a 5");
}

static void knowledge(void)
{
	DIR *directory;

	TOUCHES(stat, WITH_PATH("/", WRAP(stat)(a, (struct stat *)c)), "r a 2;w c 144");
	TOUCHES(lstat, WITH_PATH("/", WRAP(lstat)(a, (struct stat *)c)), "r a 2;w c 144");
	TOUCHES(fstat, WRAP(fstat)(0, (struct stat *)c), "w c 144");
	TOUCHES(fstat, WRAP(fstat)(-1, (struct stat *)c), "");
	TOUCHES(fstatat, WITH_PATH("/", WRAP(fstatat)(AT_FDCWD, a, (struct stat *)c, 0)), "r a 2;w c 144");
	CHECK(!chdir("/"));
	TOUCHES(getcwd, WRAP(getcwd)(c, 9), "w c 2");
	TOUCHES(getcwd, p = WRAP(getcwd)(NULL, 0), "w ? 2");
	free(p);
	WRAP(gethostname)(b, sizeof b);
	n[1] = (long)strlen(b) + 1;
	TOUCHES(gethostname, (WRAP(gethostname)(c, sizeof c), sprintf(b, "w c %d", (int)strlen(c) + 1)), b);
	TOUCHES(uname, WRAP(uname)((struct utsname *)rt->signal_stack), "w ? 390");
	TOUCHES(opendir, directory = WITH_PATH("/", WRAP(opendir)(a)), "r a 2");
	TOUCHES(readdir, (WRAP(readdir)(directory), announced[10] = 0), "w stream;w");
	TOUCHES(rewinddir, WRAP(rewinddir)(directory), "w stream");
	TOUCHES(telldir, WRAP(telldir)(directory), "w stream");
	TOUCHES(seekdir, WRAP(seekdir)(directory, 0), "w stream");
	TOUCHES(closedir, WRAP(closedir)(directory), "w stream");
}

#define WITH_NUMBER(text, call) (strcpy(a, text), call)
#define WITH_WIDE(text, call) (wcscpy(wa, text), call)

static void numbers(void)
{
	wchar_t **wp = (wchar_t **)&p;

	GIVES(strtol, WITH_NUMBER("42x", n[0] = WRAP(strtol)(a, &p, 10)), n[0] == 42 && p == a + 2, "r a 3;w p 8");
	GIVES(strtol, n[0] = WRAP(strtol)(a, NULL, 10), n[0] == 0, "r a 1");
	GIVES(strtol, WITH_NUMBER("  x", n[0] = WRAP(strtol)(a, NULL, 10)), n[0] == 0, "r a 3");
	GIVES(strtol, WITH_NUMBER("99999999999999999999", n[0] = WRAP(strtol)(a, NULL, 10)), errno == ERANGE, "r a 21");
	TOUCHES(strtoul, WITH_NUMBER("42x", WRAP(strtoul)(a, &p, 10)), "r a 3;w p 8");
	TOUCHES(strtoll, WITH_NUMBER("42x", WRAP(strtoll)(a, &p, 10)), "r a 3;w p 8");
	TOUCHES(strtoull, WITH_NUMBER("42x", WRAP(strtoull)(a, &p, 10)), "r a 3;w p 8");
	TOUCHES(strtof, WITH_NUMBER("4.2x", WRAP(strtof)(a, &p)), "r a 4;w p 8");
	GIVES(strtod, WITH_NUMBER("4.5x", n[0] = (long)(2 * WRAP(strtod)(a, &p))), n[0] == 9, "r a 4;w p 8");
	TOUCHES(strtold, WITH_NUMBER("4.2x", WRAP(strtold)(a, &p)), "r a 4;w p 8");
	GIVES(atoi, WITH_NUMBER("42", n[0] = WRAP(atoi)(a)), n[0] == 42, "r a 3");
	TOUCHES(atol, WITH_NUMBER("42", WRAP(atol)(a)), "r a 3");
	TOUCHES(atoll, WITH_NUMBER("42", WRAP(atoll)(a)), "r a 3");
	TOUCHES(atof, WITH_NUMBER("42", WRAP(atof)(a)), "r a 3");
	TOUCHES(a64l, WITH_NUMBER("42", WRAP(a64l)(a)), "r a 3");
	GIVES(wcstol, WITH_WIDE(L"42x", n[0] = WRAP(wcstol)(wa, wp, 10)), n[0] == 42, "r wa 12;w p 8");
	TOUCHES(wcstoul, WITH_WIDE(L"42x", WRAP(wcstoul)(wa, wp, 10)), "r wa 12;w p 8");
	TOUCHES(wcstoll, WITH_WIDE(L"42x", WRAP(wcstoll)(wa, wp, 10)), "r wa 12;w p 8");
	TOUCHES(wcstoull, WITH_WIDE(L"42x", WRAP(wcstoull)(wa, wp, 10)), "r wa 12;w p 8");
	TOUCHES(wcstof, WITH_WIDE(L"42x", WRAP(wcstof)(wa, wp)), "r wa 12;w p 8");
	TOUCHES(wcstod, WITH_WIDE(L"42x", WRAP(wcstod)(wa, wp)), "r wa 12;w p 8");
	TOUCHES(wcstold, WITH_WIDE(L"42x", WRAP(wcstold)(wa, wp)), "r wa 12;w p 8");
}

static int compare_bytes(const void *x, const void *y)
{
	return *(const char *)x - *(const char *)y;
}

static int compare_backwards(const void *x, const void *y, void *sign)
{
	return *(int *)sign * compare_bytes(x, y);
}

static void sorting(void)
{
	int sign = -1;
	char *large = calloc(1, TEMPORARY_ON_STACK + 2);

	GIVES(qsort, WRAP(qsort)(a, 5, 1, compare_bytes), !strcmp(a, "aahlp"), "r a 5;w a 5");
	GIVES(qsort_r, WRAP(qsort_r)(a, 5, 1, compare_backwards, &sign), !strcmp(a, "plhaa"), "r a 5;w a 5");
	large[0] = 1;
	GIVES(qsort, WRAP(qsort)(large, TEMPORARY_ON_STACK + 2, 1, compare_bytes), large[TEMPORARY_ON_STACK + 1] == 1,
	      "w ? 262146");
	free(large);
}

static void dates(void)
{
	struct tm *date = (struct tm *)c;

	setenv("TZ", "UTC0", 1);
	TOUCHES(time, WRAP(time)(NULL), "");
	TOUCHES(time, WRAP(time)(n), "w n 8");
	TOUCHES(clock_gettime, WRAP(clock_gettime)(CLOCK_MONOTONIC, (struct timespec *)n), "w n 16");
	TOUCHES(timespec_get, WRAP(timespec_get)((struct timespec *)n, TIME_UTC), "w n 16");
	TOUCHES(gettimeofday, WRAP(gettimeofday)((struct timeval *)n, NULL), "w n 16");
	TOUCHES(nanosleep, WRAP(nanosleep)((struct timespec *)n, (struct timespec *)c), "r n 16");
	TOUCHES(clock_nanosleep, WRAP(clock_nanosleep)(CLOCK_REALTIME, 0, (struct timespec *)n, NULL), "r n 16");
	GIVES(localtime_r, WRAP(localtime_r)(n, date), date->tm_year == 70, "r n 8;w c 56");
	GIVES(gmtime_r, WRAP(gmtime_r)(n, date), date->tm_year == 70, "r n 8;w c 56");
	TOUCHES(ctime_r, WRAP(ctime_r)(n, c), "r n 8;w c 26");
	TOUCHES(asctime_r, (memset(a, 0, sizeof a), WRAP(asctime_r)((struct tm *)a, c)), "r a 56;w c 26");
	TOUCHES(mktime, WRAP(mktime)(date), "r c 56;w c 56");
	TOUCHES(timegm, WRAP(timegm)(date), "r c 56;w c 56");
	TOUCHES(strftime, (strcpy(a, "%Y"), WRAP(strftime)(b, 9, a, date)), "r a 3;r c 56;w b 5");
	TOUCHES(wcsftime, WRAP(wcsftime)(wb, 9, L"%Y", date), "r c 56;w wb 20");
	TOUCHES(strptime, (strcpy(a, "1999"), WRAP(strptime)(a, "%Y", date)), "r c 56;r a 5;w c 56");
	TOUCHES(localtime, WRAP(localtime)(n), "r n 8;w TIME;w ? 56");
	TOUCHES(gmtime, WRAP(gmtime)(n), "r n 8;w TIME;w ? 56");
	TOUCHES(ctime, WRAP(ctime)(n), "r n 8;w TIME;w ? 26");
	TOUCHES(asctime, (memset(a, 0, sizeof a), WRAP(asctime)((struct tm *)a)), "r a 56;w TIME;w ? 26");
	TOUCHES(tzset, WRAP(tzset)(), "r ENVIRONMENT;u ZONE");
}

static void random_numbers(void)
{
	unsigned short *state = (unsigned short *)n;

	TOUCHES(rand, WRAP(rand)(), "w RAND");
	TOUCHES(srand, WRAP(srand)(1), "w RAND");
	TOUCHES(rand_r, WRAP(rand_r)((unsigned *)n), "r n 4;w n 4");
	TOUCHES(random, WRAP(random)(), "u RANDOM");
	TOUCHES(srandom, WRAP(srandom)(1), "u RANDOM");
	TOUCHES(initstate, p = WRAP(initstate)(1, (char *)rt->signal_stack, 64), "w ? 64;u RANDOM");
	TOUCHES(setstate, WRAP(setstate)((char *)rt->signal_stack), "u RANDOM");
	TOUCHES(drand48, WRAP(drand48)(), "w DRAND48");
	TOUCHES(lrand48, WRAP(lrand48)(), "w DRAND48");
	TOUCHES(mrand48, WRAP(mrand48)(), "w DRAND48");
	TOUCHES(erand48, WRAP(erand48)(state), "r DRAND48;r n 6;w n 6");
	TOUCHES(nrand48, WRAP(nrand48)(state), "r DRAND48;r n 6;w n 6");
	TOUCHES(jrand48, WRAP(jrand48)(state), "r DRAND48;r n 6;w n 6");
	TOUCHES(srand48, WRAP(srand48)(1), "w DRAND48");
	TOUCHES(seed48, WRAP(seed48)(state), "r n 6;w DRAND48;w ? 6");
	TOUCHES(lcong48, WRAP(lcong48)(state), "r n 14;w DRAND48");
}

static void environment_and_locale(void)
{
	TOUCHES(getenv, WRAP(getenv)(a), "r a 6;r ENVIRONMENT");
	TOUCHES(secure_getenv, WRAP(secure_getenv)(a), "r a 6;r ENVIRONMENT");
	TOUCHES(setenv, WRAP(setenv)(a, b, 1), "r a 6;r b 5;w ENVIRONMENT;w ? 8");
	TOUCHES(unsetenv, WRAP(unsetenv)(a), "r a 6;w ENVIRONMENT;w ? 8");
	TOUCHES(putenv, WRAP(putenv)(a), "r a 6;w ENVIRONMENT;w ? 8");
	TOUCHES(clearenv, WRAP(clearenv)(), "w ENVIRONMENT;w ? 8");
	TOUCHES(setlocale, WRAP(setlocale)(LC_ALL, NULL), "r LOCALE");
	TOUCHES(setlocale, WRAP(setlocale)(LC_ALL, "C"), "w LOCALE");
	TOUCHES(localeconv, WRAP(localeconv)(), "w LOCALECONV;w ? 96");
	TOUCHES(nl_langinfo, WRAP(nl_langinfo)(CODESET), "w LANGINFO");
}

/* Calls that use a tree, in p, which has a in it. */
#define IN_TREE(call) (p = NULL, tsearch(a, (void **)&p, compare_bytes), call)

static void tables(void)
{
	struct hsearch_data *table = (struct hsearch_data *)c;
	ENTRY **found = (ENTRY **)&p;

	TOUCHES(hcreate, WRAP(hcreate)(4), "w HASH");
	TOUCHES(hsearch, WRAP(hsearch)((ENTRY){a, b}, ENTER), "r a 6;w HASH");
	TOUCHES(hdestroy, WRAP(hdestroy)(), "w HASH");
	TOUCHES(hcreate_r, WRAP(hcreate_r)(4, table), "w c 16");
	hdestroy_r(table);
	TOUCHES(hdestroy_r, (hcreate_r(4, table), WRAP(hdestroy_r)(table)), "w c 16");
	TOUCHES(hsearch_r, (hcreate_r(4, table), WRAP(hsearch_r)((ENTRY){a, b}, ENTER, found, table)),
		"r a 6;w c 16;w p 8");
	hdestroy_r(table);
	TOUCHES(hsearch_r, (hcreate_r(4, table), WRAP(hsearch_r)((ENTRY){a, b}, FIND, found, table)),
		"r a 6;r c 16;w p 8");
	hdestroy_r(table);
	TOUCHES(tsearch, (p = NULL, WRAP(tsearch)(a, (void **)&p, compare_bytes)), "w p 8");
	tdelete(a, (void **)&p, compare_bytes);
	TOUCHES(tfind, IN_TREE(WRAP(tfind)(a, (void **)&p, compare_bytes)), "r p 8");
	tdelete(a, (void **)&p, compare_bytes);
	GIVES(tdelete, IN_TREE(WRAP(tdelete)(a, (void **)&p, compare_bytes)), !p, "w p 8");
}

static void network(void)
{
	TOUCHES(inet_aton, (strcpy(a, "1.2.3.4"), WRAP(inet_aton)(a, (struct in_addr *)n)), "r a 8;w n 4");
	TOUCHES(inet_addr, (strcpy(a, "1.2.3.4"), WRAP(inet_addr)(a)), "r a 8");
	TOUCHES(inet_pton, (strcpy(a, "1.2.3.4"), WRAP(inet_pton)(AF_INET, a, n)), "r a 8;w n 4");
	TOUCHES(inet_pton, WRAP(inet_pton)(AF_INET, a, n), "r a 6");
	TOUCHES(inet_ntop, WRAP(inet_ntop)(AF_INET, n, c, sizeof c), "r n 4;w c 8");
}

static void static_results(void)
{
	char *arguments[] = {"program", "-x", NULL};
	struct option longs[] = {{0}};

	TOUCHES(l64a, WRAP(l64a)(1), "w L64A;w ? 2");
	TOUCHES(ttyname, WRAP(ttyname)(-1), "w TTYNAME");
	TOUCHES(getlogin, (WRAP(getlogin)(), announced[7] = 0), "w LOGIN");
	TOUCHES(inet_ntoa, WRAP(inet_ntoa)((struct in_addr){0}), "w NETWORK;w ? 8");
	TOUCHES(ecvt, WRAP(ecvt)(1.5, 2, (int *)n, (int *)n + 1), "w ECVT;w ? 3;w n 4;w n+4 4");
	TOUCHES(fcvt, WRAP(fcvt)(1.5, 2, (int *)n, (int *)n + 1), "w ECVT;w ? 4;w n 4;w n+4 4");
	GIVES(gcvt, WRAP(gcvt)(1.5, 2, c), !strcmp(c, "1.5"), "w c 4");
	TOUCHES(getpwnam, WRAP(getpwnam)("root"), "w PASSWD;w ? 48");
	TOUCHES(getpwuid, WRAP(getpwuid)(0), "w PASSWD;w ? 48");
	TOUCHES(getgrnam, WRAP(getgrnam)("root"), "w GROUP;w ? 32");
	TOUCHES(getgrgid, WRAP(getgrgid)(0), "w GROUP;w ? 32");
	TOUCHES(gethostbyname, WRAP(gethostbyname)("127.0.0.1"), "w HOSTS;w ? 32");
	TOUCHES(getopt_long, WRAP(getopt_long)(2, arguments, "x", longs, (int *)n), "w GETOPT;w ? 4;w ? 8;w n 4");
	TOUCHES(getopt_long_only, WRAP(getopt_long_only)(2, arguments, "x", longs, NULL), "w GETOPT;w ? 4;w ? 8");
	optind = 1;
	GIVES(getopt, n[0] = WRAP(getopt)(2, arguments, "x"), n[0] == 'x', "w GETOPT;w ? 4;w ? 8");
}

int main(void)
{
	log_begin();
	TEST(transfers);
	TEST(paths);
	TEST(knowledge);
	TEST(numbers);
	TEST(sorting);
	TEST(dates);
	TEST(random_numbers);
	TEST(environment_and_locale);
	TEST(tables);
	TEST(network);
	TEST(static_results);
	return check_result();
}
