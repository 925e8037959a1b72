// A program without threads is one execution.
// expect: source verified executions=1 fork
// expect: dpor verified executions=1
// expect: all verified executions=1
// expect: - verified executions=1
#include <stdio.h>

int main(void)
{
	puts("hello");
	return 0;
}
