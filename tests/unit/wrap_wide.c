/* What the wrappers of wide-character functions and conversions announce: see wrap.h. */
#define _GNU_SOURCE
#include "wrap.h"

static locale_t locale;
static wchar_t *w;
static volatile size_t any_size = SIZE_MAX;

static void lengths_and_copies(void)
{
	TOUCHES(wcslen, WRAP(wcslen)(wa), "r wa 24");
	TOUCHES(wcsnlen, WRAP(wcsnlen)(wa, 3), "r wa 12");
	GIVES(wcscpy, WRAP(wcscpy)(wc, wa), !wcscmp(wc, L"alpha"), "r wa 24;w wc 24");
	GIVES(wcpcpy, w = WRAP(wcpcpy)(wc, wa), w == wc + 5, "r wa 24;w wc 24");
	TOUCHES(wcsncpy, WRAP(wcsncpy)(wc, wa, 3), "r wa 12;w wc 12");
	GIVES(wcpncpy, w = WRAP(wcpncpy)(wc, wa, 9), w == wc + 5, "r wa 24;w wc 36");
	GIVES(wcscat, WRAP(wcscat)(wa, wb), !wcscmp(wa, L"alphabeta"), "r wb 20;r wa 24;w wa+20 20");
	GIVES(wcsncat, WRAP(wcsncat)(wa, wb, 2), !wcscmp(wa, L"alphabe"), "r wb 8;r wa 24;w wa+20 12");
	GIVES(wcsdup, w = WRAP(wcsdup)(wa), !wcscmp(w, wa), "r wa 24;w ? 24");
	free(w);
}

static void comparisons(void)
{
	GIVES(wcscmp, n[0] = WRAP(wcscmp)(wa, wb), n[0] < 0, "r wa 4;r wb 4");
	GIVES(wcsncmp, n[0] = WRAP(wcsncmp)(wa, L"alp", 3), n[0] == 0, "r wa 12");
	GIVES(wcscasecmp, n[0] = WRAP(wcscasecmp)(wa, L"ALPHA"), n[0] == 0, "r wa 24");
	GIVES(wcsncasecmp, n[0] = WRAP(wcsncasecmp)(wa, L"ALT", 2), n[0] == 0, "r wa 8");
	GIVES(wcscasecmp_l, n[0] = WRAP(wcscasecmp_l)(wa, L"ALPHA", locale), n[0] == 0, "r wa 24");
	GIVES(wcsncasecmp_l, n[0] = WRAP(wcsncasecmp_l)(wa, L"ALT", 2, locale), n[0] == 0, "r wa 8");
	GIVES(wcscoll, n[0] = WRAP(wcscoll)(wa, wb), n[0] < 0, "r wa 24;r wb 20");
	GIVES(wcscoll_l, n[0] = WRAP(wcscoll_l)(wa, wb, locale), n[0] < 0, "r wa 24;r wb 20");
	GIVES(wcsxfrm, n[0] = (long)WRAP(wcsxfrm)(wc, wa, 9), n[0] == 5, "r wa 24;w wc 24");
	GIVES(wcsxfrm_l, n[0] = (long)WRAP(wcsxfrm_l)(wc, wa, 9, locale), n[0] == 5, "r wa 24;w wc 24");
}

static void searches(void)
{
	GIVES(wcschr, w = WRAP(wcschr)(wa, 'p'), w == wa + 2, "r wa 12");
	GIVES(wcsrchr, w = WRAP(wcsrchr)(wa, 'a'), w == wa + 4, "r wa 24");
	GIVES(wcschrnul, w = WRAP(wcschrnul)(wa, 'x'), w == wa + 5, "r wa 24");
	GIVES(wcsstr, w = WRAP(wcsstr)(wa, L"lp"), w == wa + 1, "r wa 12");
	GIVES(wcsspn, n[0] = (long)WRAP(wcsspn)(wa, L"la"), n[0] == 2, "r wa 12");
	GIVES(wcscspn, n[0] = (long)WRAP(wcscspn)(wa, L"hp"), n[0] == 2, "r wa 12");
	GIVES(wcspbrk, w = WRAP(wcspbrk)(wa, L"hp"), w == wa + 2, "r wa 12");
	GIVES(wcstok, WRAP(wcstok)(wa, L"p", (wchar_t **)&p), !wcscmp(wa, L"al"), "r wa 12;w wa+8 4;w p 8");
	GIVES(wcswidth, n[0] = WRAP(wcswidth)(wa, 9), n[0] == 5, "r wa 24");
}

