// Exceptions in threads: through frames with destructors that unlock, caught, thrown again, and through library code.
// expect: source verified executions=2 fork
// expect: dpor verified executions=2
#include <algorithm>
#include <cassert>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

static std::mutex mutex;
static int caught, unwound;

struct counted {
	~counted()
	{
		unwound++;
	}
};

static void throw_deep(int depth)
{
	counted here;

	if (!depth)
		throw std::out_of_range("deep");
	throw_deep(depth - 1);
}

static void throw_locked()
{
	std::lock_guard<std::mutex> lock(mutex);

	try {
		throw_deep(3);
	} catch (const std::logic_error &error) {
		assert(std::string(error.what()) == "deep");
		caught++;
		throw;
	}
}

static void work()
{
	try {
		throw_locked();
	} catch (...) {
		try {
			std::rethrow_exception(std::current_exception());
		} catch (const std::out_of_range &) {
			return;
		}
	}
	std::abort();
}

static int compare(const void *, const void *)
{
	throw 5;
}

static void through_libraries()
{
	std::vector<int> numbers{3, 1, 2};
	int seen = 0;

	try {
		std::qsort(numbers.data(), 3, sizeof(int), compare);
	} catch (int number) {
		seen += number;
	}
	try {
		std::sort(numbers.begin(), numbers.end(), [](int, int) -> bool { throw 6; });
	} catch (int number) {
		seen += number;
	}
	try {
		numbers.at(3)++;
	} catch (const std::out_of_range &) {
		seen++;
	}
	assert(seen == 12);
}

int main()
{
	std::thread x(work), y(work);

	x.join();
	y.join();
	assert(caught == 2 && unwound == 8);
	through_libraries();
}
