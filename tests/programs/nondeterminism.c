// What differs in each execution decides which variable is written: the same plan does not give the same execution.
// The report names what the program did that may be to blame.
// expect: source bug=nondeterminism executions=1 [options: --keep-going --max-errors=1] [cc: -DWAY=1] [says: suspicious: a file is read at nondeterminism.c:24]
// expect: source bug=nondeterminism executions=1 [cc: -DWAY=2] [says: suspicious: the processor's clock or random numbers are read at nondeterminism.c:29]
// expect: source bug=nondeterminism executions=1 [cc: -DWAY=3] [says: suspicious: the existence, size or times of a file are asked for at nondeterminism.c:35]
// expect: source bug=nondeterminism executions=1 [cc: -DWAY=4] [says: suspicious: a directory is listed at nondeterminism.c:41]
// expect: source bug=nondeterminism executions=1 [cc: -DWAY=5] [says: the state of the system is asked for at nondeterminism.c:48]
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <unistd.h>

static atomic_int heads, tails;

#if WAY == 1
static void get(uint64_t *bits)
{
	int fd = open("/proc/sys/kernel/random/uuid", O_RDONLY);
	if (fd >= 0 && read(fd, bits, sizeof *bits) == sizeof *bits)
		close(fd);
#elif WAY == 2
static void get(uint64_t *bits)
{
	*bits = __builtin_ia32_rdtsc();
#elif WAY == 3 /* made at another time in every execution */
static void get(uint64_t *bits)
{
	struct stat status;
	close(open("here", O_WRONLY | O_CREAT, 0600));
	stat("here", &status);
	*bits = (uint64_t)status.st_mtim.tv_nsec;
#elif WAY == 4 /* it has another number in every execution */
static void get(uint64_t *bits)
{
	DIR *tasks = opendir("/proc/self/task");
	for (struct dirent *entry; (entry = readdir(tasks));)
		*bits = (uint64_t)entry->d_ino;
	closedir(tasks);
#elif WAY == 5
static void get(uint64_t *bits)
{
	struct sysinfo info;
	sysinfo(&info);
	*bits = __builtin_ia32_rdtsc() + info.uptime;
#endif
}

static void *toss(void *unused)
{
	uint64_t bits = 0;

	get(&bits);
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
