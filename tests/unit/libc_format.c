/* The parser of printf and scanf formats. */
#define _GNU_SOURCE
#include "check.h"

#include "runtime/libc/format.c"

static char text[1024];

/* "id0s1.2" …: types of all arguments (i, l, d, L), then each use: letter, argument, precision or size. */
static const char *printed(const char *format)
{
	struct print_format parsed;
	int at = 0;

	if (!print_parse(format, &parsed))
		return "too many";
	for (unsigned i = 0; i < parsed.arguments; i++)
		at += sprintf(text + at, "%c", "ildL"[parsed.types[i]]);
	for (unsigned i = 0; i < parsed.uses; i++) {
		const struct print_use *use = &parsed.use[i];
		at += sprintf(text + at, " %c%d", "?swn"[use->use], use -> argument);
		if (use->use == USE_COUNT)
			at += sprintf(text + at, ":%d", use->size);
		else if (use->precision_argument != NO_ARGUMENT)
			at += sprintf(text + at, ".*%d", use->precision_argument);
		else if (use->precision != NO_PRECISION)
			at += sprintf(text + at, ".%d", use->precision);
	}
	text[at] = 0;
	return text;
}

static void print_types(void)
{
	CHECK_TEXT(printed(""), "");
	CHECK_TEXT(printed("plain %% text %m"), "");
	CHECK_TEXT(printed("%d %i %u %o %x %X %c"), "iiiiiii");
	CHECK_TEXT(printed("%hhd %hd %ld %lld %qd %jd %zd %Zd %td"), "iilllllll");
	CHECK_TEXT(printed("%f %F %e %E %g %G %a %A %Lf %lf %llf"), "ddddddddLdL");
	CHECK_TEXT(printed("%p %lc %C"), "lii");
	CHECK_TEXT(printed("%-+ #0'5d|%05.3d|%-*d|%.*d|%*.*d"), "iiiiiiiii");
	CHECK_TEXT(printed("%b %B"), "ii");
}

static void print_uses(void)
{
	CHECK_TEXT(printed("%s"), "l s0");
	CHECK_TEXT(printed("%ls %S"), "ll w0 w1");
	CHECK_TEXT(printed("%-10.3s"), "l s0.3");
	CHECK_TEXT(printed("%.s"), "l s0.0");
	CHECK_TEXT(printed("%.*s %s"), "ill s1.*0 s2");
	CHECK_TEXT(printed("%*.*s"), "iil s2.*1");
	CHECK_TEXT(printed("%d%n%hhn%hn%ln%lln"), "illlll n1:4 n2:1 n3:2 n4:8 n5:8");
	CHECK_TEXT(printed("%%s %%%s"), "l s0");
	CHECK_TEXT(printed("%5%%s"), "l s0");
}

static void print_positions(void)
{
	CHECK_TEXT(printed("%2$s %1$d"), "il s1");
	CHECK_TEXT(printed("%1$s %1$s"), "l s0 s0");
	CHECK_TEXT(printed("%3$*1$.*2$s"), "iil s2.*1");
	CHECK_TEXT(printed("%2$Lf %1$s"), "lL s0");
	CHECK_TEXT(printed("%70$s"), "too many");
}

static void print_nonsense(void)
{
	CHECK_TEXT(printed("%"), "");
	CHECK_TEXT(printed("%l"), "");
	CHECK_TEXT(printed("%5."), "");
	CHECK_TEXT(printed("%y %s"), "l s0");
	CHECK_TEXT(printed("%99999999999999999999d"), "i");
}

/* "FORMAT|" and for each target a letter (v, t, b, n, p), its argument and its size, and the width of a block. */
static const char *scanned(const char *format)
{
	struct scan_format parsed;
	int at;

	if (!scan_parse(format, &parsed, text))
		return "too many";
	at = (int)strlen(text);
	for (unsigned i = 0; i < parsed.targets; i++) {
		const struct scan_target *target = &parsed.target[i];
		at += sprintf(text + at, "|%c%d:%d", "vtbnp"[target->kind], target -> argument, target -> size);
		if (target->kind == SCAN_BLOCK)
			at += sprintf(text + at, "*%d", (int)target->width);
	}
	return text;
}

static void scan_values(void)
{
	CHECK_TEXT(scanned("%d %hhd %hd %ld"), "%d %hhd %hd %ld|v0:4|v1:1|v2:2|v3:8");
	CHECK_TEXT(scanned("%lld %jd %zu %td %i"), "%lld %jd %zu %td %i|v0:8|v1:8|v2:8|v3:8|v4:4");
	CHECK_TEXT(scanned("%f%lf%Lf%e%lg"), "%f%lf%Lf%e%lg|v0:4|v1:8|v2:16|v3:4|v4:8");
	CHECK_TEXT(scanned("%p%n%hn"), "%p%n%hn|v0:8|n1:4|n2:2");
	CHECK_TEXT(scanned("a%%b %*d %5d"), "a%%b %*d %5d|v0:4");
}

static void scan_texts(void)
{
	CHECK_TEXT(scanned("%s %9s"), "%ms %9ms|t0:1|t1:1");
	CHECK_TEXT(scanned("%ls%S"), "%mls%mS|t0:4|t1:4");
	CHECK_TEXT(scanned("%c%3c%lc%99c"), "%c%3c%lc%99mc|v0:1|v1:3|v2:4|b3:1*99");
	CHECK_TEXT(scanned("%[a-z]%[^]%]%[]s]x"), "%m[a-z]%m[^]%]%m[]s]x|t0:1|t1:1|t2:1");
	CHECK_TEXT(scanned("%*s%*[^\n]%s"), "%*s%*[^\n]%ms|t0:1");
	CHECK_TEXT(scanned("%ms%m[a]%mc"), "%ms%m[a]%mc|p0:8|p1:8|p2:8");
}

static void scan_positions(void)
{
	CHECK_TEXT(scanned("%2$d %1$s"), "%2$d %1$ms|v1:4|t0:1");
	CHECK_TEXT(scanned("%70$d"), "too many");
	CHECK_TEXT(scanned("%"), "%");
	CHECK_TEXT(scanned("%5"), "%5");
}

int main(void)
{
	TEST(print_types);
	TEST(print_uses);
	TEST(print_positions);
	TEST(print_nonsense);
	TEST(scan_values);
	TEST(scan_texts);
	TEST(scan_positions);
	return check_result();
}
