#include "cluster/share/balancer.h"

#include <stdlib.h>
#include <string.h>

#include "common/invariant.h"
#include "common/trouble.h"
#include "search/dfs/rule.h"
#include "common/version.h"

enum { LATE = 1000 }; /* executions after which all memory is taken for shared when some turns out to be */

#define FRAGILE_SECONDS 1.0 /* about as long as workers go on without a report */

static void begin(struct balancer *balancer, enum message_kind kind, const struct unit *unit)
{
	message_begin(&balancer->message, kind, balancer->epoch, unit ? unit->id : 0);
}

static void send(struct balancer *balancer, unsigned worker)
{
	struct worker_share *share = &balancer->crew[worker].share;

	share->messages++;
	share->bytes += balancer->message.size;
	balancer->send(balancer->context, worker, &balancer->message);
}

/* --- the facts of balancer.h --- */

static bool member_is_valid(const struct balancer *balancer, unsigned worker)
{
	const struct crew_member *member = &balancer->crew[worker];
	unsigned idle = 0;

	for (unsigned i = 0; i < balancer->nidle; i++)
		idle += balancer->idle[i] == worker;
	if (!member->present)
		return !member->ready && !member->unit && !member->asked && !idle && !member->facts;
	if (!member->ready)
		return !member->unit && !member->asked && !idle;
	if (!member->unit)
		return idle == 1 && !member->asked && !member->untold.executions;
	return !idle && member->unit->worker == worker;
}

static unsigned count_waiting(const struct balancer *balancer, const struct unit *unit)
{
	unsigned count = 0;

	for (unsigned i = 0; i < balancer->waiting.count; i++)
		count += balancer->waiting.items[i] == unit;
	return count;
}

bool balancer_is_valid(const struct balancer *balancer)
{
	unsigned ready = 0, asked = 0, busy = 0;

	for (unsigned i = 0; i < balancer->ncrew; i++) {
		const struct crew_member *member = &balancer->crew[i];
		if (!member_is_valid(balancer, i))
			return false;
		ready += member->ready;
		asked += member->asked;
		busy += member->unit != NULL;
	}
	for (const struct unit *unit = balancer->units; unit; unit = unit->next) {
		bool has_worker = unit->worker < balancer->ncrew && balancer->crew[unit->worker].unit == unit;
		if (count_waiting(balancer, unit) != !has_worker || (unit->next && unit->next->previous != unit))
			return false;
	}
	return ready == balancer->nready && asked == balancer->nasked && ready == busy + balancer->nidle;
}

/* --- units --- */

static struct unit *new_unit(struct balancer *balancer)
{
	struct unit *unit = xcalloc(1, sizeof *unit);

	unit->id = ++balancer->last_id;
	unit->fresh = true;
	unit->next = balancer->units;
	if (unit->next)
		unit->next->previous = unit;
	balancer->units = unit;
	return unit;
}

static void free_unit(struct balancer *balancer, struct unit *unit)
{
	invariant(unit->previous || balancer->units == unit);
	if (unit->previous)
		unit->previous->next = unit->next;
	else
		balancer->units = unit->next;
	if (unit->next)
		unit->next->previous = unit->previous;
	buffer_release(&unit->tail);
	free(unit);
}

static void free_units(struct balancer *balancer)
{
	for (struct unit *unit = balancer->units, *next; unit; unit = next) {
		next = unit->next;
		buffer_release(&unit->tail);
		free(unit);
	}
	balancer->units = NULL;
}

static void set_waiting(struct balancer *balancer, struct unit *unit)
{
	debug_invariant(!count_waiting(balancer, unit));
	vector_add(&balancer->waiting, unit);
}

static void set_tail(struct unit *unit, const struct buffer *nodes, const struct buffer *guide,
		     const struct buffer *kept)
{
	buffer_clear(&unit->tail);
	pack_bytes(&unit->tail, nodes->data, nodes->size);
	pack_bytes(&unit->tail, guide->data, guide->size);
	pack_bytes(&unit->tail, kept->data, kept->size);
}

static struct unit *claim_unit(struct balancer *balancer)
{
	struct branch branch;
	struct buffer nodes = {0}, guide = {0}, kept = {0};
	struct unit *unit = NULL;

