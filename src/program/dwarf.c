/*
 * What the DWARF information knows: the line of a code address, and which part
 * of which variable lies at a data address.
 */
#include "program/inside.h"

#include "common/invariant.h"
#include "common/trouble.h"

#include <dwarf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MAX_DIMENSIONS 8
#define MAX_NESTING 32

struct variables {
	bool loaded;
	struct variable *items; /* sorted by address once loaded */
	size_t count, capacity;
};

struct variables *variables_new(void)
{
	return xcalloc(1, sizeof(struct variables));
}

void variables_free(struct variables *variables)
{
	free(variables->items);
	free(variables);
}

/* Calls visit for each compilation unit until it returns true. */
static void units_visit(Dwarf *dwarf, bool (*visit)(Dwarf_Die *unit, void *context), void *context)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die unit;

	while (dwarf && dwarf_get_units(dwarf, cu, &cu, NULL, NULL, &unit, NULL) == 0) {
		if (visit(&unit, context))
			return;
	}
}

/* --- lines of code addresses --- */

struct unit_search {
	uint64_t address;
	Dwarf_Die unit;
	bool found;
};

static bool unit_has_pc(Dwarf_Die *unit, void *context)
{
	struct unit_search *search = context;

	search->found = dwarf_haspc(unit, search->address) == 1;
	search->unit = *unit;
	return search->found;
}

static const char *function_at(Dwarf_Die *unit, uint64_t address)
{
	Dwarf_Die *scopes = NULL;
	const char *name = NULL;
	int count = dwarf_getscopes(unit, address, &scopes);

	for (int i = 0; i < count && !name; i++) {
		int tag = dwarf_tag(&scopes[i]);
		if (tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine)
			name = dwarf_diename(&scopes[i]);
	}
	free(scopes);
	return name ? name : "";
}

static const char *unit_directory(Dwarf_Die *unit)
{
	Dwarf_Attribute attribute;
	const char *directory = dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attribute));

	return directory ? directory : "";
}

/* Like the site table: relative to the directory of the compilation where that is possible. */
static const char *shortened(const char *file, const char *directory)
{
	size_t length = strlen(directory);

	if (length && !strncmp(file, directory, length) && file[length] == '/')
		return file + length + 1;
	return file;
}

struct place dwarf_place(const struct symbols *symbols, uint64_t address)
{
	struct place place = {"", "", "", "", 0, 0};
	struct unit_search search = {.address = address};
	Dwarf_Line *line;
	const char *file;
	int number = 0, column = 0;

	units_visit(symbols->dwarf, unit_has_pc, &search);
	if (!search.found)
		return place;
	place.directory = unit_directory(&search.unit);
	place.function = function_at(&search.unit, address);
	line = dwarf_getsrc_die(&search.unit, address);
	if (!line || !(file = dwarf_linesrc(line, NULL, NULL)))
		return place;
	dwarf_lineno(line, &number);
	dwarf_linecol(line, &column);
	place.file = shortened(file, place.directory);
	invariant(place.file && place.directory && place.function);
	place.line = (unsigned)number;
	place.column = (unsigned)column;
	return place;
}

/* --- variables --- */

/* The fixed address of a variable, if it has one. */
static bool variable_address(Dwarf_Die *die, uint64_t *address)
{
	Dwarf_Attribute location, indirect;
	Dwarf_Op *ops;
	size_t count;
	Dwarf_Addr result;

	if (!dwarf_attr(die, DW_AT_location, &location) || dwarf_getlocation(&location, &ops, &count) || count != 1)
		return false;
	if (ops[0].atom == DW_OP_addr) {
		*address = ops[0].number;
		return true;
	}
	if (ops[0].atom != DW_OP_addrx && ops[0].atom != DW_OP_GNU_addr_index)
		return false;
	if (dwarf_getlocation_attr(&location, ops, &indirect) || dwarf_formaddr(&indirect, &result))
		return false;
	*address = result;
	return true;
}

