/*
 * Names, descriptions and reports.  The program is its own subject: it carries a
 * site table, and its variables are those of the made-up executions.
 */
#define _GNU_SOURCE
#include "check.h"

#include "common/utf8.h"
#include "report/format/format.h"
#include "report/account/telling.h"
#include "report/story.h"
#include "wire/sites.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#define PIE_ADDRESS 0x555555554000ull

struct stats {
	int hits;
	struct {
		long a, b;
	} pair[3];
	pthread_mutex_t lock;
};

struct stats stats;
int counter = 1;
int table[4][8];
pthread_mutex_t first_lock, second_lock;
pthread_cond_t ready;

void *worker(void *argument);
void *worker(void *argument)
{
	counter += stats.hits + table[0][0];
	return argument;
}

/* --- the site table --- */

enum { NO_SITE, SITE_LOCK, SITE_COUNT, SITE_HEAP, SITE_MAIN, SITES };

static const struct {
	struct sites_header header;
	struct site_record records[SITES];
	char pool[40];
} site_table __attribute__((section(SITES_SECTION), used)) = {
	.header = {SITES_MAGIC, SITES_VERSION, SITES, 40, 0x1234},
	.records =
		{
			[SITE_LOCK] = {1, 0, 10, 0, 10, 2},
			[SITE_COUNT] = {1, 0, 10, 17, 11, 3},
			[SITE_HEAP] = {1, 0, 10, 25, 12, 4},
			[SITE_MAIN] = {1, 0, 33, 0, 20, 5},
		},
	/*         1          10       17        25        33 */
	.pool = "\0d/race.c\0worker\0counter\0p->next\0main",
};

/* Offsets of the pool, computed, so that the table above cannot be wrong unnoticed. */
static void test_site_table(void)
{
	CHECK_TEXT(site_table.pool + 1, "d/race.c");
	CHECK(site_table.header.pool_size == sizeof site_table.pool);
}

/* --- helpers --- */

static struct symbols *symbols;

extern char __executable_start;

/* Where the variable would be in a program under test. */
static uint64_t at(const volatile void *address)
{
#ifdef __PIE__
	return (uint64_t)address - (uint64_t)&__executable_start + PIE_ADDRESS;
#else
	return (uint64_t)address;
#endif
}

static struct event event(unsigned thread, unsigned kind, unsigned site, uint64_t object)
{
	return (struct event){.thread = (uint8_t)thread,
			      .enabled = 7,
			      .op = {.kind = (uint8_t)kind, .site = site, .object = object}};
}

static struct event access_event(unsigned thread, unsigned kind, unsigned site, const volatile void *object)
{
	struct event made = event(thread, kind, site, at(object));

	made.op.size = 4;
	return made;
}

#define MAX_SAMPLE 16

static struct event events[MAX_SAMPLE];
static uint64_t after[MAX_SAMPLE];
static struct pending pending[MAX_SAMPLE];
static struct execution execution;

static void sample_clear(void)
{
	execution = (struct execution){
		.events = events,
		.after = after,
		.pending = pending,
		.nthreads = 3,
		.names = {[1] = {.parent = 0, .index = 1}, [2] = {.parent = 0, .index = 2}},
	};
}

static void sample_add(struct event added, int64_t before, int64_t then)
{
	added.value = (uint64_t)before;
	after[execution.nevents] = (uint64_t)then;
	events[execution.nevents++] = added;
}

static void sample_create(unsigned child)
{
	struct event made = event(0, EV_CREATE, SITE_MAIN, at((void *)(uintptr_t)worker));

	made.op.target = child;
	sample_add(made, 0, 0);
}

static void sample_pend(unsigned thread, unsigned kind, unsigned site, uint64_t object)
{
	pending[execution.npending++] = (struct pending){
		.thread = (uint8_t)thread,
		.op = {.kind = (uint8_t)kind, .site = site, .object = object, .target = (uint32_t)object}};
}

