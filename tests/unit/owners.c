/* Who accesses what memory, in several processes. */
#include "check.h"

#include "execute/owners.h"
#include "wire/channel.h"

static struct owners mine, theirs;

static void start(void)
{
	mine = owners_new();
	theirs = owners_new();
}

static void end(void)
{
	owners_release(&mine);
	owners_release(&theirs);
}

/* Tell `to` what is private in `from`: is any of it contested?  Then `from` learns which. */
static bool tell(const struct owners *from, const struct owners *to)
{
	struct buffer told = {0}, contested = {0};

	owners_pack_private(from, &told);
	struct packed packed = packed_from(told.data, told.size);
	bool any = owners_add_private(to, &packed, &contested);
	CHECK(!packed.broken && !packed_left(&packed));
	packed = packed_from(contested.data, contested.size);
	owners_unpack_shared(from, &packed);
	CHECK(!packed.broken && !packed_left(&packed));
	buffer_release(&told);
	buffer_release(&contested);
	return any;
}

static void test_nothing(void)
{
	start();
	CHECK(!tell(&mine, &theirs));
	end();
}

static void test_different_memory(void)
{
	start();
	mine.table[0] = mine.table[1] = 1;
	theirs.table[2] = 2;
	theirs.table[GRANULES - 1] = 3;
	CHECK(!tell(&mine, &theirs) && !tell(&theirs, &mine));
	CHECK(mine.table[0] == 1 && mine.table[2] == 2 && mine.table[GRANULES - 1] == 3);
	CHECK(theirs.table[1] == 1 && theirs.table[2] == 2 && theirs.table[3] == OWNER_NONE);
	end();
}

static void test_same_owner(void)
{
	start();
	mine.table[70000] = theirs.table[70000] = 7;
	CHECK(!tell(&mine, &theirs) && theirs.table[70000] == 7);
	end();
}

static void test_contested(void)
{
	start();
	mine.table[5] = mine.table[6] = mine.table[1 << 20] = 1;
	theirs.table[6] = 2;
	theirs.table[1 << 20] = OWNER_SHARED;
	CHECK(tell(&mine, &theirs));
	CHECK(mine.table[5] == 1 && mine.table[6] == OWNER_SHARED && mine.table[1 << 20] == OWNER_SHARED);
	CHECK(theirs.table[5] == 1 && theirs.table[6] == OWNER_SHARED);
	CHECK(!tell(&mine, &theirs)); /* it knows now */
	end();
}

static void test_forget(void)
{
	start();
	mine.table[1] = mine.table[100000] = 1;
	mine.table[2] = OWNER_SHARED;
	owners_forget_private(&mine);
	CHECK(mine.table[1] == OWNER_NONE && mine.table[100000] == OWNER_NONE && mine.table[2] == OWNER_SHARED);
	end();
}

static void test_damaged(void)
{
	struct buffer bytes = {0}, contested = {0};

	start();
	pack_number(&bytes, 2);
	pack_number(&bytes, GRANULES - 1);
	pack_number(&bytes, 1);
	struct packed packed = packed_from(bytes.data, bytes.size);
	owners_add_private(&mine, &packed, &contested);
	CHECK(packed.broken);
	buffer_release(&bytes);
	buffer_release(&contested);
	end();
}

int main(void)
{
	TEST(test_nothing);
	TEST(test_different_memory);
	TEST(test_same_owner);
	TEST(test_contested);
	TEST(test_forget);
	TEST(test_damaged);
	return check_result();
}
