// A thread that ends cannot leave a function that throws nothing: std::terminate, without an exception.
// expect: - bug=crash executions=2 line=@ends replay [says: std::terminate was called] [options: --keep-going]
// expect: all bug=crash executions=3 line=@ends [says: std::terminate was called] [options: --keep-going]
#include <atomic>
#include <pthread.h>

static std::atomic<int> x;

static void end() noexcept
{
	pthread_exit(nullptr); // @ends
}

static void *work(void *unused)
{
	x = 1;
	return unused;
}

int main()
{
	pthread_t thread;

	pthread_create(&thread, nullptr, work, nullptr);
	end();
}
