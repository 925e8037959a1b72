/*
 * inspect-instrument: from bitcode to one native object in which every visible
 * operation is announced to the runtime (wire/hooks.h).
 *
 *   read.c       bitcode out of .bc files, objects, archives, shared objects
 *   link.c       one module out of many, archive members on demand
 *   inline.c     which functions of the C++ library's headers are inlined
 *   passes.c     the few passes that keep every shared access; code generation
 *   blocks.c     functions that are atomic blocks by their names
 *   wide.c       atomic operations that are calls of the library
 *   debuginfo.c  everything that depends on the layout of debug metadata
 *   names.c      readable names of the memory that an instruction touches
 *   escape.c     which memory no other thread can reach
 *   libc.c       functions of the C library that the runtime has wrappers for
 *   external.c   what leaves instrumented code: library calls, intrinsics, inline assembly
 *   sites.c      the site table
 *   live.c       which values a function still needs
 *   effects.c    which functions outside the program change its state unseen
 *   insert.c     the calls of the hooks; insert_loops.c those at the heads of loops;
 *                insert_state.c the threads' local state
 *
 * One run works on one program, held in the one `struct program`.
 */
#ifndef INSPECT_BUILD_INSTRUMENT_INSTRUMENT_H
#define INSPECT_BUILD_INSTRUMENT_INSTRUMENT_H

#include "program/file.h"

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>
#include <stdbool.h>
#include <stdint.h>

struct program {
	LLVMContextRef context;
	LLVMModuleRef module;
	LLVMTargetDataRef layout; /* owned by the module */
	bool stateful; /* keep the threads' local state: insert_state.c */
	bool unmarked; /* some static initialisers are not marked (build/override/pthread.h) */
};

/* read.c: the modules in one file or archive member, parsed; each is handed to `take`, which owns it. */
typedef void module_taker(void *context, LLVMModuleRef module, const char *label);

/* Are the function bodies read now, or only when the module is linked (most members of an archive never are)? */
enum reading { READ_NOW, READ_LAZILY };

struct reader {
	LLVMContextRef context;
	enum reading reading;
	module_taker *take;
	void *taker;
};

/* How many modules there were; 0 for a native object without bitcode. */
unsigned read_modules(const struct reader *reader, const char *path, struct view file);

struct input {
	const char *path;
	bool whole; /* all members of an archive */
};

/* A string attribute of functions that are defined in native objects. */
#define NATIVE_FUNCTION "inspect-native"

/* link.c: fill program->module; ends the command with one line for duplicate symbols and the like. */
void load_program(struct program *program, const struct input *inputs, unsigned count);

/* inline.c: mark what is to be inlined; false when there is nothing.  Names of variables inside it only cost time. */
void forget_library_variables(struct program *program);
bool mark_library_functions(struct program *program);
/* blocks.c, wide.c: before the hooks are inserted */
void make_atomic_blocks(struct program *program);
void lower_wide_atomics(struct program *program);

/* passes.c */
void prepare_program(struct program *program);
void emit_object(struct program *program, const char *output);
uint64_t program_identity(struct program *program);

/* insert.c: put the hooks in, rename main, add the site table. */
void instrument_program(struct program *program);

/* Small helpers on the LLVM C API. */
const char *value_name(LLVMValueRef value);
bool is_native(LLVMValueRef function); /* see NATIVE_FUNCTION */
bool has_prefix(const char *text, const char *prefix);

#endif
