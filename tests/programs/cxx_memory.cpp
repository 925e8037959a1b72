// operator new and delete go through our allocator: races on what they return, deletes that do not fit.
// expect: source bug=race executions=1 line=@use [cc: -DWAY=1]
// expect: source bug=memory executions=1 line=@twice [cc: -DWAY=2]
// expect: source bug=memory executions=1 line=@foreign [cc: -DWAY=3]
// expect: source verified executions=1 fork [cc: -DWAY=4]
#include <cassert>
#include <cstdint>
#include <memory>
#include <new>
#include <thread>

struct alignas(64) wide {
	char bytes[64];
};

static int shared;

int main()
{
	if (WAY == 1) {
		int *number = new int(1);
		std::thread thread([number] { ++*number; }); // @use

		++*number; // @use
		thread.join();
		delete number;
	} else if (WAY == 2) {
		int *number = new int[4];

		delete[] number;
		delete[] number; // @twice
	} else if (WAY == 3) {
		delete &shared; // @foreign
	} else {
		auto owner = std::make_unique<wide>();
		auto counted = std::make_shared<int>(3);
		std::thread thread([counted] { assert(*counted == 3); });

		assert(reinterpret_cast<uintptr_t>(owner.get()) % 64 == 0);
		thread.join();
		assert(counted.use_count() == 1);
		size_t huge = SIZE_MAX / 4;
		assert(new (std::nothrow) char[huge] == nullptr);
	}
}
