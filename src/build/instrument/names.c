/*
 * How a pointer gets its name: strip address arithmetic down to a root (a
 * variable, or a pointer whose own name is known), adding up constant offsets
 * and collecting the strides of variable indexes; then walk down the C type of
 * the root to the wanted object and write the path.
 */
#define _GNU_SOURCE
#include "build/instrument/names.h"

#include "build/instrument/debuginfo.h"
#include "common/invariant.h"

#include <stdio.h>
#include <string.h>

#define MAX_STRIDES 6
#define MAX_DEPTH 8 /* of pointers that are followed, of types inside types */

struct place {
	char text[NAME_SIZE];
	bool deref; /* the text is a pointer to the place */
	LLVMMetadataRef type; /* of the place */
	unsigned dimension; /* of a multi-dimensional array: how many indexes were written */
};

/* What is still to be walked from a place: bytes, and variable indexes times their strides. */
struct path {
	int64_t bytes;
	uint64_t strides[MAX_STRIDES];
	unsigned stride_count;
	bool inside; /* begins with a member or element of what the root points to: p->…, never p[…] */
};

enum want_kind {
	WANT_SCALAR, /* the innermost object */
	WANT_SIZE, /* the outermost object of that size */
	WANT_TYPE, /* an object of the type so named */
	WANT_OUTER, /* the outermost object at the address */
};

struct want {
	enum want_kind kind;
	uint64_t size;
	const char *type;
};

static bool find_place(struct namer *namer, LLVMValueRef pointer, const struct want *want, struct place *place,
		       unsigned depth);

void namer_init(struct namer *namer, struct program *program)
{
	*namer = (struct namer){.program = program};
	di_collect_locals(program, &namer->places, &namer->values);
}

void namer_release(struct namer *namer)
{
	map_release(&namer->places);
	map_release(&namer->values);
}

static void append(struct place *place, const char *more)
{
	size_t length = strlen(place->text);

	invariant(length < NAME_SIZE);
	snprintf(place->text + length, NAME_SIZE - length, "%s", more);
}

/* ---- address arithmetic ---- */

static void add_index(struct path *path, LLVMValueRef index, uint64_t size)
{
	if (LLVMIsAConstantInt(index))
		path->bytes += LLVMConstIntGetSExtValue(index) * (int64_t)size;
	else if (path->stride_count < MAX_STRIDES)
		path->strides[path->stride_count++] = size;
}

static void add_gep(struct namer *namer, LLVMValueRef gep, struct path *path)
{
	LLVMTargetDataRef layout = namer->program->layout;
	LLVMTypeRef type = LLVMGetGEPSourceElementType(gep);
	unsigned count = (unsigned)LLVMGetNumOperands(gep);

	add_index(path, LLVMGetOperand(gep, 1), LLVMABISizeOfType(layout, type));
	invariant(count >= 2); /* a pointer and an index at least */
	path->inside = count > 2 && LLVMIsNull(LLVMGetOperand(gep, 1));
	for (unsigned i = 2; i < count; i++) {
		LLVMValueRef index = LLVMGetOperand(gep, i);

		if (LLVMGetTypeKind(type) == LLVMStructTypeKind) {
			unsigned field = (unsigned)LLVMConstIntGetZExtValue(index);

			invariant(LLVMIsAConstantInt(index)); /* the members of a structure differ in their types */
			invariant(field < LLVMCountStructElementTypes(type));
			path->bytes += (int64_t)LLVMOffsetOfElement(layout, type, field);
			type = LLVMStructGetTypeAtIndex(type, field);
		} else {
			type = LLVMGetElementType(type);
			add_index(path, index, LLVMABISizeOfType(layout, type));
		}
	}
}

static bool is_intrinsic(LLVMValueRef value, const char *name)
{
	LLVMValueRef callee = LLVMIsACallInst(value) ? LLVMGetCalledValue(value) : NULL;

	return callee && LLVMIsAFunction(callee) && has_prefix(value_name(callee), name);
}

/* Strip address arithmetic, except where a variable holds the intermediate pointer. */
static LLVMValueRef strip(struct namer *namer, LLVMValueRef pointer, struct path *path)
{
	for (;;) {
		if (map_get(&namer->values, pointer) || map_get(&namer->places, pointer))
			return pointer;
		if (LLVMIsAGetElementPtrInst(pointer) ||
		    (LLVMIsAConstantExpr(pointer) && LLVMGetConstOpcode(pointer) == LLVMGetElementPtr))
			add_gep(namer, pointer, path);
		else if (!LLVMIsABitCastInst(pointer) && !is_intrinsic(pointer, "llvm.threadlocal.address"))
			return pointer;
		pointer = LLVMGetOperand(pointer, 0);
	}
}

