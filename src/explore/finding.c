#include "explore/finding.h"

#include <stdlib.h>

#include "explore/explore.h"

const char *finding_kind_name(enum finding_kind kind)
{
	static const char *const names[] = {
#define FINDING(id, name) name,
		FINDINGS(FINDING)
#undef FINDING
	};

	return names[kind];
}

void recording_release(struct recording *recording)
{
	free(recording->events);
	free(recording->after);
	free(recording->pending);
	free(recording->shared);
	free(recording->await_locations);
	free(recording->await_sites);
	free(recording->output);
	free(recording->errors);
	*recording = (struct recording){0};
}

void finding_free(struct finding *finding)
{
	recording_release(&finding->recording);
	free(finding->message);
	free(finding->trace_path);
	free(finding);
}

void result_free(struct result *result)
{
	for (unsigned i = 0; i < result->nfindings; i++)
		finding_free(result->findings[i]);
	free(result->findings);
	free(result->notes);
	free(result->workers);
	free(result->refusal);
	free(result->broken);
	free(result);
}
