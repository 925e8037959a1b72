#!/bin/bash
# Check test programs against the expectations they carry.
#
#   tests/run.sh [--inspect=PATH] [--jobs=N] [PROGRAM…]     run; exit status 1 if one fails
#   tests/run.sh --every=N …                                only every N-th expectation
#   tests/run.sh --build=FLAG …                             all programs are built with that flag of inspect cc
#   tests/run.sh --option=OPTION …                          all are checked with that option, too
#   tests/run.sh --print PROGRAM…                           print what each expectation really gives
#   tests/run.sh --fill PROGRAM…                            write the real numbers where the file has `?`
#
# A program is a file in tests/programs, examples, examples/classic, bench/papers or bench/stateful, or a directory in
# tests/programs (all its .c and .cpp files together).  One comment line is one test:
#
#   // expect: SEARCH VERDICT executions=N [blocked=N] [transitions=N] [warns=KIND] [line=N|@marker] [fork] [replay]
#              [[key: text]…]
#
#   SEARCH      source, dpor, all …; - for the default, also with `[options: --stateful]`
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
#
# There are thousands of expectations, so what is done for each of them starts few processes.
set -u

case $0 in
/*) self=$0 ;;
*) self=$PWD/$0 ;;
esac
cd "${self%/*}/.." || exit 4
: "${INSPECT:=$PWD/build/inspect}"
: "${TEST_SECONDS:=300}"
mode="test"
jobs=
every=1
: "${BUILD_FLAG:=}" "${CHECK_OPTION:=}"
programs=()
for argument in "$@"; do
	case $argument in
	--inspect=*) INSPECT=$(realpath "${argument#*=}") ;;
	--jobs=*) jobs=${argument#*=} ;;
	--every=*) every=${argument#*=} ;;
	--build=*) BUILD_FLAG=${argument#*=} ;;
	--option=*) CHECK_OPTION=${argument#*=} ;;
	--print | --fill | --one) mode=${argument#--} ;;
	-*) sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$self" >&2; exit 2 ;;
	*) programs+=("$argument") ;;
	esac
done
export INSPECT TEST_SECONDS BUILD_FLAG CHECK_OPTION

# --- one expectation -------------------------------------------------------

# The words in order, each once, with commas between them, in $sorted.
sort_words()
{
	local word place i
	local -a words=()
	for word in "$@"; do
		place=0
		while [ "$place" -lt ${#words[@]} ] && [[ ${words[place]} < $word ]]; do
			place=$((place + 1))
		done
		[ "${words[place]-}" = "$word" ] || words=("${words[@]:0:place}" "$word" "${words[@]:place}")
	done
	local IFS=,
	sorted="${words[*]}"
}

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
		bug=*) verdict=bug word=${word#*=} && sort_words ${word//,/ } && kinds=$sorted ;;
		executions=*) executions=${word#*=} ;;
		blocked=*) blocked=${word#*=} ;;
		transitions=*) transitions=${word#*=} ;;
		warns=*) word=${word#*=} && sort_words ${word//,/ } && warns=$sorted ;;
		line=*) line=${word#*=} ;;
		fork) fork=1 ;;
		replay) replay=1 ;;
		*) if [ -z "$search" ]; then search=$word; else bad="unknown word $word"; fi ;;
		esac
	done
	[ -n "$verdict" ] || bad="no verdict"
}

# The value of a number or word in the JSON report, in $value; strings cannot imitate a key, their quotes are escaped.
field()
{
	value=
	[[ $json =~ \"$1\":\ *\"?([a-z0-9.]*) ]] && value=${BASH_REMATCH[1]}
}

# What the last run has printed, in $json and $errors.
read_results()
{
	IFS= read -r -d '' json <"$scratch/json"
	IFS= read -r -d '' errors <"$scratch/stderr"
}

# The first lines on stderr, as one.
first_errors() # COUNT
{
	grep -m "$1" . "$scratch/stderr" | paste -sd' '
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
	place=$(md5sum <<<"$flag ${subject[*]}")
	place=$BUILT/${place%% *}
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

# Run the check; leaves status, json and errors.
run()
{
	local command=("$INSPECT" check --no-progress --json=- ${CHECK_OPTION:+"$CHECK_OPTION"})
	[ "$search" = - ] || command+=("--search=$search")
	[ ! -d "$scratch/work" ] || rm -rf "$scratch/work" "$scratch/tmp"
	mkdir "$scratch/work" "$scratch/tmp"
	subject
	# shellcheck disable=SC2206 # options are words
	command+=($options "$@" "${subject[@]}")
	# shellcheck disable=SC2206
	[ -z "$args" ] || command+=(-- $args)
	status=0
	(cd "$scratch/work" && TMPDIR=$scratch/tmp exec timeout -k 5 "$TEST_SECONDS" "${command[@]}") \
		>"$scratch/json" 2>"$scratch/stderr" </dev/null || status=$?
	read_results
}

# The kinds in a part of a JSON report, in $sorted.
kinds_in()
{
	local rest=$1
	local -a found=()
	while [[ $rest =~ \"kind\":\ *\"([a-z]*)\"(.*) ]]; do
		found+=("${BASH_REMATCH[1]}")
		rest=${BASH_REMATCH[2]}
	done
	sort_words "${found[@]}"
}

# What happened, in the form of an expectation, in $got.
actual()
{
	local found warned='' name
	local -A values
	if [ "$status" -eq 2 ]; then
		got=error
		return
	fi
	local warnings=$'\n  "warnings"'
	kinds_in "${json%%"$warnings"*}" && found=$sorted
	[[ $json != *"$warnings"* ]] || { kinds_in "${json#*"$warnings"}" && warned=$sorted; }
	for name in verdict executions blocked transitions; do
		field "$name"
		values[$name]=$value
	done
	got="${values[verdict]}${found:+=$found} executions=${values[executions]} blocked=${values[blocked]}"
	got+=" ${transitions:+transitions=${values[transitions]}} ${warned:+warns=$warned}"
}

# … and what should have, in $want.
expected()
{
	want=error
	[ "$verdict" = error ] ||
		want="$verdict${kinds:+=$kinds} executions=$executions blocked=$blocked ${transitions:+transitions=$transitions} ${warns:+warns=$warns}"
}

# Headings of reports fit on one line of 100 columns.
check_headings()
{
	local rest=$json heading LC_ALL=C.UTF-8
	local pattern='"heading": "(([^"\]|\\.)*)"'
	while [[ $rest =~ $pattern ]]; do
		rest=${rest#*"${BASH_REMATCH[0]}"}
		heading=${BASH_REMATCH[1]//\\?/x}
		[ ${#heading} -le 100 ] || echo "a heading of ${#heading} columns: $heading"
	done
}

# Compare one run; prints one line for each thing that is wrong.
compare()
{
	local want got number found=0 text left
	expected
	actual
	if [ "$want" != "$got" ]; then
		echo "expected $want, got $got (exit status $status) $(first_errors 3)"
		return
	fi
	field complete
	case "$verdict $status $value" in
	"verified 0 true" | "incomplete 3 false" | "bug 1 "* | "error 2 "*) ;;
	*) echo "exit status $status and complete=$value do not fit $verdict" ;;
	esac
	if [ -n "$line" ]; then
		for number in $(accepted_lines); do
			[[ $json =~ \"line\":\ *$number[^0-9] ]] && found=1
			[ "$verdict" = error ] && [[ $errors =~ \.c(pp)?:$number[^0-9] ]] && found=1
		done
		[ "$found" = 1 ] || echo "expected line $(accepted_lines | paste -sd,), got" \
			"$(grep -o '"line": *[0-9]*' "$scratch/json" | paste -sd,) $(first_errors 1)"
	fi
	for text in "${says[@]}"; do
		[[ $json == *"$text"* || $errors == *"$text"* ]] ||
			echo "expected the text \"$text\", got $(first_errors 3)"
	done
	check_headings
	for left in "$scratch"/tmp/* "$scratch"/tmp/.[!.]*; do
		[ ! -e "$left" ] || echo "temporary file left: ${left##*/}"
	done
}

