#define _GNU_SOURCE
#include "build/instrument/debuginfo.h"

#include "common/invariant.h"
#include "common/trouble.h"

#include <stdlib.h>
#include <string.h>

/* Positions of operands in LLVM 19 (class definitions in llvm/IR/DebugInfoMetadata.h). */
enum {
	SCOPE_PARENT = 1, /* DILexicalBlock, DILexicalBlockFile */
	SUBPROGRAM_NAME = 2,
	SUBPROGRAM_TYPE = 4,
	SUBPROGRAM_UNIT = 5,
	VARIABLE_SCOPE = 0,
	VARIABLE_NAME = 1, /* DILocalVariable, DIGlobalVariable */
	VARIABLE_TYPE = 3,
	TYPE_BASE = 3, /* DIDerivedType, DICompositeType */
	TYPE_ELEMENTS = 4, /* DICompositeType */
	SUBROUTINE_TYPES = 3,
	SUBRANGE_COUNT = 0,
	DBG_LOCATION = 0, /* arguments of llvm.dbg.declare and llvm.dbg.value */
	DBG_VARIABLE = 1,
	DBG_EXPRESSION = 2,
	MOST_OPERANDS = 64, /* more than any node that we look at has, except lists of members */
};

/* DWARF tags of types (DWARF 5, section 7.5.3). */
enum {
	TAG_ARRAY = 0x01,
	TAG_CLASS = 0x02,
	TAG_MEMBER = 0x0d,
	TAG_POINTER = 0x0f,
	TAG_REFERENCE = 0x10,
	TAG_STRUCTURE = 0x13,
	TAG_TYPEDEF = 0x16,
	TAG_UNION = 0x17,
	TAG_INHERITANCE = 0x1c,
	TAG_CONST = 0x26,
	TAG_VOLATILE = 0x35,
	TAG_RESTRICT = 0x37,
	TAG_RVALUE_REFERENCE = 0x42,
	TAG_ATOMIC = 0x47,
};

static LLVMValueRef operand(LLVMContextRef context, LLVMMetadataRef node, unsigned n)
{
	LLVMValueRef value = LLVMMetadataAsValue(context, node);
	LLVMValueRef operands[MOST_OPERANDS];
	unsigned count = (unsigned)LLVMGetMDNodeNumOperands(value);

	if (n >= count || count > MOST_OPERANDS)
		return NULL;
	LLVMGetMDNodeOperands(value, operands);
	return operands[n];
}

/* A node of that kind, or none: what the verifier promises, if the positions above are those of this LLVM. */
static bool is_kind(LLVMMetadataRef node, LLVMMetadataKind kind)
{
	return !node || LLVMGetMetadataKind(node) == kind;
}

static LLVMMetadataRef node_operand(LLVMContextRef context, LLVMMetadataRef node, unsigned n)
{
	LLVMValueRef value = operand(context, node, n);

	return value ? LLVMValueAsMetadata(value) : NULL;
}

/* Strings of metadata are keys of a table in the context and end with NUL. */
static const char *string_operand(LLVMContextRef context, LLVMMetadataRef node, unsigned n)
{
	LLVMValueRef value = operand(context, node, n);
	unsigned length;
	const char *text = value ? LLVMGetMDString(value, &length) : NULL;

	invariant(!value || text);
	return text ? text : "";
}

/* The n-th element of a list node, which may be long. */
static LLVMMetadataRef list_element(LLVMContextRef context, LLVMMetadataRef list, unsigned n, unsigned *count)
{
	LLVMValueRef value = LLVMMetadataAsValue(context, list);
	LLVMMetadataRef element = NULL;

	*count = (unsigned)LLVMGetMDNodeNumOperands(value);
	invariant(is_kind(list, LLVMMDTupleMetadataKind));
	if (n < *count) {
		LLVMValueRef operands[*count];

		LLVMGetMDNodeOperands(value, operands);
		element = operands[n] ? LLVMValueAsMetadata(operands[n]) : NULL;
	}
	return element;
}

