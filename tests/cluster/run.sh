#!/bin/bash
# Searches by several workers and with checkpoints: the same result as by one, whatever happens to them.
#
#   tests/cluster/run.sh [--inspect=PATH] [--kills=N] [--threads=N] [TEST…]
#
# --kills says how often a search is killed and resumed at most (20), --threads how large it is (8; with 10 it lasts long
# enough for 100, and how often it was is told).  With SANITIZE in the environment, as make has it, searches are smaller.
set -u

self=$(realpath "$0")
root=$(realpath "$(dirname "$self")/../..")
INSPECT=$root/build/inspect
kills=${SANITIZE:+5}
kills=${kills:-20}
threads=${SANITIZE:+7} # of a search of about a second
threads=${threads:-8}
pause=${SANITIZE:+1} # between two that are killed: longer than a worker takes to begin
pause=${pause:-0.2}
tests=()
large=
for argument in "$@"; do
	case $argument in
	--inspect=*) INSPECT=$(realpath "${argument#*=}") ;;
	--kills=*) kills=${argument#*=} ;;
	--threads=*) threads=${argument#*=} large=1 ;;
	-*) echo "usage: tests/cluster/run.sh [--inspect=PATH] [--kills=N] [--threads=N] [TEST…]" >&2; exit 2 ;;
	*) tests+=("$argument") ;;
	esac
done
programs=$root/tests/programs

. "$root/tests/command.sh"

# --- helpers ---------------------------------------------------------------

# build NAME [FLAG…]: a program of tests/programs, or one that the test has written, as ./NAME
build()
{
	local source=$work/$1.c
	[ -f "$source" ] || source=$programs/$1.c
	expect 0 "$INSPECT" cc "${@:2}" -o "$1" "$source"
}

# number KEY FILE: of a report
number()
{
	sed -n "s/^  \"$1\": \([0-9]*\),\{0,1\}$/\1/p" "$work/$2"
}

# bugs FILE: kind and line of each
bugs()
{
	awk '/^  "warnings"/ { exit } /^      "kind"/ { kind = $2 } /^      "line"/ { print kind, $2 }' "$work/$1" | sort
}

# one_line: a single complaint
one_line()
{
	[ "$(wc -l <"$err")" -eq 1 ] || fail "one line expected on stderr, got $(wc -l <"$err"): $(head -5 "$err" | paste -sd' ')"
}

# same_as_alone FILE: does the report say the same as alone.json?
same_as_alone()
{
	local key
	for key in executions assumed; do
		[ "$(number $key "$1")" = "$(number $key alone.json)" ] ||
			fail "$what: $(number $key "$1") $key instead of $(number $key alone.json)"
	done
	[ "$(bugs "$1")" = "$(bugs alone.json)" ] ||
		fail "$what: other bugs: $(bugs "$1" | paste -sd' ') instead of $(bugs alone.json | paste -sd' ')"
	grep -q '"complete": true' "$work/$1" || fail "$what: not complete:$(grep '"stopped"' "$work/$1")"
}

# alone PROGRAM [WORD…]: search by one worker, for comparison
alone()
{
	status=0
	(cd "$work" && TMPDIR=$temporary timeout 120 "$INSPECT" check -q --json=alone.json --outcomes=alone.txt "$@") \
		>"$out" 2>"$err" </dev/null || status=$?
	alone_status=$status
}

# compare SEARCHES PROGRAM [WORD…]: with 2, 3 and 8 workers
compare()
{
	local searches=$1 search jobs
	shift
	for search in $searches; do
		alone "--search=$search" "$@"
		for jobs in 2 3 8; do
			what="--jobs=$jobs --search=$search $*"
			expect "$alone_status" "$INSPECT" check -q --json=many.json --outcomes=many.txt "--jobs=$jobs" \
				"--search=$search" "$@"
			same_as_alone many.json
			cmp -s "$work/alone.txt" "$work/many.txt" || fail "$what: other outcomes"
		done
	done
}

# --- the same result ---------------------------------------------------------

