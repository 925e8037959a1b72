/* What the wrappers of stdio functions announce: see wrap.h. */
#define _GNU_SOURCE
#include "wrap.h"

#include <limits.h>
#include <sys/wait.h>

static FILE *out, *in;
static char *volatile nobody;
static volatile int any_size = INT_MAX;
static char input[] = "alpha 42 x\nbeta\n";

static int v(int (*function)(va_list), ...)
{
	va_list list;

	va_start(list, function);
	int result = function(list);
	va_end(list);
	return result;
}

static int do_vprintf(va_list list)
{
	return WRAP(vprintf)("%s", list);
}

static int do_vfprintf(va_list list)
{
	return WRAP(vfprintf)(out, "%s", list);
}

static int do_vsprintf(va_list list)
{
	return WRAP(vsprintf)(c, "%s", list);
}

static int do_vsnprintf(va_list list)
{
	return WRAP(vsnprintf)(c, 3, "%s", list);
}

static int do_vasprintf(va_list list)
{
	return WRAP(vasprintf)(&p, "%s", list);
}

static int do_vdprintf(va_list list)
{
	return WRAP(vdprintf)(fileno(out), "%s", list);
}

static int do_vwprintf(va_list list)
{
	return WRAP(vwprintf)(L"%ls", list);
}

static int do_vfwprintf(va_list list)
{
	return WRAP(vfwprintf)(out, L"%ls", list);
}

static int do_vswprintf(va_list list)
{
	return WRAP(vswprintf)(wc, 9, L"%ls", list);
}

static void print(void)
{
	int count;

	TOUCHES(printf, WRAP(printf)("%d\n", 1), "l stream");
	TOUCHES(printf, WRAP(printf)(a), "r a 6;l stream");
	TOUCHES(fprintf, WRAP(fprintf)(out, "%s %.2s", a, b), "r a 6;r b 2;l stream");
	TOUCHES(fprintf, WRAP(fprintf)(out, "%.*s", 3, a), "r a 3;l stream");
	TOUCHES(dprintf, WRAP(dprintf)(fileno(out), "%s", a), "r a 6");
	GIVES(sprintf, WRAP(sprintf)(c, "<%s>", a), !strcmp(c, "<alpha>"), "r a 6;w c 8");
	GIVES(snprintf, count = WRAP(snprintf)(c, 4, "<%s>", a), count == 7 && !strcmp(c, "<al"), "r a 6;w c 4");
	GIVES(snprintf, count = WRAP(snprintf)(NULL, 0, "%f %Lf %s", 1.0, 2.0L, a), count == 23, "r a 6");
	GIVES(snprintf, WRAP(snprintf)(c, 9, "%2$s%1$n", (int *)n, a), n[0] == 5, "r a 6;w n 4;w c 6");
	TOUCHES(snprintf, WRAP(snprintf)(c, 9, "%s", nobody), "w c 7");
	GIVES(asprintf, WRAP(asprintf)(&p, "%s", a), !strcmp(p, a), "r a 6;w ? 6;w p 8");
	free(p);
	TOUCHES(vprintf, v(do_vprintf, a), "r a 6;l stream");
	TOUCHES(vfprintf, v(do_vfprintf, a), "r a 6;l stream");
	TOUCHES(vsprintf, v(do_vsprintf, a), "r a 6;w c 6");
	TOUCHES(vsnprintf, v(do_vsnprintf, a), "r a 6;w c 3");
	TOUCHES(vasprintf, v(do_vasprintf, a), "r a 6;w ? 6;w p 8");
	free(p);
	TOUCHES(vdprintf, v(do_vdprintf, a), "r a 6");
}

static void print_wide(void)
{
	TOUCHES(wprintf, WRAP(wprintf)(L"%s", a), "r a 6;l stream");
	TOUCHES(fwprintf, WRAP(fwprintf)(out, L"%ls", wa), "r wa 24;l stream");
	GIVES(swprintf, WRAP(swprintf)(wc, 9, L"<%ls>", wa), !wcscmp(wc, L"<alpha>"), "r wa 24;w wc 32");
	TOUCHES(vwprintf, v(do_vwprintf, wa), "r wa 24;l stream");
	TOUCHES(vfwprintf, v(do_vfwprintf, wa), "r wa 24;l stream");
	TOUCHES(vswprintf, v(do_vswprintf, wa), "r wa 24;w wc 24");
}

static int do_vwarn(va_list list)
{
	WRAP(vwarn)("%s", list);
	return 0;
}

static int do_vwarnx(va_list list)
{
	WRAP(vwarnx)("%s", list);
	return 0;
}

static int do_verr(va_list list)
{
	WRAP(verr)(0, "%s", list);
	return 0;
}

static int do_verrx(va_list list)
{
	WRAP(verrx)(0, "%s", list);
	return 0;
}

