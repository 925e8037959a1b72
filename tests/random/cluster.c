/*
 * Random programs, searched by several workers: is the result that of one search?
 *
 *   cluster [OPTIONS] [PROGRAM…]
 *
 *   --program=PATH     tests/random/program.c, built (build/tests/random/program)
 *   --search=NAME      this strategy only; may be repeated (optimal, source, dpor)
 *   --programs=N       so many seeds (500)
 *   --from=SEED        the first one (1)
 *   --step=N           every N-th seed only (1): as many as there are flavours, all but one, gives programs of one
 *   --size=N           so many instructions more in each thread (0)
 *   --seconds=S        stop after so many
 *   --limit=N          executions of one search (900): programs with more are left out
 *   --schedules=N      for each program, strategy and number of workers (2); of a kept program 8 times as many
 *   --kept=FILE        programs, one on each line, before the random ones; may be repeated
 *   --failures=N       stop after so many (5)
 *   --no-shrink        print programs that fail as they are
 *
 * The balancer and the workers are those of src/cluster, all in this process; messages between them take their time,
 * which is drawn at random, and so do executions.  Of two peers, each hears what the other said in the order in
 * which it was said: nothing else is certain.  In some runs workers are lost, or all of it is packed as for a file and
 * gone on with.  What must be the same as for one search alone: the set of equivalence classes, of ends and of
 * findings, and the number of executions.  All is determined by the seeds.
 */
#define _GNU_SOURCE
#include "explore/strategies.h"
#include "cluster.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cluster/share/balancer.h"
#include "cluster/share/worker.h"
#include "common/trouble.h"

enum { MAX_WORKERS = 9, MAX_SEARCHES = 3, MAX_KEPT = 512, BALANCER = MAX_WORKERS, PROGRAM_SECONDS = 60 };

static const unsigned crews[] = {2, 3, 5, 9};

static struct options {
	const char *program;
	const char *searches[MAX_SEARCHES];
	unsigned nsearches;
	uint64_t programs, from, step;
	unsigned size, limit, schedules, failures;
	double seconds;
	bool no_shrink, only_kept;
	char *kept[MAX_KEPT];
	unsigned nkept;
} options = {.program = "build/tests/random/program",
	     .programs = 500,
	     .from = 1,
	     .step = 1,
	     .limit = 900,
	     .schedules = 2,
	     .failures = 5};

/* What the processes of all programs count together. */
static struct totals {
	uint64_t programs, left_out, runs, shared, units, executions, blocked, alone, losses, resumed;
} *totals;

static const struct strategy *compared[MAX_SEARCHES];

/* --- what a search amounts to --- */

/* Sorted, each once. */
struct set {
	uint64_t *items;
	uint32_t count;
};

struct summary {
	bool complete;
	uint64_t executions;
	struct set classes, ends, findings; /* by hashes */
};