static bool type_of(Dwarf_Die *die, Dwarf_Die *type)
{
	Dwarf_Attribute attribute;

	return dwarf_attr_integrate(die, DW_AT_type, &attribute) && dwarf_formref_die(&attribute, type);
}

static uint64_t type_size(Dwarf_Die *type)
{
	Dwarf_Word size;

	return dwarf_aggregate_size(type, &size) == 0 ? size : 0;
}

static void variables_add(struct variables *variables, Dwarf_Die *die)
{
	struct variable variable = {.die = dwarf_dieoffset(die)};
	Dwarf_Die type;

	if (!variable_address(die, &variable.address) || !type_of(die, &type) || !dwarf_diename(die))
		return;
	variable.size = type_size(&type);
	if (!variable.size)
		return;
	if (variables->count == variables->capacity) {
		variables->capacity = variables->capacity ? 2 * variables->capacity : 64;
		variables->items = xrealloc(variables->items, variables->capacity * sizeof *variables->items);
	}
	invariant(variables->count < variables->capacity);
	invariant(variable.size); /* one without a size would cover no address */
	variables->items[variables->count++] = variable;
}

/* Global variables, and static ones inside functions and blocks. */
static void variables_collect(struct variables *variables, Dwarf_Die *parent, unsigned nesting)
{
	Dwarf_Die die;

	if (nesting == MAX_NESTING || dwarf_child(parent, &die))
		return;
	do {
		switch (dwarf_tag(&die)) {
		case DW_TAG_variable: variables_add(variables, &die); break;
		case DW_TAG_subprogram:
		case DW_TAG_lexical_block:
		case DW_TAG_namespace: variables_collect(variables, &die, nesting + 1); break;
		}
	} while (dwarf_siblingof(&die, &die) == 0);
}

static bool collect_unit(Dwarf_Die *unit, void *context)
{
	variables_collect(context, unit, 0);
	return false;
}

static int compare_variables(const void *a, const void *b)
{
	const struct variable *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return x->die < y->die ? -1 : x->die > y->die;
}