static LLVMMetadataRef subprogram_of(LLVMContextRef context, LLVMMetadataRef scope)
{
	while (scope && LLVMGetMetadataKind(scope) != LLVMDISubprogramMetadataKind)
		scope = node_operand(context, scope, SCOPE_PARENT);
	invariant(is_kind(scope, LLVMDISubprogramMetadataKind));
	return scope;
}

static const char *subprogram_name(LLVMContextRef context, LLVMMetadataRef scope)
{
	scope = subprogram_of(context, scope);
	return scope ? string_operand(context, scope, SUBPROGRAM_NAME) : "";
}

static const char *file_directory(LLVMMetadataRef file)
{
	unsigned length;
	const char *directory = file ? LLVMDIFileGetDirectory(file, &length) : NULL;

	return directory ? directory : "";
}

/* Where the compiler ran. */
static const char *unit_directory(LLVMContextRef context, LLVMMetadataRef scope)
{
	LLVMMetadataRef subprogram = subprogram_of(context, scope);
	LLVMMetadataRef unit = subprogram ? node_operand(context, subprogram, SUBPROGRAM_UNIT) : NULL;

	invariant(is_kind(unit, LLVMDICompileUnitMetadataKind));
	return file_directory(unit ? LLVMDIScopeGetFile(unit) : NULL);
}

/*
 * clang splits an absolute path at the end of what it has in common with the working
 * directory; the second part alone leads nowhere.  The string is kept by the context.
 */
static const char *whole_path(LLVMContextRef context, const struct position *position)
{
	char *path = xasprintf("%s/%s", position->directory, position->file);
	LLVMMetadataRef kept = LLVMMDStringInContext2(context, path, strlen(path));
	unsigned length;

	invariant(*position->directory && *position->file != '/');
	free(path);
	return LLVMGetMDString(LLVMMetadataAsValue(context, kept), &length);
}

static LLVMValueRef function_of(LLVMValueRef instruction)
{
	invariant(LLVMGetInstructionParent(instruction)); /* it is part of a function */
	return LLVMGetBasicBlockParent(LLVMGetInstructionParent(instruction));
}

/* Headers of the C++ library: /usr/include/c++/…, /usr/lib/gcc/…/include/…/c++/… */
static bool is_library_file(LLVMMetadataRef file)
{
	unsigned length;
	const char *name = file ? LLVMDIFileGetFilename(file, &length) : NULL;

	return name && has_prefix(name, "/usr/") && strstr(name, "/include/") && strstr(name, "/c++/");
}

bool di_is_library(LLVMContextRef context, LLVMValueRef function)
{
	LLVMMetadataRef subprogram = LLVMGetSubprogram(function);

	(void)context;
	return subprogram && is_library_file(LLVMDIScopeGetFile(subprogram));
}

/* The place in the program that a place in the library was inlined into, if there is one. */
static LLVMMetadataRef own_location(LLVMMetadataRef location)
{
	LLVMMetadataRef at = location;

	invariant(location);
	while (at && is_library_file(LLVMDIScopeGetFile(LLVMDILocationGetScope(at)))) {
		location = at;
		at = LLVMDILocationGetInlinedAt(at);
	}
	return at ? at : location;
}

struct position di_position(LLVMContextRef context, LLVMValueRef instruction)
{
	LLVMMetadataRef location = di_location(context, instruction);
	struct position position = {"", "", value_name(function_of(instruction)), 0, 0};
	LLVMMetadataRef scope, file;
	unsigned length;

	if (!location)
		return position;
	location = own_location(location);
	scope = LLVMDILocationGetScope(location);
	file = LLVMDIScopeGetFile(scope);
	position.line = LLVMDILocationGetLine(location);
	position.column = LLVMDILocationGetColumn(location);
	position.function = subprogram_name(context, scope);
	if (file) {
		const char *name = LLVMDIFileGetFilename(file, &length);

		position.file = name ? name : "";
		position.directory = file_directory(file);
		if (*position.directory && *position.file != '/' &&
		    strcmp(position.directory, unit_directory(context, scope)))
			position.file = whole_path(context, &position);
	}
	invariant(position.file && position.directory && position.function);
	return position;
}

