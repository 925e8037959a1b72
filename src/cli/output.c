#include "cli/commands.h"

#include "common/trouble.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

int finish_output(int status)
{
	errno = 0;
	if (!fflush(stdout) && !ferror(stdout))
		return status;
	/* who closed the pipe has read what he wanted */
	if (errno != EPIPE)
		warn("cannot write the report: %s", strerror(errno));
	return status == STATUS_BUG ? STATUS_BUG : STATUS_FAILURE;
}
