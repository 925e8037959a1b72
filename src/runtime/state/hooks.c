/*
 * What a program that was built with --stateful tells besides its accesses (wire/hooks.h).
 */
#include <string.h>

#include "runtime/core/runtime.h"
#include "runtime/state/state.h"

void __inspect_changes(void *address, uint64_t size)
{
	if (is_stateful())
		state_open_range((uint64_t)address, size);
}

void __inspect_dead(void *address, uint64_t size)
{
	if (!is_stateful()) {
		memset(address, 0, size);
		return;
	}
	state_open_range((uint64_t)address, size);
	memset(address, 0, size);
	state_close();
	if (rt->channel->exact_states)
		exact_forget((uint64_t)address, size);
}

/* Nobody knows what the library that calls has done so far. */
void __inspect_entered(void)
{
	if (is_stateful())
		state_of_its_own(rt->live_values);
}

void __inspect_unknown(void)
{
	if (is_stateful())
		state_unknown();
}
