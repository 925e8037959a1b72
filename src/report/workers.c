/*
 * Who of several workers did how much.
 */
#include "report/report.h"

#include <inttypes.h>

double report_balance(const struct result *result)
{
	uint64_t most = 0, sum = 0;

	for (unsigned i = 0; i < result->nworkers; i++) {
		sum += result->workers[i].executions;
		if (result->workers[i].executions > most)
			most = result->workers[i].executions;
	}
	return sum ? (double)most * result->nworkers / (double)sum : 1;
}

void report_workers(FILE *out, const struct result *result)
{
	double seconds = result->wall_seconds > 1e-9 ? result->wall_seconds : 1e-9;

	if (!result->nworkers)
		return;
	fprintf(out, "worker     units  executions    idle  messages       bytes\n");
	for (unsigned i = 0; i < result->nworkers; i++) {
		const struct worker_share *share = &result->workers[i];
		fprintf(out, "%6u  %8" PRIu64 "  %10" PRIu64 "  %5.1f%%  %8" PRIu64 "  %10" PRIu64 "\n", i + 1,
			share->units, share->executions, 100 * share->idle / seconds, share->messages, share->bytes);
	}
	double balance = report_balance(result);
	fprintf(out, "The busiest worker did %.2f times the average: at most %.1f times as fast as one.\n", balance,
		result->nworkers / balance);
}