test_totals()
{
	build lock_counter
	compare "optimal source dpor" ./lock_counter -- 5
	[ "$(number executions alone.json)" -eq 120 ] || fail "120 executions expected"
	compare all ./lock_counter -- 3
	build indexer
	compare "optimal source dpor" ./indexer -- 13
	[ "$(number executions alone.json)" -eq 64 ] || fail "64 executions expected"
	build filesystem
	compare "optimal source" ./filesystem -- 20
	[ "$(number executions alone.json)" -eq 128 ] || fail "128 executions expected"
	compare dpor ./filesystem -- 15
	build lastzero
	compare "optimal source dpor" ./lastzero -- 6
}

test_waiting_and_choices()
{
	build cond_broadcast
	compare "optimal source dpor all" ./cond_broadcast
	build cond_producer_consumer
	compare "optimal source" ./cond_producer_consumer
	build trylock
	compare "optimal source dpor all" ./trylock
	build api_verifier
	compare "optimal source dpor all" --nondet-range=0..3 ./api_verifier -- unsigned_integers
	compare "optimal source" --nondet-range=0..9 ./api_verifier -- assumed
	build api_choose -I"$root/include"
	compare "optimal source" --keep-going ./api_choose -- one_value
}

test_choices_in_atomic_blocks()
{
	build choose_in_block -I"$root/include" -DTHREADS=3
	compare all ./choose_in_block
	compare "optimal source dpor" ./choose_in_block
	[ "$(number executions alone.json)" -eq 48 ] || fail "48 executions expected"
	build choose_in_block -I"$root/include" -DMEETS
	compare "optimal source dpor all" --keep-going ./choose_in_block
	build signal_in_block -I"$root/include"
	compare "optimal source dpor all" --keep-going ./signal_in_block
	build signal_in_block -I"$root/include" -DBOTH -DWAITS
	compare "optimal source dpor all" --keep-going ./signal_in_block
}

test_all_findings()
{
	build many_bugs
	compare "optimal source dpor all" --keep-going ./many_bugs
	[ "$(bugs alone.json | wc -l)" -eq 6 ] || fail "six bugs expected"
	build cancel_or_signal
	compare "optimal source dpor" --keep-going ./cancel_or_signal
	build exit_status
	compare "optimal source" --keep-going --exit-status=same ./exit_status
	compare optimal --keep-going ./exit_status
	build exit_status -DZERO=0
	compare "optimal source" --keep-going ./exit_status
	[ "$(bugs alone.json | wc -l)" -eq 1 ] || fail "an exit status that is 0 in one schedule only expected"
	compare optimal --exit-status=any ./exit_status
	build memory_leaks -DWAY=6
	compare "optimal source" --leaks --keep-going ./memory_leaks
}

# Threads that exist in some executions only have the same numbers everywhere.
test_numbers_of_threads()
{
	build create_on_condition
	compare "optimal source dpor" --keep-going ./create_on_condition
	build child_by_choice -I"$root/include"
	compare "optimal source dpor" --keep-going ./child_by_choice
	build nested_creation
	compare "optimal source" ./nested_creation
	source_file "$unique.c" <<-'END'
	#include <pthread.h>
	#include <stdatomic.h>
	static atomic_int turn, sum;
	static void *add(void *unused)
	{
		sum++;
		return unused;
	}
	static void *create(void *mine)
	{
		pthread_t thread;
		if (turn++ == (int)(long)mine) {
			pthread_create(&thread, NULL, add, NULL);
			pthread_join(thread, NULL);
		}
		return NULL;
	}
	int main(void)
	{
		pthread_t threads[4];
		for (long i = 0; i < 4; i++)
			pthread_create(&threads[i], NULL, create, (void *)(3 - i));
		for (int i = 0; i < 4; i++)
			pthread_join(threads[i], NULL);
		return 0;
	}
	END
	build "$unique"
	compare "optimal source" "./$unique"
}

# Memory that was thought private: everybody starts again.
test_memory_shared_late()
{
	build private_memory
	compare "optimal source" --keep-going ./private_memory -- late
	compare "optimal source" --keep-going ./private_memory -- either
	compare optimal --keep-going ./private_memory -- spin
	# several workers find something at the same time, each something else, which takes a while
	source_file "$unique.c" <<-'END'
	#include <pthread.h>
	enum { N = 3 };
	static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	static int key, count;
	static struct { int value; char apart[8192 - sizeof(int)]; } cells[64];
	static void *first(void *mine)
	{
		pthread_mutex_lock(&mutex);
		key = key * 3 + (int)(long)mine;
		if (++count == N) {
			for (volatile long i = 0; i < 300000; i++)
				;
			cells[key].value++;
		}
		pthread_mutex_unlock(&mutex);
		return NULL;
	}
	static void *second(void *unused)
	{
		pthread_mutex_lock(&mutex);
		count++;
		pthread_mutex_unlock(&mutex);
		return unused;
	}
	static void run(void *(*function)(void *))
	{
		pthread_t threads[N];
		for (long i = 0; i < N; i++)
			pthread_create(&threads[i], NULL, function, (void *)i);
		for (int i = 0; i < N; i++)
			pthread_join(threads[i], NULL);
	}
	int main(void)
	{
		run(first);
		cells[key].value++;
		run(second);
		return 0;
	}
	END
	build "$unique"
	compare "optimal source" "./$unique"
}

