#include "common/invariant.h"

#include "common/trouble.h"

_Noreturn void invariant_failed(const char *what)
{
	failure("this does not hold, which is a mistake in inspect: %s", what);
}
