#define _GNU_SOURCE
#include "build/list.h"

#include "common/trouble.h"

#include <stdlib.h>

void list_take(struct list *list, char *item)
{
	if (list->count + 2 > list->room) {
		list->room = list->room ? 2 * list->room : 32;
		list->items = xrealloc(list->items, list->room * sizeof *list->items);
	}
	list->items[list->count++] = item;
	list->items[list->count] = NULL;
}

void list_add(struct list *list, const char *item)
{
	list_take(list, xstrdup(item));
}

void list_add_all(struct list *list, const char *const items[])
{
	for (; *items; items++)
		list_add(list, *items);
}

void list_release(struct list *list)
{
	for (unsigned i = 0; i < list->count; i++)
		free(list->items[i]);
	free(list->items);
	*list = (struct list){0};
}
