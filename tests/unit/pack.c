/* Data for other processes and for files. */
#include "check.h"

#include <stdlib.h>

#include "common/pack.h"
#include "search/dfs/wakeup.h"

static struct packed from(const struct buffer *buffer)
{
	return packed_from(buffer->data, buffer->size);
}

static void test_numbers(void)
{
	struct buffer buffer = {0};
	const uint64_t numbers[] = {0, 1, 127, 128, 129, 16383, 16384, UINT32_MAX, 1ull << 62, 1ull << 63, UINT64_MAX};
	enum { COUNT = sizeof numbers / sizeof *numbers };

	for (unsigned i = 0; i < COUNT; i++)
		pack_number(&buffer, numbers[i]);
	struct packed packed = from(&buffer);
	for (unsigned i = 0; i < COUNT; i++)
		CHECK(unpack_number(&packed) == numbers[i]);
	CHECK(!packed.broken && !packed_left(&packed));
	CHECK(unpack_number(&packed) == 0 && packed.broken);
	buffer_clear(&buffer);
	pack_number(&buffer, 127);
	CHECK(buffer.size == 1);
	pack_number(&buffer, UINT64_MAX);
	CHECK(buffer.size == 1 + 10);
	buffer_release(&buffer);
}

static void test_endless_number(void)
{
	unsigned char bytes[32];

	memset(bytes, 0xff, sizeof bytes);
	struct packed packed = packed_from(bytes, sizeof bytes);
	CHECK(unpack_number(&packed) == 0 && packed.broken);
	packed = packed_from(bytes, 3);
	CHECK(unpack_number(&packed) == 0 && packed.broken);
}

static void test_texts(void)
{
	struct buffer buffer = {0};

	pack_text(&buffer, NULL);
	pack_text(&buffer, "");
	pack_text(&buffer, "some words");
	struct packed packed = from(&buffer);
	CHECK(!unpack_text(&packed));
	char *empty = unpack_text(&packed), *words = unpack_text(&packed);
	CHECK(empty && !*empty);
	CHECK_TEXT(words, "some words");
	CHECK(!packed.broken && !packed_left(&packed));
	free(empty);
	free(words);
	/* cut off in the middle */
	packed = packed_from(buffer.data, buffer.size - 3);
	unpack_text(&packed);
	empty = unpack_text(&packed);
	words = unpack_text(&packed);
	CHECK(packed.broken && words && !*words);
	free(empty);
	free(words);
	buffer_release(&buffer);
}

static void test_bytes(void)
{
	struct buffer buffer = {0};

	pack_bytes(&buffer, "abc", 3);
	pack_bytes(&buffer, NULL, 0);
	pack_number(&buffer, 7);
	struct packed packed = from(&buffer), bytes = unpack_bytes(&packed), none = unpack_bytes(&packed);
	CHECK(packed_left(&bytes) == 3 && !memcmp(bytes.at, "abc", 3) && !bytes.broken);
	CHECK(!packed_left(&none) && unpack_number(&packed) == 7 && !packed.broken);
	/* what is inside does not reach beyond its end */
	unpack_number(&bytes);
	unpack_number(&bytes);
	unpack_number(&bytes);
	CHECK(!bytes.broken && unpack_number(&bytes) == 0 && bytes.broken);
	buffer_clear(&buffer);
	pack_number(&buffer, UINT64_MAX);
	packed = from(&buffer);
	bytes = unpack_bytes(&packed);
	CHECK(packed.broken && !packed_left(&bytes));
	buffer_release(&buffer);
}

/* More things than there is room for are none; nor does their size overflow. */
static void test_counts(void)
{
	struct buffer buffer = {0};
	const uint64_t wrong[] = {4, UINT32_MAX, 1ull << 32, 1ull << 61, UINT64_MAX};

	pack_number(&buffer, 3);
	pack_raw(&buffer, "123456", 6);
	struct packed packed = from(&buffer);
	CHECK(unpack_count(&packed, 2) == 3 && !packed.broken && packed_left(&packed) == 6);
	for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		buffer_clear(&buffer);
		pack_number(&buffer, wrong[i]);
		pack_raw(&buffer, "123456", 6);
		packed = from(&buffer);
		CHECK(unpack_count(&packed, 2) == 0 && packed.broken);
	}
	buffer_release(&buffer);
}

