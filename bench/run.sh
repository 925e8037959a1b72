#!/bin/bash
# Speed and memory, measured in one run.
#
#   bench/run.sh INSPECT MEASURE
#
# Prints tables and checks, writes bench/results.json and bench/growth.svg, and exits with 1 when
# a check fails.  Checks compare figures of this run with each other: how fast the machine is does not
# matter, except for states, whose cost has a limit in nanoseconds.  Other processes do: each figure is the best of
# REPEAT (3) runs.
#
# Shares: of the time of the whole search, in which the program ran, was put back to its start
# (while nobody could do anything else), the processes waited for each other, and the explorer
# analysed.  What one of them does while it would wait for the other counts for none of these.  "ns/event" is all of
# the time, by visible operation.
set -eu

inspect=$(realpath "$1")
measure=$(realpath "$2")
root=$(realpath "$(dirname "$0")/..")
: "${REPEAT:=3}" "${LLVM:=19}"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
export TMPDIR=$scratch
rows=() failed=0

for program in "$root"/tests/programs/{lock_counter,indexer,filesystem}.c "$root"/bench/programs/*.c; do
	"$inspect" cc -o "$(basename "$program" .c)" "$program"
done
for program in "$root"/tests/programs/{lock_counter,indexer,filesystem}.c "$root"/bench/programs/sync.c; do
	"$inspect" cc --stateful -o "$(basename "$program" .c)-stateful" "$program"
done
"clang-$LLVM" -O1 -pthread -o private-plain "$root/bench/programs/private.c"

field() # FILE NAME
{
	grep -o "\"$2\": *-\{0,1\}[0-9.]*" "$1" | head -1 | sed 's/.*[: ]//'
}

calculate() # EXPRESSION, FORMAT
{
	awk "BEGIN { printf \"${2:-%.1f}\", ($1) }" # without the parentheses, > would be a redirection
}

# best_of NAME OPTIONS… -- PROGRAM ARGUMENTS…: the best of several runs, in json.best and in the variables below
best_of()
{
	local name=$1 options=() best='' i
	shift
	while [ "$1" != -- ]; do options+=("$1"); shift; done
	shift
	local program=$1
	shift
	for ((i = 0; i < REPEAT; i++)); do
		rm -f measured json
		"$measure" measured "$inspect" check --no-progress --profile --keep-going --json=json "${options[@]}" \
			"./$program" -- "$@" >/dev/null
		read -r _ peak status <measured
		case $status in
		0 | 3) ;;
		*) echo "bench: $name: exit status $status" >&2; exit 1 ;;
		esac
		if [ -z "$best" ] || [ "$(calculate "$(field json wall_seconds) < $seconds" %d)" = 1 ]; then
			best=json.best memory=$peak seconds=$(field json wall_seconds)
			mv json json.best
		fi
	done
	transitions=$(field json.best transitions)
}

# run NAME OPTIONS… -- PROGRAM ARGUMENTS…: a row of the table, and the variables below
run()
{
	local name=$1
	best_of "$@"
	executions=$(($(field json.best executions) + $(field json.best blocked)))
	rate=$(calculate "$executions / ($seconds + 1e-9)" %.0f)
	each=$(calculate "$seconds * 1e9 / $transitions")
	local run reset handoff analysis
	run=$(field json.best run) reset=$(field json.best reset) handoff=$(field json.best handoff)
	analysis=$(field json.best analysis)
	fastest=$(field json.best fastest_run_us)
	length=$(calculate "$transitions / $executions" %.0f)
	rows+=("{\"name\": \"$name\", \"executions\": $executions, \"seconds\": $seconds, \"rate\": $rate, \"events\": $length, \"ns_per_event\": $each, \"run\": $run, \"reset\": $reset, \"handoff\": $handoff, \"analysis\": $analysis, \"fastest_run_us\": $fastest, \"fastest_reset_us\": $(field json.best fastest_reset_us), \"explorer_kib\": $memory}")
	printf '%-22s %9d %7d %9d %9.1f   %4.0f %5.0f %7.0f %8.0f %9d\n' "$name" "$executions" "$length" "$rate" "$each" \
		"$(calculate "100 * $run")" "$(calculate "100 * $reset")" "$(calculate "100 * $handoff")" \
		"$(calculate "100 * $analysis")" "$memory"
}

heading()
{
	printf '\n%s\n%-22s %9s %7s %9s %9s   %4s %5s %7s %8s %9s\n' "$1" program runs events runs/s ns/event run% reset% \
		handoff% analysis% KiB
}

check() # CONDITION TEXT
{
	if [ "$(calculate "($1)" %d)" = 1 ]; then
		echo "PASS: $2"
	else
		echo "FAIL: $2"
		failed=1
	fi
}

heading Throughput
run "lock_counter 7" -- lock_counter 7
fast=$rate
best_of visible --checkpoints=0 -- lock_counter 7 # all of each execution is run when it is asked for
visible=$(calculate "1000 * $(field json.best fastest_run_us) / $length")
run "lock_counter 7, fork" --isolation=fork --max-executions=2000 -- lock_counter 7
slow=$rate
run "indexer 15" -- indexer 15
run "filesystem 20" -- filesystem 20
run "filesystem 26" --max-executions=4000 -- filesystem 26
for way in "spin 6" "rwlock 7" "sem 5" "cond 6" "heap 4"; do
	# shellcheck disable=SC2086
	run "$way" --max-executions=20000 -- sync $way
done

# states NAME -- PROGRAM ARGUMENTS…: what states cost by event: hashing them, and running the program without and with
# them.  Every execution is run from its start, or events would count that were not run.
captures=() most=0 share=0
states()
{
	local name=$1 program=$3 options=(--checkpoints=0 --max-executions=4000) without with capture
	shift 3
	best_of "$name" "${options[@]}" -- "$program" "$@"
	without=$(calculate "$(field json.best run) * $seconds * 1e9 / $transitions")
	best_of "$name" "${options[@]}" --stateful -- "$program-stateful" "$@"
	with=$(calculate "$(field json.best run) * $seconds * 1e9 / $transitions")
	capture=$(calculate "$(field json.best capture_ns_per_event)")
	[ "$(calculate "$capture > $most" %d)" = 0 ] || most=$capture
	[ "$(calculate "$capture / $without > $share" %d)" = 0 ] || share=$(calculate "$capture / $without" %.2f)
	captures+=("{\"name\": \"$name\", \"events\": $transitions, \"states\": $(field json.best states), \"capture_ns_per_event\": $capture, \"run_ns_per_event\": {\"optimal\": $without, \"stateful\": $with}}")
	printf '%-22s %9d %9d %11.1f %11.1f %11.1f\n' "$name" "$transitions" "$(field json.best states)" "$capture" \
		"$without" "$with"
}

printf '\nStates, ns/event\n%-22s %9s %9s %11s %11s %11s\n' program events states capture "run without" "run with"
# the same programs as above, but larger: what takes a few milliseconds says little
states "lock_counter 12" -- lock_counter 12
states "indexer 15" -- indexer 15
states "filesystem 20" -- filesystem 20
states "filesystem 26" -- filesystem 26
for way in "spin 12" "rwlock 9" "sem 8" "cond 8" "heap 4"; do
	# shellcheck disable=SC2086
	states "$way" -- sync $way
done

heading "Length of an execution, 2 threads"
growth=()
for events in 10 100 1000 10000; do
	run "growth $events" --max-time=2 --max-executions=$((2000000 / events)) -- growth $events 2
	growth+=("{\"events\": $length, \"us_per_execution\": $(calculate "$seconds * 1e6 / $executions" %.3f), \"ns_per_event\": $each}")
	[ $events != 100 ] || short=$each
	[ $events != 10000 ] || long=$each
done

heading "Threads, about 500 events"
threads=()
for n in 2 4 8 16 32 63; do
	run "growth 500, $n" --max-time=2 --max-executions=4000 -- growth 500 $n
	threads+=("{\"threads\": $n, \"us_per_execution\": $(calculate "$seconds * 1e6 / $executions" %.3f), \"ns_per_event\": $each}")
done

# executions of 10,000 events that differ near their ends; then the same with weak atomics
heading "Long executions"
run "long 10000" -- long 10000
run "long -10000" -- long -10000
# 100,000 events before the first branching point: every execution from the start, then from checkpoints
run "late 100000, none" --checkpoints=0 -- late 100000
from_start=$rate
run "late 100000" -- late 100000
resumed=$(calculate "$rate / $from_start")

heading "Memory of the explorer"
run "lock_counter 10" --max-executions=1000 -- lock_counter 10
small=$memory
REPEAT=1 run "lock_counter 10" --max-executions=1000000 -- lock_counter 10
large=$memory

# Nanoseconds for one access of 48 in a round, from the difference of two lengths; plain code is run as it is.
accesses=48 few=20000 many=220000
plain_seconds() # ROUNDS
{
	local least=
	for ((i = 0; i < 2 * REPEAT; i++)); do
		rm -f measured
		"$measure" measured ./private-plain "$1"
		read -r seconds _ <measured
		[ -n "$least" ] && [ "$(calculate "$seconds > $least" %d)" = 1 ] || least=$seconds
	done
	echo "$least"
}
heading "Private memory"
run "private $few" --checkpoints=0 -- private $few
low=$fastest
run "private $many" --checkpoints=0 -- private $many
private=$(calculate "($fastest - $low) * 1000 / ($many - $few) / $accesses" %.2f)
plain=$(calculate "($(plain_seconds $((100 * many))) - $(plain_seconds $((100 * few)))) * 1e9 / 100 / ($many - $few) / $accesses" %.2f)

echo
ratio=$(calculate "$fast / $slow")
check "$ratio >= 40" "snapshot is $ratio times as fast as fork on lock_counter 7 (at least 40)"
# what a million executions need beyond a thousand is noise of a tenth or 1 MiB, not growth
check "$large <= $small * 1.1 + 1024" "the explorer needs $small KiB for 1,000 and $large KiB for 1,000,000 executions"
check "$long <= 3 * $short" "an event costs $short ns in executions of 100 and $long ns in ones of 10,000 (at most 3 times as much)"
check "$resumed >= 5" "100,000 events before the branching points: checkpoints make the search $resumed times as fast (at least 5)"
check "$share <= 0.75" "to hash a state costs at most $most ns by event, and $share of what running it does (at most 0.75)"
check "$private - $plain <= $visible / 8" "a private access costs $private ns, $plain ns without instrumentation, a visible one $visible ns (less than an eighth more)"

join() # LINES…
{
	printf '    %s,\n' "$@" | sed '$s/,$//'
}

{
	echo '{'
	echo '  "runs": ['
	join "${rows[@]}"
	echo '  ],'
	echo '  "states": ['
	join "${captures[@]}"
	echo '  ],'
	echo '  "growth_events": ['
	join "${growth[@]}"
	echo '  ],'
	echo '  "growth_threads": ['
	join "${threads[@]}"
	echo '  ],'
	echo "  \"snapshot_over_fork\": $ratio,"
	echo "  \"explorer_kib\": {\"executions_1000\": $small, \"executions_1000000\": $large},"
	echo "  \"access_ns\": {\"private\": $private, \"plain\": $plain, \"visible\": $visible}"
	echo '}'
} >"$root/bench/results.json"
awk -f "$root/bench/plot.awk" "$root/bench/results.json" >"$root/bench/growth.svg"
exit $failed
