#include "common/invariant.h"
#include "common/list.h"

#include "common/trouble.h"

#include <stdlib.h>

static void make_room(struct list *list)
{
	if (list->count + 2 <= list->room)
		return;
	list->room = list->room ? 2 * list->room : 8;
	list->items = xrealloc(list->items, list->room * sizeof *list->items);
}

void list_init(struct list *list)
{
	*list = (struct list){0};
	make_room(list);
	list->items[0] = NULL;
}

void list_add_own(struct list *list, char *item)
{
	invariant(item);
	make_room(list);
	invariant(list->count + 1 < list->room); /* and the NULL */
	list->items[list->count++] = item;
	list->items[list->count] = NULL;
}

void list_add(struct list *list, const char *item)
{
	list_add_own(list, xstrdup(item));
}

void list_add_all(struct list *list, const char *const items[])
{
	for (; *items; items++)
		list_add(list, *items);
}

void list_free_items(char **items)
{
	for (char **item = items; item && *item; item++)
		free(*item);
	free(items);
}

void list_release(struct list *list)
{
	list_free_items(list->items);
	*list = (struct list){0};
}

char **list_take_items(struct list *list)
{
	char **items;

	make_room(list);
	invariant(list->count < list->room);
	items = list->items;
	items[list->count] = NULL;
	*list = (struct list){0};
	return items;
}
