#include "runtime/core/anomaly.h"
#include "runtime/core/runtime.h"
#include "runtime/core/schedule.h"
#include "runtime/core/text.h"
#include "runtime/process/process.h"

#include <sys/syscall.h>

void meet_anomaly(enum event_kind kind)
{
	struct thread *thread = self();
	struct op op = make_op(kind, NULL);

	if (rt->phase == PHASE_EXIT) { /* in an exit handler: nobody else can run any more */
		rt->phase = PHASE_RUN;
		local_event(&op);
	} else {
		point(&op);
	}
	need_plan();
	text_copy(the_trace()->message, MAX_MESSAGE, thread->message);
	the_trace()->signal = thread->fault.signal;
	the_trace()->fault_address = thread->fault.address;
	the_trace()->fault_pc = thread->fault.pc;
	the_trace()->block = thread->fault.block;
	end_execution(ENDING_ANOMALY);
}

void anomaly(enum event_kind kind, const char *message)
{
	anomaly_at(kind, message, 0, NULL);
}

void anomaly_at(enum event_kind kind, const char *message, uint64_t address, const struct block_info *block)
{
	if (rt->phase == PHASE_START) {
		text_write("inspect: before main: ");
		text_write(message);
		text_write("\n");
		SYS1(SYS_exit_group, 2);
	}
	text_copy(self()->message, MAX_MESSAGE, message);
	self()->fault.signal = 0;
	self()->fault.address = address;
	self()->fault.pc = 0;
	if (block)
		self()->fault.block = *block;
	meet_anomaly(kind);
}