static void check_step(uint32_t step, const char *expected)
{
	struct story story;
	struct buffer text = {0};

	story_init(&story, &execution, symbols);
	describe_step(&text, &story, step);
	CHECK_TEXT(buffer_text(&text), expected);
	buffer_release(&text);
}

static void check_last(const char *expected)
{
	check_step(execution.nevents - 1, expected);
}

static char *report(const struct finding *finding, enum report_detail detail)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	struct account account;

	account_init(&account, finding, symbols, detail);
	print_account(out, &account, detail);
	account_release(&account);
	fclose(out);
	return text;
}

/* --- symbols --- */

static void check_variable(const volatile void *address, uint32_t size, const char *expected)
{
	char name[128] = "";

	CHECK(symbols_variable(symbols, at(address), size, name, sizeof name));
	CHECK_TEXT(name, expected);
}

static void test_sites(void)
{
	struct place place = symbols_site(symbols, SITE_COUNT);

	CHECK(symbols_program_id(symbols) == 0x1234);
	CHECK_TEXT(place.file, "d/race.c");
	CHECK_TEXT(place.function, "worker");
	CHECK_TEXT(place.variable, "counter");
	CHECK(place.line == 11 && place.column == 3);
	CHECK_TEXT(symbols_short_file(symbols, place), "race.c");
	CHECK_TEXT(symbols_site(symbols, 0).file, "");
	CHECK_TEXT(symbols_site(symbols, SITES).file, "");
	CHECK_TEXT(symbols_site(symbols, UINT32_MAX).file, "");
}

static void test_variables(void)
{
	check_variable(&counter, 4, "counter");
	check_variable(&table[2][3], 4, "table[2][3]");
	check_variable(&table, sizeof table, "table");
	check_variable(&stats.hits, 4, "stats.hits");
	check_variable(&stats, sizeof stats, "stats");
	check_variable(&stats.pair[1].b, 8, "stats.pair[1].b");
	check_variable(&stats.lock, 0, "stats.lock");
	check_variable((char *)&stats.lock + 3, 1, "stats.lock+3");
	check_variable(&first_lock, 0, "first_lock");
	CHECK(!symbols_variable(symbols, HEAP_ADDRESS, 4, (char[8]){""}, 8));
}

static void check_data(uint64_t address, const char *expected)
{
	char name[128];

	sample_clear();
	symbols_data(symbols, address, execution.names, name, sizeof name);
	CHECK_TEXT(name, expected);
}

static void test_data(void)
{
	check_data(at(&counter), "counter");
	check_data(HEAP_ADDRESS + 0x40, "heap of main+0x40");
	check_data(HEAP_ADDRESS + HEAP_SIZE + 0x10, "heap of main.1+0x10");
	check_data(STACK_ADDRESS + 2 * STACK_SIZE + 5, "stack of main.2");
	check_data(0x10, "0x10");
}

static void test_code(void)
{
	struct place place = symbols_code(symbols, at((void *)(uintptr_t)worker));
	const char *name = symbols_function(symbols, at((void *)(uintptr_t)worker));

	CHECK_TEXT(place.function, "worker");
	CHECK(strstr(place.file, "report.c") != NULL && place.line > 0);
	CHECK(name && !strcmp(name, "worker"));
	CHECK(!symbols_function(symbols, at((void *)(uintptr_t)worker) + 1));
	CHECK_TEXT(symbols_code(symbols, 0x10).file, "");
}

static void test_thread_names(void)
{
	struct thread_name names[MAX_THREADS] = {[1] = {0, 0, 2}, [2] = {1, 0, 1}, [3] = {3, 0, 1}};
	char name[64], tiny[6];

	thread_name_format(names, 0, name, sizeof name);
	CHECK_TEXT(name, "main");
	thread_name_format(names, 2, name, sizeof name);
	CHECK_TEXT(name, "main.2.1");
	thread_name_format(names, 2, tiny, sizeof tiny);
	CHECK_TEXT(tiny, "main.");
	thread_name_format(names, 3, name, sizeof name); /* its own parent: damaged, but no endless loop */
	CHECK_TEXT(name, "main.1");
}

