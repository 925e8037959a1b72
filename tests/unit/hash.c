/* Hashes: known values, and whether they spread. */
#include "check.h"

#include <stdbool.h>
#include <stdint.h>

#include "common/hash.h"

static uint64_t of(const char *text)
{
	return hash_bytes(HASH_START, text, strlen(text));
}

/* From the authors of FNV. */
static void test_bytes(void)
{
	CHECK(of("") == 0xcbf29ce484222325ull);
	CHECK(of("a") == 0xaf63dc4c8601ec8cull);
	CHECK(of("foobar") == 0x85944171f73967e8ull);
	CHECK(hash_bytes(of("foo"), "bar", 3) == of("foobar"));
}

/* Neighbours must not meet in a table with twice as many slots, whichever bits of the hash it uses. */
static void test_words(void)
{
	enum { COUNT = 1 << 12, SLOTS = 2 * COUNT };
	static bool low[SLOTS], high[SLOTS];
	uint32_t nlow = 0, nhigh = 0;

	for (uint64_t i = 0; i < COUNT; i++) {
		uint64_t word = 0x200000000000ull + i * 8, slot = hash_word(word) % SLOTS, bits = hash_bits(word, 13);
		CHECK(bits < SLOTS);
		nlow += !low[slot];
		nhigh += !high[bits];
		low[slot] = high[bits] = true;
	}
	CHECK(nlow > COUNT / 2 && nhigh > COUNT / 2);
}

static void test_mix(void)
{
	CHECK(hash_mix(0, 5) == hash_word(5));
	CHECK(hash_mix(hash_mix(0, 1), 2) != hash_mix(hash_mix(0, 2), 1)); /* the order counts */
}

int main(void)
{
	TEST(test_bytes);
	TEST(test_words);
	TEST(test_mix);
	return check_result();
}
