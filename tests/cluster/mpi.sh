#!/bin/bash
# Workers that MPI starts: verdicts, counts, exit statuses, what becomes of a search whose processes are killed.
#
#   tests/cluster/mpi.sh [--inspect=PATH] [TEST…]
#
# All of it with Open MPI and with MPICH, as far as they are here.  What is not is counted as skipped.
set -u

root=$(realpath "$(dirname "$0")/../..")
INSPECT=$root/build/inspect
tests=()
for argument in "$@"; do
	case $argument in
	--inspect=*) INSPECT=$(realpath "${argument#*=}") ;;
	-*) echo "usage: tests/cluster/mpi.sh [--inspect=PATH] [TEST…]" >&2; exit 2 ;;
	*) tests+=("$argument") ;;
	esac
done
programs=$root/tests/programs
scratch=$(mktemp -d) || exit 4
trap 'rm -rf "$scratch"' EXIT
export TMPDIR=$scratch/tmp XDG_CACHE_HOME=$scratch/cache
export ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0 # MPI's are not ours
mkdir "$TMPDIR"
ran=0 failed=0 skipped=0
# lock_counter with so many threads takes some seconds
if grep -q __asan_init "$INSPECT"; then
	long=8 long_executions=40,320
else
	long=9 long_executions=362,880
fi

# --- helpers ---------------------------------------------------------------

fail()
{
	echo "FAIL mpi $mpi $name: $*"
	failed_here=1
}

# Runs the rest of the line as N processes; the first one's exit status is in $work/status.0, process ids in pid.N.
# mpirun has a status of its own if a process was killed.
start()
{
	local n=$1
	shift
	(cd "$work" && exec timeout -k 5 120 "${mpirun[@]}" -np "$n" "$scratch/process" "$@") \
		>"$work/out" 2>"$work/err" </dev/null &
	running=$!
}

cat >"$scratch/process" <<'END'
#!/bin/bash
# Signals are for the command; a status is left behind.
rank=${OMPI_COMM_WORLD_RANK:-$PMI_RANK}
trap : TERM INT
"$@" &
echo $! >pid.$rank
while true; do
	wait $!
	status=$?
	kill -0 $! 2>/dev/null || break
done
echo $status >status.$rank
exit $status
END
chmod +x "$scratch/process"

# expect STATUS N ARGUMENTS…: inspect check as N processes; the status is mpirun's
expect()
{
	local want=$1 n=$2 status=0
	shift 2
	start "$n" "$INSPECT" check --no-progress "$@"
	wait "$running" || status=$?
	[ "$status" -eq "$want" ] || fail "-np $n $*: exit status $status instead of $want ($(head -3 "$work/err" | paste -sd' '))"
}

says()
{
	local text
	for text in "$@"; do
		grep -qF -- "$text" "$work/out" "$work/err" || fail "\"$text\" expected in: $(head -5 "$work/err" "$work/out" | paste -sd' ')"
	done
}

# The words are in one line only: nobody but the first process prints.
says_once()
{
	local count
	count=$(cat "$work/out" "$work/err" | grep -cF -- "$1")
	[ "$count" -eq 1 ] || fail "\"$1\" expected once, found $count times"
}

# Waits, up to 20 seconds, until the command after it succeeds.
await()
{
	local tries
	for ((tries = 0; tries < 200; tries++)); do
		"$@" && return
		sleep 0.1
	done
	fail "waited in vain for: $*"
}

has_status()
{
	[ -s "$work/status.$1" ]
}

# start_long_search COMMAND…: one that takes a while, until its first checkpoint; the command comes before inspect.
start_long_search()
{
	"$INSPECT" cc -o "$work/counter" "$programs/lock_counter.c" || fail "cannot be built"
	start 3 "$@" "$INSPECT" check --no-progress --checkpoint=rest --checkpoint-every=0.1 ./counter -- $long
	await test -s "$work/rest"
}

finishes_the_rest()
{
	[ -s "$work/rest" ] || { fail "there is no checkpoint"; return; }
	expect 0 3 --resume=rest ./counter -- $long
	says "$long_executions executions"
}

