#!/bin/bash
# Speed and memory, as ratios measured in one run.
#
#   bench/run.sh INSPECT MEASURE
#
# Prints a table and two checks, writes bench/results.json, and exits with 1 when
# a check fails: --isolation=snapshot at least 20 times as fast as fork on the
# 7-thread lock program, and the explorer's memory flat from 1,000 to 1,000,000
# executions.
set -eu

inspect=$(realpath "$1")
measure=$(realpath "$2")
root=$(realpath "$(dirname "$0")/..")
programs=$root/tests/programs
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
export TMPDIR=$scratch

fork_executions=3000
rows=()

for program in lock_counter indexer filesystem; do
	"$inspect" cc -o "$program" "$programs/$program.c"
done
"$inspect" cc -o long "$root/bench/programs/long.c"

field()
{
	grep -o "\"$1\": *[0-9.]*" json | head -1 | sed 's/.*[: ]//'
}

# run NAME ARGUMENT ISOLATION OPTIONS…: leaves executions, seconds, rate, memory
run()
{
	local program=$1 argument=$2 isolation=$3
	shift 3
	rm -f measured
	"$measure" measured "$inspect" check --no-progress --json=json --search=source "--isolation=$isolation" "$@" \
		"./$program" -- "$argument" >/dev/null
	read -r _ memory status <measured
	case $status in
	0 | 3) ;;
	*) echo "bench: $program $argument: exit status $status" >&2; exit 1 ;;
	esac
	executions=$(field executions)
	seconds=$(field wall_seconds)
	rate=$(awk -v n="$executions" -v s="$seconds" 'BEGIN { printf "%.0f", n / (s > 0 ? s : 1e-6) }')
	rows+=("{\"program\": \"$program\", \"argument\": $argument, \"isolation\": \"$isolation\", \"executions\": $executions, \"seconds\": $seconds, \"rate\": $rate, \"explorer_kib\": $memory}")
	printf '%-13s %4s  %-9s %11s %10s %12s %12s\n' "$program" "$argument" "$isolation" "$executions" "$seconds" "$rate" "$memory"
}

verdict()
{
	if [ "$1" = 1 ]; then echo PASS; else echo FAIL; fi
}

printf '%-13s %4s  %-9s %11s %10s %12s %12s\n' program arg isolation executions seconds exec/s 'memory KiB'
for job in "lock_counter 7" "indexer 15" "filesystem 20"; do
	read -r program argument <<<"$job"
	run "$program" "$argument" snapshot
	[ "$program" != lock_counter ] || fast=$rate
	run "$program" "$argument" fork --max-executions=$fork_executions
	[ "$program" != lock_counter ] || slow=$rate
done
# executions of 10,000 events that differ near their ends; then the same with weak atomics
run long 10000 snapshot
run long -10000 snapshot
run lock_counter 10 snapshot --max-executions=1000
small=$memory
run lock_counter 10 snapshot --max-executions=1000000
large=$memory

ratio=$(awk -v a="$fast" -v b="$slow" 'BEGIN { printf "%.1f", a / (b > 0 ? b : 1) }')
fast_enough=$(awk -v r="$ratio" 'BEGIN { print (r >= 20) }')
# flat: what a million executions need beyond a thousand is noise of a tenth or 1 MiB, not growth
flat=$(awk -v a="$small" -v b="$large" 'BEGIN { print (a > 0 && b <= a * 1.1 + 1024) }')
echo
echo "$(verdict "$fast_enough"): snapshot is $ratio times as fast as fork on lock_counter 7 (at least 20 wanted)"
echo "$(verdict "$flat"): the explorer needs $small KiB for 1,000 and $large KiB for 1,000,000 executions"

{
	echo '{'
	echo '  "runs": ['
	printf '    %s,\n' "${rows[@]}" | sed '$s/,$//'
	echo '  ],'
	echo "  \"snapshot_over_fork\": $ratio,"
	echo "  \"explorer_kib\": {\"executions_1000\": $small, \"executions_1000000\": $large}"
	echo '}'
} >"$root/bench/results.json"
[ "$fast_enough" = 1 ] && [ "$flat" = 1 ]