/* ---- roots ---- */

static bool place_of_variable(struct place *place, struct variable variable)
{
	snprintf(place->text, NAME_SIZE, "%s", variable.name);
	place->type = variable.type;
	return *place->text;
}

/* From a place that holds a pointer to the place it points to. */
static void dereference(struct namer *namer, struct place *place)
{
	if (place->deref) {
		char text[NAME_SIZE];

		memcpy(text, place->text, NAME_SIZE);
		snprintf(place->text, NAME_SIZE, "(*%.*s)", NAME_SIZE - 4, text);
	}
	place->deref = true;
	place->dimension = 0;
	place->type = di_target(namer->program->context, place->type);
}

static bool find_root(struct namer *namer, LLVMValueRef root, struct place *place, unsigned depth)
{
	LLVMContextRef context = namer->program->context;
	LLVMMetadataRef variable;

	invariant(depth <= MAX_DEPTH); /* pointers may lead round in a circle */
	if ((variable = (LLVMMetadataRef)map_get(&namer->places, root)))
		return place_of_variable(place, di_local(context, variable));
	if ((variable = (LLVMMetadataRef)map_get(&namer->values, root))) {
		bool named = place_of_variable(place, di_local(context, variable));

		dereference(namer, place);
		return named;
	}
	if (LLVMIsAGlobalVariable(root)) {
		if (place_of_variable(place, di_global(context, root)))
			return true;
		/* declared here, defined in a library; a string constant has no name for people */
		return LLVMIsDeclaration(root) && place_of_variable(place, (struct variable){value_name(root), NULL});
	}
	if (LLVMIsAFunction(root))
		return place_of_variable(place, (struct variable){di_function_name(context, root), NULL});
	if (LLVMIsALoadInst(root)) {
		struct want want = {WANT_SCALAR, 8, ""};
		bool found = find_place(namer, LLVMGetOperand(root, 0), &want, place, depth + 1);

		dereference(namer, place);
		return found;
	}
	return false;
}

/* ---- walking down a type ---- */

static bool take_stride(struct path *path, uint64_t size)
{
	invariant(path->stride_count <= MAX_STRIDES);
	for (unsigned i = 0; i < path->stride_count; i++) {
		if (path->strides[i] != size)
			continue;
		path->strides[i] = path->strides[--path->stride_count];
		return true;
	}
	return false;
}

/* Write the index of an element of `size` bytes; what remains of the path is inside that element. */
static void append_index(struct place *place, struct path *path, uint64_t size)
{
	char text[32] = "[]";
	int64_t index;

	invariant(size);
	index = path->bytes / (int64_t)size;

	if (path->bytes % (int64_t)size < 0)
		index--;
	if (!take_stride(path, size))
		snprintf(text, sizeof text, "[%lld]", (long long)index);
	path->bytes -= index * (int64_t)size;
	invariant(path->bytes >= 0 && (uint64_t)path->bytes < size);
	append(place, text);
}

/* Memory behind a pointer may be an array: p[3], p[]. */
static void index_pointer(struct namer *namer, struct place *place, struct path *path)
{
	uint64_t size = di_size(namer->program->context, place->type);
	bool variable = false;

	if (!place->deref || !size || path->inside)
		return;
	for (unsigned i = 0; i < path->stride_count; i++)
		variable |= path->strides[i] == size;
	if (!variable && path->bytes >= 0 && (uint64_t)path->bytes < size)
		return;
	append_index(place, path, size);
	place->deref = false;
}

/* The size of an element of the array `place`, whose first indexes may be written already. */
static uint64_t element_size(struct namer *namer, const struct place *place, bool *last)
{
	LLVMContextRef context = namer->program->context;
	uint64_t size = di_size(context, di_target(context, place->type));
	uint64_t count;

	*last = true;
	for (unsigned n = place->dimension + 1; di_dimension(context, place->type, n, &count); n++) {
		size *= count;
		*last = false;
	}
	return size;
}

static bool enter_element(struct namer *namer, struct place *place, struct path *path)
{
	bool last;
	uint64_t size = element_size(namer, place, &last);

	if (!size)
		return false;
	if (place->deref) {
		char text[NAME_SIZE];

		memcpy(text, place->text, NAME_SIZE);
		snprintf(place->text, NAME_SIZE, "(*%.*s)", NAME_SIZE - 4, text);
		place->deref = false;
	}
	append_index(place, path, size);
	place->dimension++;
	if (last) {
		place->type = di_target(namer->program->context, place->type);
		place->dimension = 0;
	}
	return true;
}

