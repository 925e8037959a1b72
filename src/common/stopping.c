#define _GNU_SOURCE
#include "common/invariant.h"
#include "common/stopping.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "common/trouble.h"

static volatile sig_atomic_t here;
volatile sig_atomic_t *stop_asked = &here;
static volatile sig_atomic_t ignored;

void stop_move(volatile sig_atomic_t *place)
{
	if (*stop_asked)
		*place = 1; /* (it may be asked for right now) */
	stop_asked = place;
	if (here)
		*place = 1;
}

void stop_ask(void)
{
	*stop_asked = !ignored;
}

void stop_forget(void)
{
	*stop_asked = 0;
}

void stop_ignore(void)
{
	ignored = 1;
	*stop_asked = 0;
}

void stop_heed(void)
{
	ignored = 0;
}

static void on_time(int signal)
{
	(void)signal;
	stop_ask();
}

/* A signal that nobody else uses: SIGALRM is that of alarm(). */
static timer_t make_timer(void)
{
	struct sigaction action = {.sa_handler = on_time, .sa_flags = SA_RESTART};
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN};
	timer_t timer;

	if (sigaction(SIGRTMIN, &action, NULL) || timer_create(CLOCK_MONOTONIC, &event, &timer))
		failure("cannot make a timer: %s", strerror(errno));
	return timer;
}

void stop_ask_after(double seconds)
{
	static timer_t timer;
	static bool made;
	struct itimerspec when = {.it_value.tv_sec = (time_t)seconds};

	invariant(seconds >= 0);
	if (!made && seconds <= 0)
		return;
	if (!made)
		timer = make_timer();
	made = true;
	when.it_value.tv_nsec = (long)((seconds - (double)when.it_value.tv_sec) * 1e9);
	if (seconds > 0 && !when.it_value.tv_sec && !when.it_value.tv_nsec)
		when.it_value.tv_nsec = 1;
	if (timer_settime(timer, 0, &when, NULL))
		failure("cannot set a timer: %s", strerror(errno));
}