	if (tree_claim(&balancer->tree, &branch, &guide, &kept)) {
		unit = new_unit(balancer);
		unit->branch = branch;
		pack_number(&nodes, 0);
		set_tail(unit, &nodes, &guide, &kept);
	}
	buffer_release(&nodes);
	buffer_release(&guide);
	buffer_release(&kept);
	return unit;
}

/* --- who does what --- */

static void set_untold(struct balancer *balancer, unsigned worker, struct untold now)
{
	struct untold *before = &balancer->crew[worker].untold, *all = &balancer->untold;

	all->executions += now.executions - before->executions;
	all->blocked += now.blocked - before->blocked;
	all->assumed += now.assumed - before->assumed;
	all->transitions += now.transitions - before->transitions;
	all->cut += now.cut - before->cut;
	*before = now;
}

static void set_asked(struct balancer *balancer, unsigned worker, bool asked)
{
	struct crew_member *member = &balancer->crew[worker];

	invariant(!asked || member->unit);
	balancer->nasked += (unsigned)asked - (unsigned)member->asked;
	invariant(balancer->nasked <= balancer->ncrew);
	member->asked = asked;
}

static void set_busy(struct balancer *balancer, unsigned worker, struct unit *unit)
{
	struct crew_member *member = &balancer->crew[worker];

	invariant(member->present && member->ready && !member->unit);
	member->share.idle += balancer->now - member->since;
	member->since = balancer->now;
	member->share.units++;
	member->unit = unit;
	member->heard = balancer->now;
	unit->worker = worker;
}

static void add_idle(struct balancer *balancer, unsigned worker)
{
	invariant(balancer->nidle < balancer->ncrew);
	balancer->crew[worker].since = balancer->now;
	balancer->idle[balancer->nidle++] = worker;
}

static void set_idle(struct balancer *balancer, unsigned worker)
{
	struct crew_member *member = &balancer->crew[worker];

	if (!member->unit)
		return;
	member->unit = NULL;
	set_asked(balancer, worker, false);
	set_untold(balancer, worker, (struct untold){0});
	add_idle(balancer, worker);
}

/* Has the first run fewer executions than the second?  Who is idle has told of all of them. */
static bool is_behind(const struct balancer *balancer, unsigned worker, unsigned other)
{
	return balancer->crew[worker].share.executions < balancer->crew[other].share.executions;
}

/*
 * Who has done least, so that the units that are left near the end go to those whose first one came late; of several who
 * has been idle for longest.  With a unit with which workers were lost only that counts: one that dies again and again
 * has never done much, and would always be the next.
 */
static unsigned take_idle(struct balancer *balancer, const struct unit *unit)
{
	unsigned *idle = balancer->idle, chosen = 0;

	invariant(balancer->nidle);
	for (unsigned i = 1; i < balancer->nidle && !unit->deaths; i++)
		if (is_behind(balancer, idle[i], idle[chosen]))
			chosen = i;
	unsigned worker = idle[chosen];
	memmove(idle + chosen, idle + chosen + 1, (--balancer->nidle - chosen) * sizeof *idle);
	return worker;
}

/* It is not there any more. */
static void remove_idle(struct balancer *balancer, unsigned worker)
{
	unsigned n = 0;

	for (unsigned i = 0; i < balancer->nidle; i++)
		if (balancer->idle[i] != worker)
			balancer->idle[n++] = balancer->idle[i];
	balancer->nidle = n;
}

static void pack_agreement(struct balancer *balancer)
{
	pack_raw(&balancer->message, &balancer->names, sizeof balancer->names);
	pack_number(&balancer->message, balancer->have_exit_status);
	pack_number(&balancer->message, (uint32_t)balancer->exit_status);
}

static void ask_commit(struct balancer *balancer, unsigned worker)
{
	begin(balancer, MESSAGE_COMMIT, balancer->crew[worker].unit);
	send(balancer, worker);
}

/*
 * A unit with which a worker was lost is reported in small steps: then workers that die by chance, however many, do not
 * keep it from getting on, and one that kills them is found to be stuck.
 */
static void ask_if_fragile(struct balancer *balancer, unsigned worker)
{
	invariant(balancer->crew[worker].unit);
	if (balancer->now < balancer->crew[worker].unit->fragile)
		ask_commit(balancer, worker);
}

