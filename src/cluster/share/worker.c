#include "cluster/share/worker.h"

#include <stdlib.h>
#include <string.h>

#include "common/invariant.h"
#include "common/stopping.h"
#include "common/trouble.h"
#include "common/version.h"
#include "storage/memory.h"
#include "search/dfs/rule.h"
#include "search/dfs/unit.h"

/* The facts of enum worker_state, and what holds in all of them. */
static void assert_state(const struct worker *worker)
{
	const struct explorer *explorer = worker->explorer;

	invariant(worker->state != WORKER_IDLE || (!worker->wanted && !worker->report_due));
	invariant(worker->state == WORKER_IDLE || worker->state == WORKER_ENDED || explorer);
	invariant(!worker->stopped || worker->state == WORKER_WAITING || worker->state == WORKER_ENDED);
	if (!explorer)
		return;
	const struct dfs *dfs = dfs_of(&explorer->search);
	invariant(dfs->base <= dfs->nnodes);
	invariant(!worker->fresh || worker->state != WORKER_BUSY || dfs->base);
	slow_invariant(worker->state != WORKER_BUSY || dfs_is_valid(dfs));
}

static void begin(struct worker *worker, enum message_kind kind)
{
	message_begin(&worker->message, kind, worker->epoch, worker->unit);
}

static void send(struct worker *worker)
{
	worker->send(worker->context, &worker->message);
}

static void set_idle(struct worker *worker)
{
	worker->state = WORKER_IDLE;
	worker->wanted = worker->report_due = false;
}

/* --- offers --- */

static void send_offer(struct worker *worker, uint32_t node, const void *bytes, size_t size)
{
	begin(worker, MESSAGE_OFFER);
	pack_number(&worker->message, node);
	pack_raw(&worker->message, bytes, size);
	send(worker);
}

static void hold_offer(struct worker *worker, uint32_t node, const struct buffer *offer)
{
	struct waiting_offer held = {.node = node};

	invariant(node < worker->asked_size && worker->asked[node]); /* it waits for an answer */
	pack_raw(&held.bytes, offer->data, offer->size);
	vector_add(&worker->offers, held);
}

void worker_offer(void *context, uint32_t node, const struct buffer *offer)
{
	struct worker *worker = context;

	uint32_t before = worker->asked_size;

	worker->asked = array_grow(worker->asked, &worker->asked_size, node + 1ull, sizeof *worker->asked);
	memset(worker->asked + before, 0, worker->asked_size - before);
	if (worker->asked[node]) {
		hold_offer(worker, node, offer); /* the answer may make it superfluous */
		return;
	}
	invariant(node < worker->asked_size && node < dfs_of(&worker->explorer->search)->base);
	worker->asked[node] = true;
	send_offer(worker, node, offer->data, offer->size);
}

/* What has been found must not be lost with us once the executions that showed it have been reported. */
static void flush_offers(struct worker *worker)
{
	for (uint32_t i = 0; i < worker->offers.count; i++) {
		struct waiting_offer *held = &worker->offers.items[i];
		send_offer(worker, held->node, held->bytes.data, held->bytes.size);
		buffer_release(&held->bytes);
	}
	worker->offers.count = 0;
}

static void forget_offers(struct worker *worker)
{
	for (uint32_t i = 0; i < worker->offers.count; i++)
		buffer_release(&worker->offers.items[i].bytes);
	worker->offers.count = 0;
	if (worker->asked)
		memset(worker->asked, 0, worker->asked_size);
}

/* Offer what waited for this answer, unless it is known now. */
static void offer_again(struct worker *worker, uint32_t node)
{
	struct dfs *dfs = dfs_of(&worker->explorer->search);
	struct waiting_offer *all = worker->offers.items;
	uint32_t count = worker->offers.count;

	worker->offers.items = NULL;
	worker->offers.count = worker->offers.size = 0;
	for (uint32_t i = 0; i < count; i++) {
		struct packed offer = packed_from(all[i].bytes.data, all[i].bytes.size);
		if (all[i].node != node)
			hold_offer(worker, all[i].node, &all[i].bytes);
		else if (dfs->rule->accept)
			dfs->rule->accept(dfs, node, &offer);
		else
			dfs_accept_demand(dfs, node, &offer);
		buffer_release(&all[i].bytes);
	}
	memory_free(all);
}

static void on_known(struct worker *worker, struct packed *contents)
{
	uint64_t node = unpack_number(contents);
	struct dfs *dfs = worker->explorer ? dfs_of(&worker->explorer->search) : NULL;

	if (!dfs || node >= dfs->base || node >= worker->asked_size)
		return;
	unit_unpack_known(dfs, (uint32_t)node, contents);
	worker->asked[node] = false;
	offer_again(worker, (uint32_t)node);
}