static void check_refused(const char *program, const char *expected)
{
	char *why = NULL;

	CHECK(!symbols_open(program, &why));
	CHECK_TEXT(why ? why : "", expected);
	free(why);
}

static void test_not_ours(void)
{
	check_refused("/nowhere", "cannot read /nowhere: No such file or directory");
	check_refused("/tmp", "/tmp is a directory");
	check_refused("/dev/null", "/dev/null is neither a C source nor a program");
	check_refused("/etc/passwd", "/etc/passwd is neither a C source nor a program");
	check_refused("/bin/true", "/bin/true was not built with `inspect cc`");
}

/* --- descriptions --- */

static void test_describe_memory(void)
{
	sample_clear();
	execution.npending = 1;
	pending[0] = (struct pending){.thread = 1};
	sample_add(access_event(1, EV_READ, SITE_COUNT, &counter), 5, 0);
	check_last("read counter = 5");
	sample_add(access_event(1, EV_WRITE, SITE_COUNT, &counter), 0, -1);
	check_last("write counter: 0 → -1");
	sample_add(access_event(1, EV_ATOMIC_CAS, SITE_COUNT, &table[0][3]), 0, 11);
	check_last("compare-and-swap table[0][3]: 0 → 11");
	sample_add(event(1, EV_WRITE, SITE_HEAP, HEAP_ADDRESS), 0, (int64_t)at(&counter));
	events[3].op.size = 8;
	check_last("write p->next: 0 → &counter");
	events[3].op.size = 24;
	check_last("write p->next (24 bytes)");
	events[3].op.site = NO_SITE;
	check_last("write heap of main+0x0 (24 bytes)");
}

static void test_describe_free(void)
{
	sample_clear();
	sample_add(event(1, EV_FREE, SITE_HEAP, HEAP_ADDRESS), 0, 1);
	events[0].op.size = 8;
	check_last("free(p->next)");
	sample_add(event(1, EV_STACK_END, NO_SITE, STACK_ADDRESS), 0, 1);
	events[1].op.size = 64;
	check_last("end of stack");
	sample_add(access_event(1, EV_WRITE, SITE_COUNT, &counter), 3, 0);
	sample_add(event(1, EV_BAD_ACCESS, SITE_COUNT, 0), 0, 0);
	execution.fault_address = at(&counter);
	check_step(2, "write counter");
	check_last("bad memory access");
}

static void test_describe_unfinished(void)
{
	sample_clear();
	sample_add(access_event(1, EV_WRITE, SITE_COUNT, &counter), 3, 0);
	check_last("write counter: 3 → ?");
	sample_add(event(1, EV_CRASH, SITE_COUNT, 0), 0, 0);
	execution.signal = SIGSEGV;
	execution.fault_address = at(&counter);
	check_step(0, "write counter");
	check_last("crash: SIGSEGV");
}

static void test_describe_threads(void)
{
	struct event join = event(0, EV_JOIN, SITE_MAIN, 2);

	sample_clear();
	sample_create(1);
	check_last("create main.1 (worker)");
	join.op.target = 2;
	sample_add(join, 0, 0);
	check_last("join main.2");
	sample_add(event(1, EV_EXIT, NO_SITE, 0), 0, 0);
	check_last("exit thread");
	sample_add(event(0, EV_PROCESS_EXIT, SITE_MAIN, 0), 3, 0);
	check_last("exit process 3");
	sample_add(event(0, EV_ASSERT_FAIL, SITE_MAIN, 0), 0, 0);
	check_last("assertion failed");
}

