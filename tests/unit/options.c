/* The command line of `inspect check`. */
#define _GNU_SOURCE
#include "check.h"

#include "cli/options.h"
#include "explore/explore.h"
#include "explore/strategies.h"

#include <stdlib.h>

/* Parses the blank-separated words. */
static char *parse(struct check_options *options, const char *words)
{
	static char copy[512], *arguments[64];
	unsigned count = 0;

	snprintf(copy, sizeof copy, "%s", words);
	for (char *word = strtok(copy, " "); word; word = strtok(NULL, " "))
		arguments[count++] = word;
	arguments[count] = NULL;
	return options_parse(options, arguments);
}

static void check_good(struct check_options *options, const char *words)
{
	char *why = parse(options, words);

	if (why)
		printf("%s: %s\n", words, why);
	CHECK(!why);
	free(why);
}

/* Refused, with a line that contains the text. */
static void check_bad(const char *words, const char *text)
{
	struct check_options options;
	char *why = parse(&options, words);

	if (!why || !strstr(why, text))
		printf("%s: %s\n", words, why ? why : "accepted");
	CHECK(why && strstr(why, text) && !strchr(why, '\n'));
	free(why);
	options_release(&options);
}

static void test_defaults(void)
{
	struct check_options options;

	check_good(&options, "a.c");
	CHECK_TEXT(options.search, "optimal");
	CHECK(options.isolation == ISOLATION_SNAPSHOT && options.exit_status == EXIT_MIXED);
	CHECK(!options.max_executions && !options.max_errors && options.max_time == 0);
	CHECK(options.watchdog == 10 && options.max_steps > 0 && options.max_steps <= MAX_EVENTS);
	CHECK(!options.json && !options.trace && !options.keep_going && !options.quiet && !options.help);
	CHECK(options.inputs.count == 1);
	CHECK(!*options.arguments);
	options_release(&options);
}

static void test_values(void)
{
	struct check_options options;

	check_good(&options, "--search=dpor --isolation fork --max-executions=5 a.c --max-time .5 --exit-status=zero "
			     "--seed=18446744073709551615 -q --json=- --trace out -DN=3 --keep-going");
	CHECK_TEXT(options.search, "dpor");
	CHECK(options.isolation == ISOLATION_FORK && options.exit_status == EXIT_ZERO);
	CHECK(options.max_executions == 5 && options.max_time == 0.5 && options.seed == UINT64_MAX);
	CHECK(options.quiet && options.keep_going);
	CHECK_TEXT(options.json, "-");
	CHECK_TEXT(options.trace, "out");
	CHECK(options.inputs.count == 2);
	options_release(&options);
}

static void test_inputs(void)
{
	struct check_options options;

	check_good(&options, "a.c -I inc -D --seed=1 -std=c11 --std=c11 b.c -lm -O2 -- -q --search=none x");
	CHECK(options.inputs.count == 10);
	CHECK_TEXT(options.inputs.items[4], "--seed=1"); /* the value of -D */
	CHECK(!options.seed && !options.quiet);
	CHECK_TEXT(options.arguments[0], "-q");
	CHECK_TEXT(options.arguments[2], "x");
	CHECK(!options.arguments[3]);
	options_release(&options);
	check_good(&options, "--help --nonsense");
	CHECK(options.help);
	options_release(&options);
}

static void test_bad_numbers(void)
{
	check_bad("--max-executions=0 a.c", "too small");
	check_bad("--max-executions=-1 a.c", "whole number");
	check_bad("--max-executions=+1 a.c", "whole number");
	check_bad("--max-executions=1e3 a.c", "whole number");
	check_bad("--max-executions=0x10 a.c", "whole number");
	check_bad("--max-executions= a.c", "whole number");
	check_bad("--max-executions=18446744073709551616 a.c", "too large");
	check_bad("--max-steps=1000001 a.c", "at most 1000000");
	check_bad("--max-time=-1 a.c", "seconds");
	check_bad("--max-time=inf a.c", "seconds");
	check_bad("--max-time=nan a.c", "seconds");
	check_bad("--max-time=0x1p3 a.c", "seconds");
	check_bad("--max-time=1s a.c", "seconds");
	check_bad("--max-time=0 a.c", "too small");
	check_bad("--max-time=1e999 a.c", "too large");
	check_bad("--watchdog=. a.c", "seconds");
}

static void test_mistakes(void)
{
	check_bad("--serach=dpor a.c", "did you mean --search?");
	check_bad("--keepgoing a.c", "did you mean --keep-going?");
	check_bad("--max-exec=3 a.c", "did you mean --max-executions?");
	check_bad("--zzzzzzzz a.c", "--help");
	check_bad("--search=bounded a.c", "not available in this version");
	check_bad("--search=quick a.c", "not known");
	check_bad("--search=quick a.c", "source");
	check_bad("--isolation=none a.c", "snapshot|fork");
	check_bad("--isolation=snap a.c", "snapshot|fork");
	check_bad("--keep-going=yes a.c", "takes no value");
	check_bad("a.c --json", "needs a value");
	check_bad("--json= a.c", "needs a value: --json=FILE");
	check_bad("a.c -I", "needs a value");
	check_bad("a.c -o x", "-o");
	check_bad("-c a.c", "-c");
	check_bad("-q -v a.c", "exclude");
}

static void test_closest_word(void)
{
	static const char *const words[] = {"check", "cc", "replay", NULL};

	CHECK_TEXT(closest_word("chekc", words), "check");
	CHECK_TEXT(closest_word("rep", words), "replay");
	CHECK(!closest_word("frobnicate", words));
	CHECK(!closest_word("", words));
}

/* Every strategy is accepted and in the help. */
static void test_strategies(void)
{
	char *help = NULL;
	size_t size;
	FILE *out = open_memstream(&help, &size);

	options_print_help(out);
	fclose(out);
	for (const struct strategy *strategy = named_strategy(NULL); strategy; strategy = named_strategy(strategy)) {
		struct check_options options;
		char words[64];
		snprintf(words, sizeof words, "--search=%s a.c", strategy->name);
		check_good(&options, words);
		options_release(&options);
		CHECK(strstr(help, strategy->name) != NULL);
	}
	for (char *line = strtok(help, "\n"); line; line = strtok(NULL, "\n"))
		CHECK(strlen(line) <= 80);
	free(help);
}

int main(void)
{
	TEST(test_defaults);
	TEST(test_values);
	TEST(test_inputs);
	TEST(test_bad_numbers);
	TEST(test_mistakes);
	TEST(test_closest_word);
	TEST(test_strategies);
	return check_result();
}
