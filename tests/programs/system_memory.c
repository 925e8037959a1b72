// Memory that the program gets from the kernel: what one thread does to it others notice.
//   CASE 1: contents that are given up
//   CASE 2: … of a lock's holder, who has put them back
//   CASE 3: the end of the data segment between two looks at it
//   CASE 4: who moves it first
//   CASE 5: a page that is waited for, and then protected
//   CASE 6: contents of memory that is none of a mapping
//   CASE 7: … that was written and is gone before there is a second thread
//   CASE 8: … by moving the end of the data segment
// expect: - bug=assertion executions=2 line=@given replay [cc: -DCASE=1]
// expect: all bug=assertion executions=6 [cc: -DCASE=1] [options: --keep-going]
// expect: - verified executions=2 [cc: -DCASE=2]
// expect: - bug=assertion executions=2 line=@moved replay [cc: -DCASE=3]
// expect: - bug=assertion executions=2 line=@order replay [cc: -DCASE=4] [options: --keep-going]
// expect: - bug=crash executions=1 blocked=1 line=@wait replay [cc: -DCASE=5]
// expect: source bug=crash executions=1 blocked=1 line=@wait [cc: -DCASE=5] [options: --keep-going]
// expect: - bug=crash executions=1 blocked=1 line=@wait [cc: -DCASE=5] [options: --stateful]
// expect: - error line=@static [cc: -DCASE=6] [says: madvise]
// expect: - verified executions=1 [cc: -DCASE=7]
// expect: - verified executions=1 [cc: -DCASE=7] [options: --stateful]
// expect: - bug=crash executions=1 line=@break [cc: -DCASE=8]
// expect: - bug=crash executions=1 line=@break [cc: -DCASE=8] [options: --stateful]
#define _DEFAULT_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE = 4096 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int *page;
static char *places[2];
static _Alignas(4096) char array[PAGE];

static void give_up(void)
{
	madvise(page, PAGE, MADV_DONTNEED);
}

static void *change(void *unused)
{
	switch (CASE) {
	case 1: give_up(); break;
	case 2:
		pthread_mutex_lock(&lock);
		give_up();
		*page = 1;
		pthread_mutex_unlock(&lock);
		break;
	case 3: sbrk(PAGE); break;
	case 4: places[1] = sbrk(64); break;
	case 5: mprotect(page, PAGE, PROT_NONE); break;
	case 6: madvise(array, PAGE, MADV_DONTNEED); break; // @static
	default: break;
	}
	return unused;
}

static void look(void)
{
	char *before;

	switch (CASE) {
	case 1: assert(*page == 1); break; // @given
	case 2:
		pthread_mutex_lock(&lock);
		assert(*page == 1);
		pthread_mutex_unlock(&lock);
		break;
	case 3:
		before = sbrk(0);
		assert(sbrk(0) == before); // @moved
		break;
	case 4: places[0] = sbrk(64); break;
	case 5:
		while (*page == 1) // @wait
			;
		break;
	default: break;
	}
}

int main(void)
{
	pthread_t thread;

	if (CASE == 7) {
		char *gone = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		gone[0] = 1;
		munmap(gone, 2 * PAGE);
	}
	if (CASE == 8) {
		char *gone = sbrk(2 * PAGE);
		gone[PAGE] = 1;
		sbrk(-2 * PAGE);
		gone[PAGE] = 2; // @break
	}
	page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	*page = 1;
	pthread_create(&thread, NULL, change, NULL);
	look();
	pthread_join(thread, NULL);
	assert(places[0] <= places[1]); // @order
	return 0;
}
