#define _GNU_SOURCE
#include "build/instrument/analyse/external.h"

#include "common/invariant.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define LENGTH(array) (sizeof(array) / sizeof *(array))

/*
 * Intrinsics (by the beginning of their names) that take pointers and yet touch
 * no memory that another thread could see.  Those without pointer arguments
 * need no entry; one that is not listed here is refused, never passed silently.
 */
static const char *const harmless_intrinsics[] = {
	"llvm.annotation",
	"llvm.assume",
	"llvm.dbg.",
	"llvm.eh.",
	"llvm.expect",
	"llvm.experimental.noalias.",
	"llvm.frameaddress",
	"llvm.invariant.",
	"llvm.is.constant",
	"llvm.launder.invariant.group",
	"llvm.lifetime.",
	"llvm.objectsize",
	"llvm.prefetch",
	"llvm.ptr.annotation",
	"llvm.ptrmask",
	"llvm.returnaddress",
	"llvm.ssa.copy",
	"llvm.stackprotector",
	"llvm.stackrestore",
	"llvm.stacksave",
	"llvm.strip.invariant.group",
	"llvm.threadlocal.address",
	"llvm.va_copy", /* va_list objects belong to one call */
	"llvm.va_end",
	"llvm.va_start",
	"llvm.var.annotation",
	"llvm.x86.clflushopt",
	"llvm.x86.clwb",
	"llvm.x86.sse.ldmxcsr", /* through a local variable of the compiler's header */
	"llvm.x86.sse.stmxcsr",
	"llvm.x86.sse2.clflush",
};

/* Intrinsics that give another value each time, by the beginning of their names. */
static const char *const unrepeatable_intrinsics[] = {
	"llvm.readcyclecounter", "llvm.readsteadycounter", "llvm.x86.rdpid", "llvm.x86.rdpmc",
	"llvm.x86.rdrand.",	 "llvm.x86.rdseed.",	   "llvm.x86.rdtsc",
};

/* Inline assembly without effect on memory; blanks, semicolons and tabs are one separator, case does not matter. */
static const char *const harmless_assembly[] = {"", "nop", "pause", "rep nop", "lfence", "sfence"};

/* The usual ways to write a full barrier. */
static const char *const fence_assembly[] = {
	"mfence",
	"lock addl $0,0(%esp)",
	"lock addl $0,0(%rsp)",
	"lock addl $0, 0(%rsp)",
	"lock addq $0,0(%rsp)",
	"lock orl $0,(%rsp)",
	"lock orq $0,(%rsp)",
};

static bool listed(const char *const list[], size_t count, const char *text)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(list[i], text))
			return true;
	return false;
}

/* The text in lower case with single blanks between the words; LLVM writes "$$" for "$". */
static void normalise(const char *text, size_t length, char *out, size_t room)
{
	size_t n = 0;

	for (size_t i = 0; i < length && n + 2 < room; i++) {
		if (isspace((unsigned char)text[i]) || text[i] == ';') {
			if (n && out[n - 1] != ' ')
				out[n++] = ' ';
		} else if (text[i] != '$' || n == 0 || out[n - 1] != '$') {
			out[n++] = (char)tolower((unsigned char)text[i]);
		}
	}
	while (n && out[n - 1] == ' ')
		n--;
	invariant(n < room);
	out[n] = 0;
}

static enum call_class classify_assembly(LLVMValueRef assembly)
{
	size_t length;
	const char *text = LLVMGetInlineAsmAsmString(assembly, &length);
	char words[80];

	if (length >= sizeof words - 2)
		return CALL_REFUSED;
	normalise(text, length, words, sizeof words);
	if (listed(harmless_assembly, LENGTH(harmless_assembly), words))
		return CALL_HARMLESS;
	return listed(fence_assembly, LENGTH(fence_assembly), words) ? CALL_FENCE : CALL_REFUSED;
}

static bool is_pointer(LLVMTypeRef type)
{
	if (LLVMGetTypeKind(type) == LLVMVectorTypeKind)
		type = LLVMGetElementType(type);
	return LLVMGetTypeKind(type) == LLVMPointerTypeKind;
}

static enum call_class classify_intrinsic(LLVMValueRef call, const char *name)
{
	invariant(has_prefix(name, "llvm."));
	if (has_prefix(name, "llvm.memcpy.") || has_prefix(name, "llvm.memmove."))
		return CALL_COPY;
	if (has_prefix(name, "llvm.memset."))
		return CALL_SET;
	for (size_t i = 0; i < LENGTH(unrepeatable_intrinsics); i++)
		if (has_prefix(name, unrepeatable_intrinsics[i]))
			return CALL_UNREPEATABLE;
	for (size_t i = 0; i < LENGTH(harmless_intrinsics); i++)
		if (has_prefix(name, harmless_intrinsics[i]))
			return CALL_HARMLESS;
	for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++)
		if (is_pointer(LLVMTypeOf(LLVMGetOperand(call, i))))
			return CALL_REFUSED;
	return CALL_HARMLESS;
}