static void test_describe_locks(void)
{
	sample_clear();
	sample_add(event(1, EV_MUTEX_LOCK, SITE_LOCK, at(&first_lock)), 0, 0);
	check_last("lock(first_lock)");
	sample_add(event(1, EV_MUTEX_TRYLOCK_FAIL, SITE_LOCK, at(&stats.lock)), 0, 0);
	check_last("failed trylock(stats.lock)");
	sample_add(event(1, EV_COND_WAIT, SITE_LOCK, at(&ready)), 0, 0);
	events[2].op.object2 = at(&first_lock);
	check_last("wait(ready) releases first_lock");
	sample_add(event(2, EV_COND_BROADCAST, SITE_LOCK, at(&ready)), 3, 0);
	check_last("broadcast(ready) wakes main, main.1");
	sample_add(event(2, EV_COND_SIGNAL_NONE, SITE_LOCK, at(&ready)), 0, 0);
	check_last("signal(ready), nobody waits");
	sample_add(event(1, EV_COND_WAKE, SITE_LOCK, at(&first_lock)), 0, 0);
	check_last("wake, lock(first_lock)");
}

/* Whatever the kind, there is something to say about it. */
static void test_describe_every_kind(void)
{
	for (unsigned kind = 1; kind < EV_COUNT; kind++) {
		struct story story;
		struct buffer text = {0};
		sample_clear();
		sample_add(event(1, kind, NO_SITE, 2), 0, 0);
		story_init(&story, &execution, symbols);
		describe_step(&text, &story, 0);
		CHECK(text.size > 0);
		buffer_release(&text);
	}
}

/* --- whole reports --- */

static bool contains(const char *text, const char *part)
{
	if (strstr(text, part))
		return true;
	printf("\"%s\" expected in:\n%s\n", part, text);
	return false;
}

static void test_deadlock(void)
{
	struct finding finding = {.kind = FINDING_DEADLOCK, .message = strdup("?"), .thread = 1, .site = SITE_LOCK};
	char *text;

	sample_clear();
	sample_create(1);
	sample_create(2);
	sample_add(event(1, EV_MUTEX_LOCK, SITE_LOCK, at(&first_lock)), 0, 0);
	sample_add(event(2, EV_MUTEX_LOCK, SITE_LOCK, at(&second_lock)), 0, 0);
	sample_pend(0, EV_JOIN, SITE_MAIN, 1);
	sample_pend(1, EV_MUTEX_LOCK, SITE_LOCK, at(&second_lock));
	sample_pend(2, EV_MUTEX_LOCK, SITE_LOCK, at(&first_lock));
	finding.execution = execution;
	finding_finish_message(&finding, symbols);
	text = report(&finding, REPORT_NORMAL);
	CHECK_TEXT(finding.message, "lock cycle: main.1 waits for second_lock held by main.2 (locked at race.c:10), "
				    "main.2 waits for first_lock held by main.1 (locked at race.c:10); "
				    "main waits for the end of main.1");
	CHECK(contains(text, "DEADLOCK: lock cycle, at d/race.c:10 in worker\n"));
	CHECK(contains(text, "main waits for the end of main.1, at race.c:20 in main\n"));
	CHECK(contains(text, "main.1 (worker) waits for second_lock held by main.2 (locked at race.c:10)"));
	CHECK(contains(text, "it holds first_lock (since race.c:10, step 3)"));
	CHECK(contains(text, "The cycle: main.1 waits for second_lock, held by main.2, which waits for"));
	CHECK(contains(text, "waits: lock(first_lock)"));
	free(text);
	free(finding.message);
}

/* A deadlock of the sample as it is, in one line. */
static void check_deadlock(const char *expected)
{
	struct finding finding = {.kind = FINDING_DEADLOCK, .message = strdup("?")};

	finding.execution = execution;
	finding_finish_message(&finding, symbols);
	CHECK_TEXT(finding.message, expected);
	free(finding.message);
}

