#!/bin/bash
# The part of the search that runs in the program's processes (src/wire/guest.h) has no C library there.
#
#   tools/check-guest.sh OBJECT…     those of the tool, but for its main()
#
# Links what the guest can come to, and nothing else, and looks what is missing: what stays out of its way is malloc()
# where the memory of the search is not shared, and what failure() prints.
set -eu

: "${CC:=gcc}"
allowed='calloc|exit|fflush|fputc|free|fwrite|malloc|realloc|stderr|stdout|vfprintf|vsnprintf'
roots=(explorer_go_on rule_all rule_dpor rule_ddpor rule_source rule_optimal)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

ld --gc-sections --no-relax --warn-unresolved-symbols -e "${roots[0]}" "${roots[@]/#/--undefined=}" -o "$scratch/guest" \
	--start-group "$@" "$("$CC" -print-libgcc-file-name)" --end-group 2>"$scratch/messages" ||
	{ cat "$scratch/messages" >&2; exit 1; }
for root in "${roots[@]}"; do
	nm "$scratch/guest" | grep -q " $root\$" || { echo "check-guest: there is no $root" >&2; exit 1; }
done
missing=$(grep -o 'undefined reference to .*' "$scratch/messages" | grep -vE "\`($allowed)'\$" | sort -u || true)
if [ -n "$missing" ]; then
	echo "check-guest: the search needs this where there is no C library: $missing" >&2
	exit 1
fi
