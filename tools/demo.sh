#!/bin/bash
# make demo: one program with a bug, and the same program repaired.
#
#   tools/demo.sh INSPECT
set -eu

inspect=$1

check()
{
	echo "\$ inspect check $1"
	status=0
	"$inspect" check --trace="${inspect%/*}/demo.inspect" "$1" || status=$?
	echo "(exit status $status)"
	echo
	if [ "$status" -ne "$2" ]; then
		echo "demo: exit status $2 was expected" >&2
		exit 1
	fi
}

cat <<'TEXT'
Two threads each pay into one account: read the balance, add, write it back.
Run it a million times and it will nearly always be right. Inspect needs a moment
to show that nothing keeps the two payments apart:

TEXT
check examples/bank_account.c 1
cat <<'TEXT'
With a mutex around the update every interleaving is right, and Inspect says so
only after it has been through all of them:

TEXT
check examples/bank_account_fixed.c 0
