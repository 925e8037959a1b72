/*
 * The conflict and the may-be-co-enabled relation, for every pair of kinds.  The
 * expected answers are written out here by group, independently of the code.
 */
#include "check.h"

#include "wire/events.h"

/*
 * Groups: L local, N nothing, T thread, n look at a thread, e end of a thread, R read,
 * W write, A lock, Y successful trylock, F failed trylock, U unlock, C init or destroy of a
 * mutex, w wait, l leaving a wait, s signal, t signal that finds nobody, c init or destroy of
 * a condition variable, r read lock, y successful try of it, f failed try, u read unlock,
 * X write lock, Z successful try of it, z failed try, V write unlock, D init or destroy of
 * these; P semaphore wait, p successful trywait, q failed trywait or look, v post, S init or
 * destroy of these; b arrive, B the last or init or destroy of a barrier; k use of a key,
 * K create or delete; x begin of exit, h use of its handlers; o a system call; G a free or unmap; I wait on a futex; Q timeout that nobody prevents; E the end of the process.
 */
static const char groups[] = "LNTneRWGIAYFUCwlstcryfuXZzVDPpqvSbBkKxhoQE";

/* Same object and class: pairs that conflict, each once; Q and E conflict with all but L. */
static const char conflict_pairs[] = "TT Tn Te ne ee RW WW AA AY AF AU AC YY YF YU YC FU FC UC CC "
				     "IW Is It Ic Iw Il ws wt wc ls lt lc ss st sc tc cc "
				     "rX rZ rz rV rD yX yZ yz yV yD fX fZ fV fD uX uZ uz uD "
				     "XX XZ Xz XV XD ZZ Zz ZV ZD zV zD VD DD "
				     "PP Pp Pq Pv PS pp pq pv pS qv qS vS SS bB BB kK KK xx xh hh oo";

