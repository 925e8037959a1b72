/* Arrays that grow. */
#include "check.h"

#include <stdbool.h>
#include <stdint.h>

#include "storage/vector.h"

struct pair {
	uint32_t first, second;
};

static void test_add(void)
{
	VECTOR(struct pair) pairs = {0};
	bool good = true;

	for (uint32_t i = 0; i < 1000; i++)
		vector_add(&pairs, (struct pair){.first = i, .second = i * i});
	CHECK(pairs.count == 1000 && pairs.size >= pairs.count);
	for (uint32_t i = 0; i < pairs.count; i++)
		good &= pairs.items[i].first == i && pairs.items[i].second == i * i;
	CHECK(good);
	vector_release(&pairs);
	CHECK(!pairs.items && !pairs.count && !pairs.size);
	vector_add(&pairs, (struct pair){7, 8}); /* it can be used again */
	CHECK(pairs.count == 1 && pairs.items[0].second == 8);
	vector_release(&pairs);
}

static void test_pop(void)
{
	VECTOR(uint32_t) numbers = {0};

	for (uint32_t i = 0; i < 40; i++)
		vector_add(&numbers, i);
	for (uint32_t i = 40; i-- > 0;)
		CHECK(vector_pop(&numbers) == i);
	CHECK(!numbers.count && numbers.items);
	vector_release(&numbers);
}

/* Room is never given back, and there is at least twice as much of it each time. */
static void test_room(void)
{
	VECTOR(char) bytes = {0};
	uint32_t moves = 0;

	vector_need(&bytes, 0);
	CHECK(!bytes.items && !bytes.size);
	for (uint32_t need = 1; need <= 100000; need++) {
		uint32_t before = bytes.size;
		vector_need(&bytes, need);
		CHECK(bytes.size >= need);
		CHECK(bytes.size == before || bytes.size >= 2 * before);
		moves += bytes.size != before;
	}
	CHECK(moves < 20);
	CHECK(!bytes.count);
	uint32_t before = bytes.size;
	vector_need(&bytes, 3);
	CHECK(bytes.size == before);
	vector_release(&bytes);
}

/* A struct that only has the members. */
static void test_any_struct(void)
{
	struct {
		const char *name;
		uint64_t *items;
		uint32_t count, size;
	} list = {.name = "list"};

	vector_add(&list, 1ull << 40);
	CHECK(list.items[0] == 1ull << 40);
	vector_release(&list);
	CHECK_TEXT(list.name, "list");
}

int main(void)
{
	TEST(test_add);
	TEST(test_pop);
	TEST(test_room);
	TEST(test_any_struct);
	return check_result();
}
