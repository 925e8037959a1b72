/*
 * Argument lists for programs to run: always NULL-terminated.
 */
#ifndef INSPECT_BUILD_LIST_H
#define INSPECT_BUILD_LIST_H

struct list {
	char **items;
	unsigned count;
	unsigned room;
};

/* The list keeps a copy; the second form takes the string itself, which must come from malloc. */
void list_add(struct list *list, const char *item);
void list_take(struct list *list, char *item);
void list_add_all(struct list *list, const char *const items[]);
void list_release(struct list *list);

#endif