static bool expect_conflict(char a, char b)
{
	if (a == 'L' || b == 'L')
		return false;
	if (strchr("QE", a) || strchr("QE", b))
		return true;
	/* a free ends all that is in the block */
	if (a == 'G' || b == 'G')
		return !strchr("NTnexhokK", a) && !strchr("NTnexhokK", b);
	for (const char *pair = conflict_pairs; *pair; pair += pair[2] ? 3 : 2)
		if ((pair[0] == a && pair[1] == b) || (pair[0] == b && pair[1] == a))
			return true;
	return false;
}

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
	[EV_THREAD_END] = 'e',
	[EV_TRYJOIN] = 'T',
	[EV_TRYJOIN_FAIL] = 'n',
	[EV_JOIN_TIMEOUT] = 'n',
	[EV_CANCEL] = 'T',
	[EV_CANCEL_POINT] = 'n',
	[EV_JOIN_CANCELLED] = 'n',
	[EV_KILL] = 'n',
	[EV_THREAD_LEAVE] = 'n',
	[EV_THREAD_LAST] = 'T',
	[EV_TIMEOUT] = 'Q',
	[EV_MUTEX_TIMEDLOCK] = 'Y',
	[EV_MUTEX_TIMEOUT] = 'F',
	[EV_MUTEX_LOCK_LOST] = 'A',
	[EV_COND_WAKE_LOST] = 'A',
	[EV_MUTEX_TRYLOCK_LOST] = 'F',
	[EV_MUTEX_OWNER_DIED] = 'U',
	[EV_MUTEX_CONSISTENT] = 'L',
	[EV_COND_TIMEOUT] = 'l',
	[EV_COND_SPURIOUS] = 'l',
	[EV_COND_CANCELLED] = 'l',
	[EV_SPIN_INIT] = 'C',
	[EV_SPIN_DESTROY] = 'C',
	[EV_SPIN_LOCK] = 'A',
	[EV_SPIN_TRYLOCK] = 'Y',
	[EV_SPIN_TRYLOCK_FAIL] = 'F',
	[EV_SPIN_UNLOCK] = 'U',
	[EV_RWLOCK_INIT] = 'D',
	[EV_RWLOCK_DESTROY] = 'D',
	[EV_RWLOCK_RDLOCK] = 'r',
	[EV_RWLOCK_WRLOCK] = 'X',
	[EV_RWLOCK_TRYRDLOCK] = 'y',
	[EV_RWLOCK_TRYWRLOCK] = 'Z',
	[EV_RWLOCK_TRYRDLOCK_FAIL] = 'f',
	[EV_RWLOCK_TRYWRLOCK_FAIL] = 'z',
	[EV_RWLOCK_TIMEDRDLOCK] = 'y',
	[EV_RWLOCK_TIMEDWRLOCK] = 'Z',
	[EV_RWLOCK_RDTIMEOUT] = 'f',
	[EV_RWLOCK_WRTIMEOUT] = 'z',
	[EV_RWLOCK_RDUNLOCK] = 'u',
	[EV_RWLOCK_WRUNLOCK] = 'V',
	[EV_ONCE_BEGIN] = 'X',
	[EV_ONCE_END] = 'V',
	[EV_ONCE_PASS] = 'r',
	[EV_SEM_INIT] = 'S',
	[EV_SEM_DESTROY] = 'S',
	[EV_SEM_WAIT] = 'P',
	[EV_SEM_TRYWAIT] = 'p',
	[EV_SEM_TRYWAIT_FAIL] = 'q',
	[EV_SEM_TIMEDWAIT] = 'p',
	[EV_SEM_TIMEOUT] = 'q',
	[EV_SEM_CANCELLED] = 'q',
	[EV_SEM_POST] = 'v',
	[EV_SEM_GETVALUE] = 'q',
	[EV_SEM_NAME] = 'S',
	[EV_BARRIER_INIT] = 'B',
	[EV_BARRIER_DESTROY] = 'B',
	[EV_BARRIER_ARRIVE] = 'b',
	[EV_BARRIER_LAST] = 'B',
	[EV_BARRIER_LEAVE] = 'N',
	[EV_KEY_CREATE] = 'K',
	[EV_KEY_DELETE] = 'K',
	[EV_KEY_USE] = 'k',
	[EV_CHOOSE] = 'N',
	[EV_ASSUME] = 'N',
	[EV_SPIN] = 'N',
	[EV_ATOMIC_RMW_SAME] = 'R',
	[EV_ATOMIC_BEGIN] = 'N',
	[EV_ATOMIC_END] = 'L',
	[EV_FREE] = 'G',
	[EV_STACK_END] = 'G',
	[EV_BAD_ACCESS] = 'E',
	[EV_GUARD_BEGIN] = 'A',
	[EV_GUARD_END] = 'U',
	[EV_TERMINATE] = 'E',
	[EV_FUTEX_WAIT] = 'I',
	[EV_FUTEX_AGAIN] = 'R',
	[EV_FUTEX_WOKEN] = 'N',
	[EV_FUTEX_WAKE] = 's',
	[EV_FUTEX_WAKE_ALL] = 's',
	[EV_FUTEX_WAKE_NONE] = 't',
	[EV_EXIT_BEGIN] = 'x',
	[EV_EXIT_REGISTER] = 'h',
	[EV_EXIT_NEXT] = 'h',
	[EV_SYSTEM] = 'o',
	[EV_UNMAP] = 'G',
	[EV_PROTECT] = 'G',
	[EV_RESUME] = 'E', /* no end, but it conflicts like one */
};

static struct op make(unsigned kind, uint64_t object)
{
	bool memory = event_table[kind].object_class == OBJECT_MEMORY;

	return (struct op){.kind = (uint8_t)kind, .object = object, .size = memory ? 4 : 0};
}

static void every_kind_has_a_group(void)
{
	for (unsigned kind = 0; kind < EV_COUNT; kind++)
		CHECK(group_of[kind] != 0 && strchr(groups, group_of[kind]) != NULL);
}

/* A signal takes a thread out of a wait in which it could be cancelled, on whatever object. */
static bool cancel_and_signal(unsigned a, unsigned b)
{
	return (a == EV_CANCEL && group_of[b] == 's') || (b == EV_CANCEL && group_of[a] == 's');
}