/* Once something was missing, everything is zero. */
static void test_broken_stays_broken(void)
{
	struct packed packed = packed_from("1234", 4);
	char bytes[8] = "xxxxxxx";

	unpack_raw(&packed, bytes, sizeof bytes);
	CHECK(packed.broken && !bytes[0] && !bytes[7]);
	bytes[0] = 'x';
	unpack_raw(&packed, bytes, 1);
	CHECK(!bytes[0] && unpack_number(&packed) == 0 && !packed_left(&packed));
	uint32_t *array = unpack_array(&packed, 2, sizeof *array);
	CHECK(packed.broken && !array[0] && !array[1]);
	free(array);
}

/* --- wakeup trees --- */

static struct op write_to(uint64_t object)
{
	return (struct op){.kind = EV_WRITE, .object = object, .size = 4};
}

/* The sequence of threads, as letters: each writes to its own memory. */
static void make_sequence(struct sequence *sequence, const char *threads, struct op *ops)
{
	static const uint32_t clock[MAX_THREADS];

	sequence_begin(sequence, (uint32_t)strlen(threads));
	for (uint32_t i = 0; threads[i]; i++) {
		ops[i] = write_to((uint64_t)(unsigned char)threads[i] << 8);
		struct sequence_step *step = sequence_add(sequence, (unsigned)(threads[i] - 'a'));
		step->op = &ops[i];
		step->number = i + 1;
		step->clock = clock;
		step->footprint = op_footprint(&ops[i]);
		step->choice = (uint16_t)(i % 2 ? ANY_CHOICE : i);
		step->uncertain = i % 2;
		step->crowded = i % 3 == 1;
	}
}

/* As text: a thread is a letter, what follows it is in brackets. */
static void print_tree(const struct wakeups *wakeups, uint32_t list, struct buffer *text)
{
	for (; list; list = wakeups->all[list].next) {
		const struct wakeup *wakeup = &wakeups->all[list];
		buffer_printf(text, "%c%u%s", 'a' + wakeup->thread, wakeup->choice, wakeup->uncertain ? "?" : "");
		CHECK(wakeup->op.kind == EV_WRITE && wakeup->op.object == (uint64_t)('a' + wakeup->thread) << 8);
		if (!wakeup->first)
			continue;
		buffer_add_char(text, '(');
		print_tree(wakeups, wakeup->first, text);
		buffer_add_char(text, ')');
	}
}

static uint32_t packed_and_unpacked(struct wakeups *from_here, uint32_t list, struct wakeups *to)
{
	struct buffer buffer = {0}, before = {0}, after = {0};

	wakeup_pack(from_here, list, &buffer);
	pack_number(&buffer, 77);
	struct packed packed = from(&buffer);
	uint32_t copy = wakeup_unpack(to, &packed);
	CHECK(!packed.broken && unpack_number(&packed) == 77 && !packed_left(&packed));
	print_tree(from_here, list, &before);
	print_tree(to, copy, &after);
	CHECK_TEXT(buffer_text(&after), buffer_text(&before));
	buffer_release(&buffer);
	buffer_release(&before);
	buffer_release(&after);
	return copy;
}

static void test_wakeup_trees(void)
{
	struct wakeups wakeups = {0}, others = {0};
	struct sequence sequence = {0};
	struct op ops[16];
	uint32_t list = 0;
	const char *const sequences[] = {"abc", "b", "cab", "dddd", "efghefgh", "a"};

	CHECK(packed_and_unpacked(&wakeups, 0, &others) == 0);
	for (unsigned i = 0; i < sizeof sequences / sizeof *sequences; i++) {
		make_sequence(&sequence, sequences[i], ops);
		wakeup_append(&wakeups, &list, &sequence);
		packed_and_unpacked(&wakeups, list, &others);
	}
	/* siblings below the first level: what is left of the first sequence gets another tree below its end */
	uint32_t below = 0;
	for (unsigned i = 0; i < 3; i++) {
		make_sequence(&sequence, sequences[i + 2], ops);
		wakeup_append(&wakeups, &below, &sequence);
	}
	uint32_t end = list;
	while (wakeups.all[end].first)
		end = wakeups.all[end].first;
	wakeups.all[end].first = below;
	uint32_t copy = packed_and_unpacked(&wakeups, list, &others);
	packed_and_unpacked(&others, copy, &wakeups);
	/* steps that were freed are used again */
	wakeup_free(&others, copy);
	packed_and_unpacked(&wakeups, list, &others);
	sequence_release(&sequence);
	wakeups_release(&wakeups);
	wakeups_release(&others);
}

