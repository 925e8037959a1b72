#define _GNU_SOURCE
#include "cluster/team/local.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/invariant.h"
#include "common/trouble.h"
#include "execute/executor.h"

/* A connection.  On it, a message comes after its length in eight bytes. */
struct line {
	int file; /* -1: none */
	struct buffer in, out;
	size_t read; /* so much of `in` was given to the user */
	size_t written; /* so much of `out` has gone */
	bool lost; /* and the user has not been told yet */
};

struct local {
	struct link link; /* first: the user sees this */
	struct line *lines;
	struct pollfd *polls;
	unsigned count, next; /* whose turn it is to be read from */
};

static void lose(struct line *line)
{
	if (line->file < 0)
		return;
	close(line->file);
	line->file = -1;
	line->lost = true;
	buffer_clear(&line->out);
	line->written = 0;
}

/* --- out --- */

static void write_some(struct line *line)
{
	while (line->file >= 0 && line->written < line->out.size) {
		ssize_t n =
			send(line->file, line->out.data + line->written, line->out.size - line->written, MSG_NOSIGNAL);
		invariant(n <= (ssize_t)(line->out.size - line->written));
		if (n > 0)
			line->written += (size_t)n;
		else if (n < 0 && errno == EAGAIN)
			return;
		else if (n == 0 || errno != EINTR)
			lose(line);
	}
	buffer_clear(&line->out);
	line->written = 0;
}

static void local_send(struct link *link, unsigned peer, const struct buffer *message)
{
	struct line *line = &((struct local *)link)->lines[peer];
	uint64_t size = message->size;

	invariant(peer < ((struct local *)link)->count && size); /* a message without bytes would tell of a loss */
	if (line->file < 0)
		return;
	buffer_add(&line->out, &size, sizeof size);
	buffer_add(&line->out, message->data, message->size);
	write_some(line);
}

/* --- in --- */

static void read_some(struct line *line)
{
	char bytes[65536];

	if (line->read == line->in.size) {
		buffer_clear(&line->in);
		line->read = 0;
	}
	for (;;) {
		ssize_t n = recv(line->file, bytes, sizeof bytes, 0);
		if (n > 0)
			buffer_add(&line->in, bytes, (size_t)n);
		else if (n < 0 && errno == EINTR)
			continue;
		else if (n == 0 || errno != EAGAIN)
			lose(line);
		if (n < (ssize_t)sizeof bytes)
			return;
	}
}

static bool take(struct line *line, const void **data, size_t *size)
{
	uint64_t length;

	invariant(line->read <= line->in.size && line->written <= line->out.size);
	if (line->in.size - line->read < sizeof length)
		return false;
	memcpy(&length, line->in.data + line->read, sizeof length);
	if (line->in.size - line->read - sizeof length < length)
		return false;
	*data = line->in.data + line->read + sizeof length;
	*size = length;
	line->read += sizeof length + length;
	return true;
}

static bool take_any(struct local *local, unsigned *peer, const void **data, size_t *size)
{
	for (unsigned i = 0; i < local->count; i++) {
		unsigned at = (local->next + i) % local->count;
		struct line *line = &local->lines[at];
		*peer = at;
		if (take(line, data, size)) {
			local->next = at + 1;
			return true;
		}
		if (line->lost) { /* what it said last was heard */
			line->lost = false;
			buffer_clear(&line->in);
			line->read = 0;
			*size = 0;
			return true;
		}
	}
	return false;
}

static void wait_and_move(struct local *local, double seconds)
{
	for (unsigned i = 0; i < local->count; i++) {
		const struct line *line = &local->lines[i];
		local->polls[i] =
			(struct pollfd){.fd = line->file, .events = (short)(POLLIN | (line->out.size ? POLLOUT : 0))};
	}
	if (poll(local->polls, local->count, (int)(seconds * 1000)) <= 0)
		return;
	for (unsigned i = 0; i < local->count; i++) {
		if (local->polls[i].revents & POLLOUT)
			write_some(&local->lines[i]);
		if (local->polls[i].revents & (POLLIN | POLLHUP | POLLERR) && local->lines[i].file >= 0)
			read_some(&local->lines[i]);
	}
}

static bool local_receive(struct link *link, double seconds, unsigned *peer, const void **data, size_t *size)
{
	struct local *local = (struct local *)link;

	if (take_any(local, peer, data, size))
		return true;
	wait_and_move(local, seconds);
	return take_any(local, peer, data, size);
}

static void local_flush(struct link *link, double seconds)
{
	struct local *local = (struct local *)link;
	double end = seconds_now() + seconds;

	for (;;) {
		bool left = false;
		for (unsigned i = 0; i < local->count; i++)
			left |= local->lines[i].file >= 0 && local->lines[i].out.size;
		double now = seconds_now();
		if (!left || now > end)
			return;
		wait_and_move(local, end - now);
	}
}

/* --- both ends --- */

static void local_close(struct link *link)
{
	struct local *local = (struct local *)link;

	for (unsigned i = 0; i < local->count; i++) {
		if (local->lines[i].file >= 0)
			close(local->lines[i].file);
		buffer_release(&local->lines[i].in);
		buffer_release(&local->lines[i].out);
	}
	free(local->lines);
	free(local->polls);
	free(local);
}

static struct link *make(unsigned count)
{
	struct local *local = xcalloc(1, sizeof *local);

	local->link =
		(struct link){.send = local_send, .receive = local_receive, .flush = local_flush, .close = local_close};
	local->lines = xcalloc(count, sizeof *local->lines);
	local->polls = xcalloc(count, sizeof *local->polls);
	local->count = count;
	for (unsigned i = 0; i < count; i++)
		local->lines[i].file = -1;
	return &local->link;
}

struct link *local_balancer(unsigned workers)
{
	return make(workers);
}

int local_connect(struct link *link, unsigned worker)
{
	invariant(worker < ((struct local *)link)->count);
	struct line *line = &((struct local *)link)->lines[worker];
	int files[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, files))
		failure("cannot connect a worker: %s", strerror(errno));
	lose(line);
	line->lost = false;
	buffer_clear(&line->in);
	line->read = 0;
	line->file = files[0];
	return files[1];
}

struct link *local_worker(struct link *balancer, int file)
{
	struct link *link = make(1);

	local_close(balancer);
	((struct local *)link)->lines[0].file = file;
	return link;
}