static void give(struct balancer *balancer, unsigned worker, struct unit *unit)
{
	struct crew_member *member = &balancer->crew[worker];
	bool news = member->facts != balancer->facts_version;

	invariant(member->facts <= balancer->facts_version); /* facts only grow */

	begin(balancer, MESSAGE_UNIT, unit);
	pack_number(&balancer->message, balancer->share_all);
	pack_bytes(&balancer->message, balancer->facts.data, news ? balancer->facts.size : 0);
	member->facts = balancer->facts_version;
	pack_agreement(balancer);
	pack_number(&balancer->message, unit->fresh);
	tree_pack_path(&balancer->tree, &unit->branch, &balancer->message);
	pack_raw(&balancer->message, unit->tail.data, unit->tail.size);
	set_busy(balancer, worker, unit);
	send(balancer, worker);
	ask_if_fragile(balancer, worker);
}

/* Who is busy is asked to give something away: as many as are idle, in turn. */
static void ask_to_publish(struct balancer *balancer)
{
	for (unsigned looked = 0; balancer->nasked < balancer->nidle && looked < balancer->ncrew; looked++) {
		unsigned worker = balancer->next_asked++ % balancer->ncrew;
		const struct crew_member *member = &balancer->crew[worker];
		if (!member->unit || member->asked)
			continue;
		begin(balancer, MESSAGE_PUBLISH, member->unit);
		set_asked(balancer, worker, true);
		send(balancer, worker);
	}
}

void balancer_assign(struct balancer *balancer)
{
	balancer->begun |= balancer->nready == balancer->ncrew || balancer->now >= balancer->hold_until;
	if (balancer->broken || balancer->stopping || !balancer->begun)
		return;
	while (balancer->nidle) {
		struct unit *unit = balancer->waiting.count ? vector_pop(&balancer->waiting) : claim_unit(balancer);
		if (!unit)
			break;
		give(balancer, take_idle(balancer, unit), unit);
	}
	if (balancer->nidle && !balancer->careful)
		ask_to_publish(balancer);
	debug_invariant(balancer_is_valid(balancer));
}

bool balancer_has_enough(const struct balancer *balancer)
{
	unsigned limit = balancer->options->keep_going ? balancer->options->max_findings : 1;

	return limit && balancer->result->nfindings >= limit;
}

bool balancer_is_done(const struct balancer *balancer)
{
	return !balancer->units && !balancer->tree.count;
}

void balancer_lose(struct balancer *balancer, unsigned worker)
{
	struct crew_member *member = &balancer->crew[worker];
	struct unit *unit = member->unit;

	if (!member->present)
		return;
	set_idle(balancer, worker);
	remove_idle(balancer, worker);
	invariant(balancer->nready >= member->ready);
	balancer->nready -= member->ready;
	member->present = member->ready = false;
	member->facts = 0;
	if (!unit)
		return;
	unit->fragile = balancer->now + FRAGILE_SECONDS;
	if (++unit->deaths == MAX_DEATHS)
		balancer->broken = "three workers died with the same part of the search";
	set_waiting(balancer, unit);
	debug_invariant(balancer_is_valid(balancer));
}

int balancer_find_silent(const struct balancer *balancer, double seconds)
{
	for (unsigned i = 0; i < balancer->ncrew; i++)
		if (balancer->crew[i].unit && balancer->now - balancer->crew[i].heard > seconds)
			return (int)i;
	return -1;
}

/* --- messages --- */

static void ask_to_start(struct balancer *balancer, unsigned worker)
{
	begin(balancer, MESSAGE_START, NULL);
	send(balancer, worker);
}

static void on_ready(struct balancer *balancer, unsigned worker)
{
	struct crew_member *member = &balancer->crew[worker];

	if (member->ready)
		return;
	member->ready = true;
	add_idle(balancer, worker);
	if (balancer->nready++)
		return;
	for (unsigned i = 0; i < balancer->ncrew; i++)
		if (i != worker && balancer->crew[i].present)
			ask_to_start(balancer, i);
}