/* An update that leaves the value writes nevertheless, and a plain read at the same time is a race. */
static bool update_and_plain_read(unsigned a, unsigned b)
{
	return (a == EV_ATOMIC_RMW_SAME && b == EV_READ) || (b == EV_ATOMIC_RMW_SAME && a == EV_READ);
}

/* Who wakes those that wait at an address does not touch what is there. */
static bool wake_and_free(unsigned a, unsigned b)
{
	return (group_of[a] == 'G' && event_table[b].object == OBJECT_FUTEX) ||
	       (group_of[b] == 'G' && event_table[a].object == OBJECT_FUTEX);
}

static void every_pair_on_one_object(void)
{
	for (unsigned a = 0; a < EV_COUNT; a++) {
		for (unsigned b = 0; b < EV_COUNT; b++) {
			struct op x = make(a, 0x1000), y = make(b, 0x1000);
			bool expected = (expect_conflict(group_of[a], group_of[b]) && !wake_and_free(a, b)) ||
					cancel_and_signal(a, b) || update_and_plain_read(a, b);
			if (ops_conflict(&x, &y) != expected)
				printf("%s and %s\n", event_table[a].name, event_table[b].name);
			CHECK(ops_conflict(&x, &y) == expected);
			CHECK(ops_conflict(&x, &y) == ops_conflict(&y, &x));
			CHECK(!expected || op_footprint(&x) & op_footprint(&y));
		}
	}
}

/* What overlaps by a byte, a lock in a block that is freed, who cancels whom: whatever conflicts has a bit in common. */
static void footprints(void)
{
	static const uint32_t sizes[] = {0, 1, 7, 8, 9, 100, 200};
	unsigned conflicts = 0;

	for (unsigned a = 0; a < EV_COUNT; a++) {
		for (unsigned b = 0; b < EV_COUNT; b++) {
			for (unsigned i = 0; i < 7 * 7 * 24; i++) {
				struct op x = make(a, 0x1000), y = make(b, 0x1000 - 12 + i % 24);
				x.size = sizes[i / 24 % 7];
				y.size = sizes[i / 24 / 7];
				x.object2 = i % 3 ? 0x1008 : 0;
				if (!ops_conflict(&x, &y))
					continue;
				conflicts++;
				CHECK(op_footprint(&x) & op_footprint(&y));
			}
		}
	}
	CHECK(conflicts > 10000);
}

static void every_pair_on_two_objects(void)
{
	for (unsigned a = 0; a < EV_COUNT; a++) {
		for (unsigned b = 0; b < EV_COUNT; b++) {
			struct op x = make(a, 0x1000), y = make(b, 0x2000);
			bool all = strchr("EQ", group_of[a]) || strchr("EQ", group_of[b]);
			all = all && group_of[a] != 'L' && group_of[b] != 'L';
			CHECK(ops_conflict(&x, &y) == (all || cancel_and_signal(a, b)));
		}
	}
}

/* A release and who waits for it; only the owner unlocks; a timeout that nobody prevents. */
static bool cannot_be_coenabled(char p, char q)
{
	static const char pairs[] = "UA UU VX Vr uX";

	if (p == 'Q' || q == 'Q')
		return p != q;
	for (const char *pair = pairs; *pair; pair += pair[2] ? 3 : 2)
		if ((pair[0] == p && pair[1] == q) || (pair[0] == q && pair[1] == p))
			return true;
	return false;
}