/* In a process of its own, which ends with status 0. */
#define ENDING(call)                                                                                                   \
	({                                                                                                             \
		int got_, ends_[2] = {-1, -1};                                                                         \
		CHECK(!pipe(ends_));                                                                                   \
		if (!fork()) {                                                                                         \
			ending_pipe = ends_[1];                                                                        \
			on_exit(send_log, NULL);                                                                       \
			call;                                                                                          \
		}                                                                                                      \
		close(ends_[1]);                                                                                       \
		got_ = (int)read(ends_[0], announced, sizeof announced - 1);                                           \
		announced[got_ > 0 ? got_ : 0] = 0;                                                                    \
		close(ends_[0]);                                                                                       \
		wait(NULL);                                                                                            \
	})

static int ending_pipe;

static void send_log(int status, void *unused)
{
	(void)status, (void)unused;
	_exit(write(ending_pipe, announced, strlen(announced)) < 0);
}

static void messages(void)
{
	TOUCHES(warn, WRAP(warn)("%s", a), "r a 6;l stream");
	TOUCHES(warn, WRAP(warn)(NULL), "l stream");
	TOUCHES(warnx, WRAP(warnx)("%s", a), "r a 6;l stream");
	TOUCHES(vwarn, v(do_vwarn, a), "r a 6;l stream");
	TOUCHES(vwarnx, v(do_vwarnx, a), "r a 6;l stream");
	TOUCHES(err, ENDING(WRAP(err)(0, "%s", a)), "r a 6;l stream");
	TOUCHES(errx, ENDING(WRAP(errx)(0, "%s", a)), "r a 6;l stream");
	TOUCHES(verr, ENDING(v(do_verr, a)), "r a 6;l stream");
	TOUCHES(verrx, ENDING(v(do_verrx, a)), "r a 6;l stream");
}

static int do_vscanf(va_list list)
{
	return WRAP(vscanf)("%s", list);
}

static int do_vfscanf(va_list list)
{
	return WRAP(vfscanf)(in, "%s", list);
}

static int do_vsscanf(va_list list)
{
	return WRAP(vsscanf)("one two", "%*s %s", list);
}

static int do_vwscanf(va_list list)
{
	return WRAP(vwscanf)(L"%s", list);
}

static int do_vfwscanf(va_list list)
{
	return WRAP(vfwscanf)(in, L"%s", list);
}

static int do_vswscanf(va_list list)
{
	return WRAP(vswscanf)(L"one two", L"%*s %s", list);
}

/* A stream that gives the input from its beginning. */
static FILE *rewound(void)
{
	if (in)
		fclose(in);
	in = tmpfile();
	CHECK(write(fileno(in), input, strlen(input)) == (ssize_t)strlen(input));
	lseek(fileno(in), 0, SEEK_SET);
	stdin = in;
	return in;
}

static void scan(void)
{
	int count;

	GIVES(sscanf, count = WRAP(sscanf)("7 beta", "%ld %s", n, c), count == 2 && n[0] == 7 && !strcmp(c, "beta"),
	      "w n 8;w c 5");
	GIVES(sscanf, count = WRAP(sscanf)(a, "%ld %s", n, c), count == 0, "r a 6");
	GIVES(sscanf, count = WRAP(sscanf)("7 x", "%ld %ld %s", n, n + 1, c), count == 1, "w n 8");
	GIVES(sscanf, count = WRAP(sscanf)("7 x", "%hhd%n%d%n", (char *)n, (int *)(n + 1), (int *)n, (int *)n),
	      count == 1 && n[1] == 1, "w n 1;w n+8 4");
	GIVES(sscanf, WRAP(sscanf)("abcdef", "%2c%2s%m[ef]", c, c + 9, &p), !strcmp(c, "ab") && !strcmp(p, "ef"),
	      "w c 2;w c+9 3;w p 8");
	free(p);
	GIVES(sscanf, WRAP(sscanf)("1 2", "%2$ld %1$ld", n, n + 1), n[0] == 2 && n[1] == 1, "w n+8 8;w n 8");
	GIVES(sscanf, count = WRAP(sscanf)("", "%s", c), count == EOF, "");
	rewound();
	TOUCHES(fscanf, WRAP(fscanf)(in, "%s %ld", c, n), "u stream;w c 6;w n 8");
	rewound();
	TOUCHES(scanf, WRAP(scanf)("%3s", c), "u stream;w c 4");
	TOUCHES(vscanf, v(do_vscanf, c), "u stream;w c 3");
	TOUCHES(vfscanf, v(do_vfscanf, c), "u stream;w c 3");
	TOUCHES(vsscanf, v(do_vsscanf, c), "w c 4");
	rewound();
	GIVES(fwscanf, WRAP(fwscanf)(in, L"%ls", wc), !wcscmp(wc, L"alpha"), "u stream;w wc 24");
	TOUCHES(wscanf, WRAP(wscanf)(L"%ld", n), "u stream;w n 8");
	GIVES(swscanf, WRAP(swscanf)(L"\x2192x", L"\x2192%ls", wc), !wcscmp(wc, L"x"), "w wc 8");
	TOUCHES(vwscanf, v(do_vwscanf, c), "u stream;w c 2");
	TOUCHES(vfwscanf, v(do_vfwscanf, c), "u stream;w c 5");
	TOUCHES(vswscanf, v(do_vswscanf, c), "w c 4");
}

