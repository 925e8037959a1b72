#!/bin/bash
# Many workers: how much faster they are, how even their shares are, and what a simulator says about more of them.
#
#   bench/cluster.sh BUILD-DIRECTORY
#
# Needs two cores for itself.  Prints a table, writes bench/speedup.txt and docs/speedup.svg, and exits with 1 when a check
# fails.  Times are the best of REPEAT (3) runs; checks compare figures of this run with each other.  How even shares are is
# the median of BALANCE_RUNS (5): they follow what each core gives us, so one run says little where anything else runs.
set -eu

build=$(realpath "$1")
root=$(realpath "$(dirname "$0")/..")
inspect=$build/inspect
: "${REPEAT:=3}" "${BALANCE_RUNS:=5}" "${WORKERS:=8 64 512 2048 10000}"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
failed=0

for program in lock_counter indexer filesystem; do
	"$inspect" cc -o $program "$root/tests/programs/$program.c"
done
"$inspect" cc -DITEMS=1 -DPRODUCERS=4 -DCONSUMERS=4 -DSIZE=4 -o bbuf "$root/bench/papers/bbuf.c"

field() # NAME
{
	grep -o "\"$1\": *[0-9.]*" json | head -1 | sed 's/.*[: ]//'
}

calculate() # EXPRESSION, FORMAT
{
	awk "BEGIN { printf \"${2:-%.2f}\", ($1) }"
}

check() # WHAT EXPRESSION
{
	[ "$(calculate "$2" %d)" = 1 ] && return
	echo "FAILED: $1" >&2
	failed=1
}

# best WORD…: seconds of the best of several runs of a check with these words, and the number of executions; started by
# $launcher, if that is set
best()
{
	local i
	seconds=
	for ((i = 0; i < REPEAT; i++)); do
		rm -f json
		${launcher:-} "$inspect" check --no-progress --json=json -q "$@" >/dev/null || [ $? -eq 3 ]
		executions=$(field executions)
		[ "$seconds" ] && [ "$(calculate "$seconds < $(field wall_seconds)" %d)" = 1 ] || seconds=$(field wall_seconds)
	done
}

read -r way busy < <("$build/bench/pingpong")
latency=$(calculate "$way > 2 * $busy ? $way - 2 * $busy : 0.1")
echo "A message: $way µs one way, of which each process is busy $busy µs."
mpi=
if command -v mpirun >/dev/null && ls "$build"/inspect-mpi-*.so >/dev/null 2>&1; then
	mpi="mpirun --allow-run-as-root --oversubscribe -np 3"
fi
: >"$root/bench/speedup.txt"
printf '%-16s %10s %9s %9s %9s %8s %8s %8s %8s\n' program executions alone --jobs=1 --jobs=2 ratio 'to alone' MPI predicted
for run in "lock_counter 8" "indexer 16" "filesystem 26"; do
	set -- $run
	program=$1 argument=$2
	best "./$program" -- "$argument" # takes turns on two cores
	alone=$seconds count=$executions
	best --jobs=1 "./$program" -- "$argument"
	one=$seconds
	check "$run: one worker runs as many executions as a search alone" "$executions == $count"
	best --jobs=2 "./$program" -- "$argument"
	two=$seconds
	check "$run: two workers run as many executions as one" "$executions == $count"
	ratio=$(calculate "$one / $two")
	check "$run: two workers are 1.8 times as fast as one" "$ratio >= 1.8"
	mpi_ratio=-
	if [ "$mpi" ]; then
		launcher=$mpi best "./$program" -- "$argument"
		check "$run: MPI runs as many executions" "$executions == $count"
		mpi_ratio=$(calculate "$one / $seconds")
		check "$run: two workers with MPI are 1.7 times as fast as one" "$mpi_ratio >= 1.7"
	fi
	# a worker alone, on its one core: what an execution takes it, and how long it takes to begin
	best --checkpoint=state --max-executions=1 "./$program" -- "$argument"
	start=$(calculate "$seconds * 1e6")
	best --checkpoint=state "./$program" -- "$argument"
	execution=$(calculate "($seconds * 1e6 - $start) / $count")
	for workers in 1 2 $WORKERS; do
		read -r _ simulated time share _ _ load < <("$build/bench/simulate" --workers="$workers" \
			--execution="$execution" --latency="$latency" --message="$busy" --start="$start" "./$program" "$argument")
		check "$run: $workers simulated workers run as many executions" "$simulated == $count"
		speedup=$(calculate "$one / $time")
		echo "${program}_$argument $workers $speedup" >>"$root/bench/speedup.txt"
		[ "$workers" = 2 ] && predicted=$speedup
		[ "$workers" -gt 2 ] && more+=("$run: $workers workers: $speedup times as fast, largest share $share of the \
average, balancer busy $(calculate "100 * $load" %.0f) %")
	done
	check "$run: the prediction for two workers agrees within 15 %" "$predicted / $ratio < 1.15 && $ratio / $predicted < 1.15"
	echo "measured:$program 2 $ratio" >>"$root/bench/speedup.txt"
	printf '%-16s %10d %8.3fs %8.3fs %8.3fs %8.2f %8.2f %8s %8.2f\n' "$run" "$count" "$alone" "$one" "$two" "$ratio" \
		"$(calculate "$alone / $two")" "$mpi_ratio" "$predicted"
