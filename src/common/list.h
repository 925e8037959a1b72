/*
 * A list of strings that grows; its items are NULL-terminated, like an argv.
 *
 * A list that is all zero is empty, and its items are NULL; after list_init they are an empty argv. The list owns its
 * strings.
 */
#ifndef INSPECT_COMMON_LIST_H
#define INSPECT_COMMON_LIST_H

struct list {
	char **items; /* count strings and a NULL */
	unsigned count, room;
};

void list_init(struct list *list);
void list_release(struct list *list);

/* The list keeps a copy; the second form keeps the string itself, which must come from malloc. */
void list_add(struct list *list, const char *item);
void list_add_own(struct list *list, char *item);
void list_add_all(struct list *list, const char *const items[]);

/* The array, which is the caller's to free with list_free_items; the list is empty again. */
char **list_take_items(struct list *list);
void list_free_items(char **items);

#endif