static void blocks(void)
{
	TOUCHES(wmemcpy, WRAP(wmemcpy)(wc, wa, 3), "r wa 12;w wc 12");
	TOUCHES(wmemmove, WRAP(wmemmove)(wc, wa, 3), "r wa 12;w wc 12");
	GIVES(wmempcpy, w = WRAP(wmempcpy)(wc, wa, 3), w == wc + 3, "r wa 12;w wc 12");
	GIVES(wmemset, WRAP(wmemset)(wc, 'x', 3), wc[2] == 'x', "w wc 12");
	GIVES(wmemcmp, n[0] = WRAP(wmemcmp)(wa, wb, 3), n[0] < 0, "r wa 12;r wb 12");
	GIVES(wmemchr, w = WRAP(wmemchr)(wa, 'p', 9), w == wa + 2, "r wa 12");
}

static size_t from_bytes(size_t (*convert)(wchar_t *, const char **))
{
	return convert(wc, (const char **)&p);
}

static size_t all_bytes(wchar_t *to, const char **from)
{
	return WRAP(mbsrtowcs)(to, from, 9, (mbstate_t *)n);
}

static size_t three_bytes(wchar_t *to, const char **from)
{
	return WRAP(mbsnrtowcs)(to, from, 3, 9, (mbstate_t *)n);
}

static size_t wide_to_bytes(size_t characters)
{
	const wchar_t *from = wa;

	return characters ? WRAP(wcsnrtombs)(c, &from, characters, 9, (mbstate_t *)n)
			  : WRAP(wcsrtombs)(c, &from, 9, (mbstate_t *)n);
}

static void conversions(void)
{
	GIVES(mbrtowc, n[4] = (long)WRAP(mbrtowc)(wc, a, 6, (mbstate_t *)n), n[4] == 1 && *wc == 'a',
	      "r n 8;r a 1;w wc 4");
	TOUCHES(mbrtowc, WRAP(mbrtowc)(wc, a, 6, NULL), "w MBRTOWC;r a 1;w wc 4");
	TOUCHES(mbrlen, WRAP(mbrlen)(a, 6, (mbstate_t *)n), "r n 8;r a 1");
	TOUCHES(wcrtomb, WRAP(wcrtomb)(c, 'x', (mbstate_t *)n), "r n 8;w c 1");
	TOUCHES(mbsinit, WRAP(mbsinit)((mbstate_t *)n), "r n 8");
	TOUCHES(mblen, WRAP(mblen)(a, 6), "r a 1;w MBLEN");
	TOUCHES(mbtowc, WRAP(mbtowc)(wc, a, 6), "r a 1;w MBLEN;w wc 4");
	TOUCHES(wctomb, WRAP(wctomb)(c, 'x'), "w MBLEN;w c 1");
	GIVES(mbstowcs, WRAP(mbstowcs)(wc, a, 9), !wcscmp(wc, L"alpha"), "r a 6;w wc 24");
	GIVES(mbstowcs, n[0] = (long)WRAP(mbstowcs)(NULL, a, 0), n[0] == 5, "r a 6");
	TOUCHES(mbstowcs, WRAP(mbstowcs)(wc, a, 3), "r a 6;w wc 12");
	TOUCHES(mbstowcs, WRAP(mbstowcs)(wc, a, any_size), "r a 6;w wc 24");
	TOUCHES(wcstombs, WRAP(wcstombs)(c, wa, any_size), "r wa 24;w c 6");
	GIVES(wcstombs, WRAP(wcstombs)(c, wa, 9), !strcmp(c, "alpha"), "r wa 24;w c 6");
	GIVES(mbsrtowcs, n[4] = (long)from_bytes(all_bytes), n[4] == 5 && !p, "r n 8;r p 8;r a 6;w wc 24;w p 8");
	GIVES(mbsnrtowcs, n[4] = (long)from_bytes(three_bytes), n[4] == 3 && p == a + 3,
	      "r n 8;r p 8;r a 3;w wc 12;w p 8");
	GIVES(wcsrtombs, n[4] = (long)wide_to_bytes(0), n[4] == 5, "r n 8;r ? 8;r wa 24;w c 6;w ? 8");
	GIVES(wcsnrtombs, n[4] = (long)wide_to_bytes(3), n[4] == 3, "r n 8;r ? 8;r wa 12;w c 3;w ? 8");
}

int main(void)
{
	log_begin();
	locale = newlocale(LC_ALL_MASK, "C", NULL);
	TEST(lengths_and_copies);
	TEST(comparisons);
	TEST(searches);
	TEST(blocks);
	TEST(conversions);
	freelocale(locale);
	return check_result();
}
