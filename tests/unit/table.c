/* Numbers for keys: against a plain list, with keys taken out again. */
#include "check.h"

#include <stdbool.h>
#include <stdint.h>

#include "storage/table.h"

enum { MANY = 5000 };

static uint64_t key(uint32_t i)
{
	return i % 3 ? i * 8ull << 4 : ~(uint64_t)i; /* words that follow each other, and others */
}

static void add(struct table *table, uint32_t from, uint32_t to)
{
	for (uint32_t i = from; i < to; i++) {
		CHECK(!table_find(table, key(i)));
		CHECK(table_add(table, key(i)) == i);
		CHECK(table_add(table, key(i)) == i);
	}
}

static bool has(const struct table *table, uint32_t count)
{
	bool good = table->count == count;

	for (uint32_t i = 0; i < MANY; i++)
		good &= table_find(table, key(i)) == (i < count ? i + 1 : 0);
	return good;
}

static void test_empty(void)
{
	struct table table = {0};

	CHECK(!table_find(&table, 0) && !table_find(&table, UINT64_MAX));
	table_cut(&table, 0);
	CHECK(table_is_valid(&table));
	CHECK(table_add(&table, 0) == 0 && table_find(&table, 0) == 1); /* no key is special */
	table_release(&table);
	CHECK(!table.count && !table.nslots);
}

static void test_numbers(void)
{
	struct table table = {0};

	add(&table, 0, MANY);
	CHECK(has(&table, MANY));
	CHECK(table_is_valid(&table));
	table_release(&table);
}

/* Those before are where they were, also after the table has grown in between. */
static void test_cut(void)
{
	struct table table = {0};

	add(&table, 0, MANY);
	for (uint32_t count = MANY; count > 1; count = count * 2 / 3) {
		table_cut(&table, count);
		CHECK(has(&table, count));
		CHECK(table_is_valid(&table));
	}
	table_cut(&table, 0);
	CHECK(has(&table, 0));
	add(&table, 0, 100);
	CHECK(has(&table, 100));
	table_release(&table);
}

/* What does not hold is seen. */
static void test_is_valid(void)
{
	struct table table = {0};

	add(&table, 0, 10);
	table.keys[4] = key(11);
	CHECK(!table_is_valid(&table));
	table.keys[4] = key(4);
	CHECK(table_is_valid(&table));
	*table_slot(&table, key(7)) = 0;
	CHECK(!table_is_valid(&table));
	table_release(&table);
}

int main(void)
{
	TEST(test_empty);
	TEST(test_numbers);
	TEST(test_cut);
	TEST(test_is_valid);
	return check_result();
}
