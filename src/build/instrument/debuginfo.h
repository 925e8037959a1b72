/*
 * Debug information: source positions, variables, the layout of C types.
 *
 * The C API gives no names for most parts of debug metadata; they are read as
 * operands of the nodes, whose positions depend on the LLVM version and are
 * listed at the top of debuginfo.c.  Nothing else in the tool knows them.
 *
 * Strings returned live as long as the LLVM context and are never NULL.
 */
#ifndef INSPECT_BUILD_INSTRUMENT_DEBUGINFO_H
#define INSPECT_BUILD_INSTRUMENT_DEBUGINFO_H

#include "build/instrument/instrument.h"
#include "build/instrument/map.h"

#include <llvm-c/DebugInfo.h>

struct position {
	const char *file;
	const char *directory;
	const char *function;
	unsigned line;
	unsigned column;
};

/*
 * Where the instruction comes from; its function's first line when it has no position of
 * its own.  What was inlined from the C++ library's headers comes from the line that
 * called it.
 */
struct position di_position(LLVMContextRef context, LLVMValueRef instruction);

/* The debug location to give to a call inserted before the instruction; NULL without debug information. */
LLVMMetadataRef di_location(LLVMContextRef context, LLVMValueRef instruction);

/* Is the function one of the C++ library's headers? */
bool di_is_library(LLVMContextRef context, LLVMValueRef function);

/* The name of a function in the source: static functions of the same name are renamed when modules are linked. */
const char *di_function_name(LLVMContextRef context, LLVMValueRef function);

/* The name of the type that the n-th parameter of a function points to: "pthread_mutex_t"; "" when unknown. */
const char *di_pointee_name(LLVMContextRef context, LLVMValueRef function, unsigned n);

/* A variable of the program; name "" when there is none. */
struct variable {
	const char *name;
	LLVMMetadataRef type;
};

struct variable di_global(LLVMContextRef context, LLVMValueRef global);

/*
 * The local variables of all functions: `places` maps an alloca to the variable
 * that lives there, `values` maps a value to the first variable that has it.
 * The words are LLVMMetadataRef, for di_local.
 */
void di_collect_locals(struct program *program, struct map *places, struct map *values);
struct variable di_local(LLVMContextRef context, LLVMMetadataRef variable);

/* Types; NULL stands for unknown or void, and all of these accept it. */
enum type_kind { TYPE_SCALAR, TYPE_POINTER, TYPE_STRUCT, TYPE_UNION, TYPE_ARRAY };

enum type_kind di_kind(LLVMContextRef context, LLVMMetadataRef type);
uint64_t di_size(LLVMContextRef context, LLVMMetadataRef type); /* in bytes */
LLVMMetadataRef di_target(LLVMContextRef context, LLVMMetadataRef type); /* of a pointer or array */
const char *di_type_name(LLVMContextRef context, LLVMMetadataRef type); /* of the typedef if there is one */

/* Is the type so named, or a typedef of one that is? */
bool di_type_is(LLVMContextRef context, LLVMMetadataRef type, const char *name);

struct member_info {
	const char *name; /* "" for an anonymous struct or union */
	LLVMMetadataRef type;
	uint64_t bit_offset;
	uint64_t bit_size;
	bool bit_field;
};

/* The n-th member of a struct or union; false when there are fewer. */
bool di_member(LLVMContextRef context, LLVMMetadataRef type, unsigned n, struct member_info *member);

/* How many elements the n-th dimension of an array has (0 when unknown); false when there are fewer dimensions. */
bool di_dimension(LLVMContextRef context, LLVMMetadataRef type, unsigned n, uint64_t *count);

#endif
