/*
 * What a message between two workers' processes costs: so many go to and fro over the sockets of src/cluster/team/local.c.
 * Prints, in microseconds, the time of one way and what of it a process is busy with.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cluster/team/local.h"
#include "execute/executor.h"

enum { ROUNDS = 20000, SIZE = 4000 }; /* about what a unit takes */

static void receive(struct link *link)
{
	const void *data;
	size_t size;
	unsigned peer;

	while (!link->receive(link, 1, &peer, &data, &size))
		;
	if (!size)
		exit(1);
}

static double busy_seconds(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (double)usage.ru_utime.tv_sec + (double)usage.ru_stime.tv_sec +
	       1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

int main(void)
{
	struct link *link = local_balancer(1);
	struct buffer message = {0};
	int file = local_connect(link, 0);
	char bytes[SIZE] = {0};

	buffer_add(&message, bytes, SIZE);
	pid_t child = fork();
	if (!child) {
		struct link *mine = local_worker(link, file);
		for (int i = 0; i < ROUNDS; i++) {
			receive(mine);
			mine->send(mine, 0, &message);
		}
		mine->flush(mine, 1);
		_exit(0);
	}
	close(file);
	double start = seconds_now(), busy = busy_seconds();
	for (int i = 0; i < ROUNDS; i++) {
		link->send(link, 0, &message);
		receive(link);
	}
	printf("%.2f %.2f\n", (seconds_now() - start) * 1e6 / (2 * ROUNDS),
	       (busy_seconds() - busy) * 1e6 / (2 * ROUNDS));
	waitpid(child, NULL, 0);
	link->close(link);
	buffer_release(&message);
	return 0;
}
