/* What the balancer makes of messages, also of those that come late or twice; the workers are played by the test. */
#define _GNU_SOURCE
#include "check.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cluster/share/balancer.h"
#include "common/version.h"
#include "explore/strategies.h"
#include "search/dfs/rule.h"
#include "search/dfs/unit.h"

enum { WORKERS = 3, LOG = 64 };

static struct balancer balancer;
static struct explore_options options;
static struct sent {
	unsigned worker;
	struct message message;
} sent[LOG];
static unsigned nsent;

static void note(void *context, unsigned worker, const struct buffer *message)
{
	(void)context;
	CHECK(nsent < LOG);
	sent[nsent].worker = worker;
	CHECK(message_read(&sent[nsent++].message, message->data, message->size));
}

/* How many of this kind were sent to the worker since the last time that the log was cleared. */
static unsigned heard(unsigned worker, enum message_kind kind)
{
	unsigned count = 0;

	for (unsigned i = 0; i < nsent; i++)
		count += sent[i].worker == worker && sent[i].message.kind == kind;
	return count;
}

static void say(unsigned worker, enum message_kind kind)
{
	struct buffer message = {0};

	message_begin(&message, kind, UINT64_MAX, 0);
	if (kind == MESSAGE_HELLO)
		pack_text(&message, INSPECT_VERSION);
	balancer_receive(&balancer, worker, message.data, message.size);
	balancer_assign(&balancer);
	buffer_release(&message);
}

/* One worker starts the program first, and nobody begins before all are ready. */
static void start(void)
{
	balancer.send = note;
	nsent = 0;
	balancer_init(&balancer, &options, strategy_find("source"), WORKERS);
	balancer.hold_until = 1;
	balancer_begin(&balancer);
	for (unsigned i = 0; i < WORKERS; i++)
		say(i, MESSAGE_HELLO);
	CHECK(heard(0, MESSAGE_START) == 1 && heard(1, MESSAGE_START) == 0);
	say(0, MESSAGE_READY);
	for (unsigned i = 1; i < WORKERS; i++) {
		CHECK(heard(i, MESSAGE_START) == 1 && balancer.crew[0].unit == NULL);
		say(i, MESSAGE_READY);
	}
}

static void end(void)
{
	result_free(balancer.result);
	balancer_release(&balancer);
}

static uint64_t unit_of(unsigned worker)
{
	return balancer.crew[worker].unit ? balancer.crew[worker].unit->id : 0;
}

static struct buffer begin(enum message_kind kind, uint64_t epoch, uint64_t unit)
{
	struct buffer message = {0};

	message_begin(&message, kind, epoch, unit);
	return message;
}

static void tell(unsigned worker, struct buffer *message)
{
	nsent = 0;
	balancer_receive(&balancer, worker, message->data, message->size);
	balancer_assign(&balancer);
	buffer_release(message);
}

static void pack_tally(struct buffer *message, uint64_t executions)
{
	pack_number(message, executions);
	for (int i = 0; i < 6; i++) /* blocked, assumed, transitions, depth, threads, unsure */
		pack_number(message, 0);
	pack_number(message, 0); /* findings */
	pack_number(message, 0); /* warnings */
	pack_number(message, 0); /* limits */
	pack_number(message, 0); /* notes */
	outcomes_pack(&(struct outcomes){0}, message);
}

/* A node from which these threads are to be explored, the first of them first. */
static void pack_node(struct buffer *buffer, uint64_t threads)
{
	struct dfs dfs;

	dfs_init(&dfs, &rule_source, NULL);
	*dfs_push(&dfs) = (struct node){.enabled = threads,
					.backtrack = threads,
					.thread = (uint8_t)__builtin_ctzll(threads),
					.op = {.kind = EV_WRITE}};
	unit_pack_node(&dfs, 0, buffer);
	dfs_release(&dfs);
}

