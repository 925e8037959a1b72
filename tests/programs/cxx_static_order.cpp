// Static variables of functions are destroyed in the reverse of the order in which threads have initialised them.
// expect: - bug=assertion executions=2 line=@alive [options: --keep-going] replay
// expect: - bug=assertion executions=2 line=@alive [options: --keep-going --seed=3]
#include <cassert>
#include <thread>

static bool alive;

struct Log {
	Log()
	{
		alive = true;
	}
	~Log()
	{
		alive = false;
	}
};

struct User {
	bool uses_log;
	explicit User(bool uses) : uses_log(uses)
	{
	}
	~User()
	{
		assert(!uses_log || alive); // @alive
	}
};

static void log()
{
	static Log instance;
}

static void use()
{
	static User user(true);
}

int main()
{
	std::thread a(log), b(use);
	a.join();
	b.join();
}
