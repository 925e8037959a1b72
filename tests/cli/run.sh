#!/bin/bash
# Behaviour of the command: errors, interrupts, replay, what it leaves behind.
#
#   tests/cli/run.sh [--inspect=PATH] [--json=PATH of the JSON validator] [TEST…]
#
# A test is a function named test_…; it fails when one of its expectations does.
# After each one no process may be left, no temporary file, no stack trace.
set -u

self=$(realpath "$0")
root=$(realpath "$(dirname "$self")/../..")
INSPECT=$root/build/inspect
JSON=$root/build/tests/json
tests=()
for argument in "$@"; do
	case $argument in
	--inspect=*) INSPECT=$(realpath "${argument#*=}") ;;
	--json=*) JSON=$(realpath "${argument#*=}") ;;
	-*) echo "usage: tests/cli/run.sh [--inspect=PATH] [--json=PATH] [TEST…]" >&2; exit 2 ;;
	*) tests+=("$argument") ;;
	esac
done
programs=$root/tests/programs

. "$root/tests/command.sh"

# --- input that cannot be checked -------------------------------------------

test_missing_file()
{
	expect 2 "$INSPECT" check nowhere.c
	says nowhere.c "No such file"
	silent_stdout
}

test_missing_program()
{
	expect 2 "$INSPECT" check ./nowhere
	says nowhere
}

test_directory()
{
	mkdir "$work/folder" "$work/folder.c"
	expect 2 "$INSPECT" check folder
	says folder
	expect 2 "$INSPECT" check folder.c
	says folder.c
}

test_unreadable_file()
{
	[ "$(id -u)" -ne 0 ] || return 0
	echo 'int main(void) { return 0; }' | source_file secret.c
	chmod 000 "$work/secret.c"
	expect 2 "$INSPECT" check secret.c
	says secret.c
}

test_empty_file()
{
	: | source_file empty.c
	expect 2 "$INSPECT" check empty.c
	says empty.c
}

test_no_main()
{
	echo 'int helper(void) { return 1; }' | source_file library.c
	expect 2 "$INSPECT" check library.c
	says main
}

test_does_not_compile()
{
	printf 'int main(void)\n{\n\treturn nonsense;\n}\n' | source_file broken.c
	expect 2 "$INSPECT" check broken.c
	says broken.c:3 nonsense
	silent_stdout
	expect 2 "$INSPECT" check --json=- broken.c
	says broken.c:3
}

test_does_not_link()
{
	printf 'int nowhere_defined(void);\nint main(void)\n{\n\treturn nowhere_defined();\n}\n' | source_file unlinked.c
	expect 2 "$INSPECT" check unlinked.c
	says nowhere_defined
}

test_not_ours()
{
	expect 2 "$INSPECT" check /bin/true
	says true
	echo hello | source_file notes.txt
	expect 2 "$INSPECT" check notes.txt
	says notes.txt
}

test_two_mains()
{
	echo 'int main(void) { return 0; }' | source_file one.c
	echo 'int main(void) { return 0; }' | source_file two.c
	expect 2 "$INSPECT" check one.c two.c
	says main
}

# --- the command line --------------------------------------------------------

test_usage()
{
	expect 2 "$INSPECT"
	expect 2 "$INSPECT" frobnicate
	says frobnicate
	expect 2 "$INSPECT" check
	expect 2 "$INSPECT" check --frobnicate "$programs/one_thread.c"
	says --frobnicate
	expect 2 "$INSPECT" check --search=nothing "$programs/one_thread.c"
	says nothing source
	expect 2 "$INSPECT" replay
	expect 2 "$INSPECT" check --isolation=none "$programs/one_thread.c"
	says none
	expect 2 "$INSPECT" check --exit-status=perhaps "$programs/one_thread.c"
	says perhaps
}