static void test_long_sequence(void)
{
	struct wakeups wakeups = {0}, others = {0};
	struct sequence sequence = {0};
	enum { LENGTH = 100000 };
	static struct op op = {.kind = EV_WRITE};
	static const uint32_t clock[MAX_THREADS];
	uint32_t list = 0, length = 0;
	struct buffer buffer = {0};

	sequence_begin(&sequence, LENGTH);
	for (uint32_t i = 0; i < LENGTH; i++) {
		struct sequence_step *step = sequence_add(&sequence, i % MAX_THREADS);
		*step = (struct sequence_step){.op = &op, .clock = clock, .thread = step->thread, .next = step->next};
	}
	wakeup_append(&wakeups, &list, &sequence);
	wakeup_pack(&wakeups, list, &buffer);
	struct packed packed = from(&buffer);
	for (uint32_t step = wakeup_unpack(&others, &packed); step; step = others.all[step].first)
		length++;
	CHECK(length == LENGTH && !packed.broken);
	buffer_release(&buffer);
	sequence_release(&sequence);
	wakeups_release(&wakeups);
	wakeups_release(&others);
}

/* Whatever the bytes are, nothing is read or written where it should not be, and it comes to an end. */
static void test_damaged_trees(void)
{
	struct wakeups wakeups = {0};
	struct sequence sequence = {0};
	struct op ops[16];
	uint32_t list = 0;
	struct buffer buffer = {0};

	make_sequence(&sequence, "abcabc", ops);
	wakeup_append(&wakeups, &list, &sequence);
	make_sequence(&sequence, "cb", ops);
	wakeup_append(&wakeups, &list, &sequence);
	wakeup_pack(&wakeups, list, &buffer);
	for (size_t size = 0; size < buffer.size; size++) {
		struct packed packed = packed_from(buffer.data, size);
		wakeup_unpack(&wakeups, &packed);
		CHECK(packed.broken);
	}
	for (size_t i = 0; i < buffer.size; i++) {
		buffer.data[i] ^= 1 << i % 8;
		struct packed packed = from(&buffer);
		wakeup_free(&wakeups, wakeup_unpack(&wakeups, &packed));
		buffer.data[i] ^= 1 << i % 8;
	}
	buffer_release(&buffer);
	sequence_release(&sequence);
	wakeups_release(&wakeups);
}

static void test_sequences(void)
{
	struct sequence sequence = {0}, copy = {0};
	struct op ops[16], *its_ops = NULL;
	uint32_t clock[MAX_THREADS], *its_clocks = NULL;
	struct buffer buffer = {0};

	for (uint32_t i = 0; i < MAX_THREADS; i++)
		clock[i] = i * i;
	make_sequence(&sequence, "abacab", ops);
	for (uint32_t i = 0; i < sequence.nsteps; i++)
		sequence.steps[i].clock = clock + i;
	sequence_pack(&sequence, 5, &buffer);
	struct packed packed = from(&buffer);
	sequence_unpack(&copy, &packed, &its_ops, &its_clocks);
	CHECK(!packed.broken && !packed_left(&packed) && copy.nsteps == 6 && copy.threads == sequence.threads);
	for (uint32_t i = 0; i < copy.nsteps; i++) {
		const struct sequence_step *a = &sequence.steps[i], *b = &copy.steps[i];
		CHECK(a->thread == b->thread && a->choice == b->choice && a->uncertain == b->uncertain);
		CHECK(a->crowded == b->crowded);
		CHECK(a->number == b->number && a->next == b->next && a->footprint == b->footprint);
		CHECK(!memcmp(a->op, b->op, sizeof *a->op));
		CHECK(!memcmp(a->clock, b->clock, 5 * sizeof *a->clock) && !b->clock[5]);
	}
	for (unsigned thread = 0; thread < 3; thread++)
		CHECK(copy.first[thread] == sequence.first[thread] && copy.last[thread] == sequence.last[thread]);
	free(its_ops);
	free(its_clocks);
	for (size_t size = 0; size < buffer.size; size++) {
		its_ops = NULL;
		its_clocks = NULL;
		packed = packed_from(buffer.data, size);
		sequence_unpack(&copy, &packed, &its_ops, &its_clocks);
		CHECK(packed.broken);
		free(its_ops);
		free(its_clocks);
	}
	buffer_release(&buffer);
	sequence_release(&sequence);
	sequence_release(&copy);
}

int main(void)
{
	TEST(test_numbers);
	TEST(test_endless_number);
	TEST(test_texts);
	TEST(test_bytes);
	TEST(test_counts);
	TEST(test_broken_stays_broken);
	TEST(test_wakeup_trees);
	TEST(test_long_sequence);
	TEST(test_damaged_trees);
	TEST(test_sequences);
	return check_result();
}
