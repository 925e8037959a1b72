// A join inside an atomic block lets others in if it has to wait: also if it had not to in the executions seen so far.
// expect: - bug=assertion executions=17 blocked=3 line=@inside replay [options: --keep-going]
// expect: source bug=assertion executions=17 blocked=3 line=@inside [options: --keep-going]
// expect: dpor bug=assertion executions=17 blocked=3 line=@inside [options: --keep-going]
// expect: all bug=assertion executions=42 line=@inside [options: --keep-going]
// expect: - bug=assertion executions=12 line=@inside [options: --keep-going --stateful]
#include <assert.h>
#include <inspect.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int before, inside;
static pthread_t first;

static void *end_soon(void *unused)
{
	atomic_load(&before);
	return unused;
}

static void *join_first(void *unused)
{
	inspect_atomic_begin();
	inside = 1;
	pthread_join(first, NULL);
	inside = 0;
	inspect_atomic_end();
	return unused;
}

int main(void)
{
	pthread_t second, third;

	pthread_create(&first, NULL, end_soon, NULL);
	pthread_create(&second, NULL, join_first, NULL);
	pthread_create(&third, NULL, end_soon, NULL);
	pthread_join(third, NULL); // by then, the first one has ended as well in the executions that come first
	assert(!inside); // @inside
	pthread_join(second, NULL);
	return 0;
}
