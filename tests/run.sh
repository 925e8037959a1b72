#!/bin/bash
# Check test programs against the expectations they carry.
#
#   tests/run.sh [--inspect=PATH] [--jobs=N] [PROGRAM…]     run; exit status 1 if one fails
#   tests/run.sh --every=N …                                only every N-th expectation
#   tests/run.sh --build=FLAG …                             all programs are built with that flag of inspect cc
#   tests/run.sh --print PROGRAM…                           print what each expectation really gives
#   tests/run.sh --fill PROGRAM…                            write the real numbers where the file has `?`
#
# A program is a file in tests/programs, examples, examples/classic, bench/papers or bench/stateful, or a directory in
# tests/programs (all its .c and .cpp files together).  One comment line is one test:
#
#   // expect: SEARCH VERDICT executions=N [blocked=N] [transitions=N] [warns=KIND] [line=N|@marker] [fork] [replay]
#              [[key: text]…]
#
#   SEARCH      source, dpor, all …; - for the default
#   VERDICT     verified; incomplete; bug=KIND,KIND… (exactly these kinds); error (exit status 2)
#   executions  the exact number; missing or `?` fails, except with `error`
#   blocked     the exact number; 0 when not given
#   transitions the exact number, of all executions together; any when not given
#   warns       KIND,KIND… of warnings, exactly these; none when not given
#   line        a line that a finding must be at (for `error`: that the message must name);
#               @marker stands for any line with the comment `// @marker`
#   fork        run once more with --isolation=fork: everything must be the same
#   replay      replay the first finding twice: same output, exit status 1
#   [args: …]   the program's arguments        [cc: …]    compiler flags
#   [options: …] options of inspect check      [says: …]  text that the output must contain
#
# Whatever the test, no temporary file may be left.
set -u

self=$(realpath "$0")
cd "$(dirname "$self")/.." || exit 4
: "${INSPECT:=$PWD/build/inspect}"
: "${TEST_SECONDS:=300}"
mode="test"
jobs=$(nproc)
every=1
: "${BUILD_FLAG:=}"
programs=()
for argument in "$@"; do
	case $argument in
	--inspect=*) INSPECT=$(realpath "${argument#*=}") ;;
	--jobs=*) jobs=${argument#*=} ;;
	--every=*) every=${argument#*=} ;;
	--build=*) BUILD_FLAG=${argument#*=} ;;
	--print | --fill | --one) mode=${argument#--} ;;
	-*) sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$self" >&2; exit 2 ;;
	*) programs+=("$argument") ;;
	esac
done
export INSPECT TEST_SECONDS BUILD_FLAG

# --- one expectation -------------------------------------------------------

# Split an expectation into the variables below.
parse()
{
	local text=$1 word
	search='' verdict='' kinds='' executions='' blocked=0 transitions='' line='' fork=0 replay=0 warns=''
	args='' cc='' options='' says=() bad=''
	while [[ $text =~ ^(.*)\[([a-z]+):\ *([^]]*)\](.*)$ ]]; do
		text="${BASH_REMATCH[1]} ${BASH_REMATCH[4]}"
		case ${BASH_REMATCH[2]} in
		args) args=${BASH_REMATCH[3]} ;;
		cc) cc=${BASH_REMATCH[3]} ;;
		options) options=${BASH_REMATCH[3]} ;;
		says) says+=("${BASH_REMATCH[3]}") ;;
		*) bad="unknown section ${BASH_REMATCH[2]}" ;;
		esac
	done
	for word in $text; do
		case $word in
		verified | incomplete | error) verdict=$word ;;
		bug=*) verdict=bug kinds=$(tr , '\n' <<<"${word#*=}" | sort | paste -sd,) ;;
		executions=*) executions=${word#*=} ;;
		blocked=*) blocked=${word#*=} ;;
		transitions=*) transitions=${word#*=} ;;
		warns=*) warns=$(tr , '\n' <<<"${word#*=}" | sort | paste -sd,) ;;
		line=*) line=${word#*=} ;;
		fork) fork=1 ;;
		replay) replay=1 ;;
		*) if [ -z "$search" ]; then search=$word; else bad="unknown word $word"; fi ;;
		esac
	done
	[ -n "$verdict" ] || bad="no verdict"
}

# The value of a number or word in the JSON report; strings cannot imitate a key, their quotes are escaped.
field()
{
	grep -o "\"$1\": *\"\{0,1\}[a-z0-9.]*" "$scratch/json" | head -1 | sed 's/.*[: "]//'
}

# Line numbers an expectation accepts.
accepted_lines()
{
	case $line in
	@*) grep -n "// $line\>" "${sources[@]}" /dev/null | cut -d: -f2 ;;
	*) echo "$line" ;;
	esac
}

