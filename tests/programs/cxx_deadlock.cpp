// Two threads take two std::mutexes in opposite order; std::scoped_lock takes both without waiting for ever: it locks
// the first and tries the second, which the other thread may not have given back yet, 2 x 2 orders.
// expect: source bug=deadlock executions=3 line=@wait fork replay [cc: -DWAY=1] [options: --keep-going]
// expect: dpor bug=deadlock executions=3 line=@wait [cc: -DWAY=1] [options: --keep-going]
// expect: source verified executions=4 fork [cc: -DWAY=2]
#include <mutex>
#include <thread>

static std::mutex a, b;
static int both;

static void first()
{
#if WAY == 1
	std::lock_guard<std::mutex> lock_a(a);
	std::lock_guard<std::mutex> lock_b(b); // @wait
#else
	std::scoped_lock lock(a, b);
#endif
	both++;
}

static void second()
{
#if WAY == 1
	std::lock_guard<std::mutex> lock_b(b);
	std::lock_guard<std::mutex> lock_a(a); // @wait
#else
	std::scoped_lock lock(a, b);
#endif
	both++;
}

int main()
{
	std::thread x(first), y(second);

	x.join();
	y.join();
}