test_bad_numbers()
{
	local number
	for number in x -1 1x '' 99999999999999999999; do
		expect 2 "$INSPECT" check "--max-executions=$number" "$programs/one_thread.c"
		says max-executions
	done
	expect 2 "$INSPECT" check --max-steps=0 "$programs/one_thread.c"
	expect 2 "$INSPECT" check --max-steps=1000001 "$programs/one_thread.c"
	says 1000000
	expect 2 "$INSPECT" check --max-time=soon "$programs/one_thread.c"
	says max-time
	expect 2 "$INSPECT" check --watchdog=never "$programs/one_thread.c"
	says watchdog
}

test_help_and_version()
{
	expect 0 "$INSPECT" --help
	says check replay cc c++ functions
	expect 0 "$INSPECT" --version
	says inspect
	expect 0 "$INSPECT" check --help
	says --search --max-executions --keep-going --json
	expect 0 "$INSPECT" replay --help
}

test_functions()
{
	expect 0 "$INSPECT" functions
	says "Modelled" "pthread_mutex_lock" "Accepted" "pthread_setname_np" "from libc" "pthread_self" "Refused" "pthread_atfork" "Announced" "strcpy"
	[ "$(awk '{ print length }' "$out" | sort -n | tail -1)" -le 80 ] || fail "a line of more than 80 columns"
	[ "$(grep -ow pthread_mutex_lock "$out" | wc -l)" = 1 ] || fail "a function is listed twice"
	expect 0 "$INSPECT" functions --help
	says "Usage: inspect functions"
	expect 0 "$INSPECT" help functions
	says "Usage: inspect functions"
	expect 2 "$INSPECT" functions everything
	says everything
	silent_stdout
	expect 2 "$INSPECT" function
	says "inspect functions"
}

test_arguments_and_files()
{
	expect 0 "$INSPECT" check "$programs/arguments.c" -DARGUMENTS=4 -- one two --three
	says verified
	expect 0 "$INSPECT" check "$programs/multi/main.c" "$programs/multi/queue.c" -I"$programs/multi"
	says verified
}

test_cc()
{
	expect 0 "$INSPECT" cc -c -o main.o "$programs/multi/main.c"
	expect 0 "$INSPECT" cc -c -o queue.o "$programs/multi/queue.c"
	expect 0 "$INSPECT" cc -o "$unique.program" main.o queue.o -lpthread
	expect 0 "$INSPECT" check "./$unique.program"
	says verified
	expect 0 "$(dirname "$INSPECT")/inspect-cc" -o "$unique.again" "$programs/arguments.c" -DARGUMENTS=2
	expect 0 "$INSPECT" check "./$unique.again" -- word
	expect 2 "$INSPECT" cc -c -o nothing.o nowhere.c
	says nowhere.c
}

test_cxx()
{
	expect 0 "$INSPECT" c++ --help
	says CXX
	expect 0 "$INSPECT" help c++
	says CXX
	expect 0 "$INSPECT" c++ -c -o main.o "$programs/cxx_mixed/main.cpp"
	expect 0 "$INSPECT" cc -c -o counter.o "$programs/cxx_mixed/counter.c"
	expect 0 "$INSPECT" c++ -o "$unique.program" main.o counter.o
	expect 0 "$INSPECT" check "./$unique.program"
	says verified
	expect 0 "$(dirname "$INSPECT")/inspect-c++" -o "$unique.again" main.o counter.o
	expect 0 "$INSPECT" check "$programs/cxx_mixed/main.cpp" "$programs/cxx_mixed/counter.c"
	says verified
	expect 2 "$INSPECT" c++ -c -o nothing.o nowhere.cpp
	says nowhere.cpp
	expect 2 "$INSPECT" check nowhere.cpp
	says nowhere.cpp
	expect 2 "$INSPECT" program.cc
	says "inspect check program.cc"
}

# A file that cannot be written to: said; for the trace the verdict is reached all the same.
test_output_files()
{
	cp "$programs/assert_race.c" "$work"
	expect 1 "$INSPECT" check --trace=/nowhere/at/all.inspect assert_race.c
	says race /nowhere
	expect 2 "$INSPECT" check --json=/nowhere/at/all.json assert_race.c
	says /nowhere
}

