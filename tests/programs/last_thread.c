// expect: optimal bug=assertion executions=2 [args: main] [options: --keep-going] fork replay
// expect: source bug=assertion executions=2 [args: main] [options: --keep-going]
// expect: dpor bug=assertion executions=2 [args: main] [options: --keep-going]
// expect: all bug=assertion executions=6 [args: main] [options: --keep-going]
// expect: - bug=assertion executions=4 [args: main] [options: --stateful --exact-states --keep-going]
// expect: - bug=assertion executions=2 [args: main] [options: --seed=3 --keep-going]
// expect: - bug=assertion executions=2 [args: other] [options: --keep-going]
// expect: - bug=assertion executions=2 [args: other] [options: --seed=3 --keep-going]
// expect: - bug=assertion executions=2 [args: other] [options: --jobs=2 --keep-going]
// expect: optimal verified executions=1 [args: joined]
// expect: optimal verified executions=3 [args: many]
// expect: all verified executions=12 [args: many]
/*
 * Main leaves with pthread_exit, and the last thread ends the process: it runs the exit handlers, and which one that is
 * depends on the schedule.  With `joined' it is main in any case, and nothing depends on the order of the others.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static _Thread_local int is_main;
static atomic_int x, y;
static const char *what = "main";

static void at_exit(void)
{
	if (!strcmp(what, "main"))
		assert(!is_main);
	else if (!strcmp(what, "other"))
		assert(is_main);
}

static void *store(void *unused)
{
	(void)unused;
	x = 1;
	return NULL;
}

static void *nothing(void *unused)
{
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t threads[2];

	if (argc > 1)
		what = argv[1];
	bool joins = !strcmp(what, "joined"), many = joins || !strcmp(what, "many");
	is_main = 1;
	atexit(at_exit);
	for (int i = 0; i < (many ? 2 : 1); i++)
		pthread_create(&threads[i], NULL, many ? nothing : store, NULL);
	y = 1;
	for (int i = 0; joins && i < 2; i++)
		pthread_join(threads[i], NULL);
	pthread_exit(NULL);
}