static void report(unsigned worker, uint64_t executions, uint64_t threads)
{
	struct buffer message = begin(MESSAGE_REPORT, balancer.epoch, unit_of(worker)), nodes = {0};

	pack_tally(&message, executions);
	pack_number(&message, threads != 0);
	if (threads)
		pack_node(&nodes, threads);
	pack_bytes(&message, nodes.data, nodes.size);
	for (int i = 0; i < 3; i++)
		pack_bytes(&message, "", 1);
	buffer_release(&nodes);
	tell(worker, &message);
}

static void started(unsigned worker, uint16_t choices)
{
	struct buffer message = begin(MESSAGE_STARTED, balancer.epoch, unit_of(worker));
	struct op op = {.kind = EV_WRITE, .choices = choices};

	pack_raw(&message, &op, sizeof op);
	tell(worker, &message);
}

static void done(unsigned worker, uint64_t executions)
{
	struct buffer message = begin(MESSAGE_DONE, balancer.epoch, unit_of(worker));

	pack_tally(&message, executions);
	tell(worker, &message);
}

static void find(unsigned worker)
{
	struct buffer message = begin(MESSAGE_FINDING, balancer.epoch, unit_of(worker));
	struct finding *finding = calloc(1, sizeof *finding);

	finding->message = strdup("something is wrong");
	finding->execution.output = strdup("");
	finding->execution.errors = strdup("");
	finding_pack(finding, &message);
	finding_free(finding);
	tell(worker, &message);
}

/* --- the usual way --- */

static void test_all_is_done(void)
{
	start();
	CHECK(unit_of(0) && !unit_of(1) && heard(0, MESSAGE_UNIT) == 1 && heard(0, MESSAGE_PUBLISH) == 1);
	report(0, 5, 7);
	CHECK(unit_of(1) && !unit_of(2)); /* what comes after it is claimed when it was run */
	started(1, 0);
	CHECK(unit_of(2) && unit_of(1) != unit_of(2));
	started(2, 0);
	done(1, 10);
	CHECK(!balancer_is_done(&balancer));
	done(0, 20);
	done(2, 40);
	CHECK(balancer_is_done(&balancer) && balancer.result->executions == 75);
	end();
}

/* Worker 1 has been idle for longer, but worker 2 has done less. */
static void let_two_be_idle(void)
{
	start();
	report(0, 5, 7);
	started(1, 0);
	started(2, 0);
	done(1, 10);
	done(2, 4);
	CHECK(unit_of(0) && !unit_of(1) && !unit_of(2));
}

static void test_least_is_next(void)
{
	let_two_be_idle();
	report(0, 5, 3);
	CHECK(unit_of(2) && !unit_of(1));
	end();
}

/* With a unit that was lost it is the other way round. */
static void test_lost_goes_to_another(void)
{
	let_two_be_idle();
	balancer_lose(&balancer, 0);
	balancer_assign(&balancer);
	CHECK(unit_of(1) && !unit_of(2));
	end();
}

/* Messages about a unit that is not the sender's any more, or was explored before the search started again. */
static void test_late_messages(void)
{
	start();
	report(0, 5, 3);
	uint64_t before = unit_of(1);
	struct buffer late = begin(MESSAGE_DONE, balancer.epoch, before);
	pack_tally(&late, 100);
	balancer_lose(&balancer, 1);
	tell(1, &late);
	CHECK(balancer.result->executions == 5 && !balancer_is_done(&balancer) && unit_of(2) == before);
	late = begin(MESSAGE_DONE, balancer.epoch + 1, before);
	pack_tally(&late, 100);
	tell(2, &late);
	CHECK(balancer.result->executions == 5 && unit_of(2) == before);
	end();
}

/* --- workers that are lost --- */

/*
 * A branch is run for the first time again because its worker was lost, after another one was claimed: what its
 * step was says nothing about that one.
 */