static void test_deadlock_messages(void)
{
	sample_clear();
	sample_add(event(0, EV_MUTEX_LOCK, SITE_MAIN, at(&first_lock)), 0, 0);
	sample_pend(0, EV_MUTEX_LOCK, SITE_MAIN, at(&first_lock));
	check_deadlock("the last thread waits for ever: main waits for first_lock, which it holds itself (locked at "
		       "race.c:20)");
	sample_clear();
	sample_add(event(1, EV_COND_WAIT, SITE_LOCK, at(&ready)), 0, 0);
	sample_pend(0, EV_JOIN, SITE_MAIN, 1);
	sample_pend(1, EV_COND_WAKE, SITE_LOCK, at(&first_lock));
	pending[1].waiting = 1;
	check_deadlock(
		"both threads wait for ever: main waits for the end of main.1, main.1 waits on condition variable "
		"ready, and no thread is left that could signal it");
	sample_clear();
	sample_pend(0, EV_JOIN, SITE_MAIN, 1);
	sample_pend(1, EV_JOIN, SITE_LOCK, 0);
	check_deadlock("join cycle: main waits for the end of main.1, main.1 waits for the end of main");
	sample_clear();
	execution.ending = ENDING_EXIT;
	sample_add(event(1, EV_MUTEX_LOCK, SITE_LOCK, at(&first_lock)), 0, 0);
	sample_add(event(1, EV_EXIT, NO_SITE, 0), 0, 0);
	sample_pend(0, EV_PROCESS_EXIT, SITE_MAIN, 0);
	pending[0].enabled = 1;
	sample_pend(2, EV_MUTEX_LOCK, SITE_LOCK, at(&first_lock));
	check_deadlock(
		"a thread can never go on, although the program ends: main.2 waits for first_lock held by main.1, "
		"which has ended (locked at race.c:10)");
}

/* Three threads are spelled out, the others counted. */
static void test_deadlock_of_many(void)
{
	sample_clear();
	execution.nthreads = 6;
	sample_add(event(0, EV_MUTEX_LOCK, SITE_MAIN, at(&first_lock)), 0, 0);
	for (unsigned t = 0; t < 6; t++) {
		execution.names[t] = (struct thread_name){.index = (uint16_t)t};
		sample_pend(t, EV_MUTEX_LOCK, SITE_LOCK, at(&first_lock));
	}
	check_deadlock("all 6 threads wait for ever: main waits for first_lock, which it holds itself (locked at "
		       "race.c:20); main.1 waits for first_lock held by main (locked at race.c:20), main.2 waits for "
		       "first_lock held by main (locked at race.c:20); and 3 more");
}

static void test_held_at_exit(void)
{
	struct finding finding = {.kind = FINDING_LOCK,
				  .message = strdup("?"),
				  .thread = 1,
				  .site = SITE_LOCK,
				  .object = at(&first_lock)};

	sample_clear();
	sample_add(event(1, EV_MUTEX_LOCK, SITE_LOCK, at(&first_lock)), 0, 0);
	sample_add(event(1, EV_EXIT, NO_SITE, 0), 0, 0);
	finding.execution = execution;
	finding_finish_message(&finding, symbols);
	CHECK_TEXT(finding.message, "main.1 ends while it holds first_lock (locked at race.c:10)");
	free(finding.message);
}

static void test_race(void)
{
	struct finding finding = {.kind = FINDING_RACE,
				  .message = strdup("?"),
				  .thread = 2,
				  .site = SITE_COUNT,
				  .other_thread = 1,
				  .other_site = SITE_COUNT,
				  .trace_path = "x.inspect"};
	char *text;

	sample_clear();
	sample_create(1);
	sample_create(2);
	sample_add(event(1, EV_MUTEX_LOCK, SITE_LOCK, at(&first_lock)), 0, 0);
	sample_add(access_event(1, EV_READ, SITE_COUNT, &counter), 0, 0);
	sample_add(access_event(2, EV_WRITE, SITE_COUNT, &counter), 0, 1);
	finding.execution = execution;
	finding_finish_message(&finding, symbols);
	text = report(&finding, REPORT_NORMAL);
	CHECK_TEXT(finding.message,
		   "data race on counter: write by main.2 at race.c:11 holding no lock and read by main.1 at race.c:11 "
		   "holding first_lock (locked at race.c:10) are not ordered");
	CHECK(contains(text, "RACE: data race on counter, at d/race.c:11 in worker\n"));
	CHECK(contains(text, "main.1 (worker): read counter (4 bytes) at race.c:11 in worker, holding"));
	CHECK(contains(text, "first_lock (since race.c:10, step 3)"));
	CHECK(contains(text, "\n!*    5"));
	CHECK(contains(text, "replay: inspect replay x.inspect\n"));
	free(text);
	text = report(&finding, REPORT_BRIEF);
	CHECK(!strstr(text, "Interleaving"));
	free(text);
	free(finding.message);
}

