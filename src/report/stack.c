/*
 * Call stacks of single steps, where the replay was asked to record them.
 */
#include "report/story.h"

#include "common/invariant.h"

#include <string.h>

static const uint64_t *frames_of(const struct execution *execution, uint32_t step)
{
	for (unsigned i = 0; i < 2; i++)
		if (execution->watch[i] == step + 1)
			return execution->stacks[i];
	return NULL;
}

unsigned story_stack(const struct story *story, uint32_t step, struct place places[MAX_FRAMES])
{
	const uint64_t *frame = frames_of(story->execution, step);
	unsigned count = 0;

	invariant(step < story->execution->nevents);
	if (!frame)
		return 0;
	places[0] = step_place(story, step);
	/* the innermost frames are the runtime's own, as are those that call functions of the program */
	for (; *frame; frame++) {
		struct place place = symbols_code(story->symbols, *frame - 1);
		if (symbols_is_runtime(story->symbols, *frame - 1))
			continue;
		if (count && !*place.file)
			break;
		invariant(count < MAX_FRAMES); /* there are no more frames, and the first is the step itself */
		if (count)
			places[count++] = place;
		else
			count = *place.function && !strcmp(place.function, places[0].function);
	}
	return count;
}

void add_callers(struct buffer *text, const struct story *story, uint32_t step)
{
	struct place places[MAX_FRAMES];
	unsigned count = story_stack(story, step, places);

	for (unsigned i = 1; i < count; i++) {
		buffer_add_text(text, i == 1 ? "called at " : ", that at ");
		add_place(text, story, places[i]);
		buffer_printf(text, " in %s", places[i].function);
	}
}
