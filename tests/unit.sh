#!/bin/bash
# Run unit tests, given as programs; each prints what failed and exits with 1.
set -u

failed=0
for program in "$@"; do
	"$program" || { echo "FAIL $program (exit status $?)"; failed=$((failed + 1)); }
done
echo "unit tests: $# programs, $failed failed"
[ "$failed" -eq 0 ]
