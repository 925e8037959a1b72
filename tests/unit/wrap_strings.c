/* What the wrappers of string functions announce: see wrap.h. */
#define _GNU_SOURCE
#include "wrap.h"

static locale_t locale;

static void lengths_and_copies(void)
{
	TOUCHES(strlen, WRAP(strlen)(a), "r a 6");
	TOUCHES(strlen, WRAP(strlen)("constant"), "");
	TOUCHES(strnlen, WRAP(strnlen)(a, 3), "r a 3");
	TOUCHES(strnlen, WRAP(strnlen)(a, 99), "r a 6");
	GIVES(strcpy, WRAP(strcpy)(c, a), !strcmp(c, "alpha"), "r a 6;w c 6");
	GIVES(stpcpy, p = WRAP(stpcpy)(c, a), p == c + 5, "r a 6;w c 6");
	GIVES(strncpy, WRAP(strncpy)(c, a, 3), !strcmp(c, "alp"), "r a 3;w c 3");
	TOUCHES(strncpy, WRAP(strncpy)(c, a, 10), "r a 6;w c 10");
	GIVES(stpncpy, p = WRAP(stpncpy)(c, a, 3), p == c + 3, "r a 3;w c 3");
	GIVES(stpncpy, p = WRAP(stpncpy)(c, a, 9), p == c + 5, "r a 6;w c 9");
	GIVES(strcat, WRAP(strcat)(a, b), !strcmp(a, "alphabeta"), "r b 5;r a 6;w a+5 5");
	GIVES(strncat, WRAP(strncat)(a, b, 2), !strcmp(a, "alphabe"), "r b 2;r a 6;w a+5 3");
	GIVES(strdup, p = WRAP(strdup)(a), !strcmp(p, a) && p != a, "r a 6;w ? 6");
	free(p);
	GIVES(strndup, p = WRAP(strndup)(a, 2), !strcmp(p, "al"), "r a 2;w ? 3");
	free(p);
}

static void comparisons(void)
{
	GIVES(strcmp, n[0] = WRAP(strcmp)(a, b), n[0] < 0, "r a 1;r b 1");
	GIVES(strcmp, n[0] = WRAP(strcmp)(a, "alpine"), n[0] < 0, "r a 4");
	GIVES(strcmp, n[0] = WRAP(strcmp)(a, "alpha"), n[0] == 0, "r a 6");
	GIVES(strcmp, n[0] = WRAP(strcmp)(a, "al"), n[0] > 0, "r a 3");
	GIVES(strncmp, n[0] = WRAP(strncmp)(a, "alp", 3), n[0] == 0, "r a 3");
	GIVES(strncmp, n[0] = WRAP(strncmp)(a, b, 0), n[0] == 0, "");
	GIVES(strcasecmp, n[0] = WRAP(strcasecmp)(a, "ALPine"), n[0] < 0, "r a 4");
	GIVES(strcasecmp, n[0] = WRAP(strcasecmp)("ALPHA", a), n[0] == 0, "r a 6");
	GIVES(strncasecmp, n[0] = WRAP(strncasecmp)(a, "ALT", 2), n[0] == 0, "r a 2");
	GIVES(strcasecmp_l, n[0] = WRAP(strcasecmp_l)(a, "ALPHA", locale), n[0] == 0, "r a 6");
	GIVES(strncasecmp_l, n[0] = WRAP(strncasecmp_l)(a, "ALT", 2, locale), n[0] == 0, "r a 2");
	GIVES(strcoll, n[0] = WRAP(strcoll)(a, b), n[0] < 0, "r a 6;r b 5");
	GIVES(strcoll_l, n[0] = WRAP(strcoll_l)(a, b, locale), n[0] < 0, "r a 6;r b 5");
	GIVES(strverscmp, n[0] = WRAP(strverscmp)(a, b), n[0] < 0, "r a 6;r b 5");
	GIVES(strxfrm, n[0] = (long)WRAP(strxfrm)(c, a, 9), n[0] == 5 && !strcmp(c, a), "r a 6;w c 6");
	GIVES(strxfrm, n[0] = (long)WRAP(strxfrm)(NULL, a, 0), n[0] == 5, "r a 6");
	GIVES(strxfrm_l, n[0] = (long)WRAP(strxfrm_l)(c, a, 9, locale), n[0] == 5, "r a 6;w c 6");
}

