// What is initialised and never destroyed is noted, once per place, and no bug; what is destroyed, or has a static
// initialiser, is not.
// expect: source verified executions=1 line=@kept [says: mutex kept is initialised here and never destroyed] [says: condition variable signal is initialised here and never destroyed]
// expect: source verified executions=1 line=@again [cc: -DAGAIN] [says: mutex good is initialised here and never destroyed]
#include <pthread.h>

static pthread_mutex_t by_itself = PTHREAD_MUTEX_INITIALIZER, kept, good;
static pthread_cond_t signal;

int main(void)
{
	pthread_mutex_lock(&by_itself);
	pthread_mutex_unlock(&by_itself);
	pthread_mutex_init(&good, NULL);
	pthread_mutex_destroy(&good);
#if AGAIN
	pthread_mutex_init(&good, NULL); // @again
#else
	pthread_mutex_init(&kept, NULL); // @kept
	pthread_cond_init(&signal, NULL);
#endif
	return 0;
}