# --- programs that do not play along ----------------------------------------

test_terminal_input()
{
	source_file "$unique.c" <<-'END'
	#include <stdio.h>
	int main(void)
	{
		return getchar() == 'x';
	}
	END
	status=0
	(cd "$work" && TMPDIR=$temporary timeout -k 5 60 script -qefc "'$INSPECT' check $unique.c" "$work/typescript") \
		>"$out" 2>"$err" </dev/null || status=$?
	[ "$status" -eq 2 ] || fail "exit status 2 expected on a terminal, got $status"
	says input
	# no terminal: end of file is an answer like any other
	expect 0 "$INSPECT" check "$unique.c"
}

test_endless_loop()
{
	source_file "$unique.c" <<-'END'
	#include <pthread.h>
	static void *spin(void *unused)
	{
		volatile int i = 0;
		for (;;)
			i++;
		return unused;
	}
	int main(void)
	{
		pthread_t thread;
		pthread_create(&thread, NULL, spin, NULL);
		pthread_join(thread, NULL);
		return 0;
	}
	END
	limit=60 expect 1 "$INSPECT" check --watchdog=1 "$unique.c"
	says main.1
	grep -qE "$unique\.c:[56]" "$out" "$err" || fail "line 5 or 6 expected: $(head -5 "$out" | paste -sd' ')"
}

test_refused_function()
{
	expect 2 "$INSPECT" check "$programs/refused.c" -DWAY=1
	says pthread_atfork refused.c:
}

test_runs_by_itself()
{
	expect 0 "$INSPECT" cc -o alone "$programs/many_events.c"
	expect 0 ./alone 2000000
	expect 0 "$INSPECT" cc -o counter "$programs/lock_counter.c"
	expect 0 ./counter 5
	expect 0 "$INSPECT" cc -o abba "$programs/deadlock_abba.c"
	expect 0 ./abba
}