static int by_number(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void set_add(struct set *set, uint64_t item)
{
	set->items = xrealloc(set->items, (set->count + 1) * sizeof *set->items);
	set->items[set->count++] = item;
}

static void set_sort(struct set *set)
{
	uint32_t n = 0;

	if (set->count)
		qsort(set->items, set->count, sizeof *set->items, by_number);
	for (uint32_t i = 0; i < set->count; i++)
		if (!i || set->items[i] != set->items[i - 1])
			set->items[n++] = set->items[i];
	set->count = n;
}

static bool set_equal(const struct set *a, const struct set *b)
{
	return a->count == b->count && (!a->count || !memcmp(a->items, b->items, a->count * sizeof *a->items));
}

static struct set set_of(const struct table *hashes)
{
	struct set set = {0};

	for (uint32_t i = 0; i < hashes->count; i++)
		set_add(&set, hashes->keys[i]);
	set_sort(&set);
	return set;
}

/* Kind and places; where one exit status was seen first is a matter of the order of executions. */
static uint64_t finding_key(const struct finding *finding)
{
	if (finding->kind == FINDING_EXIT)
		return finding->kind;
	return (uint64_t)finding->kind << 56 ^ (uint64_t)finding->site << 28 ^ finding->other_site;
}

static struct summary summarise(const struct result *result, const struct outcomes *outcomes)
{
	struct summary summary = {.complete = true,
				  .executions = result->executions,
				  .classes = set_of(&outcomes->classes),
				  .ends = set_of(&outcomes->ends)};

	for (unsigned i = 0; i < result->nfindings; i++)
		set_add(&summary.findings, finding_key(result->findings[i]));
	set_sort(&summary.findings);
	return summary;
}

static void summary_release(struct summary *summary)
{
	free(summary->classes.items);
	free(summary->ends.items);
	free(summary->findings.items);
	*summary = (struct summary){0};
}

/* --- one program --- */

static struct checked {
	struct explore_options options;
	bool repeats, varies;
	struct explorer explorers[MAX_WORKERS]; /* one for each worker, and the first also for searches alone */
	struct summary alone[MAX_SEARCHES];
	struct names names;
	struct buffer facts;
} checked;

static char problem_text[400];

static struct explorer *new_explorer(unsigned number, const struct strategy *strategy)
{
	struct explorer *explorer = &checked.explorers[number];

	if (explorer->result) {
		result_free(explorer->result);
		explorer_release(explorer);
	}
	explorer_init(explorer, &checked.options, strategy);
	return explorer;
}

/* As if it had just been started; but the program's process stays, with what it knows. */
static struct explorer *fresh_explorer(unsigned number, const struct strategy *strategy)
{
	struct explorer *explorer = &checked.explorers[number];

	if (!explorer->result)
		return new_explorer(number, strategy);
	search_restart(&explorer->search, strategy);
	result_free(explorer->result);
	explorer->result = explorer->recorder.result = explorer_new_result(&checked.options, strategy);
	explorer->recorder.have_exit_status = false;
	explorer->unsure = false;
	outcomes_release(&explorer->outcomes);
	explorer_begin(explorer);
	plan_cut(&explorer->plan, 0);
	return explorer;
}

/* As explore() does it; false when it does not come to its end, *news when something was learned. */
static bool search_alone(const struct strategy *strategy, struct summary *summary, bool *news)
{
	struct explorer *explorer = fresh_explorer(0, strategy);
	struct channel *channel = explorer->executor.channel;

	for (;;) {
		if (explorer->result->executions + explorer->result->blocked > options.limit || !explorer_run(explorer))
			return false;
		bool taken = channel->news || explorer_take_in(explorer);
		if (channel->news) {
			*news = true;
			explorer_restart(explorer, strategy);
			continue;
		}
		if (!taken)
			return false;
		if (!explorer_next(explorer))
			break;
	}
	totals->alone += explorer->result->executions;
	*summary = summarise(explorer->result, &explorer->outcomes);
	return true;
}

static bool differs(const struct summary *summary, const struct summary *reference, const char *what)
{
	const char *in = NULL;

	if (!set_equal(&summary->ends, &reference->ends))
		in = "ends";
	else if (!set_equal(&summary->findings, &reference->findings))
		in = "findings";
	else if (!checked.varies && summary->classes.count != reference->classes.count)
		in = "number of classes";
	else if (!checked.repeats && summary->executions != summary->classes.count)
		in = "executions of a class";
	if (!in)
		return false;
	snprintf(problem_text, sizeof problem_text,
		 "%s: %s: %" PRIu64 " executions, %u classes, %u ends, %u findings instead of %" PRIu64 ", %u, %u, %u",
		 what, in, summary->executions, summary->classes.count, summary->ends.count, summary->findings.count,
		 reference->executions, reference->classes.count, reference->ends.count, reference->findings.count);
	return true;
}

/* --- several workers --- */

/* A message that arrives, a worker or (without one) the balancer that has time. */
struct coming {
	double time;
	uint64_t number; /* of two at the same time, who was first */
	unsigned to, from, life; /* the life of the worker that it is for, or from */
	char *data; /* NULL: none */
	size_t size; /* 0: the worker is gone */
};

enum { MAX_COMING = 4096 };

static struct simulation {
	struct coming coming[MAX_COMING];
	unsigned ncoming;
	uint64_t numbers, random, left; /* steps, before it is taken for endless */
	struct worker workers[MAX_WORKERS];
	bool alive[MAX_WORKERS], awake[MAX_WORKERS];
	unsigned life[MAX_WORKERS];
	double free[MAX_WORKERS], latest[MAX_WORKERS + 1][MAX_WORKERS + 1];
	struct coming inbox[MAX_WORKERS][256];
	unsigned ninbox[MAX_WORKERS];
	unsigned speaker, nworkers;
	const struct strategy *strategy;
	struct balancer balancer;
	double now, latency;
	bool cold; /* nothing is known of the program at first */
	bool lossy, stopping, stop_asked;
	unsigned losses, stops;
	uint64_t units;
} sim;

static uint64_t draw_number(void)
{
	uint64_t x = sim.random += 0x9e3779b97f4a7c15ull;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
	x = (x ^ x >> 27) * 0x94d049bb133111ebull;
	return x ^ x >> 31;
}

static bool happens(unsigned once_in)
{
	return draw_number() % once_in == 0;
}

/* Mostly about 1, now and then much more. */
static double draw_time(void)
{
	double time = (double)(draw_number() % 1000 + 1) / 500;

	return happens(8) ? 20 * time : time;
}

static void push(struct coming coming)
{
	if (sim.ncoming == MAX_COMING)
		failure("too many messages");
	coming.number = sim.numbers++;
	sim.coming[sim.ncoming++] = coming;
}

static struct coming pop(void)
{
	unsigned first = 0;

	for (unsigned i = 1; i < sim.ncoming; i++) {
		const struct coming *a = &sim.coming[i], *b = &sim.coming[first];
		if (a->time < b->time || (a->time == b->time && a->number < b->number))
			first = i;
	}
	struct coming coming = sim.coming[first];
	sim.coming[first] = sim.coming[--sim.ncoming];
	return coming;
}

static void post(unsigned to, const void *bytes, size_t size)
{
	unsigned from = sim.speaker, worker = to == BALANCER ? from : to;
	double time = sim.now + sim.latency * draw_time(), *latest = &sim.latest[from][to];
	char *data = xmalloc(size + 1);

	if (size)
		memcpy(data, bytes, size);
	*latest = time > *latest ? time : *latest;
	push((struct coming){
		.time = *latest, .to = to, .from = from, .life = sim.life[worker], .data = data, .size = size});
}

static void send_up(void *context, const struct buffer *message)
{
	(void)context;
	post(BALANCER, message->data, message->size);
}

static void send_down(void *context, unsigned worker, const struct buffer *message)
{
	(void)context;
	post(worker, message->data, message->size);
}

/* --- workers --- */

static void start_worker(unsigned number)
{
	struct worker *worker = &sim.workers[number];

	*worker = (struct worker){.send = send_up};
	worker_init(worker, &checked.options, sim.strategy);
	worker->explorer = sim.cold ? new_explorer(number, sim.strategy) : fresh_explorer(number, sim.strategy);
	struct dfs *dfs = dfs_of(&worker->explorer->search);
	dfs->offer = worker_offer;
	dfs->offer_context = worker;
	sim.alive[number] = true;
	sim.life[number]++; /* what was sent between two lives is lost */
	sim.awake[number] = false;
	sim.speaker = number;
	worker_greet(worker);
}

static void end_worker(unsigned number)
{
	sim.workers[number].explorer = NULL; /* that is used again */
	worker_release(&sim.workers[number]);
	for (unsigned i = 0; i < sim.ninbox[number]; i++)
		free(sim.inbox[number][i].data);
	sim.ninbox[number] = 0;
	sim.alive[number] = false;
	sim.life[number]++;
}

static void lose_worker(unsigned number)
{
	sim.speaker = number;
	post(BALANCER, NULL, 0);
	end_worker(number);
	sim.losses++;
	totals->losses++;
}

static void wake(unsigned number, double time)
{
	if (sim.awake[number])
		return;
	sim.awake[number] = true;
	push((struct coming){.time = time, .to = number, .life = sim.life[number]});
}

/* Messages first, then one execution. */
static void run_worker(unsigned number)
{
	struct worker *worker = &sim.workers[number];

	sim.awake[number] = false;
	sim.speaker = number;
	for (unsigned i = 0; i < sim.ninbox[number]; i++) {
		worker_receive(worker, sim.inbox[number][i].data, sim.inbox[number][i].size);
		free(sim.inbox[number][i].data);
	}
	sim.ninbox[number] = 0;
	if (worker->state == WORKER_BUSY) {
		sim.now += draw_time();
		worker->report_due |= happens(20);
		if (happens(10))
			worker_tell_status(worker);
		worker_execute(worker);
	}
	sim.free[number] = sim.now;
	if (worker->state == WORKER_BUSY)
		wake(number, sim.now);
	if (sim.lossy && sim.losses < MAX_DEATHS - 1 && happens(40))
		lose_worker(number);
}

static void deliver(struct coming *coming)
{
	unsigned number = coming->to;

	if (!sim.alive[number] || coming->life != sim.life[number]) {
		free(coming->data);
		return;
	}
	if (!coming->data) {
		sim.now = coming->time;
		run_worker(number);
		return;
	}
	if (sim.ninbox[number] == sizeof sim.inbox[number] / sizeof *sim.inbox[number])
		failure("too many messages for one worker");
	sim.inbox[number][sim.ninbox[number]++] = *coming;
	wake(number, coming->time > sim.free[number] ? coming->time : sim.free[number]);
}

/* --- the balancer --- */

static void start_workers(void)
{
	for (unsigned i = 0; i < sim.nworkers; i++)
		start_worker(i);
}

static void start_balancer(void)
{
	sim.balancer = (struct balancer){.send = send_down};
	balancer_init(&sim.balancer, &checked.options, sim.strategy, sim.nworkers);
	sim.balancer.hold_until = happens(2) ? 0 : 1e18;
}

/* What was learned by the search alone. */
static void tell_facts(void)
{
	sim.balancer.names = checked.names;
	pack_raw(&sim.balancer.facts, checked.facts.data, checked.facts.size);
	sim.balancer.facts_version = 1;
}

static void end_balancer(void)
{
	totals->units += sim.balancer.last_id;
	sim.units += sim.balancer.last_id;
	for (unsigned i = 0; i < sim.nworkers; i++)
		if (sim.alive[i])
			end_worker(i);
	while (sim.ncoming)
		free(sim.coming[--sim.ncoming].data);
	result_free(sim.balancer.result);
	balancer_release(&sim.balancer);
}

/* Into a file and out of it, with other workers. */
static void stop_and_resume(void)
{
	struct buffer file = {0};

	balancer_pack(&sim.balancer, &file);
	end_balancer();
	start_balancer();
	struct packed packed = packed_from(file.data, file.size);
	if (!balancer_unpack(&sim.balancer, &packed))
		failure("what was packed cannot be unpacked");
	buffer_release(&file);
	start_workers();
	sim.stop_asked = false;
	sim.stops++;
	totals->resumed++;
}

static void see_to_stop(void)
{
	if (!sim.stopping || sim.stops == 2)
		return;
	if (!sim.stop_asked) {
		sim.stop_asked = happens(30);
		if (sim.stop_asked)
			balancer_ask_commit(&sim.balancer);
	} else if (balancer_has_commits(&sim.balancer) || happens(30)) {
		stop_and_resume(); /* somebody's report may not come in time */
	}
}

static void run_balancer(struct coming *coming)
{
	sim.speaker = BALANCER;
	sim.balancer.now = sim.now = coming->time;
	if (coming->data && coming->size) {
		balancer_receive(&sim.balancer, coming->from, coming->data, coming->size);
	} else if (coming->data) {
		balancer_lose(&sim.balancer, coming->from);
		start_worker(coming->from);
		sim.speaker = BALANCER;
	}
	free(coming->data);
	/* it may hear something else first */
	if (coming->data && happens(3)) {
		push((struct coming){.time = sim.now + draw_time(), .to = BALANCER});
		return;
	}
	balancer_assign(&sim.balancer);
	if (!balancer_is_done(&sim.balancer))
		see_to_stop();
}

/* False, with problem_text, when it does not come to its end. */
static bool search_together(unsigned nworkers, const struct strategy *strategy, uint64_t seed, struct summary *summary)
{
	static const double latencies[] = {0.01, 1, 10, 100};

	sim = (struct simulation){.random = seed, .nworkers = nworkers, .strategy = strategy, .left = 1000000};
	sim.latency = latencies[draw_number() % 4];
	sim.lossy = happens(4);
	sim.stopping = happens(4);
	sim.cold = happens(16);
	start_balancer();
	if (!sim.cold)
		tell_facts();
	balancer_begin(&sim.balancer);
	start_workers();
	while (sim.ncoming && sim.left-- && !sim.balancer.broken && !balancer_is_done(&sim.balancer)) {
		struct coming coming = pop();
		if (coming.to == BALANCER)
			run_balancer(&coming);
		else
			deliver(&coming);
	}
	bool done = balancer_is_done(&sim.balancer) && !sim.balancer.broken;
	if (done)
		*summary = summarise(sim.balancer.result, &sim.balancer.outcomes);
	else
		snprintf(problem_text, sizeof problem_text, "%s, %u workers: no end: %s", strategy->name, nworkers,
			 sim.balancer.broken ? sim.balancer.broken
			 : sim.left	     ? "everybody waits"
					     : "it goes on and on");
	totals->executions += sim.balancer.result->executions;
	totals->blocked += sim.balancer.result->blocked;
	totals->runs++;
	end_balancer();
	totals->shared += sim.units > 1;
	return done;
}

/* --- comparing --- */

static void set_options(char *words, char *sections)
{
	static char *argv[4];
	static volatile sig_atomic_t never;

	argv[0] = (char *)options.program;
	argv[1] = sections;
	checked.options = (struct explore_options){.run = {.program = options.program,
							   .argv = argv,
							   .max_steps = MAX_EVENTS,
							   .watchdog = 10,
							   .modes = {.nondet_high = -1}},
						   .search = "optimal",
						   .keep_going = true,
						   .outcomes = "yes",
						   .interrupted = &never};
	for (char *word; (word = strsep(&words, " "));) {
		if (!strcmp(word, "--timeouts=last-resort"))
			checked.options.run.modes.timeouts = TIMEOUTS_LAST_RESORT;
		else if (!strcmp(word, "--timeouts=never"))
			checked.options.run.modes.timeouts = TIMEOUTS_NEVER;
		else if (!strcmp(word, "--spurious-wakeups"))
			checked.options.run.modes.spurious_wakeups = 1;
		else if (!strcmp(word, "--leaks"))
			checked.options.run.leaks = true;
		else if (!strncmp(word, "--seed=", 7))
			checked.options.run.seed = strtoull(word + 7, NULL, 10);
		else if (*word)
			die("unknown option %s of a program", word);
	}
}

/* All searches with what all of them have learned together; false when there is nothing to compare with. */
static bool search_all_alone(void)
{
	bool news;

	do {
		news = false;
		for (unsigned i = 0; i < options.nsearches; i++) {
			summary_release(&checked.alone[i]);
			if (!search_alone(compared[i], &checked.alone[i], &news))
				return false;
		}
	} while (news);
	names_get(&checked.explorers[0].executor, &checked.names);
	facts_pack(&checked.explorers[0].executor, &checked.facts);
	return true;
}

static bool compare_together(unsigned search, unsigned nworkers, uint64_t seed)
{
	struct summary summary = {0};
	char what[120];

	snprintf(what, sizeof what, "%s, %u workers, schedule %" PRIu64, options.searches[search], nworkers, seed);
	bool done = search_together(nworkers, compared[search], seed, &summary);
	size_t used = strlen(what);
	snprintf(what + used, sizeof what - used, "%s%s%s", sim.cold ? ", cold" : "", sim.losses ? ", with losses" : "",
		 sim.stops ? ", resumed" : "");
	bool good = done && !differs(&summary, &checked.alone[search], what);
	summary_release(&summary);
	return good;
}

enum { GOOD, BAD, LEFT_OUT, CRASHED };

/* In a process of its own. */
static int check_here(const char *text, unsigned schedules)
{
	static char words[CLUSTER_TEXT], sections[CLUSTER_TEXT];

	if (!cluster_parse(text, words, sections, &checked.repeats, &checked.varies))
		return LEFT_OUT;
	uint64_t first = 0;
	for (const char *c = text; *c; c++)
		first = first * 31 + (unsigned char)*c;
	first = first % 1000000 * 1000;
	set_options(words, sections);
	alarm(PROGRAM_SECONDS);
	if (!search_all_alone())
		return LEFT_OUT;
	for (unsigned i = 0; i < options.nsearches; i++)
		if (differs(&checked.alone[i], &checked.alone[0], options.searches[i]))
			return BAD;
	if (checked.alone[0].executions < 3)
		return LEFT_OUT; /* there is nothing to share */
	for (unsigned i = 0; i < options.nsearches; i++)
		for (unsigned k = 0; k < sizeof crews / sizeof *crews; k++)
			for (unsigned schedule = 1; schedule <= schedules; schedule++)
				if (!compare_together(i, crews[k], first + schedule))
					return BAD;
	return GOOD;
}

static int check(const char *text, unsigned schedules, char *problem)
{
	int ends[2], status;

	fflush(NULL);
	if (pipe(ends))
		failure("no pipe");
	pid_t child = fork();
	if (!child) {
		status = check_here(text, schedules);
		if (write(ends[1], problem_text, sizeof problem_text) != sizeof problem_text)
			_exit(CRASHED);
		_exit(status);
	}
	close(ends[1]);
	bool got = read(ends[0], problem, sizeof problem_text) == sizeof problem_text;
	close(ends[0]);
	waitpid(child, &status, 0);
	if (got && WIFEXITED(status) && WEXITSTATUS(status) < CRASHED)
		return WEXITSTATUS(status);
	snprintf(problem, sizeof problem_text, "the search fails: status %#x", (unsigned)status);
	return CRASHED;
}

/* --- shrinking --- */

enum { MORE = 8 }; /* times as many schedules, where one has reason to look */

/* The text without its n-th word; false when it has none. */
static bool remove_word(const char *text, unsigned n, char *shorter)
{
	const char *at = text;

	for (;; n--) {
		at += strspn(at, " ");
		if (!*at)
			return false;
		if (!n)
			break;
		at += strcspn(at, " ");
	}
	size_t length = (size_t)(at - text);
	memcpy(shorter, text, length);
	at += strcspn(at, " ");
	strcpy(shorter + length, at + (*at == ' '));
	return true;
}

/* The same way to fail, with more schedules: a smaller program has fewer chances. */
static void shrink(char *text, char *problem, int status)
{
	char shorter[CLUSTER_TEXT], other[sizeof problem_text];
	bool smaller = true;

	while (smaller) {
		smaller = false;
		for (unsigned n = 0; remove_word(text, n, shorter); n++) {
			if (check(shorter, MORE * options.schedules, other) != status)
				continue;
			strcpy(text, shorter);
			memcpy(problem, other, sizeof other);
			smaller = true;
			n--;
		}
	}
}

/* --- the command --- */

/* False when it failed. */
static bool check_text(const char *origin, char *text, unsigned schedules)
{
	char problem[sizeof problem_text];
	int status = check(text, schedules, problem);

	totals->programs++;
	totals->left_out += status == LEFT_OUT;
	if (status == GOOD || status == LEFT_OUT)
		return true;
	printf("FAIL %s\n  %s\n  %s\n", origin, problem, text);
	fflush(stdout);
	if (!options.no_shrink) {
		shrink(text, problem, status);
		printf("FAIL %s, shrunk\n  %s\n  %s\n", origin, problem, text);
		fflush(stdout);
	}
	return false;
}

static bool read_kept(const char *path)
{
	FILE *in = fopen(path, "re");
	char *line = NULL;
	size_t size = 0;

	if (!in)
		return false;
	while (getline(&line, &size, in) > 0) {
		line[strcspn(line, "#\n")] = 0;
		if (line[strspn(line, " \t")] && strlen(line) < CLUSTER_TEXT && options.nkept < MAX_KEPT)
			options.kept[options.nkept++] = xstrdup(line);
	}
	free(line);
	fclose(in);
	return true;
}

static const char *value_of(const char *argument, const char *name)
{
	size_t length = strlen(name);

	return !strncmp(argument, name, length) && argument[length] == '=' ? argument + length + 1 : NULL;
}

static bool parse(char *argument)
{
	const char *value;

	if ((value = value_of(argument, "--program")))
		options.program = value;
	else if ((value = value_of(argument, "--search")) && options.nsearches < MAX_SEARCHES)
		options.searches[options.nsearches++] = value;
	else if ((value = value_of(argument, "--programs")))
		options.programs = strtoull(value, NULL, 10);
	else if ((value = value_of(argument, "--from")))
		options.from = strtoull(value, NULL, 10);
	else if ((value = value_of(argument, "--step")))
		options.step = strtoull(value, NULL, 10);
	else if ((value = value_of(argument, "--size")))
		options.size = (unsigned)strtoul(value, NULL, 10);
	else if ((value = value_of(argument, "--seconds")))
		options.seconds = strtod(value, NULL);
	else if ((value = value_of(argument, "--limit")))
		options.limit = (unsigned)strtoul(value, NULL, 10);
	else if ((value = value_of(argument, "--schedules")))
		options.schedules = (unsigned)strtoul(value, NULL, 10);
	else if ((value = value_of(argument, "--failures")))
		options.failures = (unsigned)strtoul(value, NULL, 10);
	else if ((value = value_of(argument, "--kept")))
		return read_kept(value);
	else if (!strcmp(argument, "--no-shrink"))
		options.no_shrink = true;
	else if ((*argument == '-' && !strchr(argument, ' ')) || options.nkept == MAX_KEPT ||
		 strlen(argument) >= CLUSTER_TEXT)
		return false;
	else {
		options.kept[options.nkept++] = argument;
		options.only_kept = true;
	}
	return true;
}

static unsigned check_all(double start)
{
	unsigned failed = 0;
	char text[CLUSTER_TEXT], origin[40];

	for (unsigned i = 0; i < options.nkept; i++) {
		strcpy(text, options.kept[i]);
		failed += !check_text("kept", text, MORE * options.schedules);
	}
	for (uint64_t i = 0; i < options.programs && !options.only_kept && failed < options.failures; i++) {
		if (options.seconds > 0 && seconds_now() - start > options.seconds)
			break;
		uint64_t seed = options.from + i * options.step;
		cluster_draw(seed, options.size, text);
		snprintf(origin, sizeof origin, "seed %" PRIu64, seed);
		failed += !check_text(origin, text, options.schedules);
	}
	return failed;
}

int main(int argc, char **argv)
{
	static const char *const usual[MAX_SEARCHES] = {"optimal", "source", "dpor"};
	double start = seconds_now();

	for (int i = 1; i < argc; i++)
		if (!parse(argv[i]))
			die("`%s' is not understood, or cannot be read: see tests/random/cluster.c", argv[i]);
	if (!options.nsearches) {
		memcpy(options.searches, usual, sizeof usual);
		options.nsearches = MAX_SEARCHES;
	}
	for (unsigned i = 0; i < options.nsearches; i++)
		if (!(compared[i] = strategy_find(options.searches[i])))
			die("there is no search strategy `%s'", options.searches[i]);
	totals = mmap(NULL, sizeof *totals, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (totals == MAP_FAILED)
		failure("no memory");
	unsigned failed = check_all(start);
	printf("searches by several workers:\n  %" PRIu64 " programs in %.0f s, %" PRIu64 " left out; %" PRIu64
	       " runs, %" PRIu64 " with more than one unit, %" PRIu64 " units;\n  %" PRIu64 " executions, %" PRIu64
	       " given up; %" PRIu64 " workers lost, %" PRIu64 " resumed; %u failed\n",
	       totals->programs, seconds_now() - start, totals->left_out, totals->runs, totals->shared, totals->units,
	       totals->executions, totals->blocked, totals->losses, totals->resumed, failed);
	return failed || !totals->runs;
}