static void append_member(struct place *place, const char *name)
{
	/* the C++ library's own members are nobody's business: "queue", not "queue._M_impl._M_start" */
	if (!*name || has_prefix(name, "_M_"))
		return;
	append(place, place->deref ? "->" : ".");
	append(place, name);
	place->deref = false;
}

static bool member_contains(const struct member_info *member, int64_t bytes)
{
	uint64_t bit = (uint64_t)bytes * 8;

	/* without a size: a flexible array at the end */
	return bytes >= 0 && member->bit_offset / 8 <= (uint64_t)bytes &&
	       (!member->bit_size || bit < member->bit_offset + member->bit_size);
}

/* An access to bit-fields touches all that share the bytes: "flags.{a,b}". */
static bool enter_bit_fields(struct namer *namer, struct place *place, const struct path *path, uint64_t size)
{
	uint64_t first = (uint64_t)path->bytes * 8, end = first + size * 8;
	char names[NAME_SIZE] = "";
	struct member_info member;
	unsigned found = 0;

	invariant(path->bytes >= 0);
	for (unsigned n = 0; di_member(namer->program->context, place->type, n, &member); n++) {
		size_t length = strlen(names);

		if (!member.bit_field || member.bit_offset >= end || member.bit_offset + member.bit_size <= first)
			continue;
		snprintf(names + length, NAME_SIZE - length, "%s%s", found++ ? "," : "", member.name);
	}
	append_member(place, found == 1 ? names : "{");
	if (found != 1) {
		append(place, names);
		append(place, "}");
	}
	place->type = NULL;
	return true;
}

/* Is there a scalar of exactly that size at the offset? */
static bool has_scalar(struct namer *namer, LLVMMetadataRef type, int64_t bytes, uint64_t size, unsigned depth)
{
	LLVMContextRef context = namer->program->context;
	struct member_info member;

	switch (di_kind(context, type)) {
	case TYPE_ARRAY:
		type = di_target(context, type);
		return depth < MAX_DEPTH && di_size(context, type) &&
		       has_scalar(namer, type, bytes % (int64_t)di_size(context, type), size, depth + 1);
	case TYPE_STRUCT:
	case TYPE_UNION:
		for (unsigned n = 0; depth < MAX_DEPTH && di_member(context, type, n, &member); n++) {
			int64_t offset = (int64_t)(member.bit_offset / 8);

			if (member.bit_field || !member_contains(&member, bytes))
				continue;
			if (has_scalar(namer, member.type, bytes - offset, size, depth + 1))
				return true;
		}
		return false;
	default: return !bytes && di_size(context, type) == size;
	}
}

/* Of a union the member that has what is wanted, of a struct the one at the offset. */
static bool choose_member(struct namer *namer, const struct place *place, const struct path *path,
			  const struct want *want, struct member_info *chosen)
{
	LLVMContextRef context = namer->program->context;
	bool is_union = di_kind(context, place->type) == TYPE_UNION, found = false;
	struct member_info member;

	for (unsigned n = 0; di_member(context, place->type, n, &member); n++) {
		int64_t offset = (int64_t)(member.bit_offset / 8);
		bool fits = want->kind == WANT_SCALAR &&
			    has_scalar(namer, member.type, path->bytes - offset, want->size, 0);

		if (!member_contains(&member, path->bytes) || (found && is_union && !fits))
			continue;
		*chosen = member;
		found = true;
		if (is_union ? fits : member.bit_size > 0)
			break;
	}
	return found;
}

static bool enter_member(struct namer *namer, struct place *place, struct path *path, const struct want *want)
{
	struct member_info member;

	if (!choose_member(namer, place, path, want, &member))
		return false;
	if (member.bit_field)
		return enter_bit_fields(namer, place, path, want->size);
	append_member(place, member.name);
	path->bytes -= (int64_t)(member.bit_offset / 8);
	place->type = member.type;
	return true;
}

static bool is_wanted(struct namer *namer, const struct place *place, const struct path *path, const struct want *want)
{
	LLVMContextRef context = namer->program->context;

	if (path->bytes || path->stride_count || place->dimension)
		return false;
	switch (want->kind) {
	case WANT_SCALAR: /* an aggregate that is accessed as one number */
		return di_size(context, place->type) == want->size && !has_scalar(namer, place->type, 0, want->size, 0);
	case WANT_SIZE: return di_size(context, place->type) == want->size;
	case WANT_TYPE: /* an array stands for a pointer to its first element */
		return di_type_is(context, place->type, want->type) ||
		       di_type_is(context, di_target(context, place->type), want->type);
	default: return true;
	}
}

