#define _GNU_SOURCE
#include "build/instrument/instrument.h"

#include "program/elf.h"
#include "common/invariant.h"
#include "common/trouble.h"

#include <llvm-c/BitReader.h>
#include <string.h>

#define BITCODE_MAGIC "BC\xc0\xde"

/* Ids of the blocks that may stand at the top of a bitcode file (llvm/Bitcode/LLVMBitCodes.h). */
enum block_id { BLOCK_MODULE = 8, BLOCK_IDENTIFICATION = 13, BLOCK_STRTAB = 23, BLOCK_SYMTAB = 25 };

/*
 * The length of the module at the beginning of `view`.
 *
 * The linker concatenates sections, so that one section holds several modules
 * (ld -r, -shared).  A module is the magic number and a row of top-level blocks;
 * a block is a word with the bits 01, the id (8 bits) and the width of its
 * abbreviations (4 bits), then a word with the number of words that follow.
 */
static size_t module_length(struct view view)
{
	size_t at = 4;

	invariant(view.size >= at); /* the magic number was there */
	while (at + 8 <= view.size) {
		uint32_t word, length, id;

		memcpy(&word, view.bytes + at, 4);
		memcpy(&length, view.bytes + at + 4, 4);
		id = word >> 2 & 0xff;
		if ((word & 3) != 1 || length > (view.size - at - 8) / 4)
			break;
		if (id != BLOCK_MODULE && id != BLOCK_IDENTIFICATION && id != BLOCK_STRTAB && id != BLOCK_SYMTAB)
			break;
		at += 8 + 4 * (size_t)length;
	}
	invariant(at <= view.size);
	return at;
}

static LLVMModuleRef parse(const struct reader *reader, struct view view, const char *path)
{
	LLVMMemoryBufferRef buffer;
	LLVMModuleRef module;
	LLVMBool failed;

	/* a copy: lazily read modules keep it, and archives give us memory that does not last */
	buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy((const char *)view.bytes, view.size, path);
	if (reader->reading == READ_LAZILY) {
		failed = LLVMGetBitcodeModuleInContext2(reader->context, buffer, &module);
	} else {
		failed = LLVMParseBitcodeInContext2(reader->context, buffer, &module);
		LLVMDisposeMemoryBuffer(buffer);
	}
	if (failed)
		die("%s: cannot read its bitcode (made by another version of the compiler?)", path);
	invariant(module);
	return module;
}

/* What to call the module in messages: the source for bitcode of ours in a scratch directory, the file otherwise. */
static const char *label_of(LLVMModuleRef module, const char *path, bool bare)
{
	size_t length;
	const char *source = LLVMGetSourceFileName(module, &length);

	invariant(source);
	return bare && length ? source : path;
}

unsigned read_modules(const struct reader *reader, const char *path, struct view file)
{
	bool bare = file_kind(file) == FILE_BITCODE;
	struct view rest = bare ? file : elf_section(file, BITCODE_SECTION);
	unsigned count = 0;

	if (bare && memcmp(file.bytes, BITCODE_MAGIC, 4))
		die("%s: bitcode with a wrapper is not supported", path);
	while (rest.size >= 8) {
		size_t length = 4; /* padding between two modules */

		if (!memcmp(rest.bytes, BITCODE_MAGIC, 4)) {
			LLVMModuleRef module;

			length = module_length(rest);
			module = parse(reader, (struct view){rest.bytes, length}, path);
			reader->take(reader->taker, module, label_of(module, path, bare));
			count++;
		}
		invariant(length && length <= rest.size);
		rest.bytes += length;
		rest.size -= length;
	}
	return count;
}
