/*
 * inspect-instrument [-i] [-s] -o OUT.o [-w] INPUT…
 *
 * An input is bitcode, an object or shared object with a bitcode section, an
 * archive of those, or a native object (which only tells what it needs).  Of an
 * archive after -w all members are taken, needed or not.
 * With -i it is started before its inputs are there, because loading LLVM takes its time:
 * it begins when it reads a byte from stdin, and ends when there is none.
 * With -s the program keeps its threads' local state (insert_state.c).
 * Silent when all is well; otherwise one line on stderr and exit status 2 (the
 * program cannot be instrumented) or 4 (LLVM failed).
 */
#define _GNU_SOURCE
#include "build/instrument/instrument.h"

#include "common/invariant.h"
#include "common/trouble.h"

#include <errno.h>
#include <llvm-c/Analysis.h>
#include <llvm-c/ErrorHandling.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *value_name(LLVMValueRef value)
{
	size_t length;
	const char *name = LLVMGetValueName2(value, &length);

	invariant(name); /* "" for a value without one */
	return name;
}

bool is_native(LLVMValueRef function)
{
	invariant(LLVMIsAFunction(function));
	return LLVMGetStringAttributeAtIndex(function, LLVMAttributeFunctionIndex, NATIVE_FUNCTION,
					     strlen(NATIVE_FUNCTION)) != NULL;
}

bool has_prefix(const char *text, const char *prefix)
{
	return !strncmp(text, prefix, strlen(prefix));
}

static void on_fatal_error(const char *reason)
{
	failure("LLVM failed: %s", reason);
}

/* Errors of the linker and of inline assembly arrive here; without a handler LLVM would end the process itself. */
static void on_diagnostic(LLVMDiagnosticInfoRef info, void *context)
{
	char *text;

	(void)context;
	if (LLVMGetDiagInfoSeverity(info) != LLVMDSError)
		return;
	text = LLVMGetDiagInfoDescription(info);
	die("%s", text);
}

static void verify(struct program *program)
{
	char *problem = NULL;

	if (LLVMVerifyModule(program->module, LLVMReturnStatusAction, &problem))
		failure("the instrumented program is not valid: %s", problem);
	LLVMDisposeMessage(problem);
}

/* The same question between the steps. */
static bool is_valid(const struct program *program)
{
	return !LLVMVerifyModule(program->module, LLVMReturnStatusAction, NULL);
}

static void instrument(const struct input *inputs, unsigned count, const char *output, bool stateful)
{
	struct program program = {.context = LLVMContextCreate(), .stateful = stateful};

	LLVMInstallFatalErrorHandler(on_fatal_error);
	LLVMContextSetDiagnosticHandler(program.context, on_diagnostic, NULL);
	load_program(&program, inputs, count);
	invariant(program.module && program.layout);
	prepare_program(&program);
	debug_invariant(is_valid(&program));
	make_atomic_blocks(&program);
	debug_invariant(is_valid(&program));
	lower_wide_atomics(&program);
	debug_invariant(is_valid(&program));
	instrument_program(&program);
	verify(&program);
	emit_object(&program, output);
}

static bool inputs_come(void)
{
	char byte;
	ssize_t got;

	while ((got = read(STDIN_FILENO, &byte, 1)) < 0 && errno == EINTR)
		;
	return got == 1;
}

int main(int argc, char **argv)
{
	struct input *inputs = xcalloc((unsigned)argc, sizeof *inputs);
	const char *output = NULL;
	unsigned count = 0;
	bool early = false, stateful = false;
	int option;

	/* "-": inputs are the option 1, in their place between the others */
	while ((option = getopt(argc, argv, "-io:sw")) != -1) {
		if (option == 'i')
			early = true;
		else if (option == 'o')
			output = optarg;
		else if (option == 's')
			stateful = true;
		else if (option == 'w')
			inputs[count].whole = true;
		else if (option == 1)
			inputs[count++].path = optarg;
		else
			return STATUS_USAGE;
	}
	invariant(count < (unsigned)argc); /* the first argument is our own name */
	if (!output || !count)
		die("usage: inspect-instrument [-i] [-s] -o OUT.o [-w] INPUT...");
	if (early && !inputs_come())
		_exit(STATUS_VERIFIED);
	instrument(inputs, count, output, stateful);
	/* the process ends here: taking a large module apart piece by piece would only cost time */
	_exit(STATUS_VERIFIED);
}