static void output(void)
{
	TOUCHES(fputc, WRAP(fputc)('x', out), "l stream");
	TOUCHES(putchar, WRAP(putchar)('x'), "l stream");
	TOUCHES(putw, WRAP(putw)(1, out), "l stream");
	TOUCHES(fputs, WRAP(fputs)(a, out), "r a 6;l stream");
	TOUCHES(puts, WRAP(puts)(a), "r a 6;l stream");
	TOUCHES(fwrite, WRAP(fwrite)(a, 2, 2, out), "r a 4;l stream");
	TOUCHES(fflush, WRAP(fflush)(out), "l stream");
	TOUCHES(fflush, WRAP(fflush)(NULL), "files");
	TOUCHES(perror, WRAP(perror)(a), "r a 6;l stream");
	TOUCHES(fputc_unlocked, WRAP(fputc_unlocked)('x', out), "w stream");
	TOUCHES(putchar_unlocked, WRAP(putchar_unlocked)('x'), "w stream");
	TOUCHES(fputs_unlocked, WRAP(fputs_unlocked)(a, out), "r a 6;w stream");
	TOUCHES(fwrite_unlocked, WRAP(fwrite_unlocked)(a, 2, 2, out), "r a 4;w stream");
	TOUCHES(fflush_unlocked, WRAP(fflush_unlocked)(out), "w stream");
}

static void wide_output(void)
{
	TOUCHES(fputwc, WRAP(fputwc)('x', out), "l stream");
	TOUCHES(putwchar, WRAP(putwchar)('x'), "l stream");
	TOUCHES(fputws, WRAP(fputws)(wa, out), "r wa 24;l stream");
	TOUCHES(fputwc_unlocked, WRAP(fputwc_unlocked)('x', out), "w stream");
	TOUCHES(putwchar_unlocked, WRAP(putwchar_unlocked)('x'), "w stream");
	TOUCHES(fputws_unlocked, WRAP(fputws_unlocked)(wa, out), "r wa 24;w stream");
}

static void characters(void)
{
	rewound();
	GIVES(fgetc, n[0] = WRAP(fgetc)(in), n[0] == 'a', "u stream");
	GIVES(getchar, n[0] = WRAP(getchar)(), n[0] == 'l', "u stream");
	TOUCHES(ungetc, WRAP(ungetc)('l', in), "u stream");
	GIVES(fgetc_unlocked, n[0] = WRAP(fgetc_unlocked)(in), n[0] == 'l', "w stream");
	GIVES(getchar_unlocked, n[0] = WRAP(getchar_unlocked)(), n[0] == 'p', "w stream");
	TOUCHES(getw, WRAP(getw)(in), "u stream");
	rewound();
	GIVES(fgetwc, n[0] = WRAP(fgetwc)(in), n[0] == 'a', "u stream");
	GIVES(getwchar, n[0] = WRAP(getwchar)(), n[0] == 'l', "u stream");
	TOUCHES(ungetwc, WRAP(ungetwc)('l', in), "u stream");
	GIVES(fgetwc_unlocked, n[0] = WRAP(fgetwc_unlocked)(in), n[0] == 'l', "w stream");
	GIVES(getwchar_unlocked, n[0] = WRAP(getwchar_unlocked)(), n[0] == 'p', "w stream");
}

