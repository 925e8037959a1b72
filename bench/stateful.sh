#!/bin/bash
# What recognising states brings: the classic programs with --search=optimal and with --stateful.
#
#   bench/stateful.sh INSPECT [PROGRAM…]
#
# Prints a table in Markdown (docs/ALGORITHMS.md, "States"), the programs that it pays most for first; if programs are
# named (`peterson', `philosophers'), only of these.  Executions are those that were abandoned as well;
# seconds are those of the search, without building the program.  A search that takes longer than MAX_SECONDS (60) is
# not finished: what it did by then is a lower bound.  All of it takes some ten minutes.
set -eu

inspect=$(realpath "$1")
shift
: "${MAX_SECONDS:=60}"
cd "$(dirname "$0")/.."
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export TMPDIR=$scratch

# FILE | COMPILER FLAGS | ARGUMENTS
programs()
{
	cat <<-'END'
		bench/stateful/barrier.c | -DN=3 -DROUNDS=3 |
		bench/stateful/barrier.c | -DN=3 -DROUNDS=5 |
		bench/stateful/dekker.c | -DROUNDS=4 |
		bench/stateful/dekker.c | -DROUNDS=6 |
		bench/stateful/lamport.c | -DN=2 -DROUNDS=2 |
		bench/stateful/lamport.c | -DN=2 -DROUNDS=3 |
		bench/stateful/peterson.c | -DROUNDS=4 |
		bench/stateful/peterson.c | -DROUNDS=6 |
		bench/stateful/philosophers.c | -DN=3 -DMEALS=4 |
		bench/stateful/philosophers.c | -DN=4 -DMEALS=2 |
		bench/stateful/philosophers.c | -DN=5 -DMEALS=2 |
		bench/stateful/producer_consumer.c | -DPAIRS=2 -DITEMS=2 |
		bench/stateful/producer_consumer.c | -DPAIRS=2 -DITEMS=3 |
		bench/stateful/readers_writers.c | -DREADERS=2 -DWRITERS=1 -DROUNDS=2 |
		bench/stateful/readers_writers.c | -DREADERS=2 -DWRITERS=2 -DROUNDS=1 |
		bench/stateful/stack.c | -DSIZE=4 |
		bench/stateful/stack.c | -DSIZE=6 |
		bench/stateful/szymanski.c | -DN=2 -DROUNDS=3 |
		bench/stateful/szymanski.c | -DN=3 -DROUNDS=1 |
		bench/stateful/token_ring.c | -DN=3 -DLAPS=3 |
		bench/stateful/token_ring.c | -DN=5 -DLAPS=1 |
		bench/papers/bbuf.c | -DITEMS=2 |
		bench/papers/example1.c | |
		bench/papers/sharr.c | |
		examples/classic/bakery.c | -DN=3 |
		examples/classic/bank_transfer.c | -DN=7 |
		examples/classic/barrier_counting.c | -DN=3 |
		examples/classic/barrier_pthread.c | -DN=4 |
		examples/classic/bounded_buffer_one_condition.c | -DPAIRS=3 |
		examples/classic/bounded_buffer_two_conditions.c | -DPAIRS=3 |
		examples/classic/cigarette_smokers.c | |
		examples/classic/double_checked_locking.c | -DN=5 |
		examples/classic/lazy_once.c | -DN=5 |
		examples/classic/michael_scott_queue.c | |
		examples/classic/philosophers.c | -DN=6 |
		examples/classic/readers_writers_rwlock.c | -DREADERS=3 -DWRITERS=3 |
		examples/classic/readers_writers_semaphores.c | -DREADERS=4 |
		examples/classic/seqlock.c | -DWRITES=4 |
		examples/classic/sleeping_barber.c | -DCUSTOMERS=4 |
		examples/classic/spin_lock.c | -DN=7 |
		examples/classic/thread_pool.c | -DWORKERS=2 -DJOBS=4 |
		examples/classic/ticket_lock.c | -DN=6 |
		examples/classic/treiber_stack.c | -DPOPPERS=2 |
		examples/classic/work_stealing_deque.c | -DTASKS=3 -DTHIEVES=2 |
		tests/programs/cas_counter.c | | 5
		tests/programs/filesystem.c | | 20
		tests/programs/indexer.c | | 13
		tests/programs/indexer.c | | 15
		tests/programs/lastzero.c | | 10
		tests/programs/lock_counter.c | | 7
		tests/programs/wakeup.c | |
	END
}

field() # NAME
{
	grep -o "\"$1\": *\"\{0,1\}[a-z0-9.]*" "$scratch/json" | head -1 | sed 's/.*[: "]//'
}

# search OPTION FILE FLAGS ARGUMENTS: executions, transitions, states, seconds, and `+' if it was not finished
search()
{
	local status=0
	# shellcheck disable=SC2086 # flags and arguments are words
	"$inspect" check --no-progress --json=- "--max-time=$MAX_SECONDS" "$1" "$2" $3 -- $4 >"$scratch/json" || status=$?
	case $status in
	0 | 3) ;;
	*) echo "bench: $2 $3 $4, $1: exit status $status" >&2; exit 1 ;;
	esac
	echo "$(($(field executions) + $(field blocked))) $(field transitions) $(field states) $(field wall_seconds)" \
		"$([ $status = 0 ] || echo +)"
}

group() # NUMBER: with a comma at the thousands
{
	sed ':a; s/^\([0-9]\+\)\([0-9]\{3\}\)/\1,\2/; ta' <<<"$1"
}

row() # FILE FLAGS ARGUMENTS
{
	local executions transitions seconds unfinished executions2 transitions2 states seconds2 unfinished2 ratio text
	text=$(search --search=optimal "$@")
	read -r executions transitions seconds unfinished <<<"$text"
	text=$(search --stateful "$@")
	read -r executions2 transitions2 states seconds2 unfinished2 <<<"$text"
	ratio=$(awk "BEGIN { r = $transitions / $transitions2; printf r < 10 ? \"%.2g\" : \"%.0f\", r }")
	[ -z "$unfinished2" ] || ratio="?"
	printf '%s\t| `%s`%s | %s | %s | %.3f | %s | %s | %s | %.3f | %s |\n' "$ratio" "${1%.c}" \
		"$(sed 's/-D//g; s/\(.\)/, \1/; s/ $//' <<<"$2 $3" | sed 's/^,  *$//; s/^,  */, /')" \
		"$(group "$executions")${unfinished:+, not finished}" "$(group "$transitions")$unfinished" "$seconds" \
		"$(group "$executions2")${unfinished2:+, not finished}" "$(group "$transitions2")$unfinished2" \
		"$(group "$states")" "$seconds2" "$(group "$ratio")$unfinished"
}

echo '| program | optimal: executions | transitions | seconds | stateful: executions | transitions | states | seconds | times fewer transitions |'
echo '|---|--:|--:|--:|--:|--:|--:|--:|--:|'
programs | while IFS='|' read -r file flags arguments; do
	file=${file%% *}
	name=$(basename "$file" .c)
	[ $# -eq 0 ] || [[ " $* " == *" $name "* ]] || continue
	flags=${flags# } arguments=${arguments# }
	row "$file" "${flags% }" "${arguments% }"
done | sort -grs | cut -f2