static void on_hello(struct balancer *balancer, unsigned worker, struct packed *contents)
{
	char *version = unpack_text(contents);
	struct crew_member *member = &balancer->crew[worker];

	if (!version || strcmp(version, INSPECT_VERSION))
		die("worker %u is another version of inspect: %s instead of %s", worker, version ? version : "none",
		    INSPECT_VERSION);
	free(version);
	if (member->present)
		balancer_lose(balancer, worker);
	member->present = true;
	/* one first: if the program cannot be started, that is to be said once */
	for (unsigned i = 0; i < balancer->ncrew && !balancer->nready; i++)
		if (i != worker && balancer->crew[i].present)
			return;
	ask_to_start(balancer, worker);
}

/* A worker cannot go on, and no other will do better; or it has a warning, as others may have. */
static void on_worker_trouble(struct packed *contents)
{
	static char *last;
	int status = (int)unpack_number(contents);
	char *line = unpack_text(contents);

	if (!last || strcmp(last, line ? line : ""))
		warn("%s", line ? line : "a worker is in trouble");
	free(last);
	last = line;
	if (!status)
		return;
	run_cleanups();
	exit(status);
}

static void add_tally(struct balancer *balancer, unsigned worker, struct packed *contents)
{
	struct crew_member *member = &balancer->crew[worker];
	uint64_t before = balancer->result->executions;

	tally_add(balancer->result, &balancer->outcomes, &balancer->unsure, contents);
	member->share.executions += balancer->result->executions - before;
	set_untold(balancer, worker, (struct untold){0});
}

static void on_report(struct balancer *balancer, unsigned worker, struct packed *contents)
{
	struct unit *unit = balancer->crew[worker].unit;

	add_tally(balancer, worker, contents);
	uint32_t npublished = (uint32_t)unpack_number(contents);
	struct packed nodes = unpack_bytes(contents), tail = *contents;
	unpack_bytes(contents);
	unpack_bytes(contents);
	struct packed kept = unpack_bytes(contents);
	if (contents->broken || !tree_publish(&balancer->tree, &unit->branch, npublished, &nodes, kept))
		failure("a report of worker %u could not be read", worker);
	invariant(unit->worker == worker);
	unit->fresh = false;
	unit->deaths = 0;
	buffer_clear(&unit->tail);
	pack_raw(&unit->tail, tail.at, packed_left(&tail));
	if (npublished)
		set_asked(balancer, worker, false);
	balancer->crew[worker].committed = true;
	ask_if_fragile(balancer, worker);
}

static void on_done(struct balancer *balancer, unsigned worker, struct packed *contents)
{
	struct unit *unit = balancer->crew[worker].unit;

	invariant(unit && unit->worker == worker);
	add_tally(balancer, worker, contents);
	set_idle(balancer, worker);
	tree_close(&balancer->tree, &unit->branch);
	free_unit(balancer, unit);
}

static void on_give(struct balancer *balancer, unsigned worker, const struct packed *contents)
{
	struct unit *unit = new_unit(balancer);

	invariant(balancer->strategy->rule->gives_copies); /* the others publish nodes */
	pack_raw(&unit->tail, contents->at, packed_left(contents));
	set_asked(balancer, worker, false);
	set_waiting(balancer, unit);
}

static void on_started(struct balancer *balancer, unsigned worker, struct packed *contents)
{
	struct op op;

	unpack_raw(contents, &op, sizeof op);
	tree_start(&balancer->tree, &balancer->crew[worker].unit->branch, &op);
}

static void on_offer(struct balancer *balancer, unsigned worker, struct packed *contents)
{
	const struct unit *unit = balancer->crew[worker].unit;
	uint32_t node = (uint32_t)unpack_number(contents);

	tree_offer(&balancer->tree, &unit->branch, unit->id, node, *contents);
}

/* If somebody has it. */
static const struct unit *unit_of(const struct balancer *balancer, uint64_t id)
{
	const struct unit *usual = balancer->crew[balancer->speaker].unit;

	if (usual && usual->id == id)
		return usual;
	for (const struct unit *unit = balancer->units; unit; unit = unit->next)
		if (unit->id == id && unit->worker < balancer->ncrew && balancer->crew[unit->worker].unit == unit)
			return unit;
	return NULL;
}

static void on_answer(void *context, uint64_t unit, uint32_t node, const struct buffer *known)
{
	struct balancer *balancer = context;

	const struct unit *its = unit_of(balancer, unit);

	if (!its)
		return;
	begin(balancer, MESSAGE_KNOWN, its);
	pack_number(&balancer->message, node);
	pack_raw(&balancer->message, known->data, known->size);
	send(balancer, its->worker);
}

