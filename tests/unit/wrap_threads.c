/* What the wrappers of attribute functions announce: see wrap.h. */
#define _GNU_SOURCE
#include "wrap.h"

static void of_mutexattr(void)
{
	pthread_mutexattr_t *all = (pthread_mutexattr_t *)kept;
	int error;

	GIVES(pthread_mutexattr_init, error = WRAP(pthread_mutexattr_init)(all), !error, "w kept 4");
	GIVES(pthread_mutexattr_setprioceiling, error = WRAP(pthread_mutexattr_setprioceiling)(all, 1), !error,
	      "w kept 4");
	GIVES(pthread_mutexattr_getprioceiling, error = WRAP(pthread_mutexattr_getprioceiling)(all, (int *)n),
	      !error && n[0] == 1, "r kept 4;w n 4");
	GIVES(pthread_mutexattr_setprotocol, error = WRAP(pthread_mutexattr_setprotocol)(all, PTHREAD_PRIO_INHERIT),
	      !error, "w kept 4");
	GIVES(pthread_mutexattr_getprotocol, error = WRAP(pthread_mutexattr_getprotocol)(all, (int *)n),
	      !error && n[0] == PTHREAD_PRIO_INHERIT, "r kept 4;w n 4");
	GIVES(pthread_mutexattr_setpshared, error = WRAP(pthread_mutexattr_setpshared)(all, PTHREAD_PROCESS_SHARED),
	      !error, "w kept 4");
	GIVES(pthread_mutexattr_getpshared, error = WRAP(pthread_mutexattr_getpshared)(all, (int *)n),
	      !error && n[0] == PTHREAD_PROCESS_SHARED, "r kept 4;w n 4");
	GIVES(pthread_mutexattr_setrobust, error = WRAP(pthread_mutexattr_setrobust)(all, PTHREAD_MUTEX_ROBUST), !error,
	      "w kept 4");
	GIVES(pthread_mutexattr_getrobust, error = WRAP(pthread_mutexattr_getrobust)(all, (int *)n),
	      !error && n[0] == PTHREAD_MUTEX_ROBUST, "r kept 4;w n 4");
	GIVES(pthread_mutexattr_settype, error = WRAP(pthread_mutexattr_settype)(all, PTHREAD_MUTEX_RECURSIVE), !error,
	      "w kept 4");
	GIVES(pthread_mutexattr_gettype, error = WRAP(pthread_mutexattr_gettype)(all, (int *)n),
	      !error && n[0] == PTHREAD_MUTEX_RECURSIVE, "r kept 4;w n 4");
	GIVES(pthread_mutexattr_destroy, error = WRAP(pthread_mutexattr_destroy)(all), !error, "w kept 4");
}

static void of_condattr(void)
{
	pthread_condattr_t *all = (pthread_condattr_t *)kept;
	int error;

	GIVES(pthread_condattr_init, error = WRAP(pthread_condattr_init)(all), !error, "w kept 4");
	GIVES(pthread_condattr_setpshared, error = WRAP(pthread_condattr_setpshared)(all, PTHREAD_PROCESS_SHARED),
	      !error, "w kept 4");
	GIVES(pthread_condattr_getpshared, error = WRAP(pthread_condattr_getpshared)(all, (int *)n),
	      !error && n[0] == PTHREAD_PROCESS_SHARED, "r kept 4;w n 4");
	GIVES(pthread_condattr_setclock, error = WRAP(pthread_condattr_setclock)(all, CLOCK_MONOTONIC), !error,
	      "w kept 4");
	GIVES(pthread_condattr_getclock, error = WRAP(pthread_condattr_getclock)(all, (clockid_t *)n),
	      !error && n[0] == CLOCK_MONOTONIC, "r kept 4;w n 4");
	GIVES(pthread_condattr_destroy, error = WRAP(pthread_condattr_destroy)(all), !error, "w kept 4");
}

static void of_rwlockattr(void)
{
	pthread_rwlockattr_t *all = (pthread_rwlockattr_t *)kept;
	int error;

	GIVES(pthread_rwlockattr_init, error = WRAP(pthread_rwlockattr_init)(all), !error, "w kept 8");
	GIVES(pthread_rwlockattr_setkind_np,
	      error = WRAP(pthread_rwlockattr_setkind_np)(all, PTHREAD_RWLOCK_PREFER_WRITER_NP), !error, "w kept 8");
	GIVES(pthread_rwlockattr_getkind_np, error = WRAP(pthread_rwlockattr_getkind_np)(all, (int *)n),
	      !error && n[0] == PTHREAD_RWLOCK_PREFER_WRITER_NP, "r kept 8;w n 4");
	GIVES(pthread_rwlockattr_setpshared, error = WRAP(pthread_rwlockattr_setpshared)(all, PTHREAD_PROCESS_SHARED),
	      !error, "w kept 8");
	GIVES(pthread_rwlockattr_getpshared, error = WRAP(pthread_rwlockattr_getpshared)(all, (int *)n),
	      !error && n[0] == PTHREAD_PROCESS_SHARED, "r kept 8;w n 4");
	GIVES(pthread_rwlockattr_destroy, error = WRAP(pthread_rwlockattr_destroy)(all), !error, "w kept 8");
}

