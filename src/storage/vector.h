/*
 * Arrays that grow.
 *
 *   VECTOR(struct race) races = {0};         empty; vector_release() frees it
 *   vector_add(&races, race);                at the end; so does vector_add(&races, (struct race){.first = 1})
 *   races.items[0], races.count              what is in it
 *
 * The macros take every struct with members `items`, `count` and `size` (items that there is room for), so a header may
 * also spell one out to give it a name. A vector moves when it grows: nobody keeps a pointer into it across a
 * vector_add(), and what is added is no item of the same vector.
 *
 * Several arrays that have their length in common, or that are longer than their count says, use array_grow() directly.
 */
#ifndef INSPECT_STORAGE_VECTOR_H
#define INSPECT_STORAGE_VECTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "common/invariant.h"
#include "storage/memory.h"

#define VECTOR(type)                                                                                                   \
	struct {                                                                                                       \
		type *items;                                                                                           \
		uint32_t count, size;                                                                                  \
	}

/* The array with room for `need` items, and *size said so: more than `need`, and at least twice as many as before. */
void *array_enlarge(void *items, uint32_t *size, uint64_t need, size_t item_size);

/* The array with room for at least `need` items; it may move. What is new is not set to anything. */
static inline void *array_grow(void *items, uint32_t *size, uint64_t need, size_t item_size)
{
	return __builtin_expect(need <= *size, 1) ? items : array_enlarge(items, size, need, item_size);
}

static inline bool array_lacks(uint32_t size, uint64_t need)
{
	return __builtin_expect(need > size, 0);
}

/* Room for `need` items in all; `need` is looked at twice. */
#define vector_need(vector, need) (array_lacks((vector)->size, need) ? vector_enlarge_((vector), (need)) : (void)0)

#define vector_add(vector, ...)                                                                                        \
	(__builtin_expect((vector)->count >= (vector)->size, 0)                                                        \
		 ? vector_enlarge_((vector), (vector)->count + UINT64_C(1))                                            \
		 : (void)0,                                                                                            \
	 (vector)->items[(vector)->count++] = (__VA_ARGS__))

#define vector_enlarge_(vector, need)                                                                                  \
	((void)((vector)->items = array_enlarge((vector)->items, &(vector)->size, (need), sizeof *(vector)->items)))

/* Take the last item out; there must be one. */
#define vector_pop(vector) (vector_not_empty((vector)->count), (vector)->items[--(vector)->count])

static inline void vector_not_empty(uint32_t count)
{
	debug_invariant(count);
}

#define vector_release(vector)                                                                                         \
	(memory_free((vector)->items), (vector)->items = NULL, (void)((vector)->count = (vector)->size = 0))

#endif