static const struct variable *variables_find(const struct symbols *symbols, uint64_t address)
{
	struct variables *variables = symbols->variables;
	size_t low = 0, high;

	if (!variables->loaded) {
		variables->loaded = true;
		units_visit(symbols->dwarf, collect_unit, variables);
		if (variables->count)
			qsort(variables->items, variables->count, sizeof *variables->items, compare_variables);
	}
	invariant(variables->count <= variables->capacity);
	high = variables->count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (variables->items[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	invariant(low == high);
	if (!low || address - variables->items[low - 1].address >= variables->items[low - 1].size)
		return NULL;
	return &variables->items[low - 1];
}

/* --- parts of a variable --- */

/* The threads library's own types have no parts that anybody wants to read about. */
static bool is_opaque(const char *name)
{
	static const char *const names[] = {"mtx_t", "cnd_t", "once_flag", "sem_t", "FILE"};

	if (!name)
		return false;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		if (!strcmp(name, names[i]))
			return true;
	}
	return !strncmp(name, "pthread_", 8);
}

/* Through typedefs and qualifiers; false when the type ends there. */
static bool type_peel(Dwarf_Die *type)
{
	for (;;) {
		switch (dwarf_tag(type)) {
		case DW_TAG_typedef:
			if (is_opaque(dwarf_diename(type)))
				return false;
			break;
		case DW_TAG_const_type:
		case DW_TAG_volatile_type:
		case DW_TAG_atomic_type:
		case DW_TAG_restrict_type: break;
		default: return true;
		}
		if (!type_of(type, type))
			return false;
	}
}

static bool is_data_member(Dwarf_Die *die)
{
	int tag = dwarf_tag(die);

	return tag == DW_TAG_inheritance || (tag == DW_TAG_member && !dwarf_hasattr(die, DW_AT_external));
}

/* The C++ library's own members are nobody's business: "queue", not "queue._M_impl._M_start". */
static bool is_library_member(Dwarf_Die *die)
{
	const char *name = dwarf_diename(die);

	return name && !strncmp(name, "_M_", 3);
}

/* The member at the offset: its name is added, type and offset become those of the member. */
static bool enter_member(Dwarf_Die *type, uint64_t *offset, struct buffer *text)
{
	Dwarf_Die member, member_type;
	Dwarf_Attribute attribute;
	Dwarf_Word start;

	if (dwarf_child(type, &member))
		return false;
	do {
		if (!is_data_member(&member) || !type_of(&member, &member_type))
			continue;
		if (!dwarf_attr(&member, DW_AT_data_member_location, &attribute) || dwarf_formudata(&attribute, &start))
			start = 0; /* of a union */
		if (*offset < start || *offset - start >= type_size(&member_type))
			continue;
		if (is_library_member(&member)) {
			*offset = 0;
			return false;
		}
		if (dwarf_diename(&member) && dwarf_tag(&member) == DW_TAG_member)
			buffer_printf(text, ".%s", dwarf_diename(&member));
		invariant(*offset >= start);
		*offset -= start;
		*type = member_type;
		return true;
	} while (dwarf_siblingof(&member, &member) == 0);
	return false;
}

/* The lengths of the dimensions; 0 when one of them is unknown, as that of the first may be. */
static unsigned array_dimensions(Dwarf_Die *type, uint64_t lengths[MAX_DIMENSIONS])
{
	unsigned count = 0;
	Dwarf_Die range;
	Dwarf_Attribute attribute;
	Dwarf_Word value;

	if (dwarf_child(type, &range))
		return 0;
	do {
		if (dwarf_tag(&range) != DW_TAG_subrange_type || count == MAX_DIMENSIONS)
			return 0;
		if (dwarf_attr(&range, DW_AT_count, &attribute) && !dwarf_formudata(&attribute, &value))
			lengths[count++] = value;
		else if (dwarf_attr(&range, DW_AT_upper_bound, &attribute) && !dwarf_formudata(&attribute, &value))
			lengths[count++] = value + 1;
		else
			return 0;
	} while (dwarf_siblingof(&range, &range) == 0);
	invariant(count <= MAX_DIMENSIONS);
	return count;
}

static bool enter_element(Dwarf_Die *type, uint64_t *offset, struct buffer *text)
{
	uint64_t lengths[MAX_DIMENSIONS], stride;
	unsigned dimensions = array_dimensions(type, lengths);
	Dwarf_Die element;

	if (!dimensions || !type_of(type, &element) || !(stride = type_size(&element)))
		return false;
	for (unsigned i = 1; i < dimensions; i++)
		stride *= lengths[i];
	for (unsigned i = 0; i < dimensions && stride; i++) {
		invariant(stride);
		buffer_printf(text, "[%" PRIu64 "]", *offset / stride);
		*offset %= stride;
		if (i + 1 < dimensions)
			stride = lengths[i + 1] ? stride / lengths[i + 1] : 0;
	}
	*type = element;
	return true;
}

/* One step into the type; false at a type without parts. */
static bool enter_part(Dwarf_Die *type, uint64_t *offset, struct buffer *text)
{
	switch (dwarf_tag(type)) {
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type: return enter_member(type, offset, text);
	case DW_TAG_array_type: return enter_element(type, offset, text);
	default: return false;
	}
}

bool variable_describe(const struct symbols *symbols, uint64_t address, uint32_t size, struct buffer *text)
{
	const struct variable *variable = variables_find(symbols, address);
	Dwarf_Die die, type;
	uint64_t offset;

	if (!variable || !dwarf_offdie(symbols->dwarf, variable->die, &die) || !type_of(&die, &type))
		return false;
	invariant(dwarf_diename(&die)); /* variables_add() leaves those without a name out */
	buffer_add_text(text, dwarf_diename(&die));
	invariant(address >= variable->address && address - variable->address < variable->size);
	offset = address - variable->address;
	for (unsigned nesting = 0; nesting < MAX_NESTING && type_peel(&type); nesting++) {
		if (!offset && size && type_size(&type) <= size)
			break;
		if (!enter_part(&type, &offset, text))
			break;
	}
	if (offset)
		buffer_printf(text, "+%" PRIu64, offset);
	return true;
}