# --- limits and the first finding ---------------------------------------------

test_stops()
{
	build deadlock_abba
	expect 1 "$INSPECT" check -q --jobs=3 --json=many.json --trace=trace ./deadlock_abba
	[ "$(bugs many.json | wc -l)" -eq 1 ] || fail "one finding expected: $(bugs many.json)"
	expect 1 "$INSPECT" replay trace
	says "reproduced: the same deadlock again"
	build lock_counter
	expect 3 "$INSPECT" check --jobs=3 --max-executions=1000 ./lock_counter -- 9
	says "--max-executions"
	expect 3 "$INSPECT" check --jobs=3 --max-time=0.3 ./lock_counter -- 9
	says "--max-time"
	expect 0 "$INSPECT" check --jobs=3 ./lock_counter -- 4
	says verified
}

# Threads that take a lock, each of them once, and take so many milliseconds before that: N! executions.
slow_program()
{
	source_file slow.c <<-'END'
	#include <pthread.h>
	#include <stdlib.h>
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static int rounds;
	static void *run(void *unused)
	{
		for (volatile int k = 0, n = rounds; k < n; k++)
			;
		pthread_mutex_lock(&lock);
		for (volatile int k = 0, n = rounds; k < n; k++)
			;
		pthread_mutex_unlock(&lock);
		return unused;
	}
	int main(int count, char **arguments)
	{
		pthread_t t[3];
		rounds = count > 1 ? 500000 * atoi(arguments[1]) : 0;
		for (int i = 0; i < 3; i++)
			pthread_create(&t[i], NULL, run, NULL);
		for (int i = 0; i < 3; i++)
			pthread_join(t[i], NULL);
		return 0;
	}
	END
	expect 0 "$INSPECT" cc -o slow slow.c
}

# In the middle of an execution that takes long, too.  (In less than a second, if the machine has time for it.)
test_stops_in_long_execution()
{
	slow_program
	expect_within 5 3 "$INSPECT" check --jobs=2 --max-time=1 ./slow -- 4000
	says "--max-time reached"
	# shellcheck disable=SC2046
	expect_within 6 3 $(after 2) "$INSPECT" check --jobs=2 ./slow -- 4000
	says interrupted
}

# What was interrupted is still to be done: one execution takes longer than there is time at first.
test_resumes_what_was_interrupted()
{
	local tenths=1 resume=
	slow_program
	alone ./slow -- 60
	status=3
	while [ $status -eq 3 ] && [ $tenths -lt 300 ]; do
		status=0
		# shellcheck disable=SC2086
		(cd "$work" && TMPDIR=$temporary timeout 60 "$INSPECT" check -q --jobs=2 "--max-time=$((tenths / 10)).$((tenths % 10))" \
			--checkpoint=checkpoint $resume --json=many.json ./slow -- 60) >"$out" 2>"$err" </dev/null || status=$?
		resume=--resume=checkpoint
		tenths=$((2 * tenths))
	done
	[ $status -eq 0 ] || fail "exit status $status: $(head -3 "$err")"
	same_as_alone many.json
}

test_replay_of_each_finding()
{
	local trace
	build many_bugs
	expect 1 "$INSPECT" check -q --jobs=3 --keep-going ./many_bugs
	[ "$(compgen -G "$work/many_bugs*.inspect" | wc -l)" -eq 6 ] || fail "six traces expected"
	for trace in "$work"/many_bugs*.inspect; do
		expect 1 "$INSPECT" replay "$trace"
		says reproduced
	done
}

# --- programs that do not play along ------------------------------------------

