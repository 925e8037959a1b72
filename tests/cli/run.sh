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
	expect 2 "$INSPECT" check --outcomes=/nowhere/at/all assert_race.c
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
	limit=60 expect 3 "$INSPECT" check --watchdog=1 "$unique.c"
	says "main.1 was here" "--watchdog=S" "incomplete: an execution was cut short"
	limit=60 expect 3 "$INSPECT" check --json=- --watchdog=1 "$unique.c"
	"$JSON" <"$out" || fail "no well-formed JSON"
	says '"bugs": []' '"limits": [' '"thread": "main.1"' '"count": 1'
	limit=60 expect 3 "$INSPECT" check --watchdog=1 "$unique.c"
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

# A program that reads WANTED in each of its executions, some of them before it has several threads.
input_program()
{
	source_file "$unique.c" <<-'END'
	#include <assert.h>
	#include <pthread.h>
	#include <stdlib.h>
	#include <string.h>
	#include <unistd.h>
	static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	static int n;
	__attribute__((constructor)) static void begin(void)
	{
		char first = 'x';
		if (*WANTED && read(0, &first, 1) == 1)
			assert(first == *WANTED);
	}
	static void *run(void *unused)
	{
		for (int i = 0; i < 5; i++) {
			pthread_mutex_lock(&mutex);
			n++;
			pthread_mutex_unlock(&mutex);
		}
		return unused;
	}
	int main(void)
	{
		pthread_t t[2];
		char text[100] = "";
		for (int i = 0; i < 2; i++)
			pthread_create(&t[i], NULL, run, NULL);
		assert(read(0, text, 2) >= 0);
		for (int i = 0; i < 2; i++)
			pthread_join(t[i], NULL);
		assert(read(0, text + strlen(text), 50) >= 0);
		assert(!*WANTED || !strcmp(text, WANTED + 1));
		assert(*WANTED || !*text);
		return 0;
	}
	END
	expect 0 "$INSPECT" cc "-DWANTED=\"$1\"" "$unique.c" -o "$unique"
}

# with_input SCRIPT: run it for the usual ways to search; $check is the command
with_input()
{
	local options
	for options in --jobs=1 --jobs=2 --jobs=4 "--jobs=1 --isolation=fork" "--jobs=2 --isolation=fork" "--jobs=1 --search=source"; do
		expect 0 sh -c "check=\"\$1 check $options ./$unique\"; $1" sh "$INSPECT"
	done
}

test_input()
{
	printf 'one\ntwo\nthree' >"$work/input"
	input_program 'two\nthree'
	# shellcheck disable=SC2016 # the script's own
	with_input '(read x && $check) <input'
	# the user's own place in it stays where it was
	# shellcheck disable=SC2016
	with_input '(read x && $check && read y && test "$y" = two) <input'
	# shellcheck disable=SC2016
	with_input 'cp input deleted; (read x; rm deleted; $check) <deleted'
	input_program 'two\nthree\n'
	# shellcheck disable=SC2016
	with_input '$check <<END
two
three
END
'
	# shellcheck disable=SC2016
	with_input '{ printf "two\nthree\n"; } | { sleep 0.1; $check && read y && test "$y" = two; }'
	# shellcheck disable=SC2016
	expect 2 sh -c '{ echo two; sleep 2; } | "$@"' sh "$INSPECT" check "./$unique"
	says "use < FILE"
	input_program ''
	# shellcheck disable=SC2016
	with_input '$check </dev/null'
	: >"$work/empty"
	# shellcheck disable=SC2016
	with_input '$check <empty'
}