test_killed_executor()
{
	source_file long.c <<'C'
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x;
static void *run(void *unused)
{
	for (int i = 0; i < 6; i++)
		x++;
	return unused;
}
int main(void)
{
	pthread_t t[4];
	for (int i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, run, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	return 0;
}
C
	expect 0 "$INSPECT" cc -o "killed_$$" long.c
	(
		for try in 1 2 3 4 5 6; do
			sleep 0.3
			pkill -9 -n -f "^./killed_$$"
		done
	) &
	expect 3 "$INSPECT" check --no-progress --max-time=3 "./killed_$$"
	wait
	says incomplete
}

# A long beginning, then threads that compete; what is read and printed before and after must be the same each time.
checkpoints_program()
{
	source_file "$unique.c" <<-'END'
	#include <pthread.h>
	#include <stdatomic.h>
	#include <stdio.h>
	static atomic_int steps;
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static char order[9];
	static int norder;
	static void *prepare(void *unused)
	{
		for (int i = 0; i < 500; i++)
			steps++;
		return unused;
	}
	static void *compete(void *name)
	{
		for (int i = 0; i < 2; i++) {
			pthread_mutex_lock(&lock);
			if (norder == 3) {
				char word[16] = "";
				fgets(word, sizeof word, stdin);
				fprintf(stderr, "third is %c, reads %s\n", *(char *)name, word);
			}
			order[norder++] = *(char *)name;
			HANG
			pthread_mutex_unlock(&lock);
		}
		return NULL;
	}
	int main(void)
	{
		pthread_t t[3];
		char names[] = "abc", word[16] = "";
		setvbuf(stdin, NULL, _IONBF, 0);
		pthread_create(&t[0], NULL, prepare, NULL);
		pthread_join(t[0], NULL);
		fgets(word, sizeof word, stdin);
		printf("first %s", word);
		fflush(stdout);
		for (int i = 0; i < 3; i++)
			pthread_create(&t[i], NULL, compete, &names[i]);
		for (int i = 0; i < 3; i++)
			pthread_join(t[i], NULL);
		fgets(word, sizeof word, stdin);
		printf("then %s, last %s", order, word);
		return 0;
	}
	END
	seq 1 100 >"$work/input"
	expect 0 "$INSPECT" cc "-DHANG=$1" "$unique.c" -o "$unique"
}

test_checkpoints()
{
	local steps
	checkpoints_program ';'
	for steps in 0 1 50; do
		# shellcheck disable=SC2016 # its own arguments
		expect 0 sh -c '"$@" <input' sh "$INSPECT" check --search=source --checkpoints=$steps --profile \
			--outcomes=outcomes.$steps --json=json.$steps "./$unique"
		cmp -s "$work/outcomes.0" "$work/outcomes.$steps" || fail "other outcomes with --checkpoints=$steps"
		grep -q '"executions": 90,' "$work/json.$steps" || fail "other executions with --checkpoints=$steps"
	done
	[ "$(grep -c '^exit 0: first 1|then .*, last 3|$' "$work/outcomes.0")" -eq 90 ] || fail "90 different outputs expected"
	grep -q '"resumed": 0,$' "$work/json.0" || fail "an execution began at a checkpoint although there is none"
	grep -q '"ahead": 0,$' "$work/json.0" || fail "an execution began before its turn"
	for steps in 1 50; do
		[ "$(sed -n 's/^ *"resumed": \([0-9]*\),$/\1/p' "$work/json.$steps")" -gt 80 ] || fail "no checkpoints were used"
	done
}

# The executor begins executions before it is asked for them; not for the replay of a finding, which is another one.
test_ahead()
{
	source_file "$unique.c" <<-'END'
	#include <assert.h>
	#include <pthread.h>
	#include <stdlib.h>
	static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	static int order, limit;
	static void *add(void *number)
	{
		pthread_mutex_lock(&mutex);
		order = 10 * order + (int)(long)number;
		assert(order < limit);
		pthread_mutex_unlock(&mutex);
		return NULL;
	}
	int main(int argc, char **argv)
	{
		pthread_t threads[4];
		limit = atoi(argv[argc - 1]);
		for (long i = 0; i < 4; i++)
			pthread_create(&threads[i], NULL, add, (void *)(i + 1));
		for (int i = 0; i < 4; i++)
			pthread_join(threads[i], NULL);
		return 0;
	}
	END
	expect 0 "$INSPECT" cc "$unique.c" -o "$unique"
	expect 0 "$INSPECT" check --profile --json=json "./$unique" -- 5000
	grep -q '"executions": 24,' "$work/json" || fail "24 executions expected"
	[ "$(sed -n 's/^ *"ahead": \([0-9]*\),$/\1/p' "$work/json")" -gt 15 ] || fail "most executions begin before their turn"
	grep -q '"given_up": 0$' "$work/json" || fail "an execution was begun in vain"
	expect 1 "$INSPECT" check --keep-going --profile --json=json --outcomes=outcomes "./$unique" -- 3000
	[ "$(sed -n 's/^ *"given_up": //p' "$work/json")" -gt 0 ] || fail "a replay went on with what was begun"
	expect 1 "$INSPECT" check --keep-going --checkpoints=0 --outcomes=outcomes.0 "./$unique" -- 3000
	cmp -s "$work/outcomes" "$work/outcomes.0" || fail "other outcomes when each execution waits for its turn"
}

# An endless loop in one order, met after a checkpoint, and again in the replay.
test_checkpoints_hang()
{
	checkpoints_program 'if (norder == 2 && order[0] == 0x62 && order[1] == 0x63) for (;;);'
	# shellcheck disable=SC2016 # its own arguments
	expect 1 sh -c '"$@" <input' sh "$INSPECT" check --search=source --watchdog=1 --trace=trace "./$unique"
	says "no visible operation"
	# shellcheck disable=SC2016
	expect 1 sh -c '"$@" <input' sh "$INSPECT" replay trace
}

test_checkpoints_killed()
{
	checkpoints_program ';'
	sed -i 's/i < 2;/i < 6;/; s/order\[9\]/order[32]/' "$work/$unique.c"
	expect 0 "$INSPECT" cc "-DHANG=;" "$unique.c" -o "killed_$$"
	(
		for try in 1 2 3 4 5 6; do
			sleep 0.3
			pkill -9 -n -f "^./killed_$$"
		done
	) &
	expect 3 "$INSPECT" check --no-progress --max-time=3 --checkpoints=1 "./killed_$$"
	wait
	says incomplete
}

test_killed_program()
{
	source_file "$unique.c" <<-'END'
	#include <signal.h>
	#include <unistd.h>
	int main(void)
	{
		kill(getpid(), SIGKILL);
		return 0;
	}
	END
	limit=60 expect 1 "$INSPECT" check "$unique.c"
	says kill
}

test_much_output()
{
	source_file "$unique.c" <<-'END'
	#include <stdio.h>
	int main(void)
	{
		for (int i = 0; i < 200000; i++)
			printf("line %d of many\n", i);
		return 0;
	}
	END
	limit=60 expect 0 "$INSPECT" check "$unique.c"
}

# a verdict must not claim more than the search did
test_reductions_are_named()
{
	cp "$programs/lock_counter.c" "$work/$unique.c"
	expect 0 "$INSPECT" check "$unique.c" -- 2
	says 'any interleaving' 'search: optimal'
	expect 0 "$INSPECT" check --json=- "$unique.c" -- 2
	says 'wakeup trees'
	expect 0 "$INSPECT" check --search=all "$unique.c" -- 2
	says 'all 6 interleavings' 'search: all'
}

# --- interrupts and limits ---------------------------------------------------

interrupt_with()
{
	cp "$programs/lock_counter.c" "$work/$unique.c"
	(cd "$work" && TMPDIR=$temporary exec "$INSPECT" check --search=source "$unique.c" -- 12) >"$out" 2>"$err" </dev/null &
	local pid=$! tries=0
	# zygote and executor: the program itself runs
	while [ "$(readlink /proc/[0-9]*/exe | grep -cF "$temporary/inspect-")" -lt 2 ] && [ $tries -lt 100 ]; do
		sleep 0.1
		tries=$((tries + 1))
	done
	sleep 1.5
	kill -"$1" "$pid"
	status=0
	wait "$pid" || status=$?
	[ "$status" -eq 3 ] || fail "exit status 3 expected after SIG$1, got $status"
	says executions interrupted
}

test_interrupt()
{
	# a shell ignores SIGINT for its background jobs, and children inherit that
	trap : INT
	set -m
	interrupt_with INT
	set +m
	trap - INT
}

test_terminate()
{
	interrupt_with TERM
}

test_killed_explorer()
{
	cp "$programs/lock_counter.c" "$work/$unique.c"
	(cd "$work" && TMPDIR=$work exec "$INSPECT" check --search=source "$unique.c" -- 12) >"$out" 2>"$err" </dev/null &
	local pid=$!
	sleep 2
	kill -KILL "$pid"
	wait "$pid" 2>/dev/null
}

test_units()
{
	expect 2 "$INSPECT" check --state-memory=1GB "$programs/lock_counter.c"
	says "a number of megabytes"
	expect 2 "$INSPECT" check --max-time=5min "$programs/lock_counter.c"
	says "a number of seconds"
}

test_limits()
{
	expect 3 "$INSPECT" check --max-executions=10 "$programs/lock_counter.c" -- 7
	says 10
	expect 3 "$INSPECT" check --max-time=1 --search=source "$programs/lock_counter.c" -- 12
	grep -qi '^[^a-z]*verified' "$out" && fail "verified, though a limit was reached"
	expect 3 "$INSPECT" check --json=- --max-executions=10 "$programs/lock_counter.c" -- 7
	"$JSON" <"$out" || fail "no well-formed JSON"
	grep -q '"complete": *false' "$out" || fail "complete is not false"
}

# --- replay and JSON ---------------------------------------------------------

test_replay()
{
	cp "$programs/deadlock_abba.c" "$work/$unique.c"
	expect 1 "$INSPECT" check --trace=trace.inspect "$unique.c"
	says deadlock
	expect 1 "$INSPECT" replay trace.inspect
	says deadlock
	cp "$out" "$work/first"
	expect 1 "$INSPECT" replay trace.inspect
	cmp -s "$work/first" "$out" || fail "the second replay prints something else"
}

test_default_trace_name()
{
	cp "$programs/deadlock_abba.c" "$work/abba.c"
	expect 1 "$INSPECT" check abba.c
	[ -f "$work/abba.inspect" ] || fail "no abba.inspect: $(ls "$work" | paste -sd' ')"
	says abba.inspect
}

test_replay_of_program()
{
	expect 0 "$INSPECT" cc -o "$unique.program" "$programs/assert_race.c"
	expect 1 "$INSPECT" check --trace=trace.inspect "./$unique.program"
	expect 1 "$INSPECT" replay trace.inspect
	says race
}

test_damaged_trace()
{
	local size
	cp "$programs/deadlock_abba.c" "$work/$unique.c"
	expect 1 "$INSPECT" check --trace=trace.inspect "$unique.c"
	size=$(stat -c %s "$work/trace.inspect")
	head -c $((size / 2)) "$work/trace.inspect" >"$work/half.inspect"
	expect 2 "$INSPECT" replay half.inspect
	says half.inspect
	head -n -1 "$work/trace.inspect" >"$work/short.inspect"
	expect 2 "$INSPECT" replay short.inspect
	sed 's/^step [0-9]*/step 99/' "$work/trace.inspect" >"$work/thread.inspect"
	expect 2 "$INSPECT" replay thread.inspect
	: >"$work/empty.inspect"
	expect 2 "$INSPECT" replay empty.inspect
	says empty.inspect
	head -c 4096 /dev/urandom >"$work/noise.inspect"
	expect 2 "$INSPECT" replay noise.inspect
	expect 2 "$INSPECT" replay nowhere.inspect
	says nowhere.inspect
	expect 2 "$INSPECT" replay .
	expect 2 "$INSPECT" replay "$unique.c"
}

test_changed_program()
{
	cp "$programs/deadlock_abba.c" "$work/$unique.c"
	expect 1 "$INSPECT" check --trace=trace.inspect "$unique.c"
	sed -i 's/static void \*first/static int more;\n&/; s/pthread_mutex_lock(&a);/more++; &/' "$work/$unique.c"
	expect 2 "$INSPECT" replay trace.inspect
	rm "$work/$unique.c"
	expect 2 "$INSPECT" replay trace.inspect
	says "$unique.c"
}

test_json()
{
	local program
	for program in lock_counter deadlock_abba assert_race crash_null exit_status unjoined; do
		status=0
		(cd "$work" && TMPDIR=$temporary "$INSPECT" check --json=- --keep-going "$programs/$program.c") \
			>"$out" 2>"$err" </dev/null || status=$?
		"$JSON" <"$out" || fail "$program: not well-formed: $(head -c 300 "$out")"
		for key in version verdict complete search executions blocked transitions threads max_depth wall_seconds \
			seed bugs notes; do
			grep -q "\"$key\":" "$out" || fail "$program: no \"$key\""
		done
	done
	expect 0 "$INSPECT" check --json=report.json "$programs/one_thread.c"
	"$JSON" <"$work/report.json" || fail "the file is not well-formed"
	says verified
}

# A file is named so that it can be opened from where the command ran, whatever the two paths have in common.
test_absolute_path()
{
	mkdir "$work/here" "$work/there"
	cp "$programs/deadlock_abba.c" "$work/there"
	expect 1 env -C here "$INSPECT" check --json=- "$work/there/deadlock_abba.c"
	says "\"file\": \"$work/there/deadlock_abba.c\""
	expect 1 env -C here "$INSPECT" check --json=- ../there/deadlock_abba.c
	says '"file": "../there/deadlock_abba.c"'
}

# Both accesses of a race, with what each holds.
test_json_of_a_race()
{
	source_file half.c <<-'END'
		#include <pthread.h>
		static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
		static int x;
		static void *good(void *p) { pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); return p; }
		static void *bad(void *p) { __atomic_fetch_add(&x, 1, __ATOMIC_SEQ_CST); return p; }
		int main(void)
		{
			pthread_t a, b;
			pthread_create(&a, NULL, good, NULL);
			pthread_create(&b, NULL, bad, NULL);
			pthread_join(a, NULL);
			pthread_join(b, NULL);
			return 0;
		}
	END
	expect 1 "$INSPECT" check --json=- half.c
	"$JSON" <"$out" || fail "not well-formed: $(head -c 300 "$out")"
	says '"variable": "x"' '"access": "atomic update"' '"atomic": true' '"atomic": false' \
		'by main.1 at half.c:4 holding m (locked at half.c:4)' 'by main.2 at half.c:5 holding no lock' \
		'are not ordered; one of them is atomic'
	tr -d ' \n' <"$out" >"$work/flat"
	grep -qF '"atomic":false,"locks":["m"],"stack":[' "$work/flat" || fail "locks of the first access: $(cat "$work/flat")"
	grep -qF '"atomic":true,"locks":[],"stack":[' "$work/flat" || fail "locks of the second access: $(cat "$work/flat")"
}

