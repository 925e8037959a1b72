#include "common/digest.h"

#include <string.h>

/* Odd numbers without a pattern: digits of pi. */
#define FIRST 0x243f6a8885a308d3ull
#define SECOND 0x13198a2e03707345ull
#define THIRD 0xa4093822299f31d1ull

static uint64_t mix(uint64_t a, uint64_t b)
{
	unsigned __int128 product = (unsigned __int128)a * b;

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static void add_words(struct digest *digest, uint64_t a, uint64_t b)
{
	digest->low = mix(a ^ digest->low ^ FIRST, b ^ SECOND) + a;
	digest->high = mix(a ^ THIRD, b ^ digest->high ^ FIRST) + b;
}

void digest_add(struct digest *digest, const void *bytes, size_t size)
{
	const unsigned char *at = bytes;
	uint64_t words[2];

	add_words(digest, size, SECOND);
	for (; size >= sizeof words; at += sizeof words, size -= sizeof words) {
		memcpy(words, at, sizeof words);
		add_words(digest, words[0], words[1]);
	}
	if (size) {
		memset(words, 0, sizeof words);
		memcpy(words, at, size);
		add_words(digest, words[0], words[1]);
	}
	add_words(digest, digest->high, digest->low);
}

void digest_add_text(struct digest *digest, const char *text)
{
	digest_add(digest, text, strlen(text));
}
