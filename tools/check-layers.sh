#!/bin/sh
# Includes go from higher folders to lower ones only, and no folder is crowded.
#
# ORDER lists the folders of src, the lowest first: a file may include headers of its own folder and of those before it.
# Folders on one line are neighbours that do not know each other. The folders of the runtime have borders of their own,
# because there the scheduler and what threads wait for must know each other: RUNTIME says for each of them whose
# headers its files may include, besides its own and the data.h of any. Its headers are in order: arch/arch.h; data.h;
# those of core; one or more for each folder, of which none includes another folder's. (libc/libc.h does: it is for the
# wrappers of libc alone.)
#
# usage: tools/check-layers.sh
set -eu

cd "$(dirname "$0")/.."
MOST=25 # files in one folder

ORDER='
common
storage
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
report/account
report/format
cli
'

RUNTIME='
arch: core
state: arch core
cxx: core
core: arch state cxx await memory process sync
await: core memory process sync
memory: arch core state await process sync
sync: arch core state memory process
process: arch core state cxx await memory sync libc
libc: arch core memory process
'

find src -name '*.[chS]' -o -name '*.inc' -o -name '*.def' | sort | awk -v order="$ORDER" -v runtime="$RUNTIME" -v most="$MOST" '
function folder_of(path) {
	sub("/[^/]*$", "", path)
	if (path ~ /^runtime/)
		return "runtime"
	return path
}
function level_of_header(path) {
	if (path ~ /^runtime\/arch\//)
		return 0
	if (path ~ /\/data\.h$/)
		return 1
	return path ~ /^runtime\/core\// ? 2 : 3
}
# Of the runtime: may the file, whose path is below src, include the header?
function crosses_border(file, header,    from, to) {
	split(file, from, "/")
	split(header, to, "/")
	if (file ~ /\.h$/ && file != "runtime/libc/libc.h" && from[2] != to[2])
		return level_of_header(header) > 1 && level_of_header(header) >= level_of_header(file)
	if (file ~ /\.h$/ && level_of_header(header) > level_of_header(file))
		return 1
	return level_of_header(header) != 1 && from[2] != to[2] && !((from[2], to[2]) in uses)
}
BEGIN {
	n = split(order, lines, "\n")
	for (i = 1; i <= n; i++) {
		count = split(lines[i], names, " ")
		for (k = 1; k <= count; k++)
			rank[names[k]] = i
	}
	n = split(runtime, lines, "\n")
	for (i = 1; i <= n; i++) {
		count = split(lines[i], names, ":? ")
		for (k = 2; k <= count; k++)
			uses[names[1], names[k]] = 1
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
		} else if (to == "runtime" && from == to && crosses_border(substr(file, 5), parts[2])) {
			print file ": includes " parts[2] ", which is beyond its border in the runtime"
			bad = 1
		}
	}
	close(file)
}
END { exit bad || !NR }'
