/*
 * The `inspect` command: finds the subcommand and hands over.
 */
#include "build/build.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/stop.h"
#include "common/invariant.h"
#include "common/trouble.h"
#include "common/version.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_help(FILE *out)
{
	fputs("Usage: inspect check [OPTIONS] FILE.c… [COMPILER FLAGS] [-- ARGUMENTS…]\n"
	      "       inspect check [OPTIONS] PROGRAM [-- ARGUMENTS…]\n"
	      "       inspect cc …            a C compiler and linker that prepares programs\n"
	      "       inspect c++ …           the same for C++\n"
	      "       inspect replay TRACE    run one interleaving again, exactly\n"
	      "       inspect functions       what becomes of the functions that a program calls\n"
	      "       inspect --version, inspect --help, inspect SUBCOMMAND --help\n"
	      "\n"
	      "Inspect finds deadlocks, data races, failed assertions and crashes of\n"
	      "multithreaded C and C++ programs by running them through every relevant\n"
	      "interleaving of their threads, or shows that there are none.\n",
	      out);
}

static void print_cc_help(FILE *out)
{
	fputs("Usage: inspect cc [COMPILER FLAGS] FILE…\n"
	      "\n"
	      "A drop-in replacement for the C compiler and linker: in an unmodified build, set\n"
	      "CC=\"inspect cc\" (or CC=inspect-cc).  The program that it links is given to\n"
	      "`inspect check'.  All flags are those of clang, except that optimisation (-O) and\n"
	      "link-time optimisation (-flto) are ignored.\n"
	      "\n"
	      "  --stateful    when linking: make a program for `inspect check --stateful'; its accesses\n"
	      "                take longer\n",
	      out);
}

static void print_cxx_help(FILE *out)
{
	fputs("Usage: inspect c++ [COMPILER FLAGS] FILE…\n"
	      "\n"
	      "A drop-in replacement for the C++ compiler and linker: in an unmodified build, set\n"
	      "CXX=\"inspect c++\" (or CXX=inspect-c++), and CC=\"inspect cc\" for its C sources.  The\n"
	      "program that it links is given to `inspect check'.  All flags are those of clang++,\n"
	      "except that optimisation (-O) and link-time optimisation (-flto) are ignored;\n"
	      "--stateful is as for `inspect cc'.\n",
	      out);
}

static bool is_help(const char *argument)
{
	return !strcmp(argument, "--help") || !strcmp(argument, "-h");
}

/* What `argv` asks for; argv[0] is the word `cc`. */
static int command_cc(int argc, char **argv)
{
	if (argc == 2 && is_help(argv[1])) {
		print_cc_help(stdout);
		return finish_output(0);
	}
	return build_cc(argc, argv);
}

static int command_cxx(int argc, char **argv)
{
	if (argc == 2 && is_help(argv[1])) {
		print_cxx_help(stdout);
		return finish_output(0);
	}
	return build_cxx(argc, argv);
}

static int command_help(char **arguments)
{
	char *help[] = {"--help", NULL};

	if (*arguments && !strcmp(*arguments, "check"))
		return command_check(help);
	if (*arguments && !strcmp(*arguments, "replay"))
		return command_replay(help);
	if (*arguments && !strcmp(*arguments, "functions"))
		return command_functions(help);
	if (*arguments && !strcmp(*arguments, "cc"))
		print_cc_help(stdout);
	else if (*arguments && !strcmp(*arguments, "c++"))
		print_cxx_help(stdout);
	else if (*arguments)
		die("there is no subcommand %s", *arguments);
	else
		print_help(stdout);
	return finish_output(0);
}

static _Noreturn void die_unknown(const char *word)
{
	static const char *const known[] = {"check", "cc",     "c++",	    "replay", "functions",
					    "help",  "--help", "--version", NULL};
	static const char *const planned[] = {"show", NULL};
	const char *meant = closest_word(word, known);

	for (const char *const *command = planned; *command; command++) {
		if (!strcmp(*command, word))
			die("`inspect %s' is not available in this version", word);
	}
	if (build_is_source(word))
		die("there is no subcommand %s: did you mean `inspect check %s'?", word, word);
	if (meant)
		die("there is no subcommand %s: did you mean `inspect %s'?", word, meant);
	die("there is no subcommand %s; `inspect --help' lists them", word);
}

static int dispatch(int argc, char **argv)
{
	const char *word = argv[1];

	invariant(argc >= 2 && !argv[argc]);
	if (!strcmp(word, "cc"))
		return command_cc(argc - 1, argv + 1);
	if (!strcmp(word, "c++"))
		return command_cxx(argc - 1, argv + 1);
	stop_install();
	if (!strcmp(word, "check"))
		return command_check(argv + 2);
	if (!strcmp(word, "replay"))
		return command_replay(argv + 2);
	if (!strcmp(word, "functions"))
		return command_functions(argv + 2);
	if (!strcmp(word, "help") || is_help(word))
		return command_help(argv + 2);
	if (!strcmp(word, "--version"))
		printf("inspect %s\n", INSPECT_VERSION);
	else if (!strcmp(word, "--dump-man-options"))
		options_print_man(stdout);
	else if (!strcmp(word, "--dump-completion"))
		options_print_completion(stdout);
	else
		die_unknown(word);
	return finish_output(0);
}

int main(int argc, char **argv)
{
	const char *slash = argc ? strrchr(argv[0], '/') : NULL;
	const char *name = !argc ? "" : slash ? slash + 1 : argv[0];
	int status;

	if (!strcmp(name, "inspect-cc"))
		return command_cc(argc, argv);
	if (!strcmp(name, "inspect-c++"))
		return command_cxx(argc, argv);
	if (argc < 2) {
		print_help(stderr);
		return STATUS_USAGE;
	}
	status = dispatch(argc, argv);
	run_cleanups();
	return status;
}
