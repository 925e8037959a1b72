/*
 * One module out of many, as the system linker would have it: every object on
 * the command line, and those members of archives that define a symbol which is
 * still undefined.  Archives are searched until nothing more is found, so their
 * order matters only when two of them define the same symbol.
 */
#define _GNU_SOURCE
#include "build/instrument/instrument.h"
#include "build/instrument/map.h"
#include "program/archive.h"
#include "program/elf.h"
#include "common/invariant.h"
#include "common/trouble.h"
#include "program/demangle.h"

#include <dlfcn.h>
#include <link.h>
#include <llvm-c/Linker.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A module of an archive that nobody needed so far; module is NULL once it was linked. */
struct member {
	LLVMModuleRef module;
	uint32_t label; /* offset in the linker's strings */
};

struct linker {
	struct program *program;
	struct pool strings; /* names of symbols, labels of inputs */
	struct map owner; /* symbol_key → label of the input that defines it */
	struct map native_needs; /* symbol_key → 1: undefined in a native object */
	struct map native_may_need; /* … → 1: in one of an archive, which may not be taken */
	struct map native_has; /* … → 1: defined in a native object */
	struct member *members;
	unsigned member_count;
	char *labels; /* of all inputs, for messages: "a.c, b.c" */
};

static const void *symbol_key(struct linker *linker, const char *name)
{
	invariant(*name); /* all nameless symbols would be one */
	return (const void *)((uintptr_t)pool_add(&linker->strings, name) + 1);
}

static bool is_external(LLVMValueRef global)
{
	switch (LLVMGetLinkage(global)) {
	case LLVMInternalLinkage:
	case LLVMPrivateLinkage:
	case LLVMAvailableExternallyLinkage:
	case LLVMAppendingLinkage: return false;
	default: return !has_prefix(value_name(global), "llvm.");
	}
}

static bool is_definition(LLVMValueRef global)
{
	return is_external(global) && !LLVMIsDeclaration(global);
}

typedef void symbol_visitor(struct linker *linker, LLVMValueRef symbol, void *context);

/* Call `visit` for each function, variable, alias and ifunc that the module defines for others. */
static void for_each_definition(struct linker *linker, LLVMModuleRef module, symbol_visitor *visit, void *context)
{
	LLVMValueRef at;

	for (at = LLVMGetFirstFunction(module); at; at = LLVMGetNextFunction(at))
		if (is_definition(at))
			visit(linker, at, context);
	for (at = LLVMGetFirstGlobal(module); at; at = LLVMGetNextGlobal(at))
		if (is_definition(at))
			visit(linker, at, context);
	for (at = LLVMGetFirstGlobalAlias(module); at; at = LLVMGetNextGlobalAlias(at))
		if (is_definition(at))
			visit(linker, at, context);
	for (at = LLVMGetFirstGlobalIFunc(module); at; at = LLVMGetNextGlobalIFunc(at))
		if (is_definition(at))
			visit(linker, at, context);
}

static const char *readable_name(LLVMValueRef symbol)
{
	const char *name = demangle(value_name(symbol));

	return name ? name : value_name(symbol);
}

/* Two strong definitions of a symbol are an error that names both places. */
static void claim_symbol(struct linker *linker, LLVMValueRef symbol, void *label)
{
	const void *key = symbol_key(linker, value_name(symbol));
	uint32_t owner = (uint32_t)map_get(&linker->owner, key), claimer = *(uint32_t *)label;
	const char *strings = linker->strings.bytes;

	invariant(claimer); /* 0 means that nobody owns the symbol */
	if (LLVMGetLinkage(symbol) != LLVMExternalLinkage)
		return;
	if (owner && owner == claimer)
		die("'%s' is defined twice in %s", readable_name(symbol), strings + owner);
	if (owner)
		die("'%s' is defined in %s and again in %s", readable_name(symbol), strings + owner, strings + claimer);
	map_put(&linker->owner, key, claimer);
}

static void add_label(struct linker *linker, const char *label)
{
	char *longer = xasprintf("%s%s%s", linker->labels, *linker->labels ? ", " : "", label);

	free(linker->labels);
	linker->labels = longer;
}

/* Functions whose objects have static initialisers. */
static bool works_on_objects(const char *name)
{
	return has_prefix(name, "pthread_mutex_") || has_prefix(name, "pthread_cond_") ||
	       has_prefix(name, "pthread_rwlock_");
}