# What to check: the sources with their flags.  Whoever comes second with the same ones builds
# a program of them, which all others then use.  From source, --stateful builds another program.
subject()
{
	local place compiler=cc flag=$BUILD_FLAG
	[[ " $options " != *" --stateful "* ]] || flag=--stateful
	subject=("${sources[@]}")
	# shellcheck disable=SC2206 # flags are words
	subject+=($cc)
	[ -n "${BUILT:-}" ] || return
	place=$BUILT/$(md5sum <<<"$flag ${subject[*]}" | cut -d' ' -f1)
	mkdir "$place" 2>/dev/null && [ -z "$BUILD_FLAG" ] && return
	[[ ${sources[*]} != *.cpp* ]] || compiler=c++
	(
		flock 9
		[ -e "$place/tried" ] ||
			TMPDIR=$scratch/tmp "$INSPECT" "$compiler" ${flag:+"$flag"} "${subject[@]}" -o "$place/program" >/dev/null 2>&1
		touch "$place/tried"
	) 9>"$place/lock"
	[ ! -x "$place/program" ] || subject=("$place/program")
}

# Run the check; leaves status, $scratch/json, $scratch/stderr.
run()
{
	local command=("$INSPECT" check --no-progress --json=-)
	[ "$search" = - ] || command+=("--search=$search")
	rm -rf "$scratch/work" && mkdir -p "$scratch/work" "$scratch/tmp"
	subject
	# shellcheck disable=SC2206 # options are words
	command+=($options "$@" "${subject[@]}")
	# shellcheck disable=SC2206
	[ -z "$args" ] || command+=(-- $args)
	status=0
	(cd "$scratch/work" && TMPDIR=$scratch/tmp exec timeout -k 5 "$TEST_SECONDS" "${command[@]}") \
		>"$scratch/json" 2>"$scratch/stderr" </dev/null || status=$?
}

# The kinds in a part of a JSON report.
kinds_in()
{
	grep -o '"kind": *"[a-z]*"' | sed 's/.*"\([a-z]*\)"$/\1/' | sort -u | paste -sd,
}

# What happened, in the form of an expectation.
actual()
{
	local found warned
	if [ "$status" -eq 2 ]; then
		echo error
		return
	fi
	found=$(sed '/^  "warnings"/,$d' "$scratch/json" | kinds_in)
	warned=$(sed '1,/^  "warnings"/d' "$scratch/json" | kinds_in)
	echo "$(field verdict)${found:+=$found} executions=$(field executions) blocked=$(field blocked)" \
		"${transitions:+transitions=$(field transitions)} ${warned:+warns=$warned}"
}

expected()
{
	if [ "$verdict" = error ]; then
		echo error
	else
		echo "$verdict${kinds:+=$kinds} executions=$executions blocked=$blocked" \
			"${transitions:+transitions=$transitions} ${warns:+warns=$warns}"
	fi
}

# Compare one run; prints one line for each thing that is wrong.
compare()
{
	local want got number found=0 text
	want=$(expected) got=$(actual)
	if [ "$want" != "$got" ]; then
		echo "expected $want, got $got (exit status $status) $(grep -m 3 . "$scratch/stderr" | paste -sd' ')"
		return
	fi
	case "$verdict $status $(field complete)" in
	"verified 0 true" | "incomplete 3 false" | "bug 1 "* | "error 2 "*) ;;
	*) echo "exit status $status and complete=$(field complete) do not fit $verdict" ;;
	esac
	if [ -n "$line" ]; then
		for number in $(accepted_lines); do
			grep -q "\"line\": *$number\>" "$scratch/json" && found=1
			[ "$verdict" = error ] && grep -q "\.c\(pp\)\?:$number\>" "$scratch/stderr" && found=1
		done
		[ "$found" = 1 ] || echo "expected line $(accepted_lines | paste -sd,), got" \
			"$(grep -o '"line": *[0-9]*' "$scratch/json" | paste -sd,) $(grep -m 1 . "$scratch/stderr")"
	fi
	for text in "${says[@]}"; do
		grep -qF -- "$text" "$scratch/json" "$scratch/stderr" ||
			echo "expected the text \"$text\", got $(grep -m 3 . "$scratch/stderr" | paste -sd' ')"
	done
	[ -z "$(ls -A "$scratch/tmp")" ] || echo "temporary files left: $(ls -A "$scratch/tmp" | paste -sd' ')"
}