/* Who accesses what memory, in the worker's process; the answer is what somebody else accesses elsewhere. */
static void add_owned(struct balancer *balancer, struct packed *contents)
{
	struct buffer contested = {0};

	pack_number(&balancer->message, owners_add_private(&balancer->owners, contents, &contested));
	pack_raw(&balancer->message, contested.data, contested.size);
	buffer_release(&contested);
}

static void on_sync(struct balancer *balancer, unsigned worker, struct packed *contents)
{
	struct names theirs;

	unpack_raw(contents, &theirs, sizeof theirs);
	bool have = unpack_number(contents);
	int32_t status = (int32_t)unpack_number(contents);
	if (contents->broken || theirs.count > MAX_THREADS || !names_add(&balancer->names, &theirs))
		failure("the threads of worker %u could not be read", worker);
	if (have && !balancer->have_exit_status) {
		balancer->have_exit_status = true;
		balancer->exit_status = status;
	}
	bool renamed = !names_begin_with(&balancer->names, &theirs); /* then what it owns belongs to other threads */
	begin(balancer, MESSAGE_SYNCED, balancer->crew[worker].unit);
	pack_agreement(balancer);
	if (!renamed)
		add_owned(balancer, contents);
	send(balancer, worker);
}

/* The first who says so is believed: the others may have met something that follows from it. */
static void on_broken(struct balancer *balancer, unsigned worker, struct packed *contents)
{
	struct result *result = balancer->result;
	struct unit *unit = balancer->crew[worker].unit;
	char *why = unpack_text(contents), *refusal = unpack_text(contents);
	uint32_t site = (uint32_t)unpack_number(contents);

	if (!balancer->broken) {
		balancer->broken = result->broken = why;
		result->refusal = refusal;
		result->refusal_site = site;
	} else {
		free(why);
		free(refusal);
	}
	add_tally(balancer, worker, contents);
	set_idle(balancer, worker);
	set_waiting(balancer, unit);
}

void balancer_stop(struct balancer *balancer)
{
	balancer->stopping = true;
}

static void on_status(struct balancer *balancer, unsigned worker, struct packed *contents)
{
	struct untold untold = {.executions = unpack_number(contents)};

	untold.blocked = unpack_number(contents);
	untold.assumed = unpack_number(contents);
	untold.transitions = unpack_number(contents);
	untold.cut = unpack_number(contents);
	set_untold(balancer, worker, untold);
	balancer->depth = (uint32_t)unpack_number(contents);
}

static void forget_search(struct balancer *balancer)
{
	invariant(balancer->nidle == balancer->nready); /* nobody is at work on a unit */
	free_units(balancer);
	balancer->waiting.count = 0;
	tree_release(&balancer->tree);
	tree_init(&balancer->tree, balancer->strategy);
	balancer->tree.careful = balancer->careful;
}

/* What was explored so far does not count; what was found stays. */
static void start_again(struct balancer *balancer)
{
	result_start_again(balancer->result);
	outcomes_release(&balancer->outcomes);
	balancer->unsure = balancer->have_exit_status = false;
	balancer->epoch++;
	for (unsigned i = 0; i < balancer->ncrew; i++) {
		struct crew_member *member = &balancer->crew[i];
		if (!member->unit)
			continue;
		begin(balancer, MESSAGE_DROP, member->unit);
		send(balancer, i);
		set_idle(balancer, i);
	}
	forget_search(balancer);
	balancer_begin(balancer);
}

static void on_news(struct balancer *balancer, unsigned worker, struct packed *contents)
{
	struct unit *unit = balancer->crew[worker].unit;

	if (balancer->stopping ||
	    balancer_has_enough(
		    balancer)) { /* what was found counts; whoever resumes the search will hear of it again */
		set_idle(balancer, worker);
		set_waiting(balancer, unit);
		return;
	}
	buffer_clear(&balancer->facts);
	pack_raw(&balancer->facts, contents->at, packed_left(contents));
	balancer->facts_version++;
	balancer->share_all |= balancer->result->executions > LATE;
	start_again(balancer);
}

