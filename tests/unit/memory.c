/* The memory of a search: blocks, before and after it is shared with other processes. */
#define _GNU_SOURCE
#include "check.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/stopping.h"
#include "storage/memory.h"

static bool is_shared(const void *block)
{
	return (uint64_t)block - MEMORY_ADDRESS < MEMORY_SIZE;
}

static bool is_filled(const unsigned char *block, size_t size, unsigned char with)
{
	for (size_t i = 0; i < size; i++)
		if (block[i] != with)
			return false;
	return true;
}

/* Blocks of all sizes, each of which has to be there when others have come and gone. */
static void use_blocks(void)
{
	enum { BLOCKS = 300 };
	unsigned char *blocks[BLOCKS];
	size_t sizes[BLOCKS];
	bool good = true;

	for (unsigned i = 0; i < BLOCKS; i++) {
		sizes[i] = i < 140 ? i : (size_t)i * i * 3;
		blocks[i] = memory_new(sizes[i]);
		good &= blocks[i] && (uint64_t)blocks[i] % 16 == 0;
		memset(blocks[i], (int)i, sizes[i]);
	}
	for (unsigned i = 0; i < BLOCKS; i += 2) {
		size_t before = sizes[i];
		sizes[i] = i % 4 ? sizes[i] * 3 + 1 : sizes[i] / 2;
		blocks[i] = memory_resize(blocks[i], sizes[i]);
		good &= is_filled(blocks[i], before < sizes[i] ? before : sizes[i], (unsigned char)i);
		memset(blocks[i], (int)i, sizes[i]);
	}
	for (unsigned i = 0; i < BLOCKS; i++)
		good &= is_filled(blocks[i], sizes[i], (unsigned char)i);
	CHECK(good);
	for (unsigned i = 0; i < BLOCKS; i++)
		memory_free(blocks[i]);
	memory_free(NULL);
}

static void *early; /* from before */

static void test_own(void)
{
	use_blocks();
	early = memory_new(100);
	memset(early, 7, 100);
	CHECK(!is_shared(early) && memory_file() < 0);
}

static void test_shared(void)
{
	CHECK(memory_share() && memory_share() && memory_file() >= 0);
	use_blocks();
	unsigned char *block = memory_new_clear(50, 20);
	CHECK(is_shared(block) && is_filled(block, 1000, 0));
	memset(block, 1, 1000);
	memory_free(block);
	CHECK(memory_new(1000) == block); /* one that is free is used again */
	unsigned char *clear = memory_new_clear(1, 1000);
	CHECK(clear != block && is_filled(clear, 1000, 0));
	memory_free(block);
	memory_free(clear);
}

static void test_from_before(void)
{
	early = memory_resize(early, 5000);
	CHECK(!is_shared(early) && is_filled(early, 100, 7));
	memory_free(early);
}

/* What another process does is seen here, and that it is time to stop is seen there. */
static void test_other_process(void)
{
	unsigned char *block = memory_new(200);
	int status = 1;

	memset(block, 1, 200);
	CHECK(!stop_due());
	stop_ask();
	if (fork() == 0) {
		bool good = stop_due() && is_filled(block, 200, 1);
		memset(block, 2, 200);
		_exit(!good);
	}
	CHECK(wait(&status) > 0 && status == 0);
	CHECK(is_filled(block, 200, 2));
	stop_forget();
	CHECK(!stop_due());
	memory_free(block);
}

static void test_abandoned(void)
{
	unsigned char *kept = memory_new(300), *gone = memory_new(300);

	memset(kept, 3, 300);
	memory_free(gone);
	memory_abandon();
	use_blocks();
	CHECK(memory_new(300) != gone);
	CHECK(is_filled(kept, 300, 3));
}

int main(void)
{
	TEST(test_own);
	TEST(test_shared);
	TEST(test_from_before);
	TEST(test_other_process);
	TEST(test_abandoned);
	return check_result();
}