bool is_intrinsic_call(LLVMValueRef call)
{
	LLVMValueRef callee = LLVMGetCalledValue(call);

	return LLVMIsAFunction(callee) && LLVMGetIntrinsicID(callee) != 0;
}

static const char *const known_calls[] = {
#define MODELLED(name, use) #name,
#define ACCEPTED(name, use)
#define PURE(name, use)
#define REFUSED(name)
#include "wire/functions.def"
#undef MODELLED
#undef ACCEPTED
#undef PURE
#undef REFUSED
	"pthread_self",
	"pthread_equal",
	"pthread_yield",
	"sched_yield",
	"thrd_yield",
	"thrd_current",
	"__errno_location",
	/* the time: the runtime knows who has asked for it */
	"sleep",
	"usleep",
	"nanosleep",
	"clock_nanosleep",
	"thrd_sleep",
	"time",
	"clock",
	"clock_gettime",
	"gettimeofday",
	"timespec_get",
	"_ZNSt6chrono3_V212steady_clock3nowEv",
	"_ZNSt6chrono3_V212system_clock3nowEv",
	/* output: the runtime sees where it goes */
	"printf",
	"fprintf",
	"vprintf",
	"vfprintf",
	"puts",
	"fputs",
	"putchar",
	"fputc",
	"putc",
	"fwrite",
	"perror",
/* … and of the kernel, which serve as locks or flags: the runtime knows whether they have changed anything */
#define FILE_CALL(name) #name, "__inspect_libc_" #name
	FILE_CALL(open),
	FILE_CALL(openat),
	FILE_CALL(creat),
	FILE_CALL(mkdir),
	FILE_CALL(rmdir),
	FILE_CALL(unlink),
	FILE_CALL(rename),
	FILE_CALL(access),
	FILE_CALL(link),
	FILE_CALL(symlink),
#undef FILE_CALL
};

/* A call of the C library's function that the list names, not of one of the program's own. */
static bool calls_listed(LLVMValueRef call, const char *const list[], size_t count)
{
	LLVMValueRef callee = LLVMGetCalledValue(call);

	return LLVMIsAFunction(callee) && LLVMIsDeclaration(callee) && !is_native(callee) &&
	       listed(list, count, value_name(callee));
}

bool is_known_call(LLVMValueRef call)
{
	return calls_listed(call, known_calls, LENGTH(known_calls));
}

/* What a busy-waiting thread calls to pass the time. */
static const char *const quiet_calls[] = {"pthread_yield", "sched_yield", "thrd_yield",	    "usleep",
					  "sleep",	   "nanosleep",	  "clock_nanosleep"};

bool is_quiet_call(LLVMValueRef call)
{
	return calls_listed(call, quiet_calls, LENGTH(quiet_calls));
}

enum call_class classify_call(LLVMValueRef call)
{
	LLVMValueRef callee = LLVMGetCalledValue(call);
	const char *name;

	invariant(callee);
	if (LLVMIsAInlineAsm(callee))
		return classify_assembly(callee);
	if (!LLVMIsAFunction(callee))
		return CALL_OUTSIDE;
	name = value_name(callee);
	if (LLVMGetIntrinsicID(callee))
		return classify_intrinsic(call, name);
	if (!LLVMIsDeclaration(callee))
		return CALL_INSIDE;
	if (is_native(callee))
		return CALL_OUTSIDE;
	/* the same as the intrinsics when the program is compiled with -fno-builtin */
	if ((!strcmp(name, "memcpy") || !strcmp(name, "memmove")) && LLVMGetNumArgOperands(call) == 3)
		return CALL_COPY;
	if (!strcmp(name, "memset") && LLVMGetNumArgOperands(call) == 3)
		return CALL_SET;
	return CALL_OUTSIDE;
}

const char *refusal(LLVMValueRef call)
{
	static char message[256], text_of_asm[200];
	LLVMValueRef callee = LLVMGetCalledValue(call);
	size_t length;

	debug_invariant(classify_call(call) == CALL_REFUSED);
	if (LLVMIsAInlineAsm(callee)) {
		const char *text = LLVMGetInlineAsmAsmString(callee, &length);

		normalise(text, length, text_of_asm, sizeof text_of_asm);
		snprintf(message, sizeof message, "inline assembly `%s' is not supported", text_of_asm);
	} else {
		snprintf(message, sizeof message, "the intrinsic function %s is not supported", value_name(callee));
	}
	return message;
}