finishes_the_rest_without_mpi()
{
	[ -s "$work/rest" ] || { fail "there is no checkpoint"; return; }
	(cd "$work" && "$INSPECT" check --resume=rest ./counter -- $long) >"$work/out" 2>"$work/err" || fail "cannot go on"
	says "$long_executions executions"
}

# --- tests -----------------------------------------------------------------

test_counts()
{
	local n
	for n in 2 3 5; do
		expect 0 $n "$programs/lock_counter.c" -- 6
		says "verified" "720 executions"
		expect 0 $n "$programs/indexer.c" -- 14
		says "512 executions"
		says_once "512 executions,"
	done
}

test_program()
{
	"$INSPECT" cc -o "$work/counter" "$programs/lock_counter.c"
	expect 0 3 ./counter -- 5
	says "120 executions"
}

test_bug()
{
	expect 1 3 --trace=bug.inspect "$programs/deadlock_abba.c"
	says "DEADLOCK"
	[ -s "$work/bug.inspect" ] || fail "no trace was written"
	(cd "$work" && "$INSPECT" replay bug.inspect) >"$work/out" 2>&1
	[ $? -eq 1 ] || fail "the replay does not show the bug: $(head -3 "$work/out")"
	says "DEADLOCK"
}

test_keep_going()
{
	"$INSPECT" check --keep-going --no-progress --trace=/dev/null --json="$work/one.json" "$programs/assert_race.c" \
		>/dev/null 2>&1
	expect 1 3 --keep-going --trace=/dev/null --json=many.json "$programs/assert_race.c"
	for file in one many; do
		grep -oE '"(kind|executions)": *[^,]*' "$work/$file.json" | sort >"$work/$file"
	done
	grep -q executions "$work/one" || fail "the result has no executions"
	# shares of workers are beyond what one has
	[ -z "$(comm -23 <(sort -u "$work/one") <(sort -u "$work/many"))" ] || fail "other findings than with one process"
}

test_one_process()
{
	expect 2 1 "$programs/assert_race.c"
	says "at least 2 are needed"
}

test_mistakes()
{
	expect 2 3 --nonsense
	says_once "unknown option"
	expect 2 3 --jobs=2 "$programs/assert_race.c"
	says_once "--jobs is for workers of one machine"
	echo 'int main(void) { return 1 }' >"$work/wrong.c"
	expect 2 3 wrong.c
	says_once "error:"
	printf '%s\n' '#include <stdio.h>' 'int main(void) { return getchar() == 7; }' >"$work/input.c"
	expect 2 3 input.c
	says_once "standard input"
}

# What only a worker can notice is said once, by the first process.
test_trouble_of_workers()
{
	printf '%s\n' '#include <stdlib.h>' \
		'__attribute__((constructor)) static void never(void) { _Exit(5); }' 'int main(void) { return 0; }' >"$work/no.c"
	expect 2 3 no.c
	says_once "inspect: "
	says_once "ended before its main function"
}

# The program sees neither the launcher's variables nor its files.
test_environment()
{
	cat >"$work/look.c" <<-'END'
		#include <assert.h>
		#include <fcntl.h>
		#include <stdlib.h>
		int main(void)
		{
			assert(!getenv("PMI_RANK") && !getenv("OMPI_COMM_WORLD_RANK") && !getenv("PMIX_RANK"));
			assert(getenv("TMPDIR"));
			assert(open("/dev/null", O_RDONLY) == 3);
			return 0;
		}
	END
	expect 0 3 look.c
}

test_stopped()
{
	start_long_search
	kill -TERM "$(cat "$work/pid.0")"
	await has_status 0
	[ "$(cat "$work/status.0")" = 3 ] || fail "status $(cat "$work/status.0") instead of 3"
	wait "$running"
	says "what is left to do is in"
	finishes_the_rest
}