test_program_is_to_blame()
{
	build crash_always -DWAY=1
	expect 1 "$INSPECT" check -q --jobs=3 ./crash_always
	build refused -DWAY=1
	expect 2 "$INSPECT" check -q --jobs=3 ./refused
	[ "$(cat "$out" "$err" | grep -c pthread_atfork)" -eq 1 ] || fail "said more than once: $(cat "$out" "$err")"
	build nondeterminism -DWAY=2
	expect 1 "$INSPECT" check -q --jobs=3 --json=many.json ./nondeterminism
	grep -q '"kind": "nondeterminism"' "$work/many.json" || fail "nondeterminism expected: $(bugs many.json)"
	expect 1 "$INSPECT" check -q --checkpoint=checkpoint ./nondeterminism
	[ ! -e "$work/checkpoint" ] || fail "a checkpoint of a search that cannot go on"
	expect 2 "$INSPECT" check --jobs=3 ./nowhere
	one_line
	expect 2 "$INSPECT" check --jobs=3 /bin/true
	one_line
	cp "$work/crash_always" "$work/damaged"
	printf 'nonsense' | dd of="$work/damaged" conv=notrunc status=none
	expect 2 "$INSPECT" check --jobs=3 ./damaged
	one_line
}

test_program_hangs()
{
	source_file "$unique.c" <<-'END'
	#include <pthread.h>
	#include <stdatomic.h>
	static atomic_int turn;
	static void *run(void *mine)
	{
		if (turn++ == 2 && (long)mine == 0)
			for (;;)
				;
		return NULL;
	}
	int main(void)
	{
		pthread_t threads[3];
		for (long i = 0; i < 3; i++)
			pthread_create(&threads[i], NULL, run, (void *)i);
		for (int i = 0; i < 3; i++)
			pthread_join(threads[i], NULL);
		return 0;
	}
	END
	build "$unique"
	expect 3 "$INSPECT" check --jobs=3 --watchdog=0.3 "./$unique"
	says "nothing visible" "an execution was cut short"
}

