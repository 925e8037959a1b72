// The same exit status every time is no finding unless it was asked to be zero.
// expect: source verified executions=1
// expect: source verified executions=1 [options: --exit-status=any]
// expect: source bug=exit executions=1 [options: --exit-status=zero]
int main(void)
{
	return 7;
}