/*
 * Is too much given up as redundant?  With optimal that comes from what is claimed while others are at work in the
 * same place (search/dfs/optimal.c, is_strict()), and what was claimed near the root is the worst of it: so the search
 * starts again, and nothing is claimed at such places any more.  The other strategies give up as much with one worker.
 */
static void see_to_waste(struct balancer *balancer)
{
	struct progress all = balancer_progress(balancer, 0);
	enum { FEW = 50, MANY = 20000, SHARE = 5 };

	if (balancer->stopping || balancer_has_enough(balancer) || balancer->careful ||
	    !balancer->strategy->rule->accept || all.executions + all.blocked > MANY ||
	    all.blocked < FEW + all.executions / SHARE)
		return;
	balancer->careful = true;
	start_again(balancer);
}

/* Whatever else its sender has to say does not count any more: it was replayed, and is what it is. */
static void on_finding(struct balancer *balancer, struct packed *contents)
{
	struct finding *finding = finding_unpack(contents);

	finding->count = 0; /* a report tells how often */
	finding_add(balancer->result, finding);
}

void balancer_receive(struct balancer *balancer, unsigned worker, const void *data, size_t size)
{
	invariant(worker < balancer->ncrew);
	struct crew_member *member = &balancer->crew[worker];
	struct message message;

	if (!message_read(&message, data, size))
		failure("a message from worker %u could not be read", worker);
	balancer->speaker = worker;
	member->heard = balancer->now;
	member->share.messages++;
	member->share.bytes += size;
	if (message.kind == MESSAGE_HELLO || message.kind == MESSAGE_READY) {
		if (message.kind == MESSAGE_HELLO)
			on_hello(balancer, worker, &message.contents);
		else
			on_ready(balancer, worker);
		return;
	}
	if (message.kind == MESSAGE_TROUBLE)
		on_worker_trouble(&message.contents);
	if (message.kind == MESSAGE_FINDING) {
		on_finding(balancer, &message.contents);
		return;
	}
	if (!member->unit || message.epoch != balancer->epoch || message.unit != member->unit->id)
		return;
	switch (message.kind) {
	case MESSAGE_STARTED: on_started(balancer, worker, &message.contents); break;
	case MESSAGE_OFFER: on_offer(balancer, worker, &message.contents); break;
	case MESSAGE_REPORT: on_report(balancer, worker, &message.contents); break;
	case MESSAGE_GIVE: on_give(balancer, worker, &message.contents); break;
	case MESSAGE_DONE: on_done(balancer, worker, &message.contents); break;
	case MESSAGE_SYNC: on_sync(balancer, worker, &message.contents); break;
	case MESSAGE_NEWS: on_news(balancer, worker, &message.contents); break;
	case MESSAGE_BROKEN: on_broken(balancer, worker, &message.contents); break;
	case MESSAGE_STATUS: on_status(balancer, worker, &message.contents); break;
	default: failure("a message from worker %u has an unknown kind", worker);
	}
	if (message.kind == MESSAGE_REPORT || message.kind == MESSAGE_DONE || message.kind == MESSAGE_STATUS)
		see_to_waste(balancer);
	debug_invariant(balancer_is_valid(balancer));
}

/* --- all of them --- */

void balancer_ask_commit(struct balancer *balancer)
{
	for (unsigned i = 0; i < balancer->ncrew; i++) {
		struct crew_member *member = &balancer->crew[i];
		member->committed = !member->unit;
		if (member->unit)
			ask_commit(balancer, i);
	}
}

bool balancer_has_commits(const struct balancer *balancer)
{
	for (unsigned i = 0; i < balancer->ncrew; i++)
		if (balancer->crew[i].unit && !balancer->crew[i].committed)
			return false;
	return true;
}

void balancer_quit(struct balancer *balancer)
{
	for (unsigned i = 0; i < balancer->ncrew; i++) {
		begin(balancer, MESSAGE_QUIT, NULL);
		if (balancer->crew[i].present)
			send(balancer, i);
	}
}

struct progress balancer_progress(const struct balancer *balancer, double start)
{
	const struct result *result = balancer->result;
	return (struct progress){.executions = result->executions + balancer->untold.executions,
				 .blocked = result->blocked + balancer->untold.blocked,
				 .assumed = result->assumed + balancer->untold.assumed,
				 .transitions = result->transitions + balancer->untold.transitions,
				 .depth = balancer->depth,
				 .seconds = balancer->now - start,
				 .findings = result->nfindings,
				 .workers = balancer->ncrew,
				 .busy = balancer->ncrew - balancer->nidle};
}