/* --- facts --- */

static void send_news(struct worker *worker)
{
	invariant(!worker->stopped); /* facts that are half known are told to nobody */
	begin(worker, MESSAGE_NEWS);
	facts_pack(&worker->explorer->executor, &worker->message);
	send(worker);
	worker->news = true;
	set_idle(worker); /* the search starts again, for everybody */
}

static bool know_more(const struct worker *worker, const struct packed *facts)
{
	struct buffer mine = {0};

	facts_pack(&worker->explorer->executor, &mine);
	bool more = mine.size != packed_left(facts) || memcmp(mine.data, facts->at, mine.size);
	buffer_release(&mine);
	return more;
}

/*
 * Facts that came with a unit.  False when ours did not arrive, because the search had started again for another reason
 * by then: they are told again, or this worker alone would know them, and the program would do something else here.
 */
static bool learn(struct worker *worker, struct packed facts)
{
	struct packed given = facts;
	bool news = worker->news;

	worker->news = false;
	if (packed_left(&facts))
		facts_unpack(&worker->explorer->executor, &facts);
	if (!news || !know_more(worker, &given))
		return true;
	send_news(worker);
	return false;
}

/* --- units --- */

static void start_program(struct worker *worker)
{
	if (worker->explorer)
		return;
	worker->explorer = xcalloc(1, sizeof *worker->explorer);
	explorer_init(worker->explorer, worker->options, worker->strategy);
	struct dfs *dfs = dfs_of(&worker->explorer->search);
	dfs->offer = worker_offer;
	dfs->offer_context = worker;
}

static void unpack_agreement(struct worker *worker, struct packed *contents)
{
	struct recorder *recorder = &worker->explorer->recorder;

	unpack_raw(contents, &worker->names, sizeof worker->names);
	recorder->have_exit_status = unpack_number(contents);
	recorder->exit_status = (int32_t)unpack_number(contents);
}

static void pack_agreement(struct worker *worker)
{
	const struct recorder *recorder = &worker->explorer->recorder;
	const struct trace *trace = &worker->explorer->executor.channel->trace;
	struct names names = {0};

	names_get(&worker->explorer->executor, &names);
	pack_raw(&worker->message, &names, sizeof names);
	bool have = recorder->have_exit_status || trace->ending == ENDING_EXIT;
	pack_number(&worker->message, have);
	pack_number(&worker->message,
		    (uint32_t)(recorder->have_exit_status ? recorder->exit_status : trace->exit_status));
}

/* The memory that only one thread has accessed here: it may be another one elsewhere. */
static void pack_owned(struct worker *worker)
{
	struct owners owners = owners_of(&worker->explorer->executor);

	owners_pack_private(&owners, &worker->message);
}

/*
 * It is time to stop, and what the search has in hand may be half done: nothing more is told of it.  The unit is not done, and
 * who goes on with it begins where the last report left it.
 */
static void stop(struct worker *worker)
{
	invariant(worker->state == WORKER_BUSY || worker->state == WORKER_WAITING);
	worker->stopped = true;
	worker->state = WORKER_WAITING;
}

static void finish(struct worker *worker)
{
	invariant(dfs_of(&worker->explorer->search)->nnodes == dfs_of(&worker->explorer->search)->base);
	flush_offers(worker);
	begin(worker, MESSAGE_DONE);
	tally_pack(worker->explorer, &worker->told, &worker->message);
	send(worker);
	set_idle(worker);
}

static void unpack_path(struct dfs *dfs, struct packed *contents)
{
	uint64_t node;

	for (uint64_t left = unpack_count(contents, sizeof(struct node)); left && !contents->broken; left--)
		unit_unpack_node(dfs, contents);
	dfs->base = dfs->nnodes;
	while ((node = unpack_number(contents)) != 0) {
		struct packed known = unpack_bytes(contents);
		if (node <= dfs->base)
			unit_unpack_known(dfs, (uint32_t)node - 1, &known);
	}
}

static void unpack_tail(struct dfs *dfs, struct packed *contents)
{
	struct packed nodes = unpack_bytes(contents), guide = unpack_bytes(contents), kept = unpack_bytes(contents);

	for (uint64_t left = unpack_number(&nodes); left && !nodes.broken; left--)
		unit_unpack_node(dfs, &nodes);
	unit_unpack_guide(dfs, &guide);
	unit_unpack_kept(dfs, &kept);
	contents->broken |= nodes.broken;
}

