#!/bin/sh
# Includes go from higher folders to lower ones only, and no folder is crowded.
#
# ORDER lists the folders of src, the lowest first: a file may include headers of its own folder and of those before it.
# Folders on one line are neighbours that do not know each other. The parts of the runtime are one: there the scheduler
# and what threads wait for must know each other.
#
# usage: tools/check-layers.sh
set -eu

cd "$(dirname "$0")/.."
MOST=25 # files in one folder

ORDER='
common
wire
program
runtime build/driver
build/cache
build build/instrument
build/instrument/analyse
build/instrument/insert
build/override
result
execute
order
findings
search
search/dfs search/stateful
explore
cluster/share
cluster/team
cluster cluster/mpi
report
cli
'

find src -name '*.[chS]' -o -name '*.inc' -o -name '*.def' | sort | awk -v order="$ORDER" -v most="$MOST" '
function folder_of(path) {
	sub("/[^/]*$", "", path)
	if (path ~ /^runtime/)
		return "runtime"
	return path
}
BEGIN {
	n = split(order, lines, "\n")
	for (i = 1; i <= n; i++) {
		count = split(lines[i], names, " ")
		for (k = 1; k <= count; k++)
			rank[names[k]] = i
	}
}
{
	file = $0
	place = file
	sub("/[^/]*$", "", place)
	if (++files[place] == most + 1) {
		print place ": more than " most " files: divide it"
		bad = 1
	}
	from = folder_of(substr(file, 5))
	if (!(from in rank)) {
		print file ": tools/check-layers.sh does not know the folder " from
		bad = 1
		next
	}
	while ((getline line < file) > 0) {
		if (line !~ /^#include "/ || line ~ /"inspect.h"/)
			continue
		split(line, parts, "\"")
		to = folder_of(parts[2])
		if (!(to in rank)) {
			print file ": includes " parts[2] ", of a folder that is not known"
			bad = 1
		} else if (rank[to] > rank[from] || (rank[to] == rank[from] && to != from)) {
			print file ": includes " parts[2] ", which is not below it"
			bad = 1
		}
	}
	close(file)
}
END { exit bad || !NR }'
