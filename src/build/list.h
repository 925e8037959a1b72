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

/* The list refers to the string and does not own it. */
void list_add(struct list *list, const char *item);
void list_add_all(struct list *list, const char *const items[]);
void list_release(struct list *list);

#endif