static void on_unit(struct worker *worker, const struct message *message)
{
	struct packed contents = message->contents;

	start_program(worker);
	struct explorer *explorer = worker->explorer;
	struct dfs *dfs = dfs_of(&explorer->search);
	if (worker->epoch != message->epoch) {
		tally_forget(explorer, &worker->told);
	}
	worker->epoch = message->epoch;
	worker->unit = message->unit;
	forget_offers(worker);
	if (unpack_number(&contents) && !explorer->executor.channel->all_shared)
		executor_share_memory(&explorer->executor);
	struct packed facts = unpack_bytes(&contents);
	if (!learn(worker, facts))
		return;
	unpack_agreement(worker, &contents);
	names_put(&explorer->executor, &worker->names);
	bool fresh = unpack_number(&contents);
	dfs_forget(dfs);
	unpack_path(dfs, &contents);
	unpack_tail(dfs, &contents);
	if (contents.broken)
		failure("a part of the search could not be read");
	explorer_begin(explorer);
	worker->fresh = fresh && dfs->base;
	worker->state = WORKER_BUSY;
	if (fresh && !dfs->nnodes) {
		plan_cut(&explorer->plan, 0);
	} else if (fresh) {
		dfs_plan(dfs, &explorer->plan);
	} else if (!explorer_next(explorer)) {
		if (stop_due())
			stop(worker);
		else
			finish(worker);
	}
}

/* --- reports --- */

static void report(struct worker *worker, uint32_t npublished)
{
	struct dfs *dfs = dfs_of(&worker->explorer->search);
	struct buffer nodes = {0}, tail = {0}, guide = {0}, kept = {0};
	uint32_t end = dfs->base + npublished;

	invariant(end <= dfs->nnodes);
	flush_offers(worker);
	begin(worker, MESSAGE_REPORT);
	tally_pack(worker->explorer, &worker->told, &worker->message);
	pack_number(&worker->message, npublished);
	for (uint32_t i = dfs->base; i < end; i++)
		unit_pack_node(dfs, i, &nodes);
	pack_bytes(&worker->message, nodes.data, nodes.size);
	pack_number(&tail, dfs->nnodes - end);
	for (uint32_t i = end; i < dfs->nnodes; i++)
		unit_pack_node(dfs, i, &tail);
	pack_bytes(&worker->message, tail.data, tail.size);
	unit_pack_guide(dfs, &guide);
	pack_bytes(&worker->message, guide.data, guide.size);
	unit_pack_kept(dfs, &kept);
	pack_bytes(&worker->message, kept.data, kept.size);
	send(worker);
	dfs->base = end;
	worker->report_due = false;
	if (npublished)
		worker->wanted = false;
	buffer_release(&nodes);
	buffer_release(&tail);
	buffer_release(&guide);
	buffer_release(&kept);
}

/* The first of our own nodes at which somebody else could go on. */
static bool find_branch_point(const struct dfs *dfs, uint32_t *node)
{
	for (uint32_t i = dfs->base; i < dfs->nnodes; i++)
		if (dfs_has_more(dfs, i)) {
			*node = i;
			return true;
		}
	return false;
}

/*
 * For comparison, the work sharing of Yang's dissertation (2009, Figure 6.4): the branch goes away with a copy of the
 * nodes above it, to which whoever gets it adds what he finds, as we do to ours.  So the same may be explored twice.
 */
static void pack_copy(struct worker *worker, uint32_t last, unsigned thread)
{
	struct dfs *dfs = dfs_of(&worker->explorer->search);
	struct buffer nodes = {0}, none = {0};

	invariant(last < dfs->nnodes && !dfs->nodes[last].forced);
	pack_number(&nodes, last + 1);
	for (uint32_t i = 0; i <= last; i++) {
		struct node mine = dfs->nodes[i], *node = &dfs->nodes[i];
		node->elsewhere |= node->backtrack & ~(node->done | thread_bit(node->thread));
		node->backtrack = node->done | thread_bit(node->thread);
		if (i == last) {
			node->done = node->backtrack;
			node->thread = (uint8_t)thread;
			node->elsewhere &= ~thread_bit(thread);
			node->backtrack |= thread_bit(thread);
			node->choice = node->choices = 0;
		}
		unit_pack_node(dfs, i, &nodes);
		*node = mine;
	}
	pack_bytes(&worker->message, nodes.data, nodes.size);
	pack_bytes(&worker->message, none.data, none.size);
	pack_bytes(&worker->message, none.data, none.size);
	buffer_release(&nodes);
}