LLVMMetadataRef di_location(LLVMContextRef context, LLVMValueRef instruction)
{
	LLVMMetadataRef location = LLVMInstructionGetDebugLoc(instruction);
	LLVMMetadataRef subprogram;

	invariant(is_kind(location, LLVMDILocationMetadataKind));
	if (location)
		return location;
	subprogram = LLVMGetSubprogram(function_of(instruction));
	if (!subprogram)
		return NULL;
	return LLVMDIBuilderCreateDebugLocation(context, LLVMDISubprogramGetLine(subprogram), 0, subprogram, NULL);
}

const char *di_function_name(LLVMContextRef context, LLVMValueRef function)
{
	LLVMMetadataRef subprogram = LLVMGetSubprogram(function);
	const char *name = subprogram ? subprogram_name(context, subprogram) : "";

	invariant(is_kind(subprogram, LLVMDISubprogramMetadataKind));
	return *name ? name : value_name(function);
}

const char *di_pointee_name(LLVMContextRef context, LLVMValueRef function, unsigned n)
{
	LLVMMetadataRef subprogram = LLVMGetSubprogram(function);
	LLVMMetadataRef type = subprogram ? node_operand(context, subprogram, SUBPROGRAM_TYPE) : NULL;
	LLVMMetadataRef types = type ? node_operand(context, type, SUBROUTINE_TYPES) : NULL;
	unsigned count;

	invariant(is_kind(type, LLVMDISubroutineTypeMetadataKind));
	/* element 0 is the type of the result */
	type = types ? list_element(context, types, n + 1, &count) : NULL;
	type = type ? di_target(context, type) : NULL;
	return di_type_name(context, type);
}

struct variable di_local(LLVMContextRef context, LLVMMetadataRef variable)
{
	return (struct variable){string_operand(context, variable, VARIABLE_NAME),
				 node_operand(context, variable, VARIABLE_TYPE)};
}

struct variable di_global(LLVMContextRef context, LLVMValueRef global)
{
	struct variable found = {"", NULL};
	size_t count;
	LLVMValueMetadataEntry *entries = LLVMGlobalCopyAllMetadata(global, &count);

	for (unsigned i = 0; i < count && !*found.name; i++) {
		LLVMMetadataRef node = LLVMValueMetadataEntriesGetMetadata(entries, i);

		if (LLVMGetMetadataKind(node) != LLVMDIGlobalVariableExpressionMetadataKind)
			continue;
		invariant(is_kind(LLVMDIGlobalVariableExpressionGetVariable(node), LLVMDIGlobalVariableMetadataKind));
		found = di_local(context, LLVMDIGlobalVariableExpressionGetVariable(node));
	}
	LLVMDisposeValueMetadataEntries(entries);
	return found;
}

/* The value that llvm.dbg.declare or llvm.dbg.value describes, if it is exactly one. */
static LLVMValueRef described_value(LLVMValueRef intrinsic)
{
	LLVMValueRef wrapper = LLVMGetOperand(intrinsic, DBG_LOCATION);
	LLVMValueRef value = NULL;

	if (LLVMGetMDNodeNumOperands(wrapper) == 1)
		LLVMGetMDNodeOperands(wrapper, &value);
	return value;
}

/* A pointer to void says less than the typed pointer that it is copied to at once. */
static bool is_better(LLVMContextRef context, LLVMMetadataRef variable, LLVMMetadataRef than)
{
	return !than || (!di_target(context, di_local(context, than).type) &&
			 di_target(context, di_local(context, variable).type));
}

