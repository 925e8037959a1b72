// Arguments after -- reach the program; so do the compiler's flags.
// expect: source verified executions=1 [args: one two --three] [cc: -DARGUMENTS=4]
// expect: source verified executions=1 [cc: -DARGUMENTS=1]
// expect: source bug=assertion executions=1 line=@count [args: one] [cc: -DARGUMENTS=4]
#include <assert.h>
#include <string.h>

int main(int argc, char **argv)
{
	assert(argc == ARGUMENTS); // @count
	assert(argc < 4 || strcmp(argv[3], "--three") == 0);
	assert(argv[argc] == NULL);
	return 0;
}