# Several kinds of bugs in one run: each has its own trace, which leads to it again.
test_keep_going()
{
	local trace kind kinds=''
	expect 1 env COLUMNS=400 "$INSPECT" check -q --keep-going "$programs/many_bugs.c"
	says "RACE: " "DEADLOCK: " "ASSERTION: " "LOCK: " "MEMORY: " "CRASH: " "every interleaving was explored"
	for trace in "$work"/many_bugs*.inspect; do
		kind=$(sed -n 's/^kind //p' "$trace")
		kinds="$kinds $kind"
		expect 1 "$INSPECT" replay "$trace"
		says "reproduced: the same $kind again"
	done
	[ "$(wc -w <<<"$kinds")" -eq 6 ] || fail "six traces expected, got:$kinds"
}

test_notes()
{
	expect 0 env COLUMNS=400 "$INSPECT" check "$programs/notes.c"
	says "verified" "notes.c:19: mutex kept is initialised here and never destroyed"
	expect 0 "$INSPECT" check -q "$programs/notes.c"
	grep -q "note:" "$out" && fail "notes although -q is given"
	expect 0 "$INSPECT" check --json=- "$programs/lock_counter.c"
	says '"notes": []'
}

# Names with blanks, quotes and non-ASCII letters reach compiler, report, JSON and trace file whole.
test_odd_names()
{
	cp "$programs/deadlock_abba.c" "$work/odd \"näme\" 100%.c"
	expect 1 "$INSPECT" check --json=- "odd \"näme\" 100%.c" -- "an argument" ""
	"$JSON" <"$out" || fail "not well-formed: $(head -c 300 "$out")"
	expect 1 "$INSPECT" replay "odd \"näme\" 100%.inspect"
	says deadlock
}

test_quiet_and_streams()
{
	expect 0 "$INSPECT" check "$programs/output.c"
	says verified
	grep -q "hello from" "$out" && fail "the program's own output is in the report of a verified program"
	expect 0 "$INSPECT" check -q "$programs/output.c"
	status=0
	(cd "$work" && TMPDIR=$temporary "$INSPECT" check "$programs/output.c") >/dev/full 2>"$err" || status=$?
	[ "$status" -ne 0 ] || fail "exit status 0 though the report could not be written"
}

# ------------------------------------------------------------------------------

if [ ! -x "$INSPECT" ] || [ ! -x "$JSON" ]; then
	echo "tests/cli/run.sh: no $INSPECT or $JSON; run make test-cli" >&2
	exit 2
fi
run_tests "command tests"