static void of_barrierattr(void)
{
	pthread_barrierattr_t *all = (pthread_barrierattr_t *)kept;
	int error;

	GIVES(pthread_barrierattr_init, error = WRAP(pthread_barrierattr_init)(all), !error, "w kept 4");
	GIVES(pthread_barrierattr_setpshared, error = WRAP(pthread_barrierattr_setpshared)(all, PTHREAD_PROCESS_SHARED),
	      !error, "w kept 4");
	GIVES(pthread_barrierattr_getpshared, error = WRAP(pthread_barrierattr_getpshared)(all, (int *)n),
	      !error && n[0] == PTHREAD_PROCESS_SHARED, "r kept 4;w n 4");
	GIVES(pthread_barrierattr_destroy, error = WRAP(pthread_barrierattr_destroy)(all), !error, "w kept 4");
}

static void of_attr(void)
{
	pthread_attr_t *all = (pthread_attr_t *)kept;
	int error;

	GIVES(pthread_attr_init, error = WRAP(pthread_attr_init)(all), !error, "w kept 56");
	GIVES(pthread_attr_setdetachstate, error = WRAP(pthread_attr_setdetachstate)(all, PTHREAD_CREATE_DETACHED),
	      !error, "w kept 56");
	GIVES(pthread_attr_getdetachstate, error = WRAP(pthread_attr_getdetachstate)(all, (int *)n),
	      !error && n[0] == PTHREAD_CREATE_DETACHED, "r kept 56;w n 4");
	GIVES(pthread_attr_setinheritsched, error = WRAP(pthread_attr_setinheritsched)(all, PTHREAD_EXPLICIT_SCHED),
	      !error, "w kept 56");
	GIVES(pthread_attr_getinheritsched, error = WRAP(pthread_attr_getinheritsched)(all, (int *)n),
	      !error && n[0] == PTHREAD_EXPLICIT_SCHED, "r kept 56;w n 4");
	GIVES(pthread_attr_setschedpolicy, error = WRAP(pthread_attr_setschedpolicy)(all, SCHED_FIFO), !error,
	      "w kept 56");
	GIVES(pthread_attr_getschedpolicy, error = WRAP(pthread_attr_getschedpolicy)(all, (int *)n),
	      !error && n[0] == SCHED_FIFO, "r kept 56;w n 4");
	GIVES(pthread_attr_setscope, error = WRAP(pthread_attr_setscope)(all, PTHREAD_SCOPE_SYSTEM), !error,
	      "w kept 56");
	GIVES(pthread_attr_getscope, error = WRAP(pthread_attr_getscope)(all, (int *)n),
	      !error && n[0] == PTHREAD_SCOPE_SYSTEM, "r kept 56;w n 4");
	GIVES(pthread_attr_setguardsize, error = WRAP(pthread_attr_setguardsize)(all, 8192), !error, "w kept 56");
	GIVES(pthread_attr_getguardsize, error = WRAP(pthread_attr_getguardsize)(all, (size_t *)n),
	      !error && n[0] == 8192, "r kept 56;w n 8");
	GIVES(pthread_attr_setstacksize, error = WRAP(pthread_attr_setstacksize)(all, 1 << 20), !error, "w kept 56");
	GIVES(pthread_attr_getstacksize, error = WRAP(pthread_attr_getstacksize)(all, (size_t *)n),
	      !error && n[0] == 1 << 20, "r kept 56;w n 8");
	GIVES(pthread_attr_setschedparam,
	      (n[0] = 7, error = WRAP(pthread_attr_setschedparam)(all, (struct sched_param *)n)), !error,
	      "r n 4;w kept 56");
	GIVES(pthread_attr_getschedparam, error = WRAP(pthread_attr_getschedparam)(all, (struct sched_param *)c),
	      !error, "r kept 56;w c 4");
	CHECK(c[0] == 7);
	GIVES(pthread_attr_setstack, error = WRAP(pthread_attr_setstack)(all, (void *)0x10000, 1 << 20), !error,
	      "w kept 56");
	GIVES(pthread_attr_getstack, error = WRAP(pthread_attr_getstack)(all, (void **)&p, (size_t *)n), !error,
	      "r kept 56;w p 8;w n 8");
	CHECK(p == (char *)0x10000 && n[0] == 1 << 20);
	GIVES(pthread_attr_destroy, error = WRAP(pthread_attr_destroy)(all), !error, "w kept 56");
}

static void of_signals(void)
{
	sigset_t *all = (sigset_t *)c;

	GIVES(sigemptyset, n[0] = WRAP(sigemptyset)(all), !n[0] && !sigismember(all, 2), "w c 128");
	GIVES(sigfillset, n[0] = WRAP(sigfillset)(all), !n[0] && sigismember(all, 2), "w c 128");
	GIVES(sigaddset, n[0] = WRAP(sigaddset)(all, 2), !n[0] && sigismember(all, 2), "w c 128");
	GIVES(sigdelset, n[0] = WRAP(sigdelset)(all, 2), !n[0] && !sigismember(all, 2), "w c 128");
	GIVES(sigismember, n[0] = WRAP(sigismember)(all, 2), n[0] == 0, "r c 128");
}

int main(void)
{
	log_begin();
	TEST(of_mutexattr);
	TEST(of_condattr);
	TEST(of_rwlockattr);
	TEST(of_barrierattr);
	TEST(of_attr);
	TEST(of_signals);
	return check_result();
}
