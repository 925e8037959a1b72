// Streams may be used by several threads: what they share is no race.  Clocks and sleeping are virtual.
// expect: source verified executions=1 fork
#include <cassert>
#include <chrono>
#include <iomanip>
#include <iostream>
#include <sstream>
#include <thread>

static void work(int number)
{
	std::ostringstream text;

	text << std::setw(4) << number << ' ' << 1.5;
	std::cout << text.str() << ' ' << number << std::endl;
	std::cerr << "done\n";
	std::this_thread::sleep_for(std::chrono::hours(1));
	std::this_thread::yield();
}

int main()
{
	auto start = std::chrono::steady_clock::now();
	std::thread x(work, 1), y(work, 2);

	x.join();
	y.join();
	assert(std::chrono::steady_clock::now() - start >= std::chrono::hours(1));
	assert(std::thread::hardware_concurrency() > 0);
}
