// Choices inside atomic blocks of C++ code, in threads that add to one variable.
// expect: - bug=assertion executions=18 line=@sum fork replay [options: --keep-going]
// expect: all bug=assertion executions=279 line=@sum [options: --keep-going]
// expect: - bug=assertion executions=144 line=@sum [options: --keep-going --stateful]
#include <cassert>
#include <inspect.h>
#include <thread>

static int sum;

struct block {
	block()
	{
		inspect_atomic_begin();
	}
	~block()
	{
		inspect_atomic_end();
	}
};

int main()
{
	auto add = [] {
		block inside;
		sum = 3 * sum + static_cast<int>(inspect_choose(3));
	};
	std::thread one(add), two(add);

	one.join();
	two.join();
	assert(sum != 8); // @sum
	return 0;
}