done
printf '%s\n' "${more[@]}"

# As long as the paper's executions took, 39,710 s for 1,938,816 of them.
for workers in 1 2 $WORKERS; do
	read -r _ _ time _ < <("$build/bench/simulate" --workers="$workers" --execution=20482 --latency="$latency" \
		--message="$busy" ./indexer 16)
	[ "$workers" = 1 ] && one=$time
	echo "indexer_16,_20_ms_each $workers $(calculate "$one / $time")" >>"$root/bench/speedup.txt"
done
echo "paper 64 63.2" >>"$root/bench/speedup.txt"

echo
# crowd WORD…: a check by 64 workers, over and over unless it takes long.  Sets $median, the largest share of a worker, and
# $unevenness, the largest share of a core in that run; the file balances has both for all runs, in order.
crowd()
{
	local i
	: >balances
	for ((i = 0; i < BALANCE_RUNS; i++)); do
		"$inspect" check --no-progress -q --json=json --jobs=64 --max-time="${SECONDS_EACH:-600}" "$@" >/dev/null || true
		executions=$(field executions)
		check "$1: 64 workers run as many executions as one" "$executions == $count"
		echo "$(field balance) $(by_core)" >>balances
		[ "$(calculate "$(field wall_seconds) > 20" %d)" = 0 ] || break
	done
	sort -n -o balances balances
	read -r median unevenness < <(sed -n "$((($(wc -l <balances) + 1) / 2))p" balances)
}

# The largest share of a core, as a multiple of the average: its workers are every n-th.
by_core()
{
	awk -v cores="$(nproc)" '/"workers"/ { inside = 1 }
		inside && /"executions"/ { sub(/.*: /, ""); done[n++ % cores] += $0; sum += $0 }
		END { for (core in done) if (done[core] > most) most = done[core]; printf "%.2f", most * cores / sum }' json
}

echo "64 workers on $(nproc) cores; the paper: 63.2 times as fast with 64."
printf '%-16s %10s %5s %6s %7s %6s %9s %14s\n' program executions runs best median worst 'one core' 'times as fast'
for run in "indexer 16" "filesystem 26" "bbuf"; do
	set -- $run
	"$inspect" check --no-progress -q --json=json --max-time="${SECONDS_EACH:-600}" "./$1" -- "${@:2}" >/dev/null || true
	count=$(field executions)
	crowd "./$1" -- "${@:2}"
	printf '%-16s %10d %5d %6.2f %7.2f %6.2f %9.2f %14.1f\n' "$run" "$executions" "$(wc -l <balances)" \
		"$(head -1 balances | cut -d' ' -f1)" "$median" "$(tail -1 balances | cut -d' ' -f1)" "$unevenness" \
		"$(calculate "64 / $median")"
	check "$run: no worker does more than 1.3 times the average, in the median" "$median <= 1.3"
done
echo "best, median, worst: the largest share of a worker; one core: that of a core in the run in the middle, where 1 means"
echo "that the cores were equally fast for us.  What 64 cores could bring at most is from the median."
awk -f "$root/bench/speedup.awk" "$root/bench/speedup.txt" >"$root/docs/speedup.svg"
exit $failed