static void give_copy(struct worker *worker)
{
	struct dfs *dfs = dfs_of(&worker->explorer->search);

	for (uint32_t i = 0; i < dfs->nnodes; i++) {
		struct node *node = &dfs->nodes[i];
		uint64_t left = node->backtrack & ~(node->done | node->sleep | thread_bit(node->thread));
		if (node->forced || !left)
			continue;
		unsigned thread = (unsigned)__builtin_ctzll(left);
		begin(worker, MESSAGE_GIVE);
		pack_copy(worker, i, thread);
		send(worker);
		node->done |= thread_bit(thread);
		worker->wanted = false;
		return;
	}
}

static void report_if_due(struct worker *worker)
{
	const struct dfs *dfs = dfs_of(&worker->explorer->search);
	uint32_t node;

	if (worker->wanted && worker->strategy->rule->gives_copies)
		give_copy(worker);
	else if (worker->wanted && find_branch_point(dfs, &node))
		report(worker, node - dfs->base + 1);
	else if (worker->report_due)
		report(worker, 0);
}

static void send_list(struct worker *worker, struct finding **findings, unsigned count, unsigned *sent)
{
	for (; *sent < count; (*sent)++) {
		begin(worker, MESSAGE_FINDING);
		finding_pack(findings[*sent], &worker->message);
		send(worker);
	}
}

static void send_findings(struct worker *worker)
{
	const struct result *result = worker->explorer->result;

	send_list(worker, result->findings, result->nfindings, &worker->nfindings);
	send_list(worker, result->warnings, result->nwarnings, &worker->nwarnings);
}

static void send_broken(struct worker *worker, const char *why)
{
	const struct result *result = worker->explorer->result;

	send_findings(worker);
	begin(worker, MESSAGE_BROKEN);
	pack_text(&worker->message, why);
	pack_text(&worker->message, result->refusal);
	pack_number(&worker->message, result->refusal_site);
	tally_pack(worker->explorer, &worker->told, &worker->message);
	send(worker);
	set_idle(worker);
}

static void send_started(struct worker *worker)
{
	const struct dfs *dfs = dfs_of(&worker->explorer->search);

	invariant(dfs->base && dfs->base <= dfs->nnodes); /* it is the step of a node of others */
	worker->fresh = false;
	begin(worker, MESSAGE_STARTED);
	pack_raw(&worker->message, &dfs->nodes[dfs->base - 1].op, sizeof(struct op));
	send(worker);
}

/* --- executions --- */

/* Does the program do here what it did where the first steps of the unit come from? */
static bool is_same_program(const struct worker *worker)
{
	const struct dfs *dfs = dfs_of(&worker->explorer->search);
	const struct trace *trace = &worker->explorer->executor.channel->trace;

	for (uint32_t i = 0; i + 1 < dfs->base && i < trace->nevents; i++) {
		const struct op *expected = &dfs->nodes[i].op, *got = &trace->events[i].op;
		if (expected->kind != got->kind || expected->site != got->site || expected->object != got->object)
			return false;
	}
	return true;
}

static void take_in(struct worker *worker)
{
	struct explorer *explorer = worker->explorer;
	const struct channel *channel = explorer->executor.channel;

	if (explorer->run.common + 1 < dfs_of(&explorer->search)->base && !is_same_program(worker)) {
		send_broken(worker, "the program does not do the same in two processes");
		return;
	}
	bool taken = explorer_take_in(explorer);
	if (stop_due()) {
		send_findings(worker);
		stop(worker);
		return;
	}
	if (channel->news) { /* an execution that confirms a finding brought them */
		send_findings(worker);
		send_news(worker);
		return;
	}
	if (!taken) {
		send_broken(worker, explorer_why_broken(explorer));
		return;
	}
	send_findings(worker);
	if (worker->fresh)
		send_started(worker);
	report_if_due(worker);
	bool more = explorer_next(explorer);
	if (stop_due())
		stop(worker);
	else if (!more)
		finish(worker);
}

/* Threads or memory that nobody has seen before, or an exit status where none was known: all must agree. */
static bool must_agree(const struct worker *worker)
{
	const struct explorer *explorer = worker->explorer;
	const struct channel *channel = explorer->executor.channel;

	return channel->nnames != worker->names.count ||
	       (channel->nclaims != worker->nclaims && !worker->one_program) ||
	       (!explorer->recorder.have_exit_status && channel->trace.ending == ENDING_EXIT);
}

