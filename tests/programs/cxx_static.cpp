// A static variable of a function is initialised once.  Two threads: whoever comes first initialises; the other one
// looks before that is over, and waits, or after: four orders.  When the first attempt throws, the second one counts.
// expect: source verified executions=4 fork [cc: -DWAY=1]
// expect: dpor verified executions=4 [cc: -DWAY=1]
// expect: all verified executions=21565 [cc: -DWAY=1]
// expect: source verified executions=2 fork [cc: -DWAY=2]
// expect: source bug=lock executions=1 line=@itself [cc: -DWAY=3] [says: comes back to itself]
// expect: source bug=deadlock executions=4 line=@wait replay [cc: -DWAY=4] [options: --keep-going]
#include <cassert>
#include <mutex>
#include <stdexcept>
#include <thread>

static int attempts;
static std::mutex mutex;

struct settings {
	int number;

	settings()
	{
		attempts++;
		if (WAY == 2 && attempts == 1)
			throw std::runtime_error("not yet");
		number = 42;
	}
};

static const settings &the_settings()
{
	static settings only;

	return only;
}

static int again(int n)
{
	static int number = n ? again(n - 1) : 1; // @itself

	return number;
}

/* The initialisation needs a lock that another user of the variable holds. */
static int under_lock()
{
	static int number = [] {
		std::lock_guard<std::mutex> lock(mutex); // @wait
		return 7;
	}();

	return number;
}

static void locked_user()
{
	std::lock_guard<std::mutex> lock(mutex);

	under_lock();
}

static void user()
{
	try {
		assert(the_settings().number == 42);
	} catch (const std::runtime_error &) {
		assert(WAY == 2);
	}
}

int main()
{
	if (WAY == 3)
		return again(1);
	if (WAY == 4) {
		std::thread x(locked_user);

		under_lock();
		x.join();
		return 0;
	}
	std::thread x(user), y(user);

	x.join();
	y.join();
	assert(attempts == WAY);
}