# What was found before the search starts again, or in the execution that is the reason for it, stays.
test_findings_stay()
{
	local case kind
	for case in 1:race 2:assertion 3:deadlock 4:assertion 5:assertion; do
		kind=${case#*:}
		build late_news "-DCASE=${case%:*}"
		for options in --jobs=2 "--jobs=3 --keep-going" "--checkpoint=checkpoint --keep-going"; do
			# shellcheck disable=SC2086 # options are words
			expect 1 "$INSPECT" check -q $options --json=many.json --trace=trace ./late_news
			[ "$(bugs many.json | wc -l)" -eq 1 ] || fail "one $kind expected: $(bugs many.json)"
			expect 1 "$INSPECT" replay -q trace
			says "reproduced: the same $kind again"
		done
	done
}

# Warnings are told once, and are no bugs.
test_warnings()
{
	build never_initialised_race -DCASE=2
	expect 0 "$INSPECT" check --jobs=2 ./never_initialised_race
	says "verified" "warning: "
	[ "$(grep -c '^warning: ' "$out")" -eq 4 ] || fail "four warnings expected: $(cat "$out")"
	build never_initialised_race -DCASE=1
	expect 1 "$INSPECT" check -q --jobs=2 --keep-going --json=many.json ./never_initialised_race
	[ "$(bugs many.json | wc -l)" -eq 1 ] || fail "one race expected: $(bugs many.json)"
	sed '1,/"warnings"/d' "$work/many.json" | grep -q '"kind": "lock"' || fail "a warning expected"
	expect 1 "$INSPECT" check -q --jobs=2 --keep-going --strict=init --json=many.json ./never_initialised_race
	[ "$(bugs many.json | wc -l)" -eq 2 ] || fail "two findings expected: $(bugs many.json)"
	build lock_counter
	expect 3 "$INSPECT" check --checkpoint=checkpoint --max-executions=100 ./lock_counter -- 9
	expect 2 "$INSPECT" check --resume=checkpoint --strict=init ./lock_counter -- 9
	says "of another search"
}

# Executions that are cut short are no bugs, but nothing is verified then, also after a break.
test_cut_short()
{
	build cut_short -DCASE=6
	expect 3 "$INSPECT" check --jobs=2 --max-steps=1000 ./cut_short
	says "many executions were cut short"
	build cut_short -DCASE=2
	expect 1 "$INSPECT" check -q --jobs=2 --max-steps=1000 ./cut_short
	says "ASSERTION: " "limit: "
	build spin_flag -DLOOKS=1000000000
	expect 3 "$INSPECT" check --jobs=2 --max-steps=200 --json=many.json ./spin_flag
	grep -A1 '"limits"' "$work/many.json" | grep -q '{' || fail "a limit expected: $(cat "$work/many.json")"
	build cut_short -DCASE=6
	expect 3 "$INSPECT" check --checkpoint=checkpoint --keep-going --max-executions=20 --max-steps=1000 ./cut_short
	says "--max-executions reached"
	expect 3 "$INSPECT" check --resume=checkpoint --max-steps=1000 --json=many.json ./cut_short
	says "many executions were cut short"
	[ "$(sed -n 's/^      "count": //p' "$work/many.json" | paste -sd+ | bc)" -ge 30 ] || fail "30 cut executions expected"
}

test_options()
{
	build lock_counter
	expect 2 "$INSPECT" check --jobs=3 --stateful ./lock_counter
	one_line
	expect 2 "$INSPECT" check --checkpoint=checkpoint --stateful ./lock_counter
	one_line
	expect 2 "$INSPECT" check --jobs=3 --profile ./lock_counter
	one_line
	expect 2 "$INSPECT" check --checkpoint=checkpoint --profile ./lock_counter
	one_line
	for jobs in 0 abc -1 '' 1x 99999999999; do
		expect 2 "$INSPECT" check "--jobs=$jobs" ./lock_counter
		says jobs
		one_line
	done
	expect 2 "$INSPECT" check --checkpoint-every=never ./lock_counter
	one_line
}

# One worker on one core: the same search, with whatever only one process can do.
test_one_job()
{
	build lock_counter
	expect 0 "$INSPECT" check --jobs=1 ./lock_counter -- 5
	says "120 executions"
	expect 0 "$INSPECT" check --jobs=1 --stateful ./lock_counter -- 5
	says states
	expect 0 "$INSPECT" check --jobs=1 --checkpoint=checkpoint ./lock_counter -- 5
	says "120 executions"
}

# --- workers that die ----------------------------------------------------------

# in_background COMMAND…: its process is $background, which leads a group of its own.  Leaks are not looked for: what
# does that is a child of the command as well, and when it is killed in place of a worker the command waits for ever.
in_background()
{
	(cd "$work" && TMPDIR=$temporary ASAN_OPTIONS=detect_leaks=0 exec setsid timeout --foreground -k 5 120 "$@") \
		>"$out" 2>"$err" </dev/null &
	background=$!
}

# inspect_of PID: the command itself, which `timeout` has started
inspect_of()
{
	local tries=0
	until pgrep -P "$1" || [ $tries -eq 50 ]; do
		sleep 0.02
		tries=$((tries + 1))
	done
}

random_of()
{
	shift $((RANDOM % $#))
	echo "$1"
}

# kill_while_it_runs PID FUNCTION: as long as it runs, one of those that FUNCTION names; $nkilled counts them.
# Not without end: on a busy machine they would not get on between two of them.
kill_while_it_runs()
{
	local pid victims
	pid=$(inspect_of "$1")
	nkilled=0
	while kill -0 "$1" 2>/dev/null && [ $nkilled -lt 20 ]; do
		mapfile -t victims < <("$2" "$pid")
		if [ ${#victims[@]} -eq 0 ]; then
			sleep 0.02
			continue
		fi
		kill -KILL "$(random_of "${victims[@]}")" 2>/dev/null && nkilled=$((nkilled + 1))
		sleep "$pause"
	done
}

workers_of()
{
	pgrep -P "$1"
}

# What runs the program: a child of the program's first process, which is a worker's child.
executors_of()
{
	local worker zygote
	for worker in $(pgrep -P "$1"); do
		for zygote in $(pgrep -P "$worker"); do
			pgrep -P "$zygote"
		done
	done
}

# Of a search without workers, which goes on in that process itself.
executor_of()
{
	local zygote
	for zygote in $(pgrep -P "$1"); do
		pgrep -P "$zygote"
	done
}

# survives_kills_of FUNCTION JOBS OPTION…
survives_kills_of()
{
	local status=0
	build lock_counter
	alone ./lock_counter -- "$threads"
	what="killed $1"
	in_background "$INSPECT" check -q "--jobs=$2" "${@:3}" --json=many.json ./lock_counter -- "$threads"
	kill_while_it_runs $background "$1"
	wait $background || status=$?
	[ $status -eq 0 ] || fail "exit status $status after $nkilled were killed: $(head -3 "$err")"
	[ $nkilled -gt 0 ] || fail "none was killed"
	same_as_alone many.json
}

# One that is stopped for ever: nobody hears of it again.
test_silent_worker()
{
	local status=0 pid victims=() more=$((threads + 1)) expected=1 i
	[ -z "$large" ] || more=$threads # it lasts long enough
	for ((i = 2; i <= more; i++)); do
		expected=$((expected * i))
	done
	build lock_counter
	in_background "$INSPECT" check -q --jobs=3 --worker-timeout=2 --json=many.json ./lock_counter -- $more
	pid=$(inspect_of $background)
	while [ ${#victims[@]} -lt 3 ] && kill -0 $background 2>/dev/null; do
		sleep 0.02
		mapfile -t victims < <(executors_of "$pid")
	done
	kill -STOP "$(pgrep -P "$pid" | head -1)" || fail "it ended before all had begun"
	wait $background || status=$?
	[ $status -eq 0 ] || fail "exit status $status: $(head -3 "$err")"
	grep -q "has been silent for 2 s" "$err" || fail "nothing was said about it: $(cat "$err")"
	[ "$(number executions many.json)" = $expected ] || fail "$(number executions many.json) executions, not $expected"
}

test_killed_workers()
{
	survives_kills_of workers_of 3
}

test_killed_executors()
{
	survives_kills_of executors_of 3
}

test_killed_executor_of_one()
{
	survives_kills_of executor_of 1 --search-place=inside
}

test_killed_workers_with_findings()
{
	local status=0
	source_file "$unique.c" <<-'END'
	#include <assert.h>
	#include <pthread.h>
	#include <stdatomic.h>
	static atomic_int first, second;
	static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	static void *run(void *mine)
	{
		int a = first++;
		pthread_mutex_lock(&mutex);
		int b = second++;
		pthread_mutex_unlock(&mutex);
		assert(a != 6 || b != 0);
		assert(a != 5 || b != 1);
		if (a == 4 && b == 2 && (long)mine == 0)
			pthread_mutex_unlock(&mutex);
		return NULL;
	}
	int main(void)
	{
		pthread_t threads[5];
		for (long i = 0; i < 5; i++)
			pthread_create(&threads[i], NULL, run, (void *)i);
		for (int i = 0; i < 5; i++)
			pthread_join(threads[i], NULL);
		return 0;
	}
	END
	build "$unique"
	alone --keep-going "./$unique"
	what="killed workers"
	in_background "$INSPECT" check -q --jobs=3 --keep-going --json=many.json "./$unique"
	kill_while_it_runs $background workers_of
	wait $background || status=$?
	[ $status -eq $alone_status ] || fail "exit status $status instead of $alone_status: $(head -3 "$err")"
	same_as_alone many.json
}

# --- checkpoints -----------------------------------------------------------------

# kill_and_resume N WORD…: killed N times, and resumed with another number of workers each time
kill_and_resume()
{
	local left=$1 kills_wanted=$1 resume=() status=0
	shift
	rm -f "$work/checkpoint"
	while [ "$left" -gt 0 ]; do
		in_background "$INSPECT" check -q "--jobs=$((RANDOM % 5 + 1))" --checkpoint=checkpoint \
			--checkpoint-every=0.05 "${resume[@]}" --json=many.json "$@"
		sleep "0.$((RANDOM % 3))$((RANDOM % 10))"
		kill -KILL -- "-$background" 2>/dev/null || break # it has come to its end
		wait $background 2>/dev/null
		left=$((left - 1))
		resume=()
		[ ! -f "$work/checkpoint" ] || resume=(--resume=checkpoint)
	done
	[ -z "$large" ] || echo "killed $((kills_wanted - left)) times: $*"
	[ "$left" -eq 0 ] || wait $background || status=$?
	if [ "$left" -eq 0 ]; then
		expect "$alone_status" "$INSPECT" check -q --jobs=2 --checkpoint=checkpoint "${resume[@]}" --json=many.json "$@"
		status=$alone_status
	fi
	what="killed $kills times and resumed: $*"
	[ "$status" -eq "$alone_status" ] || fail "$what: exit status $status instead of $alone_status: $(head -3 "$err")"
	same_as_alone many.json
	[ -z "$(compgen -G "$work/checkpoint*")" ] || fail "a checkpoint is left of a finished search"
}

test_killed_and_resumed()
{
	build lock_counter
	alone ./lock_counter -- "$threads"
	kill_and_resume "$kills" ./lock_counter -- "$threads"
	build lastzero
	alone --search=source ./lastzero -- $((threads + 3))
	kill_and_resume "$((kills / 2))" --search=source ./lastzero -- $((threads + 3))
	build many_bugs
	alone --keep-going ./many_bugs
	kill_and_resume 3 --keep-going ./many_bugs
}

# What was found before is in the report of whoever resumes the search, and can be replayed.
test_findings_in_checkpoints()
{
	local trace
	build many_bugs
	alone --keep-going --search=all ./many_bugs
	expect 1 "$INSPECT" check -q --jobs=2 --keep-going --search=all --max-executions=150 --checkpoint=checkpoint ./many_bugs
	[ -s "$work/checkpoint" ] || fail "no checkpoint"
	rm -f "$work"/*.inspect
	expect 1 "$INSPECT" check -q --jobs=2 --keep-going --search=all --resume=checkpoint --json=many.json ./many_bugs
	what="resumed with findings"
	same_as_alone many.json
	[ "$(compgen -G "$work/many_bugs*.inspect" | wc -l)" -eq 6 ] || fail "six traces expected"
	for trace in "$work"/many_bugs*.inspect; do
		expect 1 "$INSPECT" replay "$trace"
		says reproduced
	done
	# not --keep-going: one is there already
	expect 1 "$INSPECT" check -q --resume=checkpoint --search=all ./many_bugs
}

# Built again from the same source, it is the same program.
test_checkpoint_of_source()
{
	cp "$programs/lock_counter.c" "$work/$unique.c"
	expect 3 "$INSPECT" check -q --jobs=2 --max-executions=100 --checkpoint=checkpoint --no-cache "$unique.c" -- 6
	expect 0 "$INSPECT" check -q --jobs=3 --resume=checkpoint --no-cache --json=many.json "$unique.c" -- 6
	[ "$(number executions many.json)" -eq 720 ] || fail "$(number executions many.json) executions instead of 720"
}

# interrupt WORD…: Ctrl-C after a moment; leaves the exit status
interrupt()
{
	# a shell that runs in the background was started with SIGINT ignored, which children inherit
	trap : INT
	set -m
	(cd "$work" && TMPDIR=$temporary exec env --default-signal=INT "$INSPECT" check --no-progress "$@") >"$out" 2>"$err" </dev/null &
	local pid=$!
	set +m
	sleep 0.4
	kill -INT -- "-$pid"
	status=0
	wait "$pid" || status=$?
	trap - INT
	[ "$status" -eq 3 ] || fail "exit status 3 expected after Ctrl-C, got $status: $(head -3 "$err")"
	says interrupted
}

test_interrupted_with_checkpoint()
{
	build lastzero
	interrupt --jobs=3 --checkpoint=checkpoint ./lastzero -- 14
	[ -s "$work/checkpoint" ] || fail "no checkpoint"
	expect 0 "$INSPECT" check -q --jobs=2 --resume=checkpoint --json=many.json ./lastzero -- 14
	[ "$(number executions many.json)" -eq 69632 ] || fail "$(number executions many.json) executions instead of 69632"
	[ -s "$work/checkpoint" ] || fail "the checkpoint that was resumed from is gone, though none was asked for"
}

test_interrupted_without_checkpoint()
{
	local start=$EPOCHREALTIME
	build lock_counter
	interrupt --jobs=3 ./lock_counter -- 9
	awk -v a="$start" -v b="$EPOCHREALTIME" 'BEGIN { exit b - a > 4 }' || fail "it took too long to stop"
	[ "$(ls "$work")" = lock_counter ] || fail "left behind: $(ls "$work" | paste -sd' ')"
}

# refused_checkpoint FILE WORD…: with one line, and nothing is searched
refused_checkpoint()
{
	expect 2 "$INSPECT" check --jobs=2 "--resume=$1" "${@:2}"
	one_line
	silent_stdout
}

test_other_checkpoints()
{
	build lock_counter
	build indexer
	expect 3 "$INSPECT" check -q --jobs=2 --max-executions=500 --checkpoint=good ./lock_counter -- 8
	[ -s "$work/good" ] || fail "no checkpoint was left by a search that was stopped"
	refused_checkpoint good ./indexer -- 8
	says "another program"
	refused_checkpoint good ./lock_counter -- 7
	refused_checkpoint good ./lock_counter -- 8 9
	says "arguments"
	refused_checkpoint good --search=source ./lock_counter -- 8
	refused_checkpoint good --leaks ./lock_counter -- 8
	says "another search"
	refused_checkpoint nowhere ./lock_counter -- 8
	says nowhere
	: >"$work/empty"
	refused_checkpoint empty ./lock_counter -- 8
	says "not a checkpoint"
	echo hello >"$work/text"
	refused_checkpoint text ./lock_counter -- 8
	mkdir "$work/directory"
	refused_checkpoint directory ./lock_counter -- 8
	if [ "$(id -u)" -ne 0 ]; then
		cp "$work/good" "$work/secret"
		chmod 0 "$work/secret"
		refused_checkpoint secret ./lock_counter -- 8
	fi
}

test_damaged_checkpoints()
{
	local size i at byte
	build lock_counter
	expect 3 "$INSPECT" check -q --jobs=2 --max-executions=500 --checkpoint=good ./lock_counter -- 8
	size=$(stat -c %s "$work/good")
	for i in 1 2 3 4 5 6 7 8; do
		head -c $((RANDOM * 32768 % size * i / 8)) "$work/good" >"$work/short"
		refused_checkpoint short ./lock_counter -- 8
	done
	head -c $((size - 1)) "$work/good" >"$work/short"
	refused_checkpoint short ./lock_counter -- 8
	says damaged
	(cat "$work/good" && echo) >"$work/long"
	refused_checkpoint long ./lock_counter -- 8
	for ((i = 0; i < 200; i++)); do
		at=$((i < 60 ? i : i * (size - 1) / 199))
		cp "$work/good" "$work/flipped"
		byte=$(od -An -tu1 -j $at -N 1 "$work/good")
		# shellcheck disable=SC2059 # the format is the byte
		printf "\\x$(printf %02x $((byte ^ (1 << i % 8))))" | dd of="$work/flipped" bs=1 seek=$at conv=notrunc status=none
		refused_checkpoint flipped ./lock_counter -- 8
		[ $i -lt 21 ] || says damaged
	done
	expect 3 "$INSPECT" check -q --resume=good --max-executions=2000 ./lock_counter -- 8
}

# Where it cannot be written is said before the search begins.
test_unwritable_checkpoints()
{
	local path
	build lock_counter
	mkdir "$work/directory"
	for path in /nowhere/at/all directory lock_counter/below; do
		expect 2 "$INSPECT" check --jobs=2 "--checkpoint=$path" ./lock_counter -- 4
		says "$path"
		one_line
		silent_stdout
	done
	[ "$(ls "$work" | paste -sd' ')" = "directory lock_counter" ] || fail "left behind: $(ls "$work" | paste -sd' ')"
}

# The program may be built again while it is searched: what runs is what was there in the beginning.
test_program_replaced()
{
	local status=0
	build lock_counter
	build indexer
	cp "$work/lock_counter" "$work/program"
	alone ./program -- 8
	in_background "$INSPECT" check -q --jobs=2 --max-time=1 --checkpoint=checkpoint --checkpoint-every=0.1 ./program -- 9
	sleep 0.4
	cp "$work/indexer" "$work/new"
	mv "$work/new" "$work/program"
	wait $background || status=$?
	[ $status -eq 3 ] || fail "exit status 3 expected, got $status: $(head -3 "$err")"
	refused_checkpoint checkpoint ./program -- 9
	says "another program"
	cp "$work/lock_counter" "$work/program"
	expect 3 "$INSPECT" check -q --resume=checkpoint --max-time=0.2 ./program -- 9
}

# ------------------------------------------------------------------------------

if [ ! -x "$INSPECT" ]; then
	echo "tests/cluster/run.sh: no $INSPECT; run make test-cluster" >&2
	exit 2
fi
run_tests "cluster tests"
