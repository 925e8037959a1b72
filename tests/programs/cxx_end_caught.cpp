// A handler that catches the end of a thread, and does not throw it again, ends the process; one that does is like any other.
// expect: - bug=crash executions=1 line=@caught [says: throw it again]
// expect: all bug=crash executions=1 line=@caught [says: throw it again]
// expect: - bug=crash executions=3 line=@caught [cc: -DCANCEL] [options: --keep-going]
// expect: - verified executions=1 [cc: -DAGAIN]
#include <pthread.h>

static void *end(void *unused)
{
	try {
#ifdef CANCEL
		pthread_testcancel();
#else
		pthread_exit(unused);
#endif
	} catch (...) {
#ifdef AGAIN
		throw;
#endif
	} // @caught
	return unused;
}

int main()
{
	pthread_t thread;

	pthread_create(&thread, nullptr, end, nullptr);
#ifdef CANCEL
	pthread_cancel(thread);
#endif
	pthread_join(thread, nullptr);
}
