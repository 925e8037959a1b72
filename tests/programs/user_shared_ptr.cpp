// Counters of different sizes that overlap: std::shared_ptr looks at the number of its owners and of its
// std::weak_ptrs with one load, and changes each of them alone.
// expect: - verified executions=510 fork
#include <cassert>
#include <memory>
#include <thread>

struct object {
	int value;
	bool *gone;
	object(int v, bool *g) : value(v), gone(g)
	{
	}
	~object()
	{
		*gone = true;
	}
};

int main()
{
	bool gone = false;
	{
		auto owner = std::make_shared<object>(5, &gone);
		std::thread one([owner] { assert(owner->value == 5); });
		std::thread two([weak = std::weak_ptr<object>(owner)] {
			if (auto locked = weak.lock())
				assert(locked->value == 5);
		});
		owner.reset();
		one.join();
		two.join();
	}
	assert(gone);
}