static void test_started_again(void)
{
	start();
	report(0, 1, 7);
	started(1, 0);
	CHECK(unit_of(2));
	uint64_t lost = unit_of(1);
	balancer_lose(&balancer, 1);
	done(0, 1);
	CHECK(unit_of(0) == lost);
	started(0, 0); /* the second time */
	started(2, 2); /* this one has two outcomes */
	done(0, 1);
	CHECK(unit_of(0) && balancer.crew[0].unit->branch.node.thread == 2 &&
	      balancer.crew[0].unit->branch.node.choice == 1);
	done(0, 1);
	CHECK(!balancer_is_done(&balancer));
	done(2, 1);
	CHECK(balancer_is_done(&balancer));
	end();
}

static void hello_again(unsigned worker)
{
	struct buffer hello = begin(MESSAGE_HELLO, UINT64_MAX, 0);

	pack_text(&hello, INSPECT_VERSION);
	tell(worker, &hello);
	say(worker, MESSAGE_READY);
}

/* Workers that die by chance do not end the search, as long as it gets on. */
static void test_deaths(void)
{
	start();
	balancer.now = 100;
	for (int i = 0; i < 2 * MAX_DEATHS; i++) {
		unsigned who = unit_of(0) ? 0 : unit_of(1) ? 1 : 2;
		balancer_lose(&balancer, who);
		hello_again(who);
		who = unit_of(0) ? 0 : unit_of(1) ? 1 : 2;
		CHECK(unit_of(who));
		report(who, 1, 0);
		CHECK(heard(who, MESSAGE_COMMIT) == 1); /* soon again */
	}
	CHECK(!balancer.broken);
	unsigned who = unit_of(0) ? 0 : unit_of(1) ? 1 : 2;
	balancer.now = 200;
	report(who, 1, 0);
	CHECK(heard(who, MESSAGE_COMMIT) == 0);
	end();
}

static void test_too_many_deaths(void)
{
	start();
	for (int i = 0; i < MAX_DEATHS; i++) {
		unsigned who = unit_of(0) ? 0 : unit_of(1) ? 1 : 2;
		CHECK(unit_of(who) && !balancer.broken);
		balancer_lose(&balancer, who);
		hello_again(who);
	}
	CHECK(balancer.broken);
	end();
}

/* Two workers say that the search cannot go on: the first is believed, and what he said stays. */
static void test_broken_twice(void)
{
	const char *const reasons[] = {"the first reason", "the second reason"};

	start();
	report(0, 1, 3);
	for (unsigned i = 0; i < 2; i++) {
		struct buffer message = begin(MESSAGE_BROKEN, balancer.epoch, unit_of(i));
		pack_text(&message, reasons[i]);
		pack_text(&message, i ? "refused" : NULL);
		pack_number(&message, 7);
		pack_tally(&message, 1);
		tell(i, &message);
		CHECK_TEXT(balancer.broken, "the first reason");
	}
	CHECK(!balancer.result->refusal && balancer.result->executions == 3 && !unit_of(0) && !unit_of(1));
	end();
}

/* --- starting again --- */

/* What was explored does not count any more; what was found stays, also if it was told too late. */
static void test_news(void)
{
	start();
	report(0, 5, 3);
	find(0);
	CHECK(balancer.result->nfindings == 1);
	balancer.result->findings[0]->count = 3;
	options.keep_going = true;
	struct buffer news = begin(MESSAGE_NEWS, balancer.epoch, unit_of(1));
	pack_raw(&news, "facts", 5);
	uint64_t epoch = balancer.epoch;
	tell(1, &news);
	CHECK(balancer.epoch == epoch + 1 && balancer.result->executions == 0);
	CHECK(balancer.result->nfindings == 1 && balancer.result->findings[0]->count == 0);
	CHECK(heard(0, MESSAGE_DROP) == 1 && heard(1, MESSAGE_DROP) == 1);
	CHECK(heard(0, MESSAGE_UNIT) + heard(1, MESSAGE_UNIT) + heard(2, MESSAGE_UNIT) == 1);
	options.keep_going = false;
	end();
}

