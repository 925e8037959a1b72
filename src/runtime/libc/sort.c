/*
 * qsort sorts a copy of the array: the array is read as a whole, then written as a whole,
 * and what the comparison reads of the elements themselves is nobody else's business.  So a
 * race on the array is seen, and sorting costs no scheduling points of its own.  (By the
 * standard, a comparison may not depend on where the elements are.)  bsearch reads the array
 * only in the comparison, which is code of the program.
 *
 * A very large array is sorted in place, as one long write: a copy would have an address that
 * depends on the schedule, and the comparison shows it.
 */
#define _GNU_SOURCE
#include "runtime/libc/libc.h"

void WRAP(qsort_r)(void *array, size_t count, size_t size, __compar_d_fn_t compare, void *context)
{
	uint32_t site = rt->current_site;

	if (count * size > TEMPORARY_ON_STACK) {
		writes(array, count * size);
		qsort_r(array, count, size, compare, context);
		return;
	}
	TEMPORARY(own, count * size);

	read_in(own.data, array, count * size);
	qsort_r(own.data, count, size, compare, context);
	rt->current_site = site; /* the comparison has passed others */
	write_out(array, own.data, count * size);
}

static int compare_plainly(const void *a, const void *b, void *compare)
{
	return ((__compar_fn_t)compare)(a, b);
}

void WRAP(qsort)(void *array, size_t count, size_t size, __compar_fn_t compare)
{
	WRAP(qsort_r)(array, count, size, compare_plainly, (void *)compare);
}
