#define _GNU_SOURCE
#include "build/driver/spawn.h"

#include "common/invariant.h"
#include "common/trouble.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_CHILDREN 64

static volatile pid_t children[MAX_CHILDREN]; /* running; 0 = free */
static volatile sig_atomic_t caught; /* the signal that asked us to end */

static const int ending_signals[] = {SIGINT, SIGTERM, SIGHUP};

#define SIGNAL_COUNT (sizeof ending_signals / sizeof *ending_signals)

static void on_signal(int signal)
{
	int saved = errno;

	caught = signal;
	for (unsigned i = 0; i < MAX_CHILDREN; i++)
		if (children[i])
			kill(children[i], SIGTERM);
	errno = saved;
}

void spawn_handle_signals(void)
{
	struct sigaction action = {.sa_handler = on_signal};

	for (unsigned i = 0; i < SIGNAL_COUNT; i++) {
		struct sigaction old;

		sigaction(ending_signals[i], NULL, &old);
		if (old.sa_handler != SIG_IGN)
			sigaction(ending_signals[i], &action, NULL);
	}
}

/* Everything takes place in this thread, so that it is safe to end here, with the clean-ups. */
static void end_if_asked(void)
{
	if (!caught)
		return;
	run_cleanups();
	signal(caught, SIG_DFL);
	raise(caught);
}

static void missing(const char *program)
{
	if (!strcmp(program, INSPECT_CLANG))
		die("%s is not installed: it is in the package %s", program, INSPECT_CLANG);
	die("%s: %s", program, strerror(errno));
}

static void add_child(pid_t child)
{
	invariant(child > 0); /* 0 means free */
	for (unsigned i = 0; i < MAX_CHILDREN; i++) {
		if (children[i])
			continue;
		children[i] = child;
		return;
	}
	invariant(!"more programs run at a time than there is room for");
}

/* What posix_spawnp and execvp want: at least the program's name, and NULL at the end. */
static bool is_command(const struct list *arguments)
{
	return arguments->count && !arguments->items[arguments->count];
}

pid_t spawn(const struct list *arguments, int input, int errors)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t block, old;
	pid_t child;

	invariant(is_command(arguments));
	end_if_asked();
	sigemptyset(&block);
	for (unsigned i = 0; i < SIGNAL_COUNT; i++)
		sigaddset(&block, ending_signals[i]);
	/* no signal may find a child that is not in the table yet */
	sigprocmask(SIG_BLOCK, &block, &old);
	posix_spawn_file_actions_init(&actions);
	if (input >= 0)
		posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
	if (errors >= 0)
		posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
	posix_spawnattr_setsigmask(&attributes, &old);
	errno = posix_spawnp(&child, arguments->items[0], &actions, &attributes, arguments->items, environ);
	if (errno)
		missing(arguments->items[0]);
	invariant(child > 0);
	add_child(child);
	sigprocmask(SIG_SETMASK, &old, NULL);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	return child;
}

int spawn_wait(pid_t child)
{
	int status;

	invariant(child > 0); /* waitpid() would wait for any, or for a whole group */
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			failure("waiting for a program: %s", strerror(errno));
	for (unsigned i = 0; i < MAX_CHILDREN; i++)
		if (children[i] == child)
			children[i] = 0;
	invariant(WIFEXITED(status) || WIFSIGNALED(status));
	end_if_asked();
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int spawn_and_wait(const struct list *arguments)
{
	return spawn_wait(spawn(arguments, -1, -1));
}

static char *read_all(int fd)
{
	size_t size = 0, room = 4096;
	char *text = xmalloc(room);

	for (;;) {
		ssize_t got = read(fd, text + size, room - size - 1);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		size += (size_t)got;
		if (room - size < 2)
			text = xrealloc(text, room *= 2);
	}
	invariant(size < room);
	text[size] = 0;
	return text;
}

int spawn_and_capture(const struct list *arguments, char **errors)
{
	int ends[2];
	pid_t child;

	if (pipe2(ends, O_CLOEXEC))
		failure("pipe: %s", strerror(errno));
	child = spawn(arguments, -1, ends[1]);
	close(ends[1]);
	*errors = read_all(ends[0]);
	close(ends[0]);
	return spawn_wait(child);
}

void spawn_replace(const struct list *arguments)
{
	invariant(is_command(arguments));
	execvp(arguments->items[0], arguments->items);
	missing(arguments->items[0]);
	abort();
}