/* The runtime's frames come first, then the function of the step and its callers, up to what is unknown. */
static void test_stack(void)
{
	struct place places[MAX_FRAMES];
	struct buffer text = {0};
	struct story story;
	char expected[64];

	sample_clear();
	sample_add(access_event(1, EV_WRITE, SITE_COUNT, &counter), 0, 1);
	execution.watch[1] = 1;
	execution.stacks[1][0] = at((void *)(uintptr_t)check_step) + 1;
	execution.stacks[1][1] = at((void *)(uintptr_t)worker) + 1;
	execution.stacks[1][2] = at((void *)(uintptr_t)test_race) + 1;
	execution.stacks[1][3] = 16;
	execution.stacks[1][4] = at((void *)(uintptr_t)test_race) + 1;
	story_init(&story, &execution, symbols);
	CHECK(story_stack(&story, 0, places) == 2);
	CHECK(places[0].line == 11);
	CHECK_TEXT(places[1].function, "test_race");
	snprintf(expected, sizeof expected, "report.c:%u in test_race", places[1].line);
	add_callers(&text, &story, 0);
	CHECK(!strncmp(buffer_text(&text), "called at ", 10) && contains(buffer_text(&text), expected));
	buffer_release(&text);
	execution.stacks[1][1] = 0; /* no frame of the step's function: better nothing than a wrong stack */
	CHECK(story_stack(&story, 0, places) == 0);
	execution.watch[1] = 0;
	CHECK(story_stack(&story, 0, places) == 0);
}

static void test_report_memory(void)
{
	struct finding finding = {.kind = FINDING_MEMORY, .message = strdup("read of 4 bytes"), .site = SITE_COUNT};
	char *text;

	sample_clear();
	sample_create(1);
	sample_add(event(0, EV_BAD_ACCESS, SITE_COUNT, 0), 0, 0);
	execution.block = (struct block_info){.address = HEAP_ADDRESS,
					      .size = 10,
					      .alloc_site = SITE_HEAP,
					      .free_site = SITE_LOCK,
					      .free_thread = 1,
					      .freed = true};
	finding.execution = execution;
	finding_finish_message(&finding, symbols);
	CHECK_TEXT(finding.message, "read of 4 bytes (allocated by main at race.c:12, freed by main.1 at race.c:10)");
	text = report(&finding, REPORT_NORMAL);
	CHECK(contains(text, "  The block was allocated by main at race.c:12 in worker\n"));
	CHECK(contains(text, "  and freed by main.1 (worker) at race.c:10 in worker\n"));
	free(text);
	free(finding.message);
}

/* Many threads and narrow pages: no line of the table is wider than the page. */
static void test_widths(void)
{
	struct finding finding = {.kind = FINDING_ASSERTION, .message = "x", .site = SITE_COUNT};
	char width[16];

	sample_clear();
	execution.nthreads = 12;
	for (unsigned t = 1; t < 12; t++) {
		execution.names[t] = (struct thread_name){.parent = (uint8_t)(t - 1), .index = 1};
		sample_add(access_event(t, EV_WRITE, SITE_COUNT, &table[1][t % 8]), 0, 1);
	}
	finding.execution = execution;
	for (unsigned columns = 66; columns < 250; columns++) {
		snprintf(width, sizeof width, "%u", columns);
		setenv("COLUMNS", width, 1);
		char *text = report(&finding, REPORT_FULL), *rest = text, *line;
		while ((line = strsep(&rest, "\n"))) {
			size_t continuation = 0;
			for (char *c = line; *c; c++)
				continuation += ((unsigned char)*c & 0xc0) == 0x80;
			CHECK(strlen(line) - continuation <= columns);
		}
		free(text);
	}
	unsetenv("COLUMNS");
}

