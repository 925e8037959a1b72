#!/bin/bash
# Tests of the compiler driver and the instrumentor: what is built, not how it runs.
#
#   run.sh [BUILD]    BUILD is the directory with inspect, inspect-instrument and the runtime;
#                     without it the directory of $INSPECT
#
# Prints "ok NAME" or "FAIL NAME: why" for each test; exit status 1 when one failed.
set -u
build=$(cd "${1:-$(dirname "${INSPECT:?}")}" && pwd) || exit 1
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source_tree=$(cd "$here/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# what the driver leaves behind would be found here
export TMPDIR="$work/tmp" XDG_CACHE_HOME="$work/cache"
mkdir "$TMPDIR" "$work/in"
cd "$work/in" || exit 1
failed=0

cc() { "$build/inspect" cc "$@"; }
cxx() { "$build/inspect" c++ "$@"; }
ok() { echo "ok $1"; }
fail() { echo "FAIL $1: $2"; failed=1; }

# expect_output NAME WANTED COMMAND…: the command's stderr is exactly WANTED and its status 2
expect_error() {
	local name=$1 wanted=$2 got status
	shift 2
	got=$("$@" 2>&1 >/dev/null)
	status=$?
	if [ "$got" != "$wanted" ]; then fail "$name" "printed '$got' instead of '$wanted'"
	elif [ $status != 2 ]; then fail "$name" "exit status $status instead of 2"
	else ok "$name"; fi
}

# expect NAME COMMAND…: the command succeeds and is silent on stderr
expect() {
	local name=$1 errors
	shift
	if ! errors=$("$@" 2>&1 >/dev/null); then fail "$name" "failed: ${errors:-no message}"
	elif [ -n "$errors" ]; then fail "$name" "printed: $errors"
	else ok "$name"; fi
}

sites() { "$work/dump-sites" "$1"; }

# has_site NAME PROGRAM "FUNCTION VARIABLE": there is such a site; no_site: there is none
has_site() {
	if sites "$2" | grep -q " $3\$"; then ok "$1"; else fail "$1" "no site '$3'"; fi
}
no_site() {
	if sites "$2" | grep -q " $3\$"; then fail "$1" "there is a site '$3'"; else ok "$1"; fi
}

gcc -std=gnu17 -I"$source_tree/src" "$here/dump-sites.c" "$source_tree"/src/program/{archive,elf,file}.c \
	"$source_tree"/src/common/trouble.c -o "$work/dump-sites" || exit 1

for part in "$here"/cases/*.sh; do
	. "$part"
done

left=$(ls -A "$TMPDIR")
if [ -z "$left" ]; then ok nothing-left-behind; else fail nothing-left-behind "$left"; fi
exit $failed