static void every_pair_co_enabled(void)
{
	for (unsigned a = 0; a < EV_COUNT; a++) {
		for (unsigned b = 0; b < EV_COUNT; b++) {
			struct op x = make(a, 0x1000), y = make(b, 0x1000);
			char p = group_of[a], q = group_of[b];
			bool never = cannot_be_coenabled(p, q);
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

/* One condition variable and two mutexes: who waits at the same time is the question. */
static void waits_with_two_mutexes(void)
{
	struct op wait = {.kind = EV_COND_WAIT, .object = 0x1000, .object2 = 0x2000};
	struct op other_wait = {.kind = EV_COND_WAIT, .object = 0x1000, .object2 = 0x3000};
	struct op leave = {.kind = EV_COND_TIMEOUT, .object = 0x1000, .object2 = 0x2000};
	struct op other_leave = {.kind = EV_COND_TIMEOUT, .object = 0x1000, .object2 = 0x3000};
	struct op lock = make(EV_MUTEX_LOCK, 0x2000);

	CHECK(ops_conflict(&wait, &other_wait) && ops_may_be_coenabled(&wait, &other_wait));
	CHECK(ops_conflict(&wait, &other_leave) && ops_may_be_coenabled(&wait, &other_leave));
	CHECK(!ops_conflict(&wait, &leave));
	CHECK(!ops_conflict(&leave, &other_leave));
	CHECK(!ops_conflict(&leave, &lock)); /* to leave releases nothing */
}

/* A thread that waits where it can be cancelled. */
static void cancel_and_wait(void)
{
	struct op wait = {.kind = EV_SEM_WAIT, .object = 0x1000, .size = CANCELLABLE(2)};
	struct op cancel = {.kind = EV_CANCEL, .object = 2}, other = {.kind = EV_CANCEL, .object = 3};

	CHECK(ops_conflict(&wait, &cancel) && ops_conflict(&cancel, &wait));
	CHECK(!ops_conflict(&wait, &other));
}

/* A free ends the objects in the block, and a wait's mutex is one of them. */
static void a_free_ends_objects(void)
{
	struct op block = {.kind = EV_FREE, .object = 0x1000, .size = 64};
	struct op inside = make(EV_MUTEX_LOCK, 0x1038), beside = make(EV_MUTEX_LOCK, 0x1040);
	struct op wait = {.kind = EV_COND_WAIT, .object = 0x2000, .object2 = 0x1000};

	CHECK(ops_conflict(&block, &inside) && ops_may_be_coenabled(&block, &inside));
	CHECK(!ops_conflict(&block, &beside));
	CHECK(ops_conflict(&block, &wait) && ops_conflict(&wait, &block));
}

/* A synchronisation object that is accessed as memory as well: its first byte stands for it. */
static void accessed_objects(void)
{
	struct op lock = make(EV_MUTEX_LOCK, 0x1000), unknown = lock, guard = make(EV_GUARD_BEGIN, 0x1000);
	struct op wait = {.kind = EV_COND_WAIT, .object = 0x2000, .object2 = 0x1000, .order = OBJECT_ACCESSED};
	struct op over = {.kind = EV_WRITE, .object = 0xff8, .size = 16},
		  beside = {.kind = EV_WRITE, .object = 0x1001, .size = 8};
	struct op look = {.kind = EV_READ, .object = 0x1000, .size = 1}, store = make(EV_ATOMIC_STORE, 0x1000);

	lock.order = guard.order = OBJECT_ACCESSED;
	CHECK(ops_conflict(&lock, &over) && ops_conflict(&over, &lock) && ops_may_be_coenabled(&over, &lock));
	CHECK(ops_conflict(&lock, &look) && ops_conflict(&wait, &over) && ops_conflict(&store, &lock));
	CHECK(!ops_conflict(&lock, &beside) && !ops_conflict(&unknown, &over) && !ops_conflict(&guard, &over));
	CHECK(ops_race(&lock, &over) && ops_race(&over, &wait));
	CHECK(!ops_race(&lock, &look) && !ops_race(&lock, &store));
	CHECK(op_footprint(&lock) & op_footprint(&over) && op_footprint(&wait) & op_footprint(&over));
}

static void races(void)
{
	struct op read = make(EV_READ, 0x1000), write = make(EV_WRITE, 0x1000), load = make(EV_ATOMIC_LOAD, 0x1000);
	struct op store = make(EV_ATOMIC_STORE, 0x1000), end = make(EV_STACK_END, 0x1000), gone = make(EV_FREE, 0x1000);

	CHECK(ops_race(&read, &write) && ops_race(&write, &load) && ops_race(&store, &read) && ops_race(&gone, &load));
	CHECK(!ops_race(&load, &store) && !ops_race(&end, &write));
}

/* To begin an object is to write it. */
static void beginnings_race(void)
{
	struct op begin = make(EV_MUTEX_INIT, 0x1000), lock = make(EV_MUTEX_LOCK, 0x1000);
	struct op wait = {.kind = EV_COND_WAIT, .object = 0x2000, .object2 = 0x1000};
	struct op other = make(EV_MUTEX_LOCK, 0x2000), name = make(EV_SEM_NAME, 0), post = make(EV_SEM_POST, 0);

	CHECK(ops_race(&begin, &lock) && ops_race(&lock, &begin) && ops_race(&begin, &begin));
	CHECK(ops_race(&begin, &wait) && ops_conflict(&begin, &wait));
	CHECK(!ops_race(&begin, &other) && !ops_race(&lock, &lock) && !ops_race(&name, &post));
}

/* Who goes on in an atomic block depends on whatever others do. */
static void going_on_conflicts(void)
{
	struct op resume = make(EV_RESUME, 0), read = make(EV_READ, 0x1000), create = make(EV_CREATE, 0);

	CHECK(ops_conflict(&resume, &read) && ops_conflict(&read, &resume) && !ops_conflict(&resume, &create));
	CHECK(op_footprint(&resume) & op_footprint(&read));
}

/* Sets of objects: what one changes and the other looks at or changes; nothing but system calls. */
static void system_calls(void)
{
	struct op opens = {.kind = EV_SYSTEM, .object = 1, .object2 = 6}, looks = {.kind = EV_SYSTEM, .object2 = 2};
	struct op changes = {.kind = EV_SYSTEM, .object = 4}, closes = {.kind = EV_SYSTEM, .object = 9};
	struct op memory = {.kind = EV_WRITE, .object = 0, .size = 64}, lock = make(EV_MUTEX_LOCK, 1);
	struct op wait = {.kind = EV_COND_WAIT, .object = 1, .object2 = 6};

	CHECK(!ops_conflict(&opens, &looks) && !ops_conflict(&looks, &looks) && !ops_conflict(&looks, &changes));
	CHECK(ops_conflict(&opens, &changes) && ops_conflict(&changes, &opens));
	CHECK(ops_conflict(&opens, &closes) && ops_conflict(&opens, &opens));
	CHECK(ops_may_be_coenabled(&opens, &opens) && ops_may_be_coenabled(&opens, &changes));
	CHECK(!ops_conflict(&opens, &memory) && !ops_conflict(&opens, &lock) && !ops_conflict(&opens, &wait));
	CHECK(op_footprint(&opens) & op_footprint(&changes));
}

/* Memory that is unmapped: whoever is in it. */
static void unmapping(void)
{
	struct op unmap = {.kind = EV_UNMAP, .object = 0x1000, .size = 0x2000};
	struct op inside = {.kind = EV_READ, .object = 0x2ff8, .size = 8};
	struct op beside = {.kind = EV_READ, .object = 0x3000, .size = 8}, lock = make(EV_MUTEX_LOCK, 0x1800);

	CHECK(ops_conflict(&unmap, &inside) && !ops_conflict(&unmap, &beside) && ops_conflict(&lock, &unmap));
	CHECK(op_footprint(&unmap) & op_footprint(&inside) && op_footprint(&unmap) & op_footprint(&lock));
}

int main(void)
{
	TEST(system_calls);
	TEST(unmapping);
	TEST(every_kind_has_a_group);
	TEST(every_pair_on_one_object);
	TEST(footprints);
	TEST(every_pair_on_two_objects);
	TEST(every_pair_co_enabled);
	TEST(overlapping_accesses);
	TEST(wait_releases_its_mutex);
	TEST(waits_with_two_mutexes);
	TEST(cancel_and_wait);
	TEST(accessed_objects);
	TEST(races);
	TEST(beginnings_race);
	TEST(going_on_conflicts);
	TEST(a_free_ends_objects);
	return check_result();
}