# Open MPI gives the first process time to write down what it has; MPICH does not, and then the last checkpoint counts.
# One second, unless asked for more, which is too little on a busy machine (docs/CLUSTER.md).
test_killed()
{
	local -x OMPI_MCA_odls_base_sigkill_timeout=6
	start_long_search
	kill -KILL "$(cat "$work/pid.1")"
	wait "$running"
	if [ "$mpi" = openmpi ]; then
		await has_status 0
		[ "$(cat "$work/status.0")" = 3 ] || fail "status $(cat "$work/status.0") instead of 3"
		says "what is left to do is in"
	fi
	finishes_the_rest_without_mpi
}

# A library that makes MPI fail in the first process as soon as a file is there.
make_failing_mpi()
{
	cat >"$work/fail.c" <<-'END'
		#include <mpi.h>
		#include <unistd.h>
		int MPI_Iprobe(int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status)
		{
			int rank;
			PMPI_Comm_rank(comm, &rank);
			return !rank && !access("fail", F_OK) ? MPI_ERR_OTHER : PMPI_Iprobe(source, tag, comm, flag, status);
		}
	END
	"$(command -v mpicc.$mpi || echo mpicc)" -fPIC -shared -o "$work/fail.so" "$work/fail.c"
}

test_failing_mpi()
{
	make_failing_mpi || { fail "mpicc does not work"; return; }
	start_long_search env LD_PRELOAD="$work/fail.so" ASAN_OPTIONS="$ASAN_OPTIONS:verify_asan_link_order=0"
	touch "$work/fail"
	wait "$running"
	local status=$?
	[ $status -eq 3 ] || fail "status $status instead of 3"
	says "MPI has failed: what is left to do is in"
	finishes_the_rest
}

test_missing_plugin()
{
	mkdir "$work/bin"
	cp "$INSPECT" "$work/bin/inspect"
	start 2 "$work/bin/inspect" check "$programs/assert_race.c"
	wait "$running"
	[ "$(cat "$work/status.0")" = 2 ] || fail "status $(cat "$work/status.0") instead of 2"
	says_once "inspect-mpi-$mpi.so is not there"
}

test_none_wanted()
{
	INSPECT_MPI=none expect 0 1 "$programs/lock_counter.c" -- 3
	says "6 executions"
}

# --- all of them -----------------------------------------------------------

leftovers()
{
	ls -A "$TMPDIR" | grep '^inspect-'
	grep -lF -- "$scratch" /proc/[0-9]*/environ 2>/dev/null | cut -d/ -f3 | while read -r pid; do
		[ "$pid" = $$ ] || [ "$pid" = "$BASHPID" ] || { tr '\0' ' ' <"/proc/$pid/cmdline"; } 2>/dev/null | grep 'inspect check'
	done
}

none_left()
{
	[ -z "$(leftovers)" ]
}

run_test()
{
	name=${1#test_}
	work=$scratch/$mpi-$name
	failed_here=0
	mkdir "$work"
	"$1"
	await none_left
	ran=$((ran + 1))
	failed=$((failed + failed_here))
}

skip()
{
	echo "skip mpi $mpi: $*"
	skipped=$((skipped + 1))
}

[ ${#tests[@]} -gt 0 ] || mapfile -t tests < <(compgen -A function test_)
for mpi in openmpi mpich; do
	mpirun=(mpirun.$mpi)
	command -v "${mpirun[0]}" >/dev/null || mpirun=(mpirun)
	if ! command -v "${mpirun[0]}" >/dev/null; then
		skip "mpirun is not installed"
		continue
	fi
	case $mpi,$("${mpirun[0]}" --version 2>&1) in
	openmpi,*Open*) mpirun+=(--oversubscribe); [ "$(id -u)" -ne 0 ] || mpirun+=(--allow-run-as-root) ;;
	mpich,*HYDRA*) ;;
	*) skip "mpirun is another one's"; continue ;;
	esac
	if [ ! -e "$(dirname "$INSPECT")/inspect-mpi-$mpi.so" ]; then
		skip "its plugin was not built, for want of mpicc"
		continue
	fi
	for test in "${tests[@]}"; do
		run_test "$test"
	done
done
echo "mpi tests: $ran run, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
