#!/bin/bash
# Compare the searches with the oracle, on random programs.
#
#   tests/random/run.sh [--inspect=PATH] [--seconds=S] [--from=SEED] [--step=N] [--programs=N]
#
# For each program every strategy must come to the same set of ends (exit status,
# what was printed, kinds of findings) as --search=all, see the same number of
# equivalence classes, and run no two executions of one class.  A program whose
# interleavings are too many for the oracle is compared between the strategies
# only.  Exit status 1 if a program shows a difference; its seed is printed.
set -u

cd "$(dirname "$(realpath "$0")")/../.." || exit 4
: "${INSPECT:=$PWD/build/inspect}"
seconds=60 from=1 step=1 programs=1000000
for argument in "$@"; do
	case $argument in
	--inspect=*) INSPECT=$(realpath "${argument#*=}") ;;
	--seconds=*) seconds=${argument#*=} ;;
	--from=*) from=${argument#*=} ;;
	--step=*) step=${argument#*=} ;; # 16: programs of one flavour only
	--programs=*) programs=${argument#*=} ;;
	*) sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0" >&2; exit 2 ;;
	esac
done
ORACLE_LIMIT=${ORACLE_LIMIT:-4000}

scratch=$(mktemp -d "${TMPDIR:-/tmp}/inspect-random.XXXXXX") || exit 4
trap 'rm -rf "$scratch"' EXIT
"$INSPECT" cc tests/random/program.c -o "$scratch/program" || exit 4

number() # FIELD FILE
{
	sed -n "s/^ *\"$1\": *\([0-9]*\),*$/\1/p" "$2"
}

# Every other program with checkpoints before almost every step, which long executions only have otherwise;
# the oracle never has any.
checkpoints() # STRATEGY SEED
{
	if [ "$1" = all ]; then
		echo --checkpoints=0
	elif [ $(($2 / 2 % 2)) = 1 ]; then
		echo --checkpoints=1
	fi
}

modes() # SEED: what else the program may meet
{
	case $(($1 / 16 % 4)) in
	1) echo --timeouts=last-resort ;;
	2) echo --spurious-wakeups ;;
	esac
}

search() # STRATEGY SEED THREADS LENGTH: leaves STRATEGY.json, .out and .kinds
{
	"$INSPECT" check --search="$1" --keep-going --no-progress --trace=/dev/null --json="$1.json" \
		--outcomes="$1.out" --max-executions=$ORACLE_LIMIT $(modes "$2") $(checkpoints "$1" "$2") "$scratch/program" -- "$2" "$3" "$4" \
		>/dev/null 2>"$1.err"
	case $? in 0 | 1 | 3) ;; *) echo "FAIL seed $2 threads $3 length $4: $1: $(cat "$1.err")"; return 1 ;; esac
	# what may come after a lock was freed while it was in use is a matter of luck, and reported anyway
	[ $(($2 % 16)) != 13 ] || sed -i '/^equivalence classes/d' "$1.out"
	sed -n 's/^ *"kind": *\("[a-z]*"\).*/\1/p' "$1.json" | sort -u >"$1.kinds"
}

compare() # REFERENCE STRATEGY
{
	cmp -s "$1.out" "$2.out" && cmp -s "$1.kinds" "$2.kinds" || echo "$2 differs from $1"
	# an atomic block cannot sleep, so its class may come up again
	[[ " 3 13 14 " = *" $((seed % 16)) "* ]] || [ "$(number executions "$2.json")" = "$(sed -n 's/^equivalence classes: //p' "$2.out")" ] ||
		echo "$2 runs a class twice"
}

one() # SEED THREADS LENGTH
{
	local problems
	search all "$@" && search source "$@" && search dpor "$@" || return 1
	if grep -q '"complete": true' all.json; then
		problems=$(compare all source; compare all dpor)
		complete=$((complete + 1))
	else
		grep -q "\"complete\": true" source.json && grep -q "\"complete\": true" dpor.json || return 0
		problems=$(compare source dpor)
	fi
	[ -z "$problems" ] && return
	echo "FAIL seed $1 threads $2 length $3: $problems"
	return 1
}

worker() # INDEX COUNT
{
	local done=0 complete=0 bad=0 seed shapes=("2 3" "2 5" "3 3" "2 7" "3 4" "4 2")
	mkdir "$scratch/$1" && cd "$scratch/$1" || exit 4
	for ((seed = from + $1 * step; seed < from + programs && SECONDS < seconds; seed += $2 * step)); do
		# shellcheck disable=SC2086
		one "$seed" ${shapes[seed / ($2 * step) % ${#shapes[@]}]} || bad=$((bad + 1))
		done=$((done + 1))
	done
	echo "$done $complete $bad" >"$scratch/$1.sum"
}

count=$(nproc)
for ((i = 0; i < count; i++)); do
	worker "$i" "$count" &
done
wait
read -r done complete bad < <(cat "$scratch"/*.sum | awk '{ a += $1; b += $2; c += $3 } END { print a, b, c }')
echo "random programs: $done compared, $complete with the oracle, $bad failed"
[ "$bad" -eq 0 ] && [ "$done" -gt 0 ]
