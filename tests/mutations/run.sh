#!/bin/bash
# Would the tests notice if an old mistake came back?
#
#   tests/mutations/run.sh [--seconds=S] [NAME…]
#
# For each row of tests/mutations/table a copy of the tree is broken in one way that brings a class of wrong answers back; then
# the command of the row must fail within S seconds (300).  Prints how long that took; with a driver of random programs, also
# after how many programs.  Exit status 1 if something was not noticed, or no longer applies to the sources.
set -u

cd "$(dirname "$(realpath "$0")")/../.." || exit 4
seconds=300 names=()
for argument in "$@"; do
	case $argument in
	--seconds=*) seconds=${argument#*=} ;;
	-*) sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0" >&2; exit 2 ;;
	*) names+=("$argument") ;;
	esac
done

copy=$(mktemp -d "${TMPDIR:-/tmp}/inspect-mutations.XXXXXX") || exit 4
trap 'rm -rf "$copy"' EXIT
cp -a . "$copy" || exit 4
mapfile -t rows <tests/mutations/table
cd "$copy" || exit 4

build()
{
	make -j"$(nproc)" all build/tests/random/driver build/tests/random/program build/tests/structured/driver build/tests/json >build.log 2>&1
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

# How the command ended: 1 is a test that failed, and all else is not.
run() # COMMAND
{
	timeout "$seconds" bash -c "$1" >run.log 2>&1
}

mutate() # CLASS NAME FILE EXPRESSION COMMAND
{
	local began=$SECONDS
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
	began=$SECONDS
	run "$5"
	case $? in
	1 | 2) echo "$1 $2: noticed after $((SECONDS - began)) s$(sed -n 's/^ *\(structured programs: \)\?\([0-9]* \)\(programs \)\?in .*/, \2programs/p' run.log | tail -n 1)" ;;
	124) echo "$1 $2: NOT noticed within $seconds s" && return 1 ;;
	*) echo "$1 $2: NOT noticed" && return 1 ;;
	esac
}

bad=0
if ! build; then
	cat build.log
	exit 4
fi
for row in "${rows[@]}"; do
	IFS=$'\t' read -r class name file expression command <<<"$row"
	case $class in '#'* | '') continue ;; esac
	wanted "$name" || continue
	mutate "$class" "$name" "$file" "$expression" "$command" || bad=$((bad + 1))
	cp original "$file" # newer than what was built from the broken one
done
echo "mutations: $bad not noticed or out of date"
[ "$bad" -eq 0 ]