static void lines(void)
{
	rewound();
	GIVES(fgets, WRAP(fgets)(c, sizeof c, in), !strcmp(c, "alpha 42 x\n"), "u stream;w c 12");
	rewound();
	TOUCHES(fgets, WRAP(fgets)(c, any_size, in), "u stream;w c 12");
	GIVES(fgets, WRAP(fgets)(c, 3, in), !strcmp(c, "be"), "u stream;w c 3");
	GIVES(fgets_unlocked, WRAP(fgets_unlocked)(c, 9, in), !strcmp(c, "ta\n"), "w stream;w c 4");
	GIVES(fgets, p = WRAP(fgets)(c, 9, in), !p, "u stream");
	rewound();
	GIVES(fgetws, WRAP(fgetws)(wc, 6, in), !wcscmp(wc, L"alpha"), "u stream;w wc 24");
	GIVES(fgetws_unlocked, WRAP(fgetws_unlocked)(wc, 3, in), !wcscmp(wc, L" 4"), "w stream;w wc 12");
	rewound();
	GIVES(fread, WRAP(fread)(c, 2, 3, in), !strcmp(c, "alpha "), "u stream;w c 6");
	GIVES(fread, n[0] = (long)WRAP(fread)(c, 4, 9, in), n[0] == 2, "u stream;w c 8");
	rewound();
	GIVES(fread_unlocked, WRAP(fread_unlocked)(c, 1, 2, in), !strcmp(c, "al"), "w stream;w c 2");
	GIVES(getdelim, (p = NULL, WRAP(getdelim)(&p, (size_t *)n, ' ', in)), !strcmp(p, "pha ") && n[0] == 120,
	      "u stream;r p 8;r n 8;w p 8;w n 8;w ? 5");
	free(p);
	GIVES(getline, (n[0] = 99, WRAP(getline)(&p, (size_t *)n, in)), !strcmp(a, "42 x\n") && p == a,
	      "u stream;r p 8;r n 8;w a 6");
}

static void state(void)
{
	rewound();
	TOUCHES(ftell, WRAP(ftell)(in), "u stream");
	TOUCHES(ftello, WRAP(ftello)(in), "u stream");
	TOUCHES(fseek, WRAP(fseek)(in, 1, SEEK_SET), "u stream");
	TOUCHES(fseeko, WRAP(fseeko)(in, 1, SEEK_SET), "u stream");
	TOUCHES(rewind, WRAP(rewind)(in), "u stream");
	TOUCHES(fgetpos, WRAP(fgetpos)(in, (fpos_t *)n), "u stream;w n 16");
	TOUCHES(fsetpos, WRAP(fsetpos)(in, (fpos_t *)n), "r n 16;u stream");
	TOUCHES(setvbuf, WRAP(setvbuf)(in, NULL, _IONBF, 0), "u stream");
	TOUCHES(setbuf, WRAP(setbuf)(in, NULL), "u stream");
	TOUCHES(setbuffer, WRAP(setbuffer)(in, NULL, 0), "u stream");
	TOUCHES(setlinebuf, WRAP(setlinebuf)(in), "u stream");
	TOUCHES(feof, WRAP(feof)(in), "l stream");
	TOUCHES(ferror, WRAP(ferror)(in), "l stream");
	TOUCHES(clearerr, WRAP(clearerr)(in), "u stream");
	TOUCHES(fileno, WRAP(fileno)(out), "l stream");
	TOUCHES(fwide, WRAP(fwide)(in, 0), "u stream");
	TOUCHES(feof_unlocked, WRAP(feof_unlocked)(in), "w stream");
	TOUCHES(ferror_unlocked, WRAP(ferror_unlocked)(in), "w stream");
	TOUCHES(clearerr_unlocked, WRAP(clearerr_unlocked)(in), "w stream");
	TOUCHES(fileno_unlocked, WRAP(fileno_unlocked)(out), "w stream");
	TOUCHES(flockfile, WRAP(flockfile)(out), "");
	GIVES(ftrylockfile, n[0] = WRAP(ftrylockfile)(out), n[0] == 0, "");
	TOUCHES(funlockfile, WRAP(funlockfile)(out), "");
	WRAP(funlockfile)(out);
}

static FILE *opened(FILE *(*get)(void))
{
	strcpy(a, "/dev/null");
	strcpy(b, "r");
	FILE *stream = get();
	CHECK(stream != NULL);
	return stream;
}

static FILE *do_fopen(void)
{
	return WRAP(fopen)(a, b);
}

static FILE *do_fdopen(void)
{
	return WRAP(fdopen)(open(a, O_RDONLY), b);
}

static FILE *do_freopen(void)
{
	return WRAP(freopen)(a, b, in);
}

static void opening(void)
{
	FILE *stream = NULL;

	TOUCHES(fopen, stream = opened(do_fopen), "r a 10;r b 2");
	TOUCHES(fclose, WRAP(fclose)(stream), "u stream");
	strcpy(b, "r");
	TOUCHES(fdopen, stream = opened(do_fdopen), "r b 2");
	fclose(stream);
	in = opened(do_fopen);
	TOUCHES(freopen, opened(do_freopen), "r a 10;r b 2;u stream");
	fclose(in);
}

/* A stream is for bytes or for wide characters from the first use on. */
static void new_output(void)
{
	if (out)
		fclose(out);
	out = output_stream = fopen("/dev/null", "w");
}

int main(void)
{
	log_begin();
	new_output();
	TEST(print);
	TEST(output);
	TEST(messages);
	new_output();
	TEST(print_wide);
	TEST(wide_output);
	TEST(state);
	TEST(scan);
	TEST(characters);
	TEST(lines);
	fclose(in);
	TEST(opening);
	fclose(out);
	return check_result();
}