void worker_execute(struct worker *worker)
{
	struct explorer *explorer = worker->explorer;

	invariant(worker->state == WORKER_BUSY);
	assert_state(worker);
	if (!explorer_run(explorer)) {
		stop(worker);
		return;
	}
	if (explorer->executor.channel->news) {
		explorer_take_in_news(explorer);
		send_findings(worker);
		send_news(worker);
	} else if (must_agree(worker)) {
		begin(worker, MESSAGE_SYNC);
		pack_agreement(worker);
		pack_owned(worker);
		send(worker);
		worker->state = WORKER_WAITING;
	} else {
		take_in(worker);
	}
	assert_state(worker);
}

/* Memory that is another thread's elsewhere is shared, as if both had been seen here.  False if there is none. */
static bool learn_contested(struct worker *worker, struct packed *contents)
{
	struct channel *channel = worker->explorer->executor.channel;
	struct owners owners = owners_of(&worker->explorer->executor);
	bool any = unpack_number(contents);

	worker->nclaims = channel->nclaims;
	if (!any)
		return false;
	owners_unpack_shared(&owners, contents);
	channel->nsharings++;
	return true;
}

static void on_synced(struct worker *worker, struct packed *contents)
{
	struct explorer *explorer = worker->explorer;
	struct owners owners = owners_of(&explorer->executor);
	struct names mine = {0};

	if (worker->state != WORKER_WAITING)
		return;
	names_get(&explorer->executor, &mine);
	unpack_agreement(worker, contents);
	names_put(&explorer->executor, &worker->names);
	worker->state = WORKER_BUSY;
	if (names_begin_with(&worker->names, &mine)) {
		if (learn_contested(worker, contents))
			send_news(worker);
		else
			take_in(worker);
		return;
	}
	owners_forget_private(&owners);
	/* somebody else has given these numbers to other threads: once more, with the right ones */
	executor_forget(&explorer->executor);
}

/* --- messages --- */

void worker_greet(struct worker *worker)
{
	begin(worker, MESSAGE_HELLO);
	pack_text(&worker->message, INSPECT_VERSION);
	send(worker);
}

bool worker_has_enough(const struct worker *worker)
{
	if (!worker->explorer || !worker->options->max_executions)
		return false;
	const struct result *result = worker->explorer->result;
	return result->executions + result->blocked + result->assumed >= worker->options->max_executions;
}

void worker_tell_status(struct worker *worker)
{
	if (!worker->explorer || worker->state == WORKER_IDLE)
		return;
	const struct result *result = worker->explorer->result;
	begin(worker, MESSAGE_STATUS);
	pack_number(&worker->message, result->executions - worker->told.executions);
	pack_number(&worker->message, result->blocked - worker->told.blocked);
	pack_number(&worker->message, result->assumed - worker->told.assumed);
	pack_number(&worker->message, result->transitions - worker->told.transitions);
	pack_number(&worker->message, result_cut_steps(result) - worker->told.cut);
	pack_number(&worker->message, worker->explorer->executor.channel->trace.nevents);
	send(worker);
}

void worker_receive(struct worker *worker, const void *data, size_t size)
{
	struct message message;

	if (!message_read(&message, data, size))
		failure("a message from the balancer could not be read");
	if (worker->stopped && message.kind != MESSAGE_QUIT)
		return;
	bool ours = message.epoch == worker->epoch && message.unit == worker->unit && worker->state != WORKER_IDLE;
	switch (message.kind) {
	case MESSAGE_START:
		start_program(worker);
		begin(worker, MESSAGE_READY);
		send(worker);
		break;
	case MESSAGE_UNIT: on_unit(worker, &message); break;
	case MESSAGE_QUIT: worker->state = WORKER_ENDED; break;
	case MESSAGE_DROP: set_idle(worker); break;
	case MESSAGE_PUBLISH: worker->wanted |= ours; break;
	case MESSAGE_COMMIT: worker->report_due |= ours; break;
	case MESSAGE_KNOWN:
		if (ours)
			on_known(worker, &message.contents);
		break;
	case MESSAGE_SYNCED:
		if (ours)
			on_synced(worker, &message.contents);
		break;
	default: failure("a message from the balancer has an unknown kind");
	}
	assert_state(worker);
}

void worker_init(struct worker *worker, const struct explore_options *options, const struct strategy *strategy)
{
	*worker = (struct worker){.options = options,
				  .strategy = strategy,
				  .send = worker->send,
				  .context = worker->context,
				  .epoch = UINT64_MAX};
}

void worker_release(struct worker *worker)
{
	forget_offers(worker);
	vector_release(&worker->offers);
	memory_free(worker->asked);
	free(worker->told.findings.counts);
	free(worker->told.warnings.counts);
	free(worker->told.limits);
	buffer_release(&worker->message);
	if (!worker->explorer)
		return;
	result_free(worker->explorer->result);
	explorer_release(worker->explorer);
	free(worker->explorer);
}