check_replay()
{
	local trace turn
	trace=$(grep -o '"trace": *"[^"]*"' "$scratch/json" | head -1 | sed 's/.*: *"\(.*\)"$/\1/')
	[ -n "$trace" ] || { echo "no trace was written"; return; }
	for turn in 1 2; do
		status=0
		(cd "$scratch/work" && TMPDIR=$scratch/tmp timeout -k 5 "$TEST_SECONDS" "$INSPECT" replay "$trace") \
			>"$scratch/replay$turn" 2>"$scratch/stderr" </dev/null || status=$?
		[ "$status" -eq 1 ] || echo "replay: exit status $status: $(grep -m 3 . "$scratch/stderr" | paste -sd' ')"
	done
	cmp -s "$scratch/replay1" "$scratch/replay2" || echo "replay: two runs print different things"
}

# The sources in a directory, one per line.
sources_in()
{
	find "$1" -maxdepth 1 \( -name '*.c' -o -name '*.cpp' \) | LC_ALL=C sort
}

# file:line of an expectation → ok, or FAIL lines
one()
{
	local file=${1%:*} number=${1##*:} text problem='' where
	if [ "$number" = 0 ]; then
		echo "FAIL $file: carries no expectation"
		return 1
	fi
	text=$(sed -n "${number}s,^// expect: *,,p" "$file")
	case $file in
	tests/programs/*/*.*) mapfile -t sources < <(sources_in "$PWD/${file%/*}") ;;
	*) sources=("$PWD/$file") ;;
	esac
	where="$file:$number"
	parse "$text"
	scratch=$(mktemp -d) || exit 4
	trap 'rm -rf "$scratch"' EXIT
	[ -n "${BUILT:-}" ] || export XDG_CACHE_HOME=$scratch/cache
	if [ -n "$bad" ]; then
		problem="bad expectation: $bad"
	else
		run
		if [ "$mode" != one ]; then
			report_actual "$file" "$number"
			return
		fi
		problem=$(compare)
		[ -n "$problem" ] || [ "$replay" = 0 ] || problem=$(check_replay)
		if [ -z "$problem" ] && [ "$fork" = 1 ]; then
			run --isolation=fork
			problem=$(compare)
			where="$where (fork)"
		fi
	fi
	if [ -n "$problem" ]; then
		sed "s,^,FAIL $where: ," <<<"$problem"
		return 1
	fi
	echo "ok $where"
}

# --print and --fill
report_actual()
{
	echo "$1:$2: $(sed -n "${2}p" "$1")"
	echo "	gives $(actual) (exit status $status) lines $(grep -o '"line": *[0-9]*' "$scratch/json" | sed 's/.* //' | paste -sd,)"
	[ "$status" -eq 0 ] || grep -m 5 . "$scratch/stderr" | sed 's/^/	/'
	# a verdict that is wrong has no right numbers
	if [ "$mode" = fill ] && [ "$(expected | cut -d' ' -f1)" = "$(actual | cut -d' ' -f1)" ]; then
		sed -i "$2s/executions=?/executions=$(field executions)/; $2s/blocked=?/blocked=$(field blocked)/
			$2s/transitions=?/transitions=$(field transitions)/" "$1"
	fi
}

# --- all of them -----------------------------------------------------------

# file:line of every expectation of the programs given
expectations()
{
	local program files
	for program in "$@"; do
		program=${program%/}
		files=("$program")
		[ -d "$program" ] && mapfile -t files < <(sources_in "$program")
		grep -Hn '^// expect:' "${files[@]}" | cut -d: -f1,2
		grep -q '^// expect:' "${files[@]}" || echo "$program:0"
	done
}

if [ "$mode" = one ]; then
	one "${programs[0]}"
	exit
fi
if [ ! -x "$INSPECT" ]; then
	echo "tests/run.sh: no $INSPECT; run make first" >&2
	exit 2
fi
if [ ${#programs[@]} -eq 0 ]; then
	programs=(tests/programs/*.c tests/programs/*.cpp tests/programs/*/ examples/*.c examples/classic/*.c \
		bench/papers/*.c bench/stateful/*.c)
fi
if [ "$mode" != test ]; then
	for item in $(expectations "${programs[@]}"); do
		(one "$item")
	done
	exit
fi

results=$(mktemp)
BUILT=$(mktemp -d)
export BUILT XDG_CACHE_HOME=$BUILT/cache
trap 'rm -rf "$results" "$BUILT"' EXIT
chosen()
{
	expectations "${programs[@]}" | awk -v every="$every" 'NR % every == 0'
}
chosen | xargs -P "$jobs" -n 1 "$self" --one >"$results"
grep -v '^ok ' "$results" | sort
passed=$(grep -c '^ok ' "$results")
total=$(chosen | wc -l)
echo "program tests: $total expectations, $((total - passed)) failed"
[ "$passed" -eq "$total" ]