static void test_output(void)
{
	struct finding finding = {.kind = FINDING_ASSERTION, .message = "x"};
	char *text, output[200] = "a\033[31m\n";

	for (unsigned i = 0; i < 30; i++)
		strcat(output, "l\n");
	sample_clear();
	execution.output = output;
	execution.stdout_size = (uint32_t)strlen(output);
	finding.execution = execution;
	text = report(&finding, REPORT_NORMAL);
	CHECK(contains(text, "  | a\\x1b[31m\n  | l\n"));
	CHECK(contains(text, "  | … 11 more lines\n"));
	free(text);
}

/* --- headings --- */

static char *heading(enum finding_kind kind, const char *message, struct place place)
{
	struct finding finding = {.kind = kind};
	struct account account = {.finding = &finding, .place = place};
	char *line = make_heading(&account, message);

	CHECK(utf8_width(line) <= HEADING_WIDTH);
	return line;
}

static void check_heading(const char *message, const char *file, const char *function, const char *expected)
{
	char *line = heading(FINDING_RACE, message, (struct place){.file = file, .function = function, .line = 12});

	CHECK_TEXT(line, expected);
	free(line);
}

/* What is too long gives way: first the path, then the function, then what is said. */
static void test_headings(void)
{
	check_heading("data race on x", "x.c", "worker", "RACE: data race on x, at x.c:12 in worker");
	check_heading("data race on x", "", "", "RACE: data race on x");
	check_heading("data race on x",
		      "/a/path/of/many/directories/that/nobody/wants/to/read/in/a/heading/of/a/report/x.c", "worker",
		      "RACE: data race on x, at …/that/nobody/wants/to/read/in/a/heading/of/a/report/x.c:12 in worker");
	check_heading(
		"data race on x", "x.c",
		"std::vector<std::pair<int, std::string>>::operator[](std::vector<std::pair<int, std::string>>)",
		"RACE: data race on x, at x.c:12 in std::vector<std::pair<int, std::…or<std::pair<int, std::string>>)");
	check_heading(
		"something happened: it was quite unexpected, and it takes more words to say than there is room for",
		"x.c", "worker", "RACE: something happened: it was quite unexpected, at x.c:12 in worker");
	check_heading(
		"this takes more words to say than there is room for in a heading that has to fit on one single line",
		"x.c", "worker",
		"RACE: this takes more words to say than there is room for in a heading that…, at x.c:12 in worker");
	check_heading(
		"assertion `a_name_that_is_long > another_name_that_is_long && what_else_there_may_be == 12345' failed",
		"x.c", "worker",
		"RACE: assertion `a_name_that_is_long > ano…t_else_there_may_be == 12345' failed, at x.c:12 in worker");
	check_heading("one line\nand another", "x.c", "worker", "RACE: one line and another, at x.c:12 in worker");
}

/* Whatever the kind and however long the names: one line of 100 columns. */
static void test_enormous_names(void)
{
	const char *const letters[] = {"x", "ä", "x ", "x, ", "`x' ", "/x", "…", "\x80", "\xff", "\xc3", " "};

	for (unsigned kind = 0; kind < FINDING_KINDS; kind++)
		for (unsigned i = 0; i < sizeof letters / sizeof *letters; i++)
			for (unsigned count = 1; count < 3000; count = 2 * count + 3) {
				struct buffer name = {0};
				for (unsigned k = 0; k < count; k++)
					buffer_add_text(&name, letters[i]);
				const char *text = buffer_text(&name);
				free(heading(kind, text,
					     (struct place){.file = text, .function = text, .line = UINT32_MAX}));
				free(heading(kind, text, (struct place){.file = "x.c", .function = "f"}));
				free(heading(kind, "x", (struct place){.file = text, .function = "f"}));
				buffer_release(&name);
			}
}