static void searches(void)
{
	GIVES(strchr, p = WRAP(strchr)(a, 'p'), p == a + 2, "r a 3");
	GIVES(strchr, p = WRAP(strchr)(a, 'x'), !p, "r a 6");
	GIVES(strrchr, p = WRAP(strrchr)(a, 'a'), p == a + 4, "r a 6");
	GIVES(strchrnul, p = WRAP(strchrnul)(a, 'p'), p == a + 2, "r a 3");
	GIVES(strchrnul, p = WRAP(strchrnul)(a, 'x'), p == a + 5, "r a 6");
	GIVES(strstr, p = WRAP(strstr)(a, "lp"), p == a + 1, "r a 3");
	GIVES(strstr, p = WRAP(strstr)(a, b), !p, "r b 5;r a 6");
	GIVES(strcasestr, p = WRAP(strcasestr)(a, "LP"), p == a + 1, "r a 3");
	GIVES(strspn, n[0] = (long)WRAP(strspn)(a, "la"), n[0] == 2, "r a 3");
	GIVES(strcspn, n[0] = (long)WRAP(strcspn)(a, "hp"), n[0] == 2, "r a 3");
	GIVES(strpbrk, p = WRAP(strpbrk)(a, "hp"), p == a + 2, "r a 3");
	GIVES(strpbrk, p = WRAP(strpbrk)(a, "xy"), !p, "r a 6");
}

static char *token(char *(*get)(void))
{
	strcpy(a, " one two");
	return get();
}

static char *first_r(void)
{
	return WRAP(strtok_r)(a, " ", &p);
}

static char *second_r(void)
{
	WRAP(strtok_r)(a, " ", &p);
	announced[0] = 0;
	return WRAP(strtok_r)(NULL, " ", &p);
}

static char *third_r(void)
{
	second_r();
	announced[0] = 0;
	return WRAP(strtok_r)(NULL, " ", &p);
}

static char *second(void)
{
	WRAP(strtok)(a, " ");
	announced[0] = 0;
	return WRAP(strtok)(NULL, " ");
}

static char *separated(void)
{
	char *part = WRAP(strsep)(&p, " ");

	CHECK(part == a && p == a + 1);
	return part;
}

static void tokens(void)
{
	char *t;

	GIVES(strtok_r, t = token(first_r), !strcmp(t, "one"), "r a 5;w a+4 1;w p 8");
	GIVES(strtok_r, t = token(second_r), !strcmp(t, "two"), "r p 8;r a+5 4;w p 8");
	GIVES(strtok_r, t = token(third_r), !t, "r p 8;r a+8 1;w p 8");
	GIVES(strtok, t = token(second), !strcmp(t, "two"), "r STRTOK;r a+5 4;w STRTOK");
	TOUCHES(strsep, token(separated), "r p 8;r a 1;w a 1;w p 8");
}

static void blocks(void)
{
	GIVES(memcmp, n[0] = WRAP(memcmp)(a, b, 4), n[0] < 0, "r a 4;r b 4");
	GIVES(memchr, p = WRAP(memchr)(a, 'p', 9), p == a + 2, "r a 3");
	GIVES(memchr, p = WRAP(memchr)(a, 'x', 4), !p, "r a 4");
	GIVES(memrchr, p = WRAP(memrchr)(a, 'a', 5), p == a + 4, "r a 5");
	GIVES(rawmemchr, p = WRAP(rawmemchr)(a, 'p'), p == a + 2, "r a 3");
	GIVES(memmem, p = WRAP(memmem)(a, 5, "ph", 2), p == a + 2, "r a 4");
	GIVES(memccpy, p = WRAP(memccpy)(c, a, 'p', 9), p == c + 3, "r a 3;w c 3");
	GIVES(memccpy, p = WRAP(memccpy)(c, a, 'x', 4), !p, "r a 4;w c 4");
	TOUCHES(memcpy, WRAP(memcpy)(c, a, 4), "r a 4;w c 4");
	TOUCHES(memmove, WRAP(memmove)(c, a, 4), "r a 4;w c 4");
	GIVES(mempcpy, p = WRAP(mempcpy)(c, a, 4), p == c + 4, "r a 4;w c 4");
	GIVES(memset, WRAP(memset)(c, 1, 7), c[6] == 1, "w c 7");
	GIVES(bzero, WRAP(bzero)(a, 7), !*a, "w a 7");
	TOUCHES(bcopy, WRAP(bcopy)(a, c, 7), "r a 7;w c 7");
	GIVES(swab, WRAP(swab)(a, c, 5), !strcmp(c, "lahp"), "r a 4;w c 4");
	GIVES(memfrob, WRAP(memfrob)(a, 5), *a == ('a' ^ 42), "r a 5;w a 5");
}

static void messages(void)
{
	TOUCHES(strerror, WRAP(strerror)(EINVAL), "w STRERROR");
	TOUCHES(strsignal, WRAP(strsignal)(SIGINT), "w STRSIGNAL");
	TOUCHES(strerror_r, WRAP(strerror_r)(EINVAL, c, sizeof c), "");
	TOUCHES(strerror_r, WRAP(strerror_r)(99999, c, sizeof c), "w c 20");
	GIVES(__xpg_strerror_r, WRAP(__xpg_strerror_r)(EINVAL, c, sizeof c), !strcmp(c, "Invalid argument"), "w c 17");
}

int main(void)
{
	log_begin();
	locale = newlocale(LC_ALL_MASK, "C", NULL);
	TEST(lengths_and_copies);
	TEST(comparisons);
	TEST(searches);
	TEST(tokens);
	TEST(blocks);
	TEST(messages);
	freelocale(locale);
	return check_result();
}
