/*
 * Everything that is left to LLVM: the few passes that are allowed, the
 * program's identity, code generation.
 *
 * Only passes that keep every access to shared memory may run: simplifycfg, dce,
 * early-cse, instcombine and the like lose or move accesses.
 */
#define _GNU_SOURCE
#include "build/instrument/instrument.h"
#include "build/instrument/map.h"
#include "common/invariant.h"
#include "common/trouble.h"

#include <dlfcn.h>
#include <llvm-c/BitWriter.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/Error.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <string.h>

/* Local variables whose address is not taken become values, then attributes of library functions are filled in. */
#define PASSES "function(sroa<preserve-cfg>),inferattrs"

/*
 * An inline function without an external definition anywhere: compilers that
 * inline hide the mistake, we would leave it undefined.  Keep the body, as a
 * static function.  Bodies that the C library's headers give for functions of
 * the C library are dropped instead: the runtime has its own idea of those.
 *
 * The C++ library has its stream templates compiled for char; streams have their own
 * rules and stay outside.  What is written to one is read here, though.
 */
static bool writes_string(const char *name)
{
	return has_prefix(name, "_ZStlsIcSt11char_traits") && strstr(name, "12basic_string");
}

static void keep_inline_bodies(LLVMModuleRef module)
{
	LLVMValueRef function;

	for (function = LLVMGetFirstFunction(module); function; function = LLVMGetNextFunction(function)) {
		if (LLVMGetLinkage(function) != LLVMAvailableExternallyLinkage)
			continue;
		if (writes_string(value_name(function)) || !dlsym(RTLD_DEFAULT, value_name(function)))
			LLVMSetLinkage(function, LLVMInternalLinkage);
	}
}

static void run_passes(LLVMModuleRef module, const char *passes)
{
	LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
	LLVMErrorRef error = LLVMRunPasses(module, passes, NULL, options);

	invariant(options);
	if (error)
		failure("LLVM pass failed: %s", LLVMGetErrorMessage(error));
	LLVMDisposePassBuilderOptions(options);
}

/* Objects may have been compiled with -fno-pic; the program is position independent as a whole. */
static void set_module_flags(struct program *program)
{
	static const char *const flags[] = {"PIC Level", "PIE Level"};
	LLVMTypeRef word = LLVMInt32TypeInContext(program->context);

	for (unsigned i = 0; i < sizeof flags / sizeof *flags; i++)
		if (!LLVMGetModuleFlag(program->module, flags[i], strlen(flags[i])))
			LLVMAddModuleFlag(program->module, LLVMModuleFlagBehaviorWarning, flags[i], strlen(flags[i]),
					  LLVMValueAsMetadata(LLVMConstInt(word, 2, 0)));
}

/* Coroutines would have to be taken apart by passes that move accesses. */
static void refuse_coroutines(struct program *program)
{
	LLVMValueRef function;

	for (function = LLVMGetFirstFunction(program->module); function; function = LLVMGetNextFunction(function))
		if (has_prefix(value_name(function), "llvm.coro.begin"))
			die("the program has coroutines, which are not supported");
}

void prepare_program(struct program *program)
{
	refuse_coroutines(program);
	keep_inline_bodies(program->module);
	set_module_flags(program);
	run_passes(program->module, "elim-avail-extern");
	forget_library_variables(program);
	run_passes(program->module, PASSES);
	/* once more for what was shared with an inlined function */
	if (mark_library_functions(program))
		run_passes(program->module, "always-inline," PASSES);
}

/*
 * A hash of the code without its debug information, so that neither the place
 * where a program was built nor a comment changes its identity.
 */
uint64_t program_identity(struct program *program)
{
	LLVMModuleRef copy = LLVMCloneModule(program->module);
	LLVMMemoryBufferRef bitcode;
	uint64_t hash;

	invariant(copy);
	LLVMStripModuleDebugInfo(copy);
	LLVMSetModuleIdentifier(copy, "program", strlen("program"));
	LLVMSetSourceFileName(copy, "", 0);
	bitcode = LLVMWriteBitcodeToMemoryBuffer(copy);
	invariant(bitcode && LLVMGetBufferSize(bitcode));
	hash = hash_bytes(HASH_START, LLVMGetBufferStart(bitcode), LLVMGetBufferSize(bitcode));
	LLVMDisposeMemoryBuffer(bitcode);
	LLVMDisposeModule(copy);
	return hash;
}

void emit_object(struct program *program, const char *output)
{
	const char *triple = LLVMGetTarget(program->module);
	LLVMTargetMachineRef machine;
	LLVMTargetRef target;
	char *problem = NULL;

	invariant(triple);
	LLVMInitializeX86TargetInfo();
	LLVMInitializeX86Target();
	LLVMInitializeX86TargetMC();
	LLVMInitializeX86AsmPrinter();
	LLVMInitializeX86AsmParser();
	if (LLVMGetTargetFromTriple(triple, &target, &problem))
		die("programs for %s are not supported", triple);
	machine = LLVMCreateTargetMachine(target, triple, "x86-64", "", LLVMCodeGenLevelLess, LLVMRelocPIC,
					  LLVMCodeModelDefault);
	invariant(machine); /* NULL: x86-64 is not what this LLVM was built for */
	if (LLVMTargetMachineEmitToFile(machine, program->module, (char *)output, LLVMObjectFile, &problem))
		failure("%s: %s", output, problem);
	LLVMDisposeTargetMachine(machine);
}
