// What runs before main is part of every execution's start and is not explored.
// expect: source verified executions=1 fork
// expect: source verified executions=1 [options: --leaks]
#include <assert.h>
#include <stdlib.h>
#include <string.h>

static char *prepared;

__attribute__((constructor)) static void prepare(void)
{
	prepared = strdup("ready");
}

static void at_end(void)
{
	free(prepared);
}

int main(void)
{
	atexit(at_end);
	assert(strcmp(prepared, "ready") == 0);
	prepared[0] = 'R';
	return 0;
}
