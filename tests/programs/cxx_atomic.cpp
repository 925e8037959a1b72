// An object is published through a std::atomic pointer: safe with release and acquire, a race when relaxed.
// expect: source verified executions=2 fork [cc: -DSTORE=release -DLOAD=acquire]
// expect: dpor verified executions=2 [cc: -DSTORE=release -DLOAD=acquire]
// expect: source verified executions=2 [cc: -DSTORE=seq_cst -DLOAD=seq_cst]
// expect: source bug=race executions=2 line=@data [cc: -DSTORE=relaxed -DLOAD=acquire] [options: --keep-going]
// expect: source bug=race executions=2 line=@data replay [cc: -DSTORE=relaxed -DLOAD=relaxed] [options: --keep-going]
#include <atomic>
#include <cassert>
#include <thread>

#define ORDER_OF(name) std::memory_order_##name
#define ORDER(name) ORDER_OF(name)

struct message {
	int number;
};

static std::atomic<message *> published;

static void reader()
{
	message *seen = published.load(ORDER(LOAD));

	if (seen)
		assert(seen->number == 42); // @data
}

int main()
{
	std::thread thread(reader);
	message *fresh = new message;

	fresh->number = 42; // @data
	published.store(fresh, ORDER(STORE));
	thread.join();
	delete fresh;
}