/* What the heading leaves out is said below. */
static void test_rest_of_message(void)
{
	struct finding finding = {
		.kind = FINDING_ASSERTION,
		.message =
			"assertion `one_quite_long_name == 1 && another_quite_long_name == 2 && a_third == 3' failed",
		.site = SITE_COUNT};
	char *text;

	sample_clear();
	sample_add(event(0, EV_ASSERT_FAIL, SITE_COUNT, 0), 0, 0);
	finding.execution = execution;
	setenv("COLUMNS", "200", 1);
	text = report(&finding, REPORT_NORMAL);
	CHECK(contains(text, "ASSERTION: assertion `one_quite_long_name …me == 2 && a_third == 3' failed, at "
			     "d/race.c:11 in worker\n"));
	CHECK(contains(text, "\n  assertion `one_quite_long_name == 1 && another_quite_long_name == 2 && a_third == 3' "
			     "failed, at d/race.c:11 in worker\n"));
	free(text);
	finding.message = "assertion `x' failed";
	text = report(&finding, REPORT_NORMAL);
	CHECK(!strstr(text, "\n  assertion"));
	free(text);
	unsetenv("COLUMNS");
}

static char *summary(const struct result *result)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	struct report report;

	report_init(&report, result, symbols, REPORT_NORMAL);
	print_verdict(out, &report);
	report_release(&report);
	fclose(out);
	return text;
}

static void test_summary(void)
{
	struct finding finding = {.kind = FINDING_RACE, .message = "data race"}, *findings[] = {&finding, &finding};
	struct result result = {.verdict = VERDICT_VERIFIED, .complete = true, .search = "source", .executions = 1234};
	char *text;

	setenv("COLUMNS", "400", 1);
	text = summary(&result);
	CHECK(contains(text, "verified: no deadlock, livelock, data race"));
	CHECK(contains(
		text,
		"misused lock, memory error or schedule-dependent exit status (0 or not) in any interleaving (1234 "
		"executions stand"));
	CHECK(contains(text, "\n1,234 executions, 0 blocked"));
	free(text);
	result.leaks = true;
	text = summary(&result);
	CHECK(contains(text, "misused lock, memory error, leak or schedule-dependent exit status (0 or not)"));
	free(text);
	result.exit_policy = EXIT_SAME;
	text = summary(&result);
	CHECK(contains(text, "leak or schedule-dependent exit status"));
	free(text);
	result.search = "all";
	result.exit_policy = EXIT_ANY;
	text = summary(&result);
	CHECK(contains(text, "misused lock, memory error or leak (exit"));
	CHECK(contains(text, "exit statuses not checked) in all 1234 interleavings"));
	free(text);
	result.verdict = VERDICT_INCOMPLETE;
	result.complete = false;
	result.stopped = "interrupted";
	text = summary(&result);
	CHECK(contains(text, "incomplete: interrupted; no deadlock"));
	CHECK(!strstr(text, "verified"));
	free(text);
	result.verdict = VERDICT_BUG;
	result.findings = findings;
	result.nfindings = 2;
	text = summary(&result);
	CHECK(contains(text, "bug: 2 findings (race × 2); not everything was explored: interrupted"));
	free(text);
	unsetenv("COLUMNS");
}

int main(void)
{
	char *why = NULL;

	symbols = symbols_open("/proc/self/exe", &why);
	if (!symbols) {
		printf("%s\n", why);
		return 1;
	}
	TEST(test_site_table);
	TEST(test_sites);
	TEST(test_variables);
	TEST(test_data);
	TEST(test_code);
	TEST(test_thread_names);
	TEST(test_not_ours);
	TEST(test_describe_memory);
	TEST(test_describe_free);
	TEST(test_describe_unfinished);
	TEST(test_describe_threads);
	TEST(test_describe_locks);
	TEST(test_describe_every_kind);
	TEST(test_deadlock);
	TEST(test_deadlock_messages);
	TEST(test_deadlock_of_many);
	TEST(test_held_at_exit);
	TEST(test_race);
	TEST(test_stack);
	TEST(test_report_memory);
	TEST(test_widths);
	TEST(test_output);
	TEST(test_headings);
	TEST(test_enormous_names);
	TEST(test_rest_of_message);
	TEST(test_summary);
	symbols_free(symbols);
	return check_result();
}
