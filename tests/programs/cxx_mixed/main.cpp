// C and C++ in one program, each compiled as what it is: the C part calls back into C++, which throws through it.
// expect: source verified executions=2 fork [cc: -std=c++20 -std=c17]
// expect: dpor verified executions=2
// expect: source bug=race executions=1 line=@race replay [cc: -DUNLOCKED]
#include "counter.h"

#include <cassert>
#include <stdexcept>
#include <thread>

static void refuse(int)
{
	throw std::invalid_argument("refused");
}

int main()
{
	std::thread x([] { counter_add(1); }), y([] { counter_add(2); });

	x.join();
	y.join();
	try {
		counter_visit(refuse);
	} catch (const std::invalid_argument &) {
		return 0;
	}
	assert(!"not thrown");
}
