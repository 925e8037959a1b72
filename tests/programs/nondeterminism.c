// Random numbers decide which variable is written: the same plan does not give the same execution.
// expect: source bug=nondeterminism executions=1 [options: --keep-going --max-errors=1]
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <unistd.h>

static atomic_int heads, tails;

static void *toss(void *unused)
{
	uint64_t bits = 0;
	int fd = open("/proc/sys/kernel/random/uuid", O_RDONLY);

	if (fd < 0 || read(fd, &bits, sizeof bits) != sizeof bits)
		return NULL;
	close(fd);
	for (int i = 0; i < 64; i++) {
		if (bits >> i & 1)
			heads++;
		else
			tails++;
	}
	return unused;
}

static void *look(void *unused)
{
	return heads > tails ? unused : NULL;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, toss, NULL);
	pthread_create(&t2, NULL, look, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return 0;
}
