/*
 * The functions that exist for strings of char and of wchar_t alike: included by string.c
 * and wide.c, which say what the names are.
 *
 *   CHAR             the type of a character, BYTES(n) the size of n of them
 *   S(x) P(x) M(x)   str##x stp##x mem##x, or the wide names
 *   READ, READ_MAX   announce the read of a string
 *   PRIVATE          announce it and keep a copy
 *   LOWER(c)         the character in lower case
 */

#define BYTES(n) ((n) * sizeof(CHAR))

size_t WRAP(S(len))(const CHAR *string)
{
	return READ(string);
}

size_t WRAP(S(nlen))(const CHAR *string, size_t max)
{
	return READ_MAX(string, max);
}

/* --- copies --- */

CHAR *WRAP(P(cpy))(CHAR *restrict to, const CHAR *restrict from)
{
	PRIVATE(copy, from);
	write_out(to, copy.data, BYTES(copy_length + 1));
	return to + copy_length;
}

CHAR *WRAP(S(cpy))(CHAR *restrict to, const CHAR *restrict from)
{
	WRAP(P(cpy))(to, from);
	return to;
}

CHAR *WRAP(P(ncpy))(CHAR *restrict to, const CHAR *restrict from, size_t size)
{
	TEMPORARY(copy, BYTES(size));
	size_t length = READ_MAX(from, size);

	S(ncpy)(copy.data, from, size);
	write_out(to, copy.data, BYTES(size));
	return to + length;
}

CHAR *WRAP(S(ncpy))(CHAR *restrict to, const CHAR *restrict from, size_t size)
{
	WRAP(P(ncpy))(to, from, size);
	return to;
}

CHAR *WRAP(S(cat))(CHAR *restrict to, const CHAR *restrict from)
{
	PRIVATE(copy, from);
	write_out(to + READ(to), copy.data, BYTES(copy_length + 1));
	return to;
}

CHAR *WRAP(S(ncat))(CHAR *restrict to, const CHAR *restrict from, size_t max)
{
	size_t length = READ_MAX(from, max);
	TEMPORARY(copy, BYTES(length + 1));

	memset(copy.data, 0, BYTES(length + 1));
	memcpy(copy.data, from, BYTES(length));
	write_out(to + READ(to), copy.data, BYTES(length + 1));
	return to;
}

static CHAR *duplicate(const CHAR *string, size_t length)
{
	CHAR *copy = malloc(BYTES(length + 1));
	CHAR end = 0;

	if (!copy)
		return NULL;
	writes(copy, BYTES(length + 1));
	memcpy(copy, string, BYTES(length));
	memcpy(copy + length, &end, sizeof end);
	return copy;
}

CHAR *WRAP(S(dup))(const CHAR *string)
{
	PRIVATE(copy, string);
	return duplicate(copy.data, copy_length);
}

/* --- comparisons: nothing is read behind the first difference --- */

static size_t looked_at(const CHAR *a, const CHAR *b, size_t max, bool fold)
{
	size_t n = 0;

	rt->touching = true;
	for (bool same = true; n < max && same; n++)
		same = a[n] && (fold ? LOWER(a[n]) == LOWER(b[n]) : a[n] == b[n]);
	rt->touching = false;
	return n;
}

/* False when the strings have changed so that more of them must be read. */
static bool compare_once(const CHAR *a, const CHAR *b, size_t max, bool fold, int *result)
{
	size_t n = looked_at(a, b, max, fold);
	TEMPORARY(copy, BYTES(n));

	read_in(copy.data, a, BYTES(n));
	reads(b, BYTES(n));
	*result = fold ? S(ncasecmp)(copy.data, b, n) : S(ncmp)(copy.data, b, n);
	return *result || n == max || !((const CHAR *)copy.data)[n - 1];
}

static int compare(const CHAR *a, const CHAR *b, size_t max, bool fold)
{
	int result = 0;

	while (!compare_once(a, b, max, fold, &result))
		;
	return result;
}

int WRAP(S(cmp))(const CHAR *a, const CHAR *b)
{
	return compare(a, b, SIZE_MAX, false);
}

int WRAP(S(ncmp))(const CHAR *a, const CHAR *b, size_t max)
{
	return compare(a, b, max, false);
}

int WRAP(S(casecmp))(const CHAR *a, const CHAR *b)
{
	return compare(a, b, SIZE_MAX, true);
}

int WRAP(S(ncasecmp))(const CHAR *a, const CHAR *b, size_t max)
{
	return compare(a, b, max, true);
}

int WRAP(S(casecmp_l))(const CHAR *a, const CHAR *b, locale_t locale)
{
	PRIVATE(copy, a);
	READ(b);
	return S(casecmp_l)(copy.data, b, locale);
}

int WRAP(S(ncasecmp_l))(const CHAR *a, const CHAR *b, size_t max, locale_t locale)
{
	size_t length = READ_MAX(a, max);
	TEMPORARY(copy, BYTES(length + 1));

	memset(copy.data, 0, BYTES(length + 1));
	memcpy(copy.data, a, BYTES(length));
	READ_MAX(b, max);
	return S(ncasecmp_l)(copy.data, b, max, locale);
}

int WRAP(S(coll))(const CHAR *a, const CHAR *b)
{
	PRIVATE(copy, a);
	READ(b);
	return S(coll)(copy.data, b);
}

