#!/bin/bash
# The runtime shares the address space that is rolled back between executions, so
# it may keep no state in .data, .bss or TLS; relocated constants are fine.  The one
# exception is runtime_is_mapped in start.o, written once before the snapshot.
#
#   tools/check-runtime-state.sh OBJECT…
set -eu

objdump -h "$@" | awk '
	/file format/ { object = $1 }
	object ~ /(^|\/)start\.o:$/ && $2 == ".bss" && $3 == "00000004" { next }
	$2 ~ /^\.(data|bss|tdata|tbss)/ && $2 !~ /^\.data\.rel\.(ro|local\.DW\.ref)/ && $3 !~ /^0+$/ {
		print object " has state in " $2 " (0x" $3 " bytes)"
		bad = 1
	}
	END { exit bad }
' || { echo "check-runtime-state: the runtime must keep its state in its own mapping" >&2; exit 1; }
