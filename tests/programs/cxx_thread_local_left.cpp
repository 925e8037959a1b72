// The process ends while a thread has objects that are destroyed with it: the next execution knows nothing of them.
// expect: - verified executions=7 fork
// expect: - verified executions=3 fork [cc: -DEXIT]
// expect: all verified executions=7 fork [cc: -DEXIT]
#include <atomic>
#include <cstdlib>
#include <thread>

static std::atomic<int> x;

struct Object {
	int value = 1;
	~Object()
	{
	}
};

static thread_local Object object;

static void use()
{
	object.value = 2;
#ifdef EXIT
	exit(0);
#else
	x = 1;
#endif
}

int main()
{
	std::thread(use).detach();
#ifndef EXIT
	x = 2;
#endif
	return 0;
}