static void collect_local(LLVMValueRef intrinsic, LLVMMetadataRef plain, struct map *places, struct map *values)
{
	LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(intrinsic));
	LLVMMetadataRef variable = LLVMValueAsMetadata(LLVMGetOperand(intrinsic, DBG_VARIABLE));
	LLVMMetadataRef expression = LLVMValueAsMetadata(LLVMGetOperand(intrinsic, DBG_EXPRESSION));
	LLVMValueRef value = described_value(intrinsic);
	struct map *map = LLVMIsADbgDeclareInst(intrinsic) ? places : values;

	invariant(is_kind(variable, LLVMDILocalVariableMetadataKind));
	invariant(is_kind(expression, LLVMDIExpressionMetadataKind));
	if (!value || expression != plain || LLVMIsConstant(value))
		return;
	/* "this" and the like of an inlined function of the C++ library says nothing to anybody */
	if (is_library_file(LLVMDIScopeGetFile(node_operand(context, variable, VARIABLE_SCOPE))))
		return;
	/* an object made of one pointer (std::lock_guard) is not the name of what it points to */
	if (map == values && di_kind(context, di_local(context, variable).type) == TYPE_STRUCT)
		return;
	if (is_better(context, variable, (LLVMMetadataRef)map_get(map, value)))
		map_put(map, value, (uintptr_t)variable);
}

void di_collect_locals(struct program *program, struct map *places, struct map *values)
{
	LLVMDIBuilderRef builder = LLVMCreateDIBuilderDisallowUnresolved(program->module);
	LLVMMetadataRef plain = LLVMDIBuilderCreateExpression(builder, NULL, 0);
	LLVMBool format = LLVMIsNewDbgInfoFormat(program->module);
	LLVMValueRef function, at;
	LLVMBasicBlockRef block;

	LLVMDisposeDIBuilder(builder);
	/* in the new format what describes a variable is no instruction and cannot be reached through the C API */
	LLVMSetIsNewDbgInfoFormat(program->module, 0);
	for (function = LLVMGetFirstFunction(program->module); function; function = LLVMGetNextFunction(function))
		for (block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block))
			for (at = LLVMGetFirstInstruction(block); at; at = LLVMGetNextInstruction(at))
				if (LLVMIsADbgVariableIntrinsic(at))
					collect_local(at, plain, places, values);
	LLVMSetIsNewDbgInfoFormat(program->module, format);
}

static bool is_pointer_tag(unsigned tag)
{
	return tag == TAG_POINTER || tag == TAG_REFERENCE || tag == TAG_RVALUE_REFERENCE;
}

static LLVMMetadataRef base_type(LLVMContextRef context, LLVMMetadataRef type)
{
	return node_operand(context, type, TYPE_BASE);
}

static bool is_qualifier(unsigned tag)
{
	return tag == TAG_CONST || tag == TAG_VOLATILE || tag == TAG_RESTRICT || tag == TAG_ATOMIC;
}

/* Without typedefs and qualifiers. */
static LLVMMetadataRef bare_type(LLVMContextRef context, LLVMMetadataRef type)
{
	while (type && (is_qualifier(LLVMGetDINodeTag(type)) || LLVMGetDINodeTag(type) == TAG_TYPEDEF))
		type = base_type(context, type);
	return type;
}

enum type_kind di_kind(LLVMContextRef context, LLVMMetadataRef type)
{
	type = bare_type(context, type);
	switch (type ? LLVMGetDINodeTag(type) : 0) {
	case TAG_POINTER:
	case TAG_REFERENCE:
	case TAG_RVALUE_REFERENCE: return TYPE_POINTER;
	case TAG_CLASS:
	case TAG_STRUCTURE: return TYPE_STRUCT;
	case TAG_UNION: return TYPE_UNION;
	case TAG_ARRAY: return TYPE_ARRAY;
	default: return TYPE_SCALAR;
	}
}

uint64_t di_size(LLVMContextRef context, LLVMMetadataRef type)
{
	type = bare_type(context, type);
	return type ? LLVMDITypeGetSizeInBits(type) / 8 : 0;
}

LLVMMetadataRef di_target(LLVMContextRef context, LLVMMetadataRef type)
{
	type = bare_type(context, type);
	if (!type || (!is_pointer_tag(LLVMGetDINodeTag(type)) && LLVMGetDINodeTag(type) != TAG_ARRAY))
		return NULL;
	return base_type(context, type);
}