/* Walk down to what is wanted; false when it is not there. */
static bool descend(struct namer *namer, struct place *place, struct path path, const struct want *want)
{
	index_pointer(namer, place, &path);
	for (unsigned depth = 0; depth < 2 * MAX_DEPTH; depth++) {
		bool entered = false;

		if (is_wanted(namer, place, &path, want))
			return true;
		switch (di_kind(namer->program->context, place->type)) {
		case TYPE_ARRAY: entered = enter_element(namer, place, &path); break;
		case TYPE_STRUCT:
		case TYPE_UNION: entered = enter_member(namer, place, &path, want); break;
		default: break;
		}
		if (!entered)
			return want->kind == WANT_SCALAR;
	}
	return false;
}

/* ---- whole names ---- */

static bool find_place(struct namer *namer, LLVMValueRef pointer, const struct want *want, struct place *place,
		       unsigned depth)
{
	const struct want outer = {WANT_OUTER, 0, ""};
	struct path path = {0};
	LLVMValueRef root = strip(namer, pointer, &path);
	struct place start;

	*place = (struct place){0};
	if (depth > MAX_DEPTH || !find_root(namer, root, place, depth))
		return false;
	start = *place;
	if (!descend(namer, place, path, want)) {
		*place = start;
		descend(namer, place, path, &outer);
	}
	return true;
}

static void write_name(struct namer *namer, LLVMValueRef pointer, const struct want *want, char name[NAME_SIZE])
{
	struct place place;

	name[0] = 0;
	if (find_place(namer, pointer, want, &place, 0))
		snprintf(name, NAME_SIZE, "%s%.*s", place.deref ? "*" : "", NAME_SIZE - 2, place.text);
}

void name_access(struct namer *namer, LLVMValueRef pointer, LLVMTypeRef type, char name[NAME_SIZE])
{
	struct want want = {WANT_SCALAR, LLVMStoreSizeOfType(namer->program->layout, type), ""};
	LLVMTypeKind kind = LLVMGetTypeKind(type);

	if (kind == LLVMStructTypeKind || kind == LLVMArrayTypeKind || kind == LLVMVectorTypeKind)
		want.kind = WANT_SIZE;
	write_name(namer, pointer, &want, name);
}

void name_block(struct namer *namer, LLVMValueRef pointer, uint64_t size, char name[NAME_SIZE])
{
	struct want want = {size ? WANT_SIZE : WANT_OUTER, size, ""};

	write_name(namer, pointer, &want, name);
}

/* The variable that an integer argument (a pthread_t) was read from. */
static void name_value(struct namer *namer, LLVMValueRef value, char name[NAME_SIZE])
{
	LLVMMetadataRef variable = (LLVMMetadataRef)map_get(&namer->values, value);

	name[0] = 0;
	if (variable)
		snprintf(name, NAME_SIZE, "%s", di_local(namer->program->context, variable).name);
	else if (LLVMIsALoadInst(value))
		name_access(namer, LLVMGetOperand(value, 0), LLVMTypeOf(value), name);
}

void name_call(struct namer *namer, LLVMValueRef call, char name[NAME_SIZE])
{
	LLVMValueRef callee = LLVMGetCalledValue(call);
	const char *function = LLVMIsAFunction(callee) ? value_name(callee) : "";
	unsigned count = LLVMGetNumArgOperands(call);

	name[0] = 0;
	if (!strcmp(function, "pthread_create") && count > 2) {
		name_block(namer, LLVMGetOperand(call, 2), 0, name);
		return;
	}
	if (has_prefix(function, "pthread_") && count &&
	    LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(call, 0))) == LLVMIntegerTypeKind) {
		name_value(namer, LLVMGetOperand(call, 0), name);
		return;
	}
	for (unsigned i = 0; i < count; i++) {
		LLVMValueRef argument = LLVMGetOperand(call, i);
		struct want want = {WANT_TYPE, 0, ""};

		if (LLVMGetTypeKind(LLVMTypeOf(argument)) != LLVMPointerTypeKind)
			continue;
		want.type = LLVMIsAFunction(callee) ? di_pointee_name(namer->program->context, callee, i) : "";
		if (!*want.type)
			want.kind = WANT_OUTER;
		write_name(namer, argument, &want, name);
		return;
	}
}
