/*
 * Call stacks, for reports only: by frame pointers, which instrumented code and the
 * runtime keep.  A library without them may end a stack early or hide some of its own
 * calls; nothing but the running thread's stack is ever read.
 */
#include "common/invariant.h"
#include "runtime/core/runtime.h"
#include "runtime/core/schedule.h"

static bool is_frame(const uint64_t *frame)
{
	uint64_t offset = (uint64_t)frame - rt->memory.stack_low;

	return offset < STACK_SIZE - 2 * sizeof *frame && offset % sizeof *frame == 0;
}

__attribute__((noinline)) void stack_capture(uint64_t frames[MAX_FRAMES])
{
	const uint64_t *frame = __builtin_frame_address(0);
	unsigned n = 0;

	while (n + 1 < MAX_FRAMES && is_frame(frame) && frame[1]) {
		const uint64_t *caller = (const uint64_t *)frame[0];
		frames[n++] = frame[1];
		if (caller <= frame)
			break;
		frame = caller;
	}
	invariant(n < MAX_FRAMES);
	frames[n] = 0;
}
