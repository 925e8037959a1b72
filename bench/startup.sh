#!/bin/bash
# From source to the first execution: how long, and what of it goes where.
#
#   bench/startup.sh INSPECT [RESULTS.json]
#
# Measures `inspect check --max-executions=1` on bench/startup.c: cold (nothing in the cache), warm (nothing has
# changed since the last run), after a change of the source, and without the cache; then the parts of a cold run one by
# one.  All figures are the best of several runs (ROUNDS=10), in milliseconds: time that passes, and processor time, which
# tells more on a busy machine.  Exit status 1 when a limit is not kept: 300 ms cold and after a change, 50 ms warm.
set -eu

inspect=$(realpath "$1")
results=${2:+$(realpath -m "$2")}
here=$(realpath "$(dirname "$0")")
parts=$(dirname "$inspect")
rounds=${ROUNDS:-10}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export TMPDIR=$scratch/tmp XDG_CACHE_HOME=$scratch/cache
mkdir "$TMPDIR"
cd "$scratch"
cp "$here/startup.c" program.c

fields=()

# best NAME PREPARATION COMMAND…: the best times of several rounds, each after the preparation
best()
{
	local name=$1 prepare=$2 round TIMEFORMAT='%R %U %S'
	shift 2
	: >times
	for ((round = 0; round < rounds; round++)); do
		$prepare
		{ time "$@" >/dev/null 2>&1 </dev/null || :; } 2>>times
	done
	read -r time processor < <(awk '{ cpu = $2 + $3 } NR == 1 || $1 < wall { wall = $1 } NR == 1 || cpu < least { least = cpu }
		END { printf "%.0f %.0f\n", wall * 1000, least * 1000 }' times)
	printf '%-44s %8s %8s\n' "$name" "$time" "$processor"
	fields+=("\"$name\": {\"wall_ms\": $time, \"cpu_ms\": $processor}")
}

nothing() { :; }
forget() { rm -rf "$XDG_CACHE_HOME"; }
# what is younger than a build is not kept
settle() { sleep 0.05; }
change() { echo "/* $RANDOM */" >>program.c && settle; }

verdict()
{
	if awk -v t="$2" -v limit="$3" 'BEGIN { exit !(t <= limit) }'; then
		echo "PASS: $1 to the first execution in $2 ms (at most $3 wanted)"
	else
		echo "FAIL: $1 to the first execution in $2 ms (at most $3 wanted)"
		failed=1
	fi
}

check=("$inspect" check --no-progress -q --max-executions=1 program.c)
failed=0
status=0
settle
"${check[@]}" >/dev/null || status=$?
case $status in
0 | 3) ;;
*) echo "bench: exit status $status" >&2; exit 1 ;;
esac

printf '%-44s %8s %8s\n' 'to the first execution, ms' wall cpu
best cold forget "${check[@]}"
cold=$time
best changed change "${check[@]}"
changed=$time
best warm nothing "${check[@]}"
warm=$time
best 'without the cache' nothing "$inspect" check --no-cache "${check[@]:2}"

# The parts, as src/build runs them; loading LLVM is in each that has it.
compile=(clang-19 -g -O1 -Xclang -disable-llvm-passes -fstack-clash-protection -c -emit-llvm program.c -o program.bc)
link=(clang-19 -pie -pthread -rdynamic -Wl,-z,now -Wl,-z,relro program.o -Wl,--whole-archive
	"$parts/libinspect-runtime.a" -Wl,--no-whole-archive -ldl -o program)
instrumentor=$parts/inspect-instrument
[ -e "$instrumentor" ] || instrumentor=$parts/../lib/inspect/inspect-instrument
[ -e "${link[7]}" ] || link[7]=$parts/../lib/inspect/libinspect-runtime.a
echo
printf '%-44s %8s %8s\n' 'parts, each by itself' wall cpu
best 'compiler: start only' nothing clang-19 --version
best 'compiler' nothing "${compile[@]}"
best 'instrumentor: start only' nothing "$instrumentor"
best 'instrumentor' nothing "$instrumentor" -o program.o program.bc
best 'driver asked for the command of the linker' nothing "${link[@]}" '-###'
mapfile -t words < <("${link[@]}" '-###' 2>&1 | tail -1 | xargs -n 1)
best 'linker' nothing "${words[@]}"
best 'start of the program, one execution, report' nothing "$inspect" check --no-progress -q --max-executions=1 ./program
echo
verdict cold "$cold" 300
verdict 'after a change' "$changed" 300
verdict warm "$warm" 50
if [ -n "$results" ]; then
	{
		echo '{'
		printf '  %s,\n' "${fields[@]}" | sed '$s/,$//'
		echo '}'
	} >"$results"
fi
exit $failed
