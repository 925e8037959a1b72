// The load that crashes is folded into the comparison two lines below: its own line is reported.
// expect: - bug=crash executions=1 replay line=@load
#include <assert.h>
#include <pthread.h>

struct table {
	int count;
	int entries[4];
};

static struct table *table;

static void *look(void *argument)
{
	int entry = table->entries[3]; // @load
	int wanted = (int)(long)argument;

	wanted++;
	assert(entry == wanted);
	return argument;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, look, NULL);
	pthread_join(thread, NULL);
	return 0;
}