int WRAP(S(coll_l))(const CHAR *a, const CHAR *b, locale_t locale)
{
	PRIVATE(copy, a);
	READ(b);
	return S(coll_l)(copy.data, b, locale);
}

size_t WRAP(S(xfrm))(CHAR *restrict to, const CHAR *restrict from, size_t size)
{
	PRIVATE(copy, from);
	TEMPORARY(result, BYTES(size));
	size_t length = S(xfrm)(result.data, copy.data, size);

	write_out(to, result.data, BYTES(smaller(length + 1, size)));
	return length;
}

size_t WRAP(S(xfrm_l))(CHAR *restrict to, const CHAR *restrict from, size_t size, locale_t locale)
{
	PRIVATE(copy, from);
	TEMPORARY(result, BYTES(size));
	size_t length = S(xfrm_l)(result.data, copy.data, size, locale);

	write_out(to, result.data, BYTES(smaller(length + 1, size)));
	return length;
}

/* --- searches: up to what was found --- */

/* How many bytes of the string were read to find the place, `width` characters long; NULL: all of it. */
static size_t extent(const CHAR *string, const CHAR *found, size_t width)
{
	return BYTES(found ? (size_t)(found - string) + width : S(len)(string) + 1);
}

CHAR *WRAP(S(chr))(const CHAR *string, CHAR_ARGUMENT c)
{
	READ_STABLE(string, extent(string, S(chr)(string, c), 1));
	return (CHAR *)S(chr)(string, c);
}

CHAR *WRAP(S(chrnul))(const CHAR *string, CHAR_ARGUMENT c)
{
	READ_STABLE(string, extent(string, S(chrnul)(string, c), 1));
	return (CHAR *)S(chrnul)(string, c);
}

CHAR *WRAP(S(rchr))(const CHAR *string, CHAR_ARGUMENT c)
{
	READ(string);
	return (CHAR *)S(rchr)(string, c);
}

CHAR *WRAP(S(str))(const CHAR *string, const CHAR *part)
{
	PRIVATE(copy, part);
	READ_STABLE(string, extent(string, S(str)(string, copy.data), copy_length));
	return (CHAR *)S(str)(string, copy.data);
}

size_t WRAP(S(spn))(const CHAR *string, const CHAR *set)
{
	PRIVATE(copy, set);
	return READ_STABLE(string, BYTES(S(spn)(string, copy.data) + 1)) / sizeof(CHAR) - 1;
}

size_t WRAP(S(cspn))(const CHAR *string, const CHAR *set)
{
	PRIVATE(copy, set);
	return READ_STABLE(string, BYTES(S(cspn)(string, copy.data) + 1)) / sizeof(CHAR) - 1;
}

CHAR *WRAP(S(pbrk))(const CHAR *string, const CHAR *set)
{
	PRIVATE(copy, set);
	READ_STABLE(string, extent(string, S(pbrk)(string, copy.data), 1));
	return (CHAR *)S(pbrk)(string, copy.data);
}

/*
 * strtok_r and wcstok; where the place is kept is announced by the caller.  What is read: the
 * separators, the token and the character behind it, which is overwritten.
 */
static CHAR *next_token(CHAR *string, const CHAR *separators, CHAR **place)
{
	PRIVATE(copy, separators);
	CHAR end = 0, *token, *behind;

	*place = NULL;
	if (!string)
		return NULL;
	READ_STABLE(string, ({
			    size_t skipped = S(spn)(string, copy.data);
			    BYTES(skipped + S(cspn)(string + skipped, copy.data) + 1);
		    }));
	token = string + S(spn)(string, copy.data);
	behind = token + S(cspn)(token, copy.data);
	bool last = S(nlen)(behind, 1) == 0, none = behind == token;
	if (!last)
		write_out(behind, &end, sizeof end);
	*place = last ? behind : behind + 1; /* at the end nothing is found, again and again */
	return none ? NULL : token;
}

/* --- blocks --- */

int WRAP(M(cmp))(const void_or_wide *a, const void_or_wide *b, size_t count)
{
	TEMPORARY(copy, BYTES(count));

	read_in(copy.data, a, BYTES(count));
	reads(b, BYTES(count));
	return M(cmp)(copy.data, b, count);
}

void_or_wide *WRAP(M(chr))(const void_or_wide *block, CHAR_ARGUMENT c, size_t count)
{
	READ_STABLE(block, ({
			    const CHAR *found = M(chr)(block, c, count);
			    BYTES(found ? (size_t)(found - (const CHAR *)block) + 1 : count);
		    }));
	return (void_or_wide *)M(chr)(block, c, count);
}

void_or_wide *WRAP(M(cpy))(void_or_wide *restrict to, const void_or_wide *restrict from, size_t count)
{
	__inspect_copy(to, (void *)from, BYTES(count), rt->current_site);
	return to;
}

void_or_wide *WRAP(M(move))(void_or_wide *to, const void_or_wide *from, size_t count)
{
	__inspect_copy(to, (void *)from, BYTES(count), rt->current_site);
	return to;
}

void_or_wide *WRAP(M(pcpy))(void_or_wide *restrict to, const void_or_wide *restrict from, size_t count)
{
	__inspect_copy(to, (void *)from, BYTES(count), rt->current_site);
	return (void *)((char *)to + BYTES(count));
}

void_or_wide *WRAP(M(set))(void_or_wide *to, CHAR_ARGUMENT c, size_t count)
{
	writes(to, BYTES(count));
	return M(set)(to, c, count);
}
