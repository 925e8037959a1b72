/*
 * The conflict and the may-be-co-enabled relation, for every pair of kinds.  The
 * expected answers are written out here by group, independently of the code.
 */
#include "check.h"

#include "wire/events.h"

/*
 * Groups: L local, T thread, R read, W write, A lock, Y successful trylock, F failed
 * trylock, U unlock, C init or destroy of a mutex, w wait, s signal, t signal that
 * finds nobody, c init or destroy of a condition variable, f wait on a futex, N nothing
 * but the end, E the end of the process.
 */
static const char groups[] = "LTRWAYFUCwstcfNE";

/* Same object: x conflict, . none.  Row and column as in groups. */
static const char *const conflicts[] = {
	/* LTRWAYFUCwstcfNE */
	"................", /* L */
	".x.............x", /* T */
	"...x...........x", /* R */
	"..xx.........x.x", /* W */
	"....xxxxx......x", /* A */
	"....xxxxx......x", /* Y */
	"....xx.xx......x", /* F */
	"....xxx.x......x", /* U */
	"....xxxxx......x", /* C */
	"..........xxxx.x", /* w */
	".........xxxxx.x", /* s */
	".........xx.xx.x", /* t */
	".........xxxxx.x", /* c */
	"...x.....xxxx..x", /* f */
	"...............x", /* N */
	".xxxxxxxxxxxxxxx", /* E */
};

static const char group_of[EV_COUNT] = {
	[EV_NOTHING] = 'L',
	[EV_CREATE] = 'L',
	[EV_EXIT] = 'L',
	[EV_JOIN] = 'T',
	[EV_DETACH] = 'T',
	[EV_READ] = 'R',
	[EV_WRITE] = 'W',
	[EV_ATOMIC_LOAD] = 'R',
	[EV_ATOMIC_STORE] = 'W',
	[EV_ATOMIC_RMW] = 'W',
	[EV_ATOMIC_CAS] = 'W',
	[EV_ATOMIC_CAS_FAIL] = 'R',
	[EV_FENCE] = 'L',
	[EV_MUTEX_INIT] = 'C',
	[EV_MUTEX_DESTROY] = 'C',
	[EV_MUTEX_LOCK] = 'A',
	[EV_MUTEX_TRYLOCK] = 'Y',
	[EV_MUTEX_TRYLOCK_FAIL] = 'F',
	[EV_MUTEX_UNLOCK] = 'U',
	[EV_MUTEX_RELOCK] = 'L',
	[EV_MUTEX_REUNLOCK] = 'L',
	[EV_COND_INIT] = 'c',
	[EV_COND_DESTROY] = 'c',
	[EV_COND_WAIT] = 'w',
	[EV_COND_WAKE] = 'A',
	[EV_COND_SIGNAL] = 's',
	[EV_COND_BROADCAST] = 's',
	[EV_COND_SIGNAL_NONE] = 't',
	[EV_COND_BROADCAST_NONE] = 't',
	[EV_PROCESS_EXIT] = 'E',
	[EV_ASSERT_FAIL] = 'E',
	[EV_ABORT] = 'E',
	[EV_CRASH] = 'E',
	[EV_MISUSE] = 'E',
	[EV_REFUSED] = 'E',
	[EV_BAD_FREE] = 'E',
	[EV_GUARD_BEGIN] = 'A',
	[EV_GUARD_END] = 'U',
	[EV_TERMINATE] = 'E',
	[EV_FUTEX_WAIT] = 'f',
	[EV_FUTEX_AGAIN] = 'R',
	[EV_FUTEX_WOKEN] = 'N',
	[EV_FUTEX_WAKE] = 's',
	[EV_FUTEX_WAKE_ALL] = 's',
	[EV_FUTEX_WAKE_NONE] = 't',
};

static unsigned group_index(unsigned kind)
{
	return (unsigned)(strchr(groups, group_of[kind]) - groups);
}

static struct op make(unsigned kind, uint64_t object)
{
	return (struct op){.kind = (uint8_t)kind, .object = object, .size = 4};
}

static void every_kind_has_a_group(void)
{
	for (unsigned kind = 0; kind < EV_COUNT; kind++)
		CHECK(group_of[kind] != 0);
}

static void every_pair_on_one_object(void)
{
	for (unsigned a = 0; a < EV_COUNT; a++) {
		for (unsigned b = 0; b < EV_COUNT; b++) {
			struct op x = make(a, 0x1000), y = make(b, 0x1000);
			bool expected = conflicts[group_index(a)][group_index(b)] == 'x';
			if (ops_conflict(&x, &y) != expected)
				printf("%s and %s\n", event_table[a].name, event_table[b].name);
			CHECK(ops_conflict(&x, &y) == expected);
			CHECK(ops_conflict(&x, &y) == ops_conflict(&y, &x));
		}
	}
}

static void every_pair_on_two_objects(void)
{
	for (unsigned a = 0; a < EV_COUNT; a++) {
		for (unsigned b = 0; b < EV_COUNT; b++) {
			struct op x = make(a, 0x1000), y = make(b, 0x2000);
			bool ends =
				(group_of[a] == 'E' || group_of[b] == 'E') && group_of[a] != 'L' && group_of[b] != 'L';
			CHECK(ops_conflict(&x, &y) == ends);
		}
	}
}

static void every_pair_co_enabled(void)
{
	for (unsigned a = 0; a < EV_COUNT; a++) {
		for (unsigned b = 0; b < EV_COUNT; b++) {
			struct op x = make(a, 0x1000), y = make(b, 0x1000);
			char p = group_of[a], q = group_of[b];
			bool never = (p == 'U' && (q == 'A' || q == 'U')) || (q == 'U' && p == 'A');
			CHECK(ops_may_be_coenabled(&x, &y) == !never);
			CHECK(ops_may_be_coenabled(&x, &y) == ops_may_be_coenabled(&y, &x));
		}
	}
}

static void overlapping_accesses(void)
{
	struct op word = {.kind = EV_WRITE, .object = 0x1000, .size = 8};
	struct op byte = {.kind = EV_READ, .object = 0x1007, .size = 1};
	struct op after = {.kind = EV_READ, .object = 0x1008, .size = 1};
	struct op across = {.kind = EV_WRITE, .object = 0xffe, .size = 4};

	CHECK(ops_conflict(&word, &byte));
	CHECK(!ops_conflict(&word, &after));
	CHECK(ops_conflict(&word, &across));
	CHECK(!ops_conflict(&across, &byte));
}

/* A wait also releases its mutex, which a trylock can see. */
static void wait_releases_its_mutex(void)
{
	struct op wait = {.kind = EV_COND_WAIT, .object = 0x1000, .object2 = 0x2000};
	struct op other_wait = {.kind = EV_COND_WAIT, .object = 0x1000, .object2 = 0x2000};
	struct op failed = make(EV_MUTEX_TRYLOCK_FAIL, 0x2000), lock = make(EV_MUTEX_LOCK, 0x2000);

	CHECK(ops_conflict(&wait, &failed));
	CHECK(ops_may_be_coenabled(&wait, &failed));
	CHECK(ops_conflict(&wait, &lock));
	CHECK(!ops_may_be_coenabled(&wait, &lock));
	CHECK(!ops_conflict(&wait, &other_wait));
}

int main(void)
{
	TEST(every_kind_has_a_group);
	TEST(every_pair_on_one_object);
	TEST(every_pair_on_two_objects);
	TEST(every_pair_co_enabled);
	TEST(overlapping_accesses);
	TEST(wait_releases_its_mutex);
	return check_result();
}