/* Was a module that uses such objects compiled with our header, so that initialised ones can be told? */
static void note_marks(struct program *program, LLVMModuleRef module)
{
	size_t length;
	const char *assembly = LLVMGetModuleInlineAsm(module, &length);
	LLVMValueRef at;

	if (memmem(assembly, length, "inspect-initialisers", strlen("inspect-initialisers")))
		return;
	for (at = LLVMGetFirstFunction(module); at; at = LLVMGetNextFunction(at))
		program->unmarked |= works_on_objects(value_name(at));
}

static void link_module(struct linker *linker, LLVMModuleRef module, uint32_t label)
{
	note_marks(linker->program, module);
	for_each_definition(linker, module, claim_symbol, &label);
	if (LLVMLinkModules2(linker->program->module, module))
		die("%s: cannot be linked with the rest of the program", linker->strings.bytes + label);
}

static void take_object(void *context, LLVMModuleRef module, const char *label)
{
	struct linker *linker = context;

	invariant(module);
	add_label(linker, label);
	link_module(linker, module, pool_add(&linker->strings, label));
}

static void take_member(void *context, LLVMModuleRef module, const char *label)
{
	struct linker *linker = context;
	unsigned n = linker->member_count++;

	linker->members = xrealloc(linker->members, linker->member_count * sizeof *linker->members);
	invariant(module);
	linker->members[n] = (struct member){module, pool_add(&linker->strings, label)};
}

static void note_native_symbol(void *context, const char *name, bool defined)
{
	struct linker *linker = context;

	linker->program->unmarked |= works_on_objects(name);
	map_put(defined ? &linker->native_has : &linker->native_needs, symbol_key(linker, name), 1);
}

/* Of a member of an archive, which is taken if the program names what it defines. */
static void note_member_symbol(void *context, const char *name, bool defined)
{
	struct linker *linker = context;

	linker->program->unmarked |= works_on_objects(name);
	map_put(defined ? &linker->native_has : &linker->native_may_need, symbol_key(linker, name), 1);
}

static void read_archive(struct linker *linker, const char *path, struct view file, bool whole)
{
	struct reader reader = {linker->program->context, READ_LAZILY, take_member, linker};
	struct archive_reader archive;
	struct archive_member member;

	if (whole)
		reader.take = take_object;
	else
		add_label(linker, path);
	archive_open(&archive, path, file);
	while (archive_next(&archive, &member)) {
		char *label = xasprintf("%s(%s)", path, member.name);

		if (!read_modules(&reader, label, member.contents))
			elf_symbols(member.contents, note_member_symbol, linker);
		free(label);
	}
	archive_close(&archive);
}

static void read_input(struct linker *linker, const struct input *input)
{
	const char *path = input->path;
	struct reader reader = {linker->program->context, READ_NOW, take_object, linker};
	struct view file = file_map(path);

	switch (file_kind(file)) {
	case FILE_ARCHIVE:
	case FILE_THIN_ARCHIVE: read_archive(linker, path, file, input->whole); break;
	case FILE_BITCODE:
	case FILE_ELF:
		if (!read_modules(&reader, path, file))
			elf_symbols(file, note_native_symbol, linker);
		break;
	default: die("%s: neither bitcode nor an object file nor an archive", path);
	}
	file_unmap(file);
}

static LLVMValueRef find_symbol(LLVMModuleRef module, const char *name)
{
	LLVMValueRef found = LLVMGetNamedFunction(module, name);

	if (!found)
		found = LLVMGetNamedGlobal(module, name);
	if (!found)
		found = LLVMGetNamedGlobalAlias(module, name, strlen(name));
	return found ? found : LLVMGetNamedGlobalIFunc(module, name, strlen(name));
}

/* Is the symbol referred to and defined nowhere so far? */
static bool is_wanted(struct linker *linker, const char *name)
{
	LLVMValueRef found = find_symbol(linker->program->module, name);
	const void *key = symbol_key(linker, name);

	if (map_get(&linker->native_has, key))
		return false;
	if (found && is_definition(found))
		return false;
	if (map_get(&linker->native_needs, key))
		return true;
	return found && LLVMGetLinkage(found) != LLVMExternalWeakLinkage;
}

static void check_wanted(struct linker *linker, LLVMValueRef symbol, void *context)
{
	bool *wanted = context;

	*wanted = *wanted || is_wanted(linker, value_name(symbol));
}

