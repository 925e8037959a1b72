#define _GNU_SOURCE
#include "program/inside.h"

#include "common/invariant.h"
#include "common/trouble.h"
#include "wire/channel.h"
#include "wire/hooks.h"
#include "program/demangle.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static Elf_Scn *section_find(Elf *elf, const char *name)
{
	size_t names;
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	if (elf_getshdrstrndx(elf, &names))
		return NULL;
	while ((section = elf_nextscn(elf, section))) {
		const char *found = gelf_getshdr(section, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;
		if (found && !strcmp(found, name))
			return section;
	}
	return NULL;
}

/* Checks the site table and copies it, so that its records are aligned.  False when it is damaged. */
static bool sites_read(struct symbols *symbols, const Elf_Data *data, const struct sites_header *header)
{
	uint64_t records = (uint64_t)header->count * sizeof(struct site_record);
	const char *start = (const char *)data->d_buf + sizeof *header;
	uint64_t room = data->d_size - sizeof *header;
	char *copy;

	if (!header->count || !header->pool_size || records > room || header->pool_size > room - records)
		return false;
	if (start[records + header->pool_size - 1] != '\0')
		return false;
	copy = xmalloc(records + header->pool_size);
	memcpy(copy, start, records + header->pool_size);
	symbols->sites = (const struct site_record *)copy;
	symbols->nsites = header->count;
	symbols->pool = copy + records;
	symbols->pool_size = header->pool_size;
	symbols->program_id = header->program_id;
	invariant(!symbols->pool[symbols->pool_size - 1]); /* so each offset inside leads to a string */
	return true;
}

static const char *pool_string(const struct symbols *symbols, uint32_t offset)
{
	return offset < symbols->pool_size ? symbols->pool + offset : "";
}

/* How much of the first file's directory is also the beginning of the other. */
static size_t common_directory(const char *first, size_t length, const char *other)
{
	size_t common = 0;

	for (size_t i = 0; i < length && first[i] == other[i]; i++) {
		if (first[i] == '/')
			common = i + 1;
	}
	invariant(common <= length);
	return common;
}

/* A header of the C++ library is in no directory of the program. */
static bool is_library_file(const char *file)
{
	return !strncmp(file, "/usr/", 5) && strstr(file, "/include/") && strstr(file, "/c++/");
}

static void prefix_find(struct symbols *symbols)
{
	symbols->first = "";
	for (uint32_t i = 1; i < symbols->nsites; i++) {
		const char *file = pool_string(symbols, symbols->sites[i].file);
		if (!*file || file == symbols->first || is_library_file(file))
			continue;
		if (!*symbols->first) {
			const char *slash = strrchr(file, '/');
			symbols->first = file;
			invariant(!symbols->prefix);
			symbols->prefix = slash ? (size_t)(slash - file) + 1 : 0;
		} else {
			symbols->prefix = common_directory(symbols->first, symbols->prefix, file);
		}
	}
}

const char *symbols_short_file(const struct symbols *symbols, struct place place)
{
	bool shared = symbols->prefix && !strncmp(place.file, symbols->first, symbols->prefix);

	invariant(place.file);
	return shared ? place.file + symbols->prefix : place.file;
}

/* NULL, or what is wrong with the program. */
static char *sites_load(struct symbols *symbols, const char *program)
{
	Elf_Scn *section = section_find(symbols->elf, SITES_SECTION);
	Elf_Data *data = section ? elf_rawdata(section, NULL) : NULL;
	struct sites_header header;

	if (!section)
		return xasprintf("%s was not built with `inspect cc`", program);
	if (!data || !data->d_buf || data->d_size < sizeof header)
		return xasprintf("%s is damaged: its table of source lines is cut off", program);
	memcpy(&header, data->d_buf, sizeof header);
	if (header.magic != SITES_MAGIC)
		return xasprintf("%s was not built with `inspect cc`", program);
	if (header.version != SITES_VERSION)
		return xasprintf("%s was built by another version of inspect: build it again", program);
	if (!sites_read(symbols, data, &header))
		return xasprintf("%s is damaged: its table of source lines makes no sense", program);
	return NULL;
}

static int compare_names(const void *a, const void *b)
{
	const struct elf_name *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return strcmp(x->name, y->name);
}

static void names_add(struct symbols *symbols, const GElf_Sym *symbol, const char *name)
{
	unsigned type = GELF_ST_TYPE(symbol->st_info);

	if ((type != STT_OBJECT && type != STT_FUNC) || symbol->st_shndx == SHN_UNDEF || !name || !*name)
		return;
	if (!(symbols->nnames & (symbols->nnames + 1)))
		symbols->names = xrealloc(symbols->names, (2 * symbols->nnames + 2) * sizeof *symbols->names);
	symbols->names[symbols->nnames++] = (struct elf_name){
		.address = symbol->st_value,
		.size = symbol->st_size ? symbol->st_size : 1,
		.name = name,
		.function = type == STT_FUNC,
	};
}

static bool names_are_sorted(const struct symbols *symbols)
{
	for (size_t i = 1; i < symbols->nnames; i++)
		if (symbols->names[i - 1].address > symbols->names[i].address)
			return false;
	return true;
}

static void names_load(struct symbols *symbols)
{
	Elf_Scn *section = section_find(symbols->elf, ".symtab");
	Elf_Data *data;
	GElf_Shdr header;
	GElf_Sym symbol;

	if (!section)
		section = section_find(symbols->elf, ".dynsym");
	if (!section || !gelf_getshdr(section, &header) || !header.sh_entsize)
		return;
	data = elf_getdata(section, NULL);
	for (size_t i = 0; data && i < header.sh_size / header.sh_entsize; i++) {
		if (gelf_getsym(data, (int)i, &symbol))
			names_add(symbols, &symbol, elf_strptr(symbols->elf, header.sh_link, symbol.st_name));
	}
	if (symbols->nnames)
		qsort(symbols->names, symbols->nnames, sizeof *symbols->names, compare_names);
	debug_invariant(names_are_sorted(symbols)); /* names_find() halves */
}

static void runtime_find(struct symbols *symbols)
{
	Elf_Scn *section = section_find(symbols->elf, RUNTIME_SECTION);
	GElf_Shdr header;

	if (!section || !gelf_getshdr(section, &header))
		return;
	symbols->runtime_start = header.sh_addr;
	symbols->runtime_size = header.sh_size;
}

/* NULL, or what is wrong with the file before anything was read. */
static char *file_open(struct symbols *symbols, const char *program)
{
	struct stat status;

	symbols->fd = open(program, O_RDONLY | O_CLOEXEC);
	if (symbols->fd < 0 || fstat(symbols->fd, &status))
		return xasprintf("cannot read %s: %s", program, strerror(errno));
	if (S_ISDIR(status.st_mode))
		return xasprintf("%s is a directory", program);
	if (!S_ISREG(status.st_mode))
		return xasprintf("%s is neither a C source nor a program", program);
	if (!status.st_size)
		return xasprintf("%s is empty", program);
	return NULL;
}

static char *elf_open(struct symbols *symbols, const char *program)
{
	GElf_Ehdr header;

	elf_version(EV_CURRENT);
	symbols->elf = elf_begin(symbols->fd, ELF_C_READ_MMAP, NULL);
	if (!symbols->elf || elf_kind(symbols->elf) != ELF_K_ELF || !gelf_getehdr(symbols->elf, &header))
		return xasprintf("%s is neither a C source nor a program", program);
	if (header.e_type != ET_EXEC && header.e_type != ET_DYN)
		return xasprintf("%s is not a linked program", program);
	symbols->base = header.e_type == ET_DYN ? PIE_ADDRESS : 0;
	return NULL;
}

struct symbols *symbols_open(const char *program, char **why)
{
	struct symbols *symbols = xcalloc(1, sizeof *symbols);

	symbols->variables = variables_new();
	*why = file_open(symbols, program);
	if (!*why)
		*why = elf_open(symbols, program);
	if (!*why)
		*why = sites_load(symbols, program);
	if (*why) {
		symbols_free(symbols);
		return NULL;
	}
	invariant(symbols->elf && symbols->nsites && symbols->pool);
	prefix_find(symbols);
	names_load(symbols);
	runtime_find(symbols);
	symbols->dwarf = dwarf_begin_elf(symbols->elf, DWARF_C_READ, NULL);
	return symbols;
}

void symbols_free(struct symbols *symbols)
{
	if (!symbols)
		return;
	variables_free(symbols->variables);
	source_files_free(symbols->files);
	for (size_t i = 0; i < symbols->nnames; i++)
		free(symbols->names[i].readable);
	free(symbols->names);
	free((void *)symbols->sites);
	if (symbols->dwarf)
		dwarf_end(symbols->dwarf);
	if (symbols->elf)
		elf_end(symbols->elf);
	if (symbols->fd >= 0)
		close(symbols->fd);
	free(symbols);
}

uint64_t symbols_program_id(const struct symbols *symbols)
{
	return symbols->program_id;
}

struct place symbols_site(const struct symbols *symbols, uint32_t site)
{
	if (!site || site >= symbols->nsites)
		return (struct place){"", "", "", "", 0, 0};
	const struct site_record *record = &symbols->sites[site];
	return (struct place){
		.file = pool_string(symbols, record->file),
		.directory = pool_string(symbols, record->directory),
		.function = pool_string(symbols, record->function),
		.variable = pool_string(symbols, record->variable),
		.line = record->line,
		.column = record->column,
	};
}

/* The symbol that covers the address (of the file), or NULL. */
static const struct elf_name *names_find(const struct symbols *symbols, uint64_t address)
{
	size_t low = 0, high = symbols->nnames;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (symbols->names[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	invariant(low == high && low <= symbols->nnames);
	/* several symbols may start at one address, and a shorter one may lie behind a longer one */
	for (size_t i = low, tries = 4; i-- > 0 && tries--;) {
		if (address - symbols->names[i].address < symbols->names[i].size)
			return &symbols->names[i];
	}
	return NULL;
}

/* As it is written in the source, where C++ has another name for it. */
static const char *readable_name(const struct symbols *symbols, const struct elf_name *name)
{
	struct elf_name *own = &symbols->names[name - symbols->names];

	invariant(name >= symbols->names && name < symbols->names + symbols->nnames);
	if (!own->readable)
		own->readable = demangle(own->name);
	return own->readable ? own->readable : own->name;
}

struct place symbols_code(struct symbols *symbols, uint64_t pc)
{
	struct place place = dwarf_place(symbols, pc - symbols->base);

	if (!*place.function) {
		const struct elf_name *name = names_find(symbols, pc - symbols->base);
		if (name && name->function)
			place.function = readable_name(symbols, name);
	}
	return place;
}

bool symbols_is_runtime(const struct symbols *symbols, uint64_t pc)
{
	return pc - symbols->base - symbols->runtime_start < symbols->runtime_size;
}

const char *symbols_function(const struct symbols *symbols, uint64_t address)
{
	const struct elf_name *name = names_find(symbols, address - symbols->base);

	if (!name || !name->function || name->address != address - symbols->base)
		return NULL;
	return readable_name(symbols, name);
}

/* What stands for an object inside the C library (wire/channel.h). */
static bool hidden_describe(uint64_t address, char *text, size_t size)
{
	static const char *const names[] = {
#define HIDDEN(id, name, promise) name,
#include "wire/hidden.def"
#undef HIDDEN
	};
	uint64_t index = (address - HIDDEN_ADDRESS) / HIDDEN_SIZE;

	if (address < STREAM_ADDRESS)
		return false;
	if (address < HIDDEN_ADDRESS)
		snprintf(text, size, "a stream");
	else
		snprintf(text, size, "the hidden state of %s",
			 index < sizeof names / sizeof *names ? names[index] : "the C library");
	return true;
}

bool symbols_variable(const struct symbols *symbols, uint64_t address, uint32_t size, char *text, size_t text_size)
{
	struct buffer name = {0};
	const struct elf_name *symbol;

	if (hidden_describe(address, text, text_size))
		return true;
	bool found = variable_describe(symbols, address - symbols->base, size, &name);

	if (found) {
		snprintf(text, text_size, "%s", buffer_text(&name));
	} else if ((symbol = names_find(symbols, address - symbols->base))) {
		uint64_t offset = address - symbols->base - symbol->address;
		found = true;
		snprintf(text, text_size, offset ? "%s+%" PRIu64 : "%s", readable_name(symbols, symbol), offset);
	}
	buffer_release(&name);
	return found;
}

/* In which of MAX_THREADS areas of `size` bytes from `start` the address lies; -1 if in none. */
static int area_of(uint64_t address, uint64_t start, uint64_t size)
{
	invariant(size && start);
	return address >= start && address - start < MAX_THREADS * size ? (int)((address - start) / size) : -1;
}

void symbols_data(const struct symbols *symbols, uint64_t address, const struct thread_name *names, char *text,
		  size_t size)
{
	int heap = area_of(address, HEAP_ADDRESS, HEAP_SIZE), stack = area_of(address, STACK_ADDRESS, STACK_SIZE);
	char thread[256];

	if (heap >= 0) {
		thread_name_format(names, (uint32_t)heap, thread, sizeof thread);
		snprintf(text, size, "heap of %s+0x%llx", thread, (address - HEAP_ADDRESS) % HEAP_SIZE);
	} else if (stack >= 0) {
		thread_name_format(names, (uint32_t)stack, thread, sizeof thread);
		snprintf(text, size, "stack of %s", thread);
	} else if (address - RUNTIME_ADDRESS < RUNTIME_ROOM) { /* the only objects there */
		snprintf(text, size, "the lock of a stream");
	} else if (!symbols_variable(symbols, address, 0, text, size)) {
		snprintf(text, size, "0x%" PRIx64, address);
	}
}

void thread_name_format(const struct thread_name *names, uint32_t thread, char *text, size_t size)
{
	uint16_t path[MAX_THREADS];
	unsigned depth = 0;
	size_t used;

	invariant(thread < MAX_THREADS && size > 0);
	/* a parent always has a lower number than its child */
	for (uint32_t t = thread; t; t = names[t].parent) {
		invariant(depth < MAX_THREADS); /* numbers get lower on the way to main */
		path[depth++] = names[t].index;
		if (names[t].parent >= t)
			break;
	}
	used = (size_t)snprintf(text, size, "main");
	while (depth-- && used < size)
		used += (size_t)snprintf(text + used, size - used, ".%u", path[depth]);
}