void balancer_init(struct balancer *balancer, const struct explore_options *options, const struct strategy *strategy,
		   unsigned workers)
{
	invariant(workers && strategy->rule); /* only nodes of a depth-first search are public */
	*balancer = (struct balancer){.options = options,
				      .strategy = strategy,
				      .send = balancer->send,
				      .context = balancer->context,
				      .ncrew = workers,
				      .names.count = 1};
	balancer->crew = xcalloc(workers, sizeof *balancer->crew);
	balancer->idle = xcalloc(workers, sizeof *balancer->idle);
	balancer->owners = owners_new();
	balancer->result = explorer_new_result(options, strategy);
	tree_init(&balancer->tree, strategy);
	balancer->tree.answer = on_answer;
	balancer->tree.context = balancer;
}

/* Everything is one unit. */
void balancer_begin(struct balancer *balancer)
{
	struct unit *unit = new_unit(balancer);

	invariant(!unit->next && !balancer->tree.count); /* it is everything */
	for (int i = 0; i < 3; i++)
		pack_bytes(&unit->tail, "", 1);
	set_waiting(balancer, unit);
}

void balancer_release(struct balancer *balancer)
{
	free_units(balancer);
	tree_release(&balancer->tree);
	vector_release(&balancer->waiting);
	free(balancer->crew);
	free(balancer->idle);
	owners_release(&balancer->owners);
	outcomes_release(&balancer->outcomes);
	buffer_release(&balancer->facts);
	buffer_release(&balancer->message);
}

/* --- for files --- */

void balancer_pack(struct balancer *balancer, struct buffer *buffer)
{
	uint64_t count = 0;

	result_pack(balancer->result, buffer);
	outcomes_pack(&balancer->outcomes, buffer);
	pack_number(buffer, balancer->unsure);
	pack_number(buffer, balancer->share_all);
	pack_number(buffer, balancer->careful);
	pack_bytes(buffer, balancer->facts.data, balancer->facts.size);
	pack_raw(buffer, &balancer->names, sizeof balancer->names);
	owners_pack_private(&balancer->owners, buffer);
	pack_number(buffer, balancer->have_exit_status);
	pack_number(buffer, (uint32_t)balancer->exit_status);
	tree_pack(&balancer->tree, buffer);
	for (const struct unit *unit = balancer->units; unit; unit = unit->next)
		count++;
	pack_number(buffer, count);
	for (const struct unit *unit = balancer->units; unit; unit = unit->next) {
		tree_pack_branch(&balancer->tree, &unit->branch, buffer);
		pack_number(buffer, unit->fresh);
		pack_bytes(buffer, unit->tail.data, unit->tail.size);
	}
}

bool balancer_unpack(struct balancer *balancer, struct packed *packed)
{
	struct buffer none = {0};

	result_unpack(balancer->result, packed);
	outcomes_unpack(&balancer->outcomes, packed);
	balancer->unsure = unpack_number(packed);
	balancer->share_all = unpack_number(packed);
	balancer->careful = balancer->tree.careful = unpack_number(packed);
	struct packed facts = unpack_bytes(packed);
	pack_raw(&balancer->facts, facts.at, packed_left(&facts));
	balancer->facts_version = balancer->facts.size != 0;
	unpack_raw(packed, &balancer->names, sizeof balancer->names);
	owners_add_private(&balancer->owners, packed, &none);
	buffer_release(&none);
	balancer->have_exit_status = unpack_number(packed);
	balancer->exit_status = (int32_t)unpack_number(packed);
	if (balancer->names.count > MAX_THREADS || !tree_unpack(&balancer->tree, packed))
		return false;
	for (uint32_t left = unpack_count(packed, sizeof(struct node)); left && !packed->broken; left--) {
		struct unit *unit = new_unit(balancer);
		tree_unpack_branch(&balancer->tree, &unit->branch, packed);
		unit->fresh = unpack_number(packed);
		struct packed tail = unpack_bytes(packed);
		pack_raw(&unit->tail, tail.at, packed_left(&tail));
		set_waiting(balancer, unit);
	}
	return !packed->broken;
}
