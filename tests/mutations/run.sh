#!/bin/bash
# Would the tests notice if a source were broken?
#
#   tests/mutations/run.sh [OPTION]… TABLE [NAME…]      TABLE is searches or mistakes, in this folder
#   tests/mutations/run.sh --check                      does every expression of both still change its file?
#
#   --seconds=S        a command has so long (300)
#   --programs=N       the random programs are so many (2000)
#   --search=NAME      … with this strategy only, of those that inspect has; may be repeated
#   --shrink           also the smallest random program that shows it, in the form of tests/random/kept
#
# A row of a table is CLASS, NAME, FILE, EXPRESSION and COMMAND, separated by tabs: a copy of the tree in which sed with the
# expression has changed the file must make the command fail.  The command may be any, or one of those below: random,
# structured, programs, cli.  Prints how long that took; with random programs, also how many it took, and how they differed.
# Exit status 1 if something was not noticed, or no longer applies to the sources.
set -u

self=$(realpath "$0")
cd "${self%/*}/../.." || exit 4
seconds=300 shrink='' table='' names=() random=(--programs=2000)
usage()
{
	sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$self" >&2
	exit 2
}
for argument in "$@"; do
	case $argument in
	--check) table=check ;;
	--seconds=*) seconds=${argument#*=} ;;
	--programs=* | --search=*) random+=("$argument") ;;
	--shrink) shrink=1 ;;
	-*) usage ;;
	*) if [ -z "$table" ]; then table=$argument; else names+=("$argument"); fi ;;
	esac
done

# --- does it apply? ---

# Expressions must say what they change: each on its own, and no row twice.
check() # TABLE
{
	local class name file expression command bad=0
	while IFS=$'\t' read -r class name file expression command; do
		case $class in '#'* | '') continue ;; esac
		rows=$((rows + 1))
		if [ -z "$command" ]; then
			echo "$1: $name: a row has five columns" && bad=1
		elif [ ! -f "$file" ] || ! changed=$(sed -- "$expression" "$file") || cmp -s - "$file" <<<"$changed"; then
			echo "$1: $name: does not apply to $file any more" && bad=1
		fi
	done <"$1"
	cut -sf 1,2 "$1" | sort | uniq -d | grep . && echo "$1: two rows have this name" && bad=1
	return $bad
}

if [ "$table" = check ]; then
	rows=0 failed=0
	for table in tests/mutations/{searches,mistakes}; do
		check "$table" || failed=1
	done
	[ "$failed" -ne 0 ] || echo "mutations: $rows apply"
	exit $failed
fi
[ -f "tests/mutations/$table" ] || usage
mapfile -t rows <"tests/mutations/$table"

# --- what may notice it: exit status 1 ---

# Only a difference between searches counts, not a crash of the driver.
driver() # NAME OPTION…
{
	"build/tests/$1/driver" --inspect=build/inspect --failures=1 "${@:2}"
	local status=$?
	[ "$status" -eq 1 ] && ! grep -q '^FAIL' run.log && return 3
	return "$status"
}

random()
{
	# shellcheck disable=SC2086 # options are words
	driver random --program=build/tests/random/program $RANDOM_OPTIONS "$@"
}

structured()
{
	driver structured --include=include --programs=100000 --no-shrink "$@"
}

programs()
{
	tests/run.sh --inspect=build/inspect "$@"
}

cli()
{
	tests/cli/run.sh --inspect=build/inspect --json=build/tests/json "$@"
}

[ "$shrink" ] || random+=(--no-shrink)
export RANDOM_OPTIONS="${random[*]}"
export -f driver random structured programs cli

# --- break, build, run ---

copy=$(mktemp -d "${TMPDIR:-/tmp}/inspect-mutations.XXXXXX") || exit 4
trap 'rm -rf "$copy"' EXIT
find . -mindepth 1 -maxdepth 1 ! -name .git ! -name build-sanitize -exec cp -a -t "$copy" {} + || exit 4
cd "$copy" || exit 4

build()
{
	make -j"$(nproc)" all build/tests/random/driver build/tests/random/program build/tests/structured/driver \
		build/tests/json >build.log 2>&1
}

run() # COMMAND
{
	timeout "$seconds" bash -c "$1" >run.log 2>&1
}

wanted() # NAME
{
	local name
	[ ${#names[@]} = 0 ] && return
	for name in "${names[@]}"; do
		[ "$name" = "$1" ] && return
	done
	return 1
}

# How many random programs it took, and how the searches differed.
details()
{
	sed -n 's/^ *\(structured programs: \)\?\([0-9]*\)\( programs\)\? in .*/, \2 programs/p' run.log | tail -n 1
	sed -n '/^FAIL seed/{n;s/^ */: /p;q}' run.log
}

mutate() # CLASS NAME FILE EXPRESSION COMMAND
{
	local began status
	cp "$3" original
	sed -i "$4" "$3"
	if cmp -s "$3" original; then
		echo "$1 $2: does not apply to $3 any more"
		return 1
	fi
	if ! build; then
		echo "$1 $2: does not compile"
		grep -m 3 error build.log
		return 1
	fi
	began=$SECONDS status=0
	run "$5" || status=$?
	case $status in
	1) echo "$1 $2: noticed after $((SECONDS - began)) s$(details | paste -sd' ')" ;;
	124) echo "$1 $2: NOT noticed within $seconds s" && return 1 ;;
	*) echo "$1 $2: NOT noticed (exit status $status)" && return 1 ;;
	esac
	[ -z "$shrink" ] || sed -n '/, shrunk$/,/inspect check/{/^FAIL/d;/inspect check/d;p}' run.log | tail -n 1
}

if ! build; then
	cat build.log
	exit 4
fi
# Without a mutation nothing may fail, or everything would seem to be noticed.
if [ "$table" = searches ] && ! run random; then
	cat run.log
	exit 4
fi
bad=0 tried=0
for row in "${rows[@]}"; do
	IFS=$'\t' read -r class name file expression command <<<"$row"
	case $class in '#'* | '') continue ;; esac
	wanted "$name" || continue
	tried=$((tried + 1))
	mutate "$class" "$name" "$file" "$expression" "$command" || bad=$((bad + 1))
	cp original "$file" # newer than what was built from the broken one
done
echo "mutations: $tried tried, $bad not noticed or out of date"
[ "$bad" -eq 0 ] && [ "$tried" -ne 0 ]
