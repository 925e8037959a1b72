#include "cluster/team/serve.h"

#include "cluster/share/worker.h"
#include "common/invariant.h"
#include "common/stopping.h"
#include "execute/cores.h"

#define LOOK_SECONDS 0.1 /* how long one without work waits for a message before it looks around */
#define REPORT_SECONDS 1.0 /* how often workers report: so much is lost with one at most */
#define STATUS_SECONDS 0.05
#define POLL_SECONDS 0.0002 /* how often a busy worker looks for messages */
#define FLUSH_SECONDS 1.0 /* for last reports */
#define LATE_SECONDS 0.4 /* after the time limit: until then the balancer may want a report */

static void send_up(void *context, const struct buffer *message)
{
	struct link *link = context;

	link->send(link, 0, message);
}

/* Is there something to do before the next message? */
static bool is_busy(const struct worker *worker)
{
	return worker->state == WORKER_BUSY && (!worker_has_enough(worker) || worker->report_due || worker->wanted);
}

/* All that has arrived; waits for something if there is nothing else to do.  False when the balancer is gone. */
static bool hear(struct worker *worker, struct link *link)
{
	const void *data;
	size_t size;
	unsigned peer;
	double wait = is_busy(worker) ? 0 : LOOK_SECONDS;

	while (worker->state != WORKER_ENDED && link->receive(link, wait, &peer, &data, &size)) {
		if (!size)
			return false;
		worker_receive(worker, data, size);
		wait = is_busy(worker) ? 0 : wait;
	}
	return true;
}

static void work(struct worker *worker, struct link *link)
{
	double heard = 0, reported = seconds_now(), told = reported;

	while (worker->state != WORKER_ENDED) {
		double now = seconds_now();
		if (!is_busy(worker) || now - heard > POLL_SECONDS) {
			heard = now;
			if (worker_has_enough(worker))
				worker_tell_status(worker);
			if (!hear(worker, link))
				return;
		}
		if (!is_busy(worker))
			continue;
		if (now - reported > REPORT_SECONDS) {
			reported = now;
			worker->report_due = true;
		}
		if (now - told > STATUS_SECONDS) {
			told = now;
			worker_tell_status(worker);
		}
		worker_execute(worker);
	}
}

void serve(struct link *link, const struct explore_options *options, const struct strategy *strategy, unsigned number)
{
	static volatile sig_atomic_t never; /* the balancer decides when to stop */
	struct explore_options own = *options;
	struct worker worker = {.send = send_up, .context = link};

	invariant(strategy && strategy->rule);
	own.interrupted = &never;
	own.progress = NULL;
	if (options->max_seconds > 0)
		stop_ask_after(options->max_seconds + LATE_SECONDS);
	cores_choose(number); /* both halves of a worker on one: they never run at the same time */
	worker_init(&worker, &own, strategy);
	worker_greet(&worker);
	work(&worker, link);
	link->flush(link, FLUSH_SECONDS);
	worker_release(&worker);
}