static const char *node_name(LLVMMetadataRef type)
{
	size_t length;
	const char *name = LLVMDITypeGetName(type, &length);

	return name ? name : "";
}

const char *di_type_name(LLVMContextRef context, LLVMMetadataRef type)
{
	while (type && is_qualifier(LLVMGetDINodeTag(type)))
		type = base_type(context, type);
	return type ? node_name(type) : "";
}

bool di_type_is(LLVMContextRef context, LLVMMetadataRef type, const char *name)
{
	for (; type; type = base_type(context, type)) {
		unsigned tag = LLVMGetDINodeTag(type);

		if (!is_qualifier(tag) && !strcmp(node_name(type), name))
			return true;
		if (!is_qualifier(tag) && tag != TAG_TYPEDEF)
			return false;
	}
	return false;
}

/* The node of the n-th element (member, dimension) of a composite type. */
static LLVMMetadataRef type_element(LLVMContextRef context, LLVMMetadataRef type, unsigned n)
{
	LLVMMetadataRef list = type ? node_operand(context, type, TYPE_ELEMENTS) : NULL;
	unsigned count;

	return list ? list_element(context, list, n, &count) : NULL;
}

/* A part of each object; not a static member, a function or a type of the class. */
static bool is_data_member(LLVMMetadataRef node)
{
	unsigned tag;

	if (!node || LLVMGetMetadataKind(node) != LLVMDIDerivedTypeMetadataKind)
		return false;
	tag = LLVMGetDINodeTag(node);
	return tag == TAG_INHERITANCE || (tag == TAG_MEMBER && !(LLVMDITypeGetFlags(node) & LLVMDIFlagStaticMember));
}

/* The n-th data member of a class. */
static LLVMMetadataRef data_member(LLVMContextRef context, LLVMMetadataRef type, unsigned n)
{
	LLVMMetadataRef list = type ? node_operand(context, type, TYPE_ELEMENTS) : NULL;
	LLVMValueRef value = list ? LLVMMetadataAsValue(context, list) : NULL;
	unsigned count = value ? (unsigned)LLVMGetMDNodeNumOperands(value) : 0;
	LLVMValueRef operands[count + 1];

	invariant(!list || LLVMGetMetadataKind(list) == LLVMMDTupleMetadataKind);
	if (count)
		LLVMGetMDNodeOperands(value, operands);
	for (unsigned i = 0; i < count; i++) {
		LLVMMetadataRef node = operands[i] ? LLVMValueAsMetadata(operands[i]) : NULL;

		if (is_data_member(node) && !n--)
			return node;
	}
	return NULL;
}

bool di_member(LLVMContextRef context, LLVMMetadataRef type, unsigned n, struct member_info *member)
{
	LLVMMetadataRef node = data_member(context, bare_type(context, type), n);

	if (!node)
		return false;
	member->name = node_name(node);
	member->type = base_type(context, node);
	member->bit_offset = LLVMDITypeGetOffsetInBits(node);
	member->bit_size = LLVMDITypeGetSizeInBits(node);
	if (LLVMGetDINodeTag(node) == TAG_INHERITANCE) {
		member->name = ""; /* like an anonymous member: the path goes through it unseen */
		member->bit_size = di_size(context, member->type) * 8;
	}
	member->bit_field = LLVMDITypeGetFlags(node) & LLVMDIFlagBitField;
	return true;
}

bool di_dimension(LLVMContextRef context, LLVMMetadataRef type, unsigned n, uint64_t *count)
{
	LLVMMetadataRef node = type_element(context, bare_type(context, type), n);
	LLVMValueRef value;

	if (!node || LLVMGetMetadataKind(node) != LLVMDISubrangeMetadataKind)
		return false;
	value = operand(context, node, SUBRANGE_COUNT);
	*count = value && LLVMIsAConstantInt(value) ? LLVMConstIntGetZExtValue(value) : 0;
	if ((int64_t)*count < 0) /* a flexible array */
		*count = 0;
	return true;
}
