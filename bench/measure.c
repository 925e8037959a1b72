/*
 * Run a command and append what it took to a file:
 *
 *   measure FILE COMMAND [ARGUMENT…]
 *
 * One line: wall time in seconds, peak memory of the command itself in KiB
 * (not of the processes it started and waited for), its exit status.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* The high-water mark so far; it is gone with the process, so ask while it lives. */
static long peak_memory(pid_t pid)
{
	char path[64], line[256];
	long peak = 0;
	FILE *file;

	snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
	file = fopen(path, "r");
	if (!file)
		return 0;
	while (fgets(line, sizeof line, file)) {
		if (strncmp(line, "VmHWM:", 6) == 0)
			peak = atol(line + 6);
	}
	fclose(file);
	return peak;
}

int main(int argc, char **argv)
{
	double start = now(), end;
	long peak = 0, seen;
	int status;
	FILE *out;
	pid_t pid;

	if (argc < 3) {
		fprintf(stderr, "usage: measure FILE COMMAND [ARGUMENT…]\n");
		return 2;
	}
	pid = fork();
	if (pid == 0) {
		execvp(argv[2], argv + 2);
		perror(argv[2]);
		_exit(127);
	}
	if (pid < 0) {
		perror("fork");
		return 4;
	}
	while (waitpid(pid, &status, WNOHANG) == 0) {
		seen = peak_memory(pid);
		if (seen > peak)
			peak = seen;
		usleep(2000);
	}
	end = now();
	out = fopen(argv[1], "a");
	if (!out) {
		perror(argv[1]);
		return 4;
	}
	fprintf(out, "%.3f %ld %d\n", end - start, peak,
		WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
	return fclose(out) == 0 ? 0 : 4;
}