/* Link the members that define something wanted, until a whole round finds none. */
static void link_members(struct linker *linker)
{
	bool progress = linker->member_count > 0;

	while (progress) {
		progress = false;
		for (unsigned i = 0; i < linker->member_count; i++) {
			struct member *member = &linker->members[i];
			bool wanted = false;

			if (member->module)
				for_each_definition(linker, member->module, check_wanted, &wanted);
			if (!wanted)
				continue;
			invariant(member->module);
			link_module(linker, member->module, member->label);
			member->module = NULL;
			progress = true;
		}
	}
}

static void require_main(struct linker *linker)
{
	LLVMValueRef entry = LLVMGetNamedFunction(linker->program->module, "main");

	if (!entry || LLVMIsDeclaration(entry))
		die("no main function in %s: nothing to check", linker->labels);
}

/* Functions that native objects of the program define are no functions of the C library, whatever their names. */
static void mark_native(struct linker *linker)
{
	LLVMAttributeRef mark =
		LLVMCreateStringAttribute(linker->program->context, NATIVE_FUNCTION, strlen(NATIVE_FUNCTION), "", 0);
	LLVMValueRef at;

	invariant(mark);
	for (at = LLVMGetFirstFunction(linker->program->module); at; at = LLVMGetNextFunction(at))
		if (map_get(&linker->native_has, symbol_key(linker, value_name(at))))
			LLVMAddAttributeAtIndex(at, LLVMAttributeFunctionIndex, mark);
}

/* The C library calls what a program defines under these names, or there is nothing that could take its place. */
static bool is_for_all(const char *name)
{
	static const char *const names[] = {
		"malloc",	  "calloc", "realloc", "free",	       "aligned_alloc",	     "memalign",
		"posix_memalign", "valloc", "pvalloc", "reallocarray", "malloc_usable_size", "abort",
		"exit",		  "_exit",  "_Exit",
	};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp(name, names[i]))
			return true;
	return has_prefix(name, "pthread_");
}

/* Variables of the C library may be defined again, and are the same ones then. */
static bool is_variable(void *address)
{
	void *entry;
	Dl_info info;

	return dladdr1(address, &info, &entry, RTLD_DL_SYMENT) && entry && info.dli_saddr == address &&
	       ELF64_ST_TYPE(((const ElfW(Sym) *)entry)->st_info) == STT_OBJECT;
}

static bool is_libc_function(void *libc, const char *name)
{
	void *address = dlsym(libc, name);

	return address && !is_variable(address);
}

static void keep_to_itself(struct linker *linker, LLVMValueRef symbol, void *libc)
{
	const char *name = value_name(symbol);
	const void *key = symbol_key(linker, name);

	invariant(is_definition(symbol));
	if (is_for_all(name) || map_get(&linker->native_needs, key) || map_get(&linker->native_may_need, key) ||
	    !is_libc_function(libc, name))
		return;
	LLVMSetVisibility(symbol, LLVMDefaultVisibility);
	LLVMSetLinkage(symbol, LLVMInternalLinkage);
	if (has_prefix(name, "mem") || has_prefix(name, "str") || !strcmp(name, "bcmp")) {
		/* what the code generator calls by name for its own purposes is not the program's either */
		char *other = xasprintf("%s.program", name);

		LLVMSetValueName2(symbol, other, strlen(other));
		free(other);
	}
}

/*
 * What a program defines under the name of a function of the C library is not what the C library and the runtime,
 * which is linked with the program, mean by that name.
 */
static void keep_names_apart(struct linker *linker)
{
	void *libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);

	if (!libc)
		failure("the C library is not there: %s", dlerror());
	for_each_definition(linker, linker->program->module, keep_to_itself, libc);
	dlclose(libc);
}

void load_program(struct program *program, const struct input *inputs, unsigned count)
{
	struct linker linker = {.program = program, .labels = xstrdup("")};

	invariant(count && !program->module);
	/* an empty module to begin with: nothing of the program's identity comes from a file's name */
	program->module = LLVMModuleCreateWithNameInContext("program", program->context);
	pool_init(&linker.strings);
	note_native_symbol(&linker, "main", false);
	for (unsigned i = 0; i < count; i++)
		read_input(&linker, &inputs[i]);
	link_members(&linker);
	require_main(&linker);
	mark_native(&linker);
	keep_names_apart(&linker);
	program->layout = LLVMGetModuleDataLayout(program->module);
	invariant(program->layout); /* of the module: nothing may be linked into it any more */

	pool_release(&linker.strings);
	map_release(&linker.owner);
	map_release(&linker.native_needs);
	map_release(&linker.native_may_need);
	map_release(&linker.native_has);
	free(linker.members);
	free(linker.labels);
}
