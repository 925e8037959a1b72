# For scripts that test the command: each of their functions named test_… is a test, which fails when one of its
# expectations does.  After each one no process may be left, no temporary file, no stack trace.
#
# To be sourced; wants $self, the script, and $tests, the names that were given, and makes $scratch, a folder of its own.
# shellcheck shell=bash

scratch=$(mktemp -d) || exit 4
trap 'rm -rf "$scratch"' EXIT
export XDG_CACHE_HOME=$scratch/cache # the user's own is none of our business
failed=0
ran=0

fail()
{
	echo "FAIL $name: $*"
	failed_here=1
}

# expect STATUS COMMAND…: run it; leaves stdout and stderr in $out and $err
expect()
{
	local want=$1
	shift
	status=0
	(cd "$work" && TMPDIR=$temporary timeout -k 5 "${limit:-120}" "$@") >"$out" 2>"$err" </dev/null || status=$?
	[ "$status" -eq "$want" ] || fail "exit status $want expected, got $status from: $* ($(head -3 "$err" | paste -sd' '))"
}

# expect_within SECONDS STATUS COMMAND…: the same, and it takes no longer than that
expect_within()
{
	local most=$1 start took
	shift
	start=$(date +%s%N)
	expect "$@"
	took=$((($(date +%s%N) - start) / 1000000))
	[ "$took" -le $((1000 * most)) ] || fail "$took ms, more than $most s: ${*:2}"
}

# after SECONDS: for expect_within, what sends SIGTERM to the command that follows
after()
{
	echo "timeout --preserve-status -s TERM $1"
}

# says WORDS…: each must be somewhere in what was printed
says()
{
	local text
	for text in "$@"; do
		grep -qiF -- "$text" "$out" "$err" || fail "\"$text\" expected in: $(head -5 "$err" "$out" | paste -sd' ')"
	done
}

# says_not WORDS…: none is anywhere in what was printed
says_not()
{
	local text
	for text in "$@"; do
		grep -qiF -- "$text" "$out" "$err" && fail "\"$text\" not expected in: $(head -5 "$err" "$out" | paste -sd' ')"
	done
	return 0
}

silent_stdout()
{
	[ ! -s "$out" ] || fail "nothing expected on stdout, got: $(head -3 "$out" | paste -sd' ')"
}

# source_file NAME: a file of the test, given on standard input
source_file()
{
	cat >"$work/$1"
}

# Every process of a test has the test's folders in its environment, whatever it calls itself.
leftover_processes()
{
	grep -lF -- "$unique" /proc/[0-9]*/environ 2>/dev/null | cut -d/ -f3
}

check_leftovers()
{
	local tries=0
	while [ -n "$(leftover_processes)" ] && [ $tries -lt 20 ]; do
		sleep 0.1
		tries=$((tries + 1))
	done
	[ -z "$(leftover_processes)" ] || fail "processes left: $(ps -o pid=,args= -p "$(leftover_processes | paste -sd,)" | paste -sd' ')"
	[ -z "$(ls -A "$temporary")" ] || fail "temporary files left: $(ls -A "$temporary" | paste -sd' ')"
	grep -lE '^ *#[0-9]+ 0x|Stack dump|PLEASE submit a bug report|AddressSanitizer|runtime error:' "$scratch"/*.log \
		>/dev/null && fail "a stack trace: $(cat "$scratch"/*.log | head -5)"
}

run_test()
{
	name=${1#test_}
	unique="${name}_$$"
	work=$scratch/$unique temporary=$scratch/tmp.$unique out=$scratch/out.log err=$scratch/err.log
	mkdir -p "$work" "$temporary"
	: >"$out"
	: >"$err"
	failed_here=0
	"$1"
	check_leftovers
	failed=$((failed + failed_here))
	ran=$((ran + 1))
}

# run_tests WHAT: those that were asked for, or all
run_tests()
{
	local test
	[ ${#tests[@]} -gt 0 ] || mapfile -t tests < <(grep -o '^test_[a-z_]*' "$self")
	for test in "${tests[@]}"; do
		run_test "test_${test#test_}"
	done
	echo "$1: $ran tests, $failed failed"
	[ "$failed" -eq 0 ]
}
