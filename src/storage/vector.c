#include "storage/vector.h"

#include "common/trouble.h"
#include "storage/memory.h"

void *array_enlarge(void *items, uint32_t *size, uint64_t need, size_t item_size)
{
	enum { LEAST = 16 };
	uint64_t larger = need > 2ull * *size ? need : 2ull * *size;

	invariant(need > *size && (items || !*size));
	invariant(need <= UINT32_MAX);
	if (larger < LEAST)
		larger = LEAST;
	*size = larger < UINT32_MAX ? (uint32_t)larger : UINT32_MAX;
	return memory_resize(items, *size * item_size);
}
