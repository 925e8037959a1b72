#include "explore/meetings.h"

#include <stdlib.h>

#include "common/trouble.h"
#include "explore/labels.h"
#include "explore/stategraph.h"

void meetings_release(struct meeting_list *list)
{
	for (uint32_t i = 0; i < list->count; i++)
		free(list->items[i].steps);
	free(list->items);
	*list = (struct meeting_list){0};
}

static struct event next_event(const struct label *label)
{
	return (struct event){.op = label->op, .thread = label->thread};
}

static void add(struct meeting_list *list, const struct trace *trace, uint32_t nevents, const struct label *labels[2])
{
	struct meeting meeting = {.nsteps = nevents + 2,
				  .steps = xmalloc((nevents + 2ul) * sizeof(struct step)),
				  .events = {next_event(labels[0]), next_event(labels[1])}};

	for (uint32_t i = 0; i < nevents; i++)
		meeting.steps[i] = (struct step){.thread = trace->events[i].thread, .choice = trace->events[i].choice};
	if (list->count == list->size) {
		list->size = list->size ? 2 * list->size : 16;
		list->items = xrealloc(list->items, list->size * sizeof *list->items);
	}
	list->items[list->count++] = meeting;
}

/* Labels of those who can move in the node and are about to access memory; their number. */
static uint32_t find_accesses(const struct meeting_place *place, uint32_t accesses[MAX_THREADS])
{
	const struct state_node *node = &place->graph->nodes[place->node];
	const uint16_t *steps = place->graph->steps + node->steps;
	uint32_t count = 0;

	for (uint32_t i = 0; i < node->nsteps; i++)
		if (node->enabled >> i & 1 && steps[i] != NO_LABEL && label_is_access(&place->labels->all[steps[i]]))
			accesses[count++] = steps[i];
	return count;
}

void meetings_find(struct meeting_list *list, const struct trace *trace, uint32_t nevents,
		   const struct meeting_place *place)
{
	uint32_t accesses[MAX_THREADS], count = find_accesses(place, accesses);
	const struct label *all = place->labels->all;

	for (uint32_t i = 0; i < count; i++)
		for (uint32_t k = i + 1; k < count; k++)
			if (labels_meet(place->labels, accesses[i], accesses[k]))
				add(list, trace, nevents,
				    (const struct label *[]){&all[accesses[i]], &all[accesses[k]]});
}
