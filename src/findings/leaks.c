#include "findings/record.h"

#include <inttypes.h>

#include "common/invariant.h"
#include "common/trouble.h"

/* As many as there are of them when it is first seen: another execution may leak more. */
static struct finding *leak_finding(const struct leak *leak)
{
	invariant(leak->blocks > 0);
	return record_make(FINDING_LEAK, leak->thread, leak->site,
			   xasprintf("%" PRIu64 " byte%s in %" PRIu64
				     " block%s are never freed and no pointer to them is left",
				     leak->bytes, leak->bytes == 1 ? "" : "s", leak->blocks,
				     leak->blocks == 1 ? "" : "s"));
}

bool record_leaks(struct recorder *recorder)
{
	const struct trace *trace = &recorder->executor->channel->trace;

	if (trace->ending != ENDING_EXIT)
		return true;
	invariant(trace->nleaks <= MAX_LEAKS);
	/* a repetition leaves the same trace behind */
	for (uint32_t i = 0; i < trace->nleaks; i++)
		if (!record_settle(recorder, leak_finding(&trace->leaks[i])))
			return false;
	return true;
}