/* What was found is not forgotten once the search was stopped because of it. */
static void test_news_too_late(void)
{
	start();
	report(0, 5, 3);
	find(0);
	balancer_stop(&balancer);
	struct buffer news = begin(MESSAGE_NEWS, balancer.epoch, unit_of(1));
	pack_raw(&news, "facts", 5);
	tell(1, &news);
	CHECK(balancer.result->executions == 5 && balancer.result->nfindings == 1 && !unit_of(1));
	report(0, 2, 0);
	CHECK(balancer.result->executions == 7 && !balancer_is_done(&balancer));
	end();
}

/* --- facts --- */

static struct executor make_executor(void)
{
	struct executor executor = {.channel_fd = memfd_create("channel", MFD_CLOEXEC)};

	CHECK(!ftruncate(executor.channel_fd, sizeof *executor.channel));
	executor.channel =
		mmap(NULL, sizeof *executor.channel, PROT_READ | PROT_WRITE, MAP_SHARED, executor.channel_fd, 0);
	CHECK(executor.channel != MAP_FAILED);
	return executor;
}

static void release_executor(struct executor *executor)
{
	munmap(executor->channel, sizeof *executor->channel);
	close(executor->channel_fd);
}

static void pass_on(const struct executor *from, struct executor *to)
{
	struct buffer facts = {0};

	facts_pack(from, &facts);
	struct packed packed = packed_from(facts.data, facts.size);
	facts_unpack(to, &packed);
	CHECK(!packed.broken && !packed_left(&packed));
	buffer_release(&facts);
}

static bool know_the_same(const struct executor *a, const struct executor *b)
{
	struct buffer first = {0}, second = {0};

	facts_pack(a, &first);
	facts_pack(b, &second);
	bool same = first.size == second.size && !memcmp(first.data, second.data, first.size);
	buffer_release(&first);
	buffer_release(&second);
	return same;
}

/* What two workers found out is put together, and nothing is lost. */
static void test_facts(void)
{
	struct executor a = make_executor(), b = make_executor();

	a.channel->features = 1;
	a.channel->owners[5] = a.channel->owners[100000] = OWNER_SHARED;
	share_piece(a.channel, 3, 17);
	facts_await(a.channel, 9);
	a.channel->await_locations[a.channel->nawait_locations++] =
		(struct await_location){.address = 0x1000, .size = 8};
	a.channel->nsharings = 2;
	b.channel->features = 2;
	b.channel->owners[6] = OWNER_SHARED;
	b.channel->await_locations[b.channel->nawait_locations++] =
		(struct await_location){.address = 0x2000, .size = 4};
	b.channel->await_locations[b.channel->nawait_locations++] =
		(struct await_location){.address = 0x1004, .size = 4};
	b.channel->nsharings = 1;
	CHECK(!know_the_same(&a, &b));
	pass_on(&a, &b);
	CHECK(!know_the_same(&a, &b)); /* b knows more */
	CHECK(b.channel->features == 3 && b.channel->owners[5] == OWNER_SHARED && b.channel->owners[6] == OWNER_SHARED);
	CHECK(b.channel->owners[100000] == OWNER_SHARED && b.channel->nsharings == 2);
	CHECK(b.channel->stack_shared[3][2] == 2 && b.channel->await_sites[1] == 2);
	CHECK(b.channel->nawait_locations == 2 && b.channel->await_locations[0].flags &&
	      b.channel->await_locations[1].address == 0x2000 && !b.channel->await_locations[1].flags);
	pass_on(&b, &a);
	CHECK(know_the_same(&a, &b));
	pass_on(&a, &b);
	CHECK(know_the_same(&a, &b));
	release_executor(&a);
	release_executor(&b);
}

int main(void)
{
	TEST(test_all_is_done);
	TEST(test_least_is_next);
	TEST(test_lost_goes_to_another);
	TEST(test_late_messages);
	TEST(test_started_again);
	TEST(test_deaths);
	TEST(test_too_many_deaths);
	TEST(test_broken_twice);
	TEST(test_news);
	TEST(test_news_too_late);
	TEST(test_facts);
	return check_result();
}
