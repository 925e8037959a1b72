/*
 * The explorer's code and memory in this process (wire/guest.h), mapped where the explorer has them.
 *
 * The kernel would do the same for an executable that it loads: what is in the file, then zeros.  What the guest writes
 * there is its own; what is to last is in the channel and in the memory of the search.
 */
#include "common/invariant.h"
#include "storage/memory.h"
#include "runtime/arch/arch.h"
#include "runtime/core/runtime.h"
#include "runtime/core/text.h"
#include "runtime/process/process.h"

#include <sys/mman.h>
#include <sys/syscall.h>

static void map(uint64_t address, uint64_t size, int protection, int flags, int file, uint64_t offset)
{
	long result = SYS6(SYS_mmap, address, size, protection, flags, file, offset);

	if (result == (long)address)
		return;
	text_write("inspect: cannot map the search at its fixed address\n");
	SYS1(SYS_exit_group, 4);
}

static void map_part(const struct guest_part *part, int file)
{
	uint64_t end = part->address + part->in_file, pages = (part->in_file + PAGE - 1) & ~(PAGE - 1);

	invariant(part->in_file <= part->in_memory && part->address % PAGE == 0 && part->offset % PAGE == 0);
	map(part->address, part->in_memory, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE,
	    -1, 0);
	map(part->address, pages, (int)part->protection, MAP_PRIVATE | MAP_FIXED, file, part->offset);
	for (; part->protection & PROT_WRITE && end % PAGE; end++)
		*(char *)end = 0;
}

void guest_arrive(void)
{
	const struct guest *guest = &rt->channel->guest;

	if (!guest->begin)
		return;
	invariant(guest->nparts <= MAX_GUEST_PARTS);
	for (uint32_t i = 0; i < guest->nparts; i++)
		map_part(&guest->parts[i], guest->code);
	map(MEMORY_ADDRESS, MEMORY_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE | MAP_FIXED_NOREPLACE,
	    guest->memory, 0);
	SYS1(SYS_close, guest->code);
	SYS1(SYS_close, guest->memory);
	guest->begin();
}

bool guest_goes_on(void)
{
	struct guest *guest = &rt->channel->guest;

	if (!guest->go_on)
		return false;
	uint64_t start = rt->channel->profiling ? ticks_now() : 0;
	__atomic_store_n(&guest->at_work, 1, __ATOMIC_SEQ_CST);
	bool goes_on = guest->go_on(guest->context);
	__atomic_store_n(&guest->at_work, 0, __ATOMIC_SEQ_CST);
	if (rt->channel->profiling)
		span_add(&rt->channel->profile.analysis, ticks_now() - start);
	guest->executions += goes_on;
	return goes_on;
}