# Another user has opened the file: it can be read, but not opened.
test_input_of_others()
{
	[ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null || return 0
	input_program 'two\nthree'
	chmod 755 "$scratch" "$work"
	chmod 777 "$temporary" "$work"
	printf 'one\ntwo\nthree' >"$work/input"
	chmod 600 "$work/input"
	# shellcheck disable=SC2016
	with_input '(read x && XDG_CACHE_HOME=$PWD/cache setpriv --reuid=65534 --regid=65534 --clear-groups $check) <input'
	head -c 70000000 /dev/zero >>"$work/input"
	# shellcheck disable=SC2016
	expect 2 sh -c '(read x && XDG_CACHE_HOME=$PWD/cache setpriv --reuid=65534 --regid=65534 --clear-groups "$@") <input' sh \
		"$INSPECT" check "./$unique"
	says "cannot be opened again"
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
	expect 3 sh -c '"$@" <input' sh "$INSPECT" check --search=source --watchdog=1 "./$unique"
	says "limit: $unique.c:" "main.4 was here" "an execution was cut short"
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
	expect 0 env COLUMNS=400 "$INSPECT" check "$unique.c" -- 2
	says 'any interleaving' 'search: optimal'
	expect 0 "$INSPECT" check --json=- "$unique.c" -- 2
	says 'wakeup trees'
	expect 0 env COLUMNS=400 "$INSPECT" check --search=all "$unique.c" -- 2
	says 'all 6 interleavings' 'search: all'
}

# --- files that the program changes -------------------------------------------

# A program that does everything to files that can be undone, and a folder for it.
files_program()
{
	source_file "$unique.c" <<-'END'
	#define _GNU_SOURCE
	#include <assert.h>
	#include <fcntl.h>
	#include <pthread.h>
	#include <stdio.h>
	#include <stdlib.h>
	#include <sys/stat.h>
	#include <unistd.h>
	static void *create(void *order)
	{
		int fd = open("lock", O_CREAT | O_EXCL | O_WRONLY, 0600);
		if (fd >= 0)
			assert(write(fd, order, 1) == 1 && !close(fd));
		return NULL;
	}
	static void put(const char *path, const char *mode)
	{
		FILE *file = fopen(path, mode);
		assert(file && fputs("put\n", file) >= 0 && !fclose(file));
	}
	int main(int argc, char **argv)
	{
		char template[] = "tXXXXXX";
		pthread_t threads[2];
		assert(access("lock", F_OK) && access("made", F_OK) && !access("gone", F_OK));
		put("kept", "w");
		put("long", "a");
		put("created", "w");
		assert(!rename("created", "created again") && !chmod("long", 0400) && !chmod("long", 0600));
		assert(!unlink("gone") && !rename("old", "over") && !rename("kept", "moved") && !chmod("moved", 0755));
		assert(!mkdir("made", 0700) && !chdir("made") && !mkdir("below", 0700) && !chdir(".."));
		put("made/below/file", "w");
		assert(!rename("made", "made up") && !rmdir("empty") && !unlink("link") && !symlink("nowhere", "link"));
		assert(!link("long", "another") && !truncate("another", 1) && !remove("another"));
		assert(close(mkstemp(template)) == 0 && fputs("x", tmpfile()) >= 0);
		for (int i = 0; i < 2; i++)
			pthread_create(&threads[i], NULL, create, i ? "b" : "a");
		for (int i = 0; i < 2; i++)
			pthread_join(threads[i], NULL);
		if (argc > 1 && *argv[1] == 'c')
			return *(volatile int *)8;
		if (argc > 1 && *argv[1] == 'e')
			for (volatile int i = 0;; i++)
				;
		return argc > 1 && *argv[1] == 'b' && getc(fopen("lock", "r")) == 'b';
	}
	END
	mkdir "$work/folder" "$work/folder/empty"
	(
		cd "$work/folder" || exit
		echo kept >kept && echo gone >gone && echo old >old && echo over >over && ln -s kept link
		head -c 100000 /dev/zero >long
		chmod 640 kept && chmod 444 over && chmod 750 empty && touch -d 2001-02-03T04:05:06.789 kept gone long
	)
	expect 0 "$INSPECT" cc "$unique.c" -o files
	before=$(folder)
}

folder()
{
	(cd "$work/folder" && find . -type f -printf '%p %m %s %t\n' -exec md5sum {} + -o -printf '%p %m %l\n' | sort)
}

# files_are_as_before STATUS ARGUMENTS…
files_are_as_before()
{
	local want=$1
	shift
	(cd "$work/folder" && TMPDIR=$temporary timeout 60 "$INSPECT" "$@") >"$out" 2>"$err" </dev/null
	status=$?
	[ $status -eq "$want" ] || fail "exit status $want expected, got $status from $*: $(head -3 "$err" | paste -sd' ')"
	rm -f "$work/folder/"*.inspect
	[ "$(folder)" = "$before" ] || fail "after $*: $(diff <(echo "$before") <(folder) | paste -sd' ')"
}

test_files_are_put_back()
{
	local search seed

	files_program
	for search in optimal source dpor all; do
		files_are_as_before 0 check --search=$search ../files
		files_are_as_before 1 check --search=$search --keep-going ../files -- b
		files_are_as_before 1 check --search=$search ../files -- b
	done
	for seed in 1 2 3; do
		files_are_as_before 1 check --seed=$seed ../files -- b
	done
	files_are_as_before 0 check --isolation=fork ../files
	files_are_as_before 1 check --isolation=fork ../files -- c
	files_are_as_before 1 check ../files -- c
	says crash
	files_are_as_before 3 check --watchdog=1 ../files -- e
	(cd "$work/folder" && TMPDIR=$temporary "$INSPECT" check --trace=../trace ../files -- b) >/dev/null 2>&1
	files_are_as_before 1 replay ../trace
	says reproduced
	(cd "$work/folder" && ../files) || fail "by itself it does not run"
	[ "$(cat "$work/folder/moved")" = put ] || fail "by itself it does not change files"
}

test_files_are_put_back_after_interrupt()
{
	local pid

	files_program
	(cd "$work/folder" && TMPDIR=$temporary exec "$INSPECT" check --watchdog=60 ../files -- e) >"$out" 2>"$err" </dev/null &
	pid=$!
	while [ ! -e "$work/folder/made up" ]; do
		sleep 0.1
	done
	kill -TERM $pid
	wait $pid
	[ $? -eq 3 ] || fail "exit status 3 expected"
	[ "$(folder)" = "$before" ] || fail "after SIGTERM: $(diff <(echo "$before") <(folder) | paste -sd' ')"
}

test_files_and_workers()
{
	files_program
	files_are_as_before 2 check --jobs=2 ../files
	says 'other workers would see' 'without --jobs'
	files_are_as_before 2 check --checkpoint=../rest ../files
	files_are_as_before 0 check --jobs=1 ../files
}

# refused WORDS PROGRAM-TEXT: a statement that cannot be undone
refused()
{
	local words=$1
	printf '%s\n' '#define _GNU_SOURCE' '#include <fcntl.h>' '#include <stdio.h>' '#include <sys/mman.h>' \
		'#include <sys/stat.h>' '#include <unistd.h>' 'int main(void) {' "$2" 'return 0; }' | source_file refused.c
	expect 2 "$INSPECT" check refused.c
	says "$words"
}

test_files_that_cannot_be_put_back()
{
	head -c 70000000 /dev/zero >"$work/huge"
	echo two >"$work/two"
	ln "$work/two" "$work/names"
	mkfifo "$work/fifo"
	refused 'more than 64 MiB' 'if (open("huge", O_WRONLY) < 0) return 9;'
	refused 'more than 64 MiB' 'return unlink("huge");'
	refused 'several names' 'return unlink("two");'
	refused 'pipe' 'return unlink("fifo");'
	refused 'a device' 'return open("/dev/tty0", O_WRONLY) < 0 && open("/proc/self/comm", O_WRONLY) < 0;'
	refused 'mknod' 'return mkfifo("another", 0600);'
	refused 'utimensat' 'return futimens(1, 0);'
	refused 'shared mapping' 'return mmap(0, 9, PROT_WRITE, MAP_SHARED, open("two", O_RDWR), 0) == 0;'
	refused 'through a symbolic link' 'return symlink("nowhere", "s") || open("s", O_CREAT | O_WRONLY, 0600) < 0;'
	[ -s "$work/huge" ] && [ -s "$work/two" ] && [ ! -e "$work/nowhere" ] && [ ! -L "$work/s" ] ||
		fail "something is not as it was"
}

# --- interrupts and limits ---------------------------------------------------

interrupt_with()
{
	cp "$programs/lock_counter.c" "$work/$unique.c"
	(cd "$work" && TMPDIR=$temporary exec env --default-signal=INT "$INSPECT" check --search=source "$unique.c" -- 12) >"$out" 2>"$err" </dev/null &
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

# The limit and the first signal are noticed at once, also in the middle of something that takes a minute or has no end.
# (It should be less than a second, but the machine may have much to do.)

stops_in_time()
{
	expect_within 5 3 "$INSPECT" check --no-progress --max-time=1 "$@"
	says incomplete "--max-time reached"
	# shellcheck disable=SC2046
	expect_within 6 3 $(after 2) "$INSPECT" check --no-progress "$@"
	says incomplete interrupted
}

# An execution whose operations take 10 ms each, but which does get on.
slow_program()
{
	source_file slow.c <<-'END'
	#include <assert.h>
	#include <pthread.h>
	#include <stdatomic.h>
	#include <stdlib.h>
	static atomic_int x;
	static int bug, rounds;
	static void *run(void *unused)
	{
		for (int i = 0; i < 5000; i++) {
			for (volatile int k = 0, n = rounds; k < n; k++)
				;
			x++;
		}
		assert(!bug);
		return unused;
	}
	int main(int count, char **arguments)
	{
		pthread_t t;
		(void)arguments;
		bug = count > 1;
		rounds = getenv("SLOW") ? 5000000 : 1;
		pthread_create(&t, NULL, run, NULL);
		x++;
		pthread_join(t, NULL);
		return 0;
	}
	END
	expect 0 "$INSPECT" cc -o slow slow.c
}

test_stops_in_long_execution()
{
	slow_program
	SLOW=1 stops_in_time ./slow
	says "before anything was explored"
	SLOW=1 stops_in_time --isolation=fork ./slow
	SLOW=1 stops_in_time --stateful ./slow
}

test_stops_in_endless_loop()
{
	source_file endless.c <<-'END'
	int main(void)
	{
		for (volatile int k = 0;; k = 0)
			;
	}
	END
	expect 0 "$INSPECT" cc -o endless endless.c
	stops_in_time --watchdog=60 ./endless
}

# Before main there is no execution yet.
test_stops_in_start()
{
	source_file start.c <<-'END'
	static void __attribute__((constructor)) start(void)
	{
		for (volatile int k = 0;; k = 0)
			;
	}
	int main(void)
	{
		return 0;
	}
	END
	expect 0 "$INSPECT" cc -o start start.c
	stops_in_time ./start
}

# Many readers in turns: the analysis of dpor takes the square of the length, a minute here.
test_stops_in_analysis()
{
	source_file readers.c <<-'END'
	#include <pthread.h>
	static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
	static int x;
	static void *run(void *unused)
	{
		for (int i = 0; i < 16000; i++) {
			pthread_rwlock_rdlock(&lock);
			int y = x;
			(void)y;
			pthread_rwlock_unlock(&lock);
		}
		return unused;
	}
	int main(void)
	{
		pthread_t t[4];
		for (int i = 0; i < 4; i++)
			pthread_create(&t[i], NULL, run, NULL);
		pthread_rwlock_wrlock(&lock);
		x++;
		pthread_rwlock_unlock(&lock);
		for (int i = 0; i < 4; i++)
			pthread_join(t[i], NULL);
		return 0;
	}
	END
	expect 0 "$INSPECT" cc -o readers readers.c
	stops_in_time --search=dpor --seed=1 ./readers
}

# An execution is run twice: with its first finding, or because it is the first.  And what the analysis was quadratic for.
test_stops_in_confirmation()
{
	source_file turns.c <<-'END'
	#include <pthread.h>
	static int counter;
	static void *run(void *unused)
	{
		for (int i = 0; i < 1000000; i++)
			counter++;
		return unused;
	}
	int main(void)
	{
		pthread_t t[2];
		pthread_create(&t[0], NULL, run, NULL);
		pthread_create(&t[1], NULL, run, NULL);
		pthread_join(t[0], NULL);
		pthread_join(t[1], NULL);
		return 0;
	}
	END
	expect 0 "$INSPECT" cc -o turns turns.c
	# a quick machine may have found something by then
	local seconds
	for seconds in 1 2 3; do
		limit=$((seconds + 4)) status=0
		(cd "$work" && TMPDIR=$temporary timeout -k 1 $limit "$INSPECT" check -q --no-progress --seed=1 \
			--max-time=$seconds --trace=/dev/null ./turns) >"$out" 2>"$err" </dev/null || status=$?
		[ $status -eq 3 ] || [ $status -eq 1 ] || fail "exit status 1 or 3 expected within $limit s, got $status"
		unset limit
	done
}

test_stops_in_replay()
{
	slow_program
	expect 1 "$INSPECT" check -q --no-progress --trace=slow.inspect ./slow -- bug
	# shellcheck disable=SC2046
	SLOW=1 expect_within 6 3 $(after 2) "$INSPECT" replay slow.inspect
	says interrupted
	expect 1 "$INSPECT" replay -q slow.inspect
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

# A trace is user input: what it says of the finding may be anything, and is only told.
test_trace_of_another_kind()
{
	local kind
	cp "$programs/deadlock_abba.c" "$work/$unique.c"
	expect 1 "$INSPECT" check --trace=trace.inspect "$unique.c"
	for kind in race assertion crash memory livelock lock exit nondeterminism leak; do
		sed -e "s/^kind .*/kind $kind/" -e 's/^at [0-9]* [0-9]* [0-9]* [0-9]*/at 1 99 0 7/' \
			-e 's/^message .*/message :%20%ff%0a/' "$work/trace.inspect" >"$work/other.inspect"
		[ "$kind" = leak ] && expect 1 "$INSPECT" replay other.inspect && says "not reproduced" && continue
		expect 1 "$INSPECT" replay other.inspect
		says "reproduced: the same $kind again"
	done
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

test_warnings()
{
	expect 0 "$INSPECT" check "$programs/never_initialised.c" -DWAY=1
	says "verified" "warning: " "never_initialised.c:" "--strict=init"
	expect 0 "$INSPECT" check -q "$programs/never_initialised.c" -DWAY=1
	says_not "warning: "
	expect 0 "$INSPECT" check --json=- "$programs/never_initialised.c" -DWAY=1
	"$JSON" <"$out" || fail "no well-formed JSON"
	says '"verdict": "verified"' '"bugs": []' '"warnings": [' '"kind": "lock"'
	grep -q '"trace"' "$out" && fail "a warning has no trace"
	expect 1 "$INSPECT" check --strict=all "$programs/never_initialised.c" -DWAY=1
	says "LOCK: use of a mutex that was never initialised: mutex" "replay: "
	expect 2 "$INSPECT" check --strict=everything "$programs/never_initialised.c" -DWAY=1
	says "--strict=everything" "none|init|posix|all"
}

test_notes()
{
	expect 0 env COLUMNS=400 "$INSPECT" check "$programs/notes.c"
	says "verified" "notes.c:19: mutex kept is initialised here and never destroyed"
	expect 0 "$INSPECT" check -q "$programs/notes.c"
	says_not "note:"
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
	says_not "hello from" # the program's own output
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