check_replay()
{
	local trace turn
	[[ $json =~ \"trace\":\ *\"([^\"]*)\" ]] || { echo "no trace was written"; return; }
	trace=${BASH_REMATCH[1]}
	for turn in 1 2; do
		status=0
		(cd "$scratch/work" && TMPDIR=$scratch/tmp timeout -k 5 "$TEST_SECONDS" "$INSPECT" replay "$trace") \
			>"$scratch/replay$turn" 2>"$scratch/stderr" </dev/null || status=$?
		[ "$status" -eq 1 ] || echo "replay: exit status $status: $(first_errors 3)"
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
	local file=${1%:*} number=${1##*:} problem='' where
	local -a text
	if [ "$number" = 0 ]; then
		echo "FAIL $file: carries no expectation"
		return 1
	fi
	mapfile -t -s $((number - 1)) -n 1 text <"$file"
	text=("${text[0]#// expect:}")
	case $file in
	tests/programs/*/*.*) mapfile -t sources < <(sources_in "$PWD/${file%/*}") ;;
	*) sources=("$PWD/$file") ;;
	esac
	where="$file:$number"
	parse "${text[0]}"
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
	local name
	echo "$1:$2: $(sed -n "${2}p" "$1")"
	local want got
	expected
	actual
	echo "	gives $got (exit status $status) lines $(grep -o '"line": *[0-9]*' "$scratch/json" | sed 's/.* //' | paste -sd,)"
	[ "$status" -eq 0 ] || grep -m 5 . "$scratch/stderr" | sed 's/^/	/'
	# a verdict that is wrong has no right numbers
	if [ "$mode" = fill ] && [ "${want%% *}" = "${got%% *}" ]; then
		local -A values
		for name in executions blocked transitions; do
			field "$name"
			values[$name]=$value
		done
		sed -i "$2s/executions=?/executions=${values[executions]}/; $2s/blocked=?/blocked=${values[blocked]}/
			$2s/transitions=?/transitions=${values[transitions]}/" "$1"
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
	for item in "${programs[@]}"; do
		(one "$item")
	done
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
# A few at a time: to start bash for each one takes as long as many a check.
chosen | xargs -P "${jobs:-$(nproc)}" -n 4 "$self" --one >"$results"
grep -v '^ok ' "$results" | sort
passed=$(grep -c '^ok ' "$results")
total=$(chosen | wc -l)
echo "program tests: $total expectations, $((total - passed)) failed"
[ "$passed" -eq "$total" ]
