#!/bin/bash
# The runtime is linked into every program that is checked, so it may have no global name that a program could
# use for something else.  Allowed are the hooks and wrappers (__inspect_…), what include/inspect.h declares, the names
# of the verification competition, main, and what takes the place of a function of the C or C++ library.
#
#   tools/check-runtime-names.sh OBJECT
set -eu

cd "$(dirname "$0")/.."
libraries() { for library in libc.so.6 libstdc++.so.6 libatomic.so.1; do "${CC:-gcc}" -print-file-name=$library; done; }

allowed=$(
	sed -n 's/^[a-z ]*\b\(inspect_[a-z_]*\)(.*/\1/p' include/inspect.h
	# shellcheck disable=SC2046
	nm --dynamic --defined-only --format=just-symbols $(libraries) | sed 's/@.*//'
	echo main
)
wrong=$(nm --defined-only --extern-only --format=just-symbols "$1" |
	grep -v '^__inspect_\|^__VERIFIER_\|^reach_error$' | grep -vxF -f <(echo "$allowed") || true)
[ -z "$wrong" ] || {
	printf 'check-runtime-names: a program may use these names itself:\n%s\n' "$wrong" >&2
	exit 1
}
