#!/bin/bash
# Can the harness fail?  Break a copy of the tree in one way after the other and expect that random programs
# show it.
#
#   tests/random/mutate.sh [--programs=N] [--search=NAME]… [--shrink] [NAME…]
#
# Prints for each mutation (tests/random/mutations) the number of programs after which it was noticed.  Exit status 1 if
# one was not noticed within N programs (2000), or no longer applies to the sources.  --shrink: also the smallest
# program that shows it, in the form of tests/random/kept.  --search: with this strategy only, of those that
# inspect has.  Before, the harness must pass with the sources as they are.
set -u

cd "$(dirname "$(realpath "$0")")/../.." || exit 4
programs=2000 shrink= names=() strategies=()
for argument in "$@"; do
	case $argument in
	--programs=*) programs=${argument#*=} ;;
	--search=*) strategies+=("$argument") ;;
	--shrink) shrink=1 ;;
	-*) sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0" >&2; exit 2 ;;
	*) names+=("$argument") ;;
	esac
done

copy=$(mktemp -d "${TMPDIR:-/tmp}/inspect-mutate.XXXXXX") || exit 4
trap 'rm -rf "$copy"' EXIT
cp -a Makefile src include tests docs "$copy" || exit 4
if [ -d build ]; then cp -a build "$copy"; fi
mapfile -t mutations <tests/random/mutations
cd "$copy" || exit 4

build()
{
	make -j"$(nproc)" all build/tests/random/driver build/tests/random/program >build.log 2>&1
}

# Only what was noticed by a difference between searches counts, not a crash of the driver.
harness()
{
	local options=(--programs="$programs" --failures=1 "${strategies[@]}")
	[ "$shrink" ] || options+=(--no-shrink)
	build/tests/random/driver "${options[@]}" >harness.log 2>harness.err
	local status=$?
	[ $status = 1 ] && grep -q '^FAIL' harness.log
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

mutate() # NAME FILE EXPRESSION
{
	cp "$2" original
	sed -i "$3" "$2"
	if cmp -s "$2" original; then
		echo "$1: does not apply to $2 any more"
		return 1
	fi
	if ! build; then
		echo "$1: does not compile"
		grep -m 3 error build.log
		return 1
	fi
	if ! harness; then
		echo "$1: NOT noticed: $(sed -n 's/^ *\([0-9]* programs\) .*/\1/p' harness.log)"
		return 1
	fi
	echo "$1: noticed after $(sed -n 's/^ *\([0-9]* programs\) .*/\1/p' harness.log):$(sed -n '2{s/^ *//;s/^/ /p}' harness.log)"
	[ -z "$shrink" ] || sed -n '/, shrunk$/,/inspect check/{/^FAIL/d;/inspect check/d;p}' harness.log | tail -n 1
}

bad=0
if ! build; then
	cat build.log
	exit 4
fi
# Without a mutation nothing may fail, or everything would seem to be noticed.
if harness; then
	cat harness.log
	exit 4
fi
for row in "${mutations[@]}"; do
	IFS=$'\t' read -r name file expression <<<"$row"
	case $name in '#'* | '') continue ;; esac
	wanted "$name" || continue
	mutate "$name" "$file" "$expression" || bad=$((bad + 1))
	cp original "$file" # newer than what was built from the broken one
done
echo "mutations: $bad not noticed or out of date"
[ "$bad" -eq 0 ]
