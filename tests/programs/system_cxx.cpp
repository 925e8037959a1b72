// Files in C++: streams and names are those of the same objects, though the library has no source.
// expect: - bug=exit executions=11 fork replay [cc: -DCASE=1 -std=c++20] [options: --keep-going]
// expect: - verified executions=2 [cc: -DCASE=1 -DLOCKED -std=c++20]
// expect: - bug=exit executions=2 [cc: -DCASE=2 -std=c++20] [options: --keep-going]
// expect: - verified executions=2 [cc: -DCASE=2 -DLOCKED -std=c++20]
// expect: - bug=exit executions=2 [cc: -DCASE=3 -std=c++20] [options: --keep-going]
// expect: - verified executions=1 [cc: -DCASE=4 -std=c++20]
#include <cassert>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <string>
#include <thread>

static bool seen;
static bool turn;
static std::mutex mutex;

static void first()
{
#ifdef LOCKED
	std::lock_guard guard(mutex);
	turn = true;
#endif
#if CASE == 1 || CASE == 4
	std::ofstream("file") << "text" << std::endl;
#elif CASE == 2
	std::filesystem::create_directory("folder");
#elif CASE == 3
	std::filesystem::rename("other", "file");
#endif
}

static void second()
{
#ifdef LOCKED
	std::lock_guard guard(mutex);
	if (turn)
		return;
#endif
#if CASE == 1
	std::string text;
	std::ifstream("file") >> text;
	seen = text == "text";
#elif CASE == 2
	seen = std::filesystem::exists("folder");
#elif CASE == 3
	seen = std::filesystem::file_size("file") == 6;
#endif
}

int main()
{
	std::ofstream("other") << "longer";
#if CASE == 3
	std::ofstream("file") << "short";
#endif
	std::thread one(first), two(second);
	one.join();
	two.join();
	return seen;
}
