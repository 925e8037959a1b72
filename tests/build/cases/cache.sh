# The cache of programs: the same command again does not run the compiler, and whatever could change the
# program does.  A compiler that is found first in PATH counts how often it is run.
mkdir -p counted cached one two
real_clang=$(command -v clang-19)
cat >counted/clang-19 <<SH
#!/bin/sh
echo >>"$work/compilations"
exec "$real_clang" "\$@"
SH
chmod +x counted/clang-19
folder=$XDG_CACHE_HOME/inspect
tool=$build/inspect

# What is younger than the build itself is not trusted: let the clock of the file system go on.
settle() { sleep 0.05; }

# check ARGUMENTS…: exit status in $status, output in $printed, the compiler's runs in $compilations
check() {
	: >"$work/compilations"
	printed=$(PATH=$work/in/counted:$PATH "$tool" check -q --no-progress "$@" 2>&1)
	status=$?
	printed=$(sed 's/, [0-9.]* m\?s, seed/, TIME, seed/' <<<"$printed")
	compilations=$(wc -l <"$work/compilations")
}

# built NAME STATUS ARGUMENTS…: with the compiler; found: without, and all is as it was when it was built
built() {
	local name=$1 wanted=$2
	shift 2
	check "$@"
	if [ "$status" != "$wanted" ]; then fail "$name" "exit status $status instead of $wanted: $printed"
	elif [ "$compilations" = 0 ]; then fail "$name" "the compiler was not run"
	else ok "$name"; fi
	first_printed=$printed
}
found() {
	local name=$1 wanted=$2
	shift 2
	check "$@"
	judge_found "$name" "$wanted"
}
judge_found() {
	if [ "$status" != "$2" ]; then fail "$1" "exit status $status instead of $2: $printed"
	elif [ "$compilations" != 0 ]; then fail "$1" "the compiler was run $compilations times"
	elif [ "$printed" != "$first_printed" ]; then fail "$1" "printed '$printed' instead of '$first_printed'"
	else ok "$1"; fi
}
# both NAME STATUS ARGUMENTS…: built, and then found.  On a machine that is very busy the clock may stand still for
# longer than we wait; then nothing was kept, and it is tried again.
both() {
	local name=$1 wanted=$2 try
	shift 2
	settle
	built "$name" "$wanted" "$@"
	for try in 1 2 3 4; do
		check "$@"
		[ "$compilations" != 0 ] || break
		sleep 0.$try
	done
	judge_found "$name-again" "$wanted"
}

cat >cached/program.c <<'C'
#include <assert.h>
#include <stdio.h>
#include "value.h"
#ifndef EXPECTED
#define EXPECTED 1
#endif
int main(void)
{
	int unused;
	assert(VALUE == EXPECTED);
	return 0;
}
C
echo '#define VALUE 1' >cached/value.h
both cache 0 cached/program.c
both cache-warnings 0 -Wall cached/program.c
case $printed in *unused*) ok cache-warning-printed ;; *) fail cache-warning-printed "no warning: $printed" ;; esac
if grep -q "search list\|cc1" <<<"$first_printed"; then fail cache-quiet "the search list was printed"; else ok cache-quiet; fi
settle
built cache-compile-error 2 -DVALUE2 -Werror=unused-variable -Wall cached/program.c
built cache-compile-error-again 2 -DVALUE2 -Werror=unused-variable -Wall cached/program.c

# what is different
both cache-definition 1 -DEXPECTED=2 cached/program.c
touch -r cached/value.h stamp
echo '#define VALUE 2' >cached/value.h
touch -r stamp cached/value.h
both cache-header 1 cached/program.c
both cache-header-and-definition 0 -DEXPECTED=2 cached/program.c
touch -r cached/program.c stamp
sed -i 's/assert(VALUE == EXPECTED)/assert(VALUE != EXPECTED)/' cached/program.c
touch -r stamp cached/program.c
both cache-source 0 cached/program.c
touch cached/program.c
settle
found cache-touched 0 cached/program.c
(cd cached && settle && built cache-directory 0 program.c)
export CPATH=$PWD/two
settle
built cache-environment 0 cached/program.c
unset CPATH

# a file that is found before the one that was read
echo '#define VALUE 1' >two/shadow.h
printf '#include <assert.h>\n#include <shadow.h>\nint main(void) { assert(VALUE == 1); }\n' >cached/angle.c
printf '#include <assert.h>\n#include "shadow.h"\nint main(void) { assert(VALUE == 1); }\n' >cached/quote.c
both cache-search 0 -Ione -Inowhere -Itwo cached/angle.c
both cache-search-quote 0 -Ione -Itwo cached/quote.c
touch one/other.h cached/other.h other.h
found cache-search-other 0 -Ione -Itwo cached/quote.c
mkdir nowhere
echo '#define VALUE 2' | tee one/shadow.h >nowhere/shadow.h
both cache-shadowed 1 -Ione -Inowhere -Itwo cached/angle.c
both cache-shadowed-quote 1 -Ione -Itwo cached/quote.c
rm one/shadow.h
both cache-shadowed-new-directory 1 -Ione -Inowhere -Itwo cached/angle.c
both cache-shadowed-no-more 0 -Ione -Itwo cached/quote.c
echo '#define VALUE 2' >cached/shadow.h
both cache-shadowed-beside 1 -Ione -Itwo cached/quote.c

# objects and libraries
cat >cached/user.c <<'C'
#include <assert.h>
int helper(void);
int main(void) { assert(helper() == 1); }
C
make_helper() { echo "int helper(void) { return $1; }" >helper.c && cc -c helper.c -o "$2"; }
make_helper 1 cached/helper.o
both cache-object 0 cached/user.c cached/helper.o
make_helper 2 cached/helper.o
both cache-object-changed 1 cached/user.c cached/helper.o
make_helper 1 cached/good.o
rm -f two/libhelper.a one/libhelper.a
ar rcs two/libhelper.a cached/good.o
both cache-library 0 cached/user.c -Lone -Ltwo -lhelper
ar rcs one/libhelper.a cached/helper.o
both cache-library-shadowed 1 cached/user.c -Lone -Ltwo -lhelper
gcc -c helper.c -o cached/native.o
both cache-native-object 0 cached/user.c cached/native.o

# what is different each time
echo 'int main(void) { return __TIME__[0] == 0; }' >cached/time.c
printf '#if __has_include("absent.h")\n#endif\nint main(void) { return 0; }\n' >cached/asks.c
for program in time asks; do
	settle
	built "cache-not-$program" 0 "cached/$program.c"
	built "cache-not-$program-again" 0 "cached/$program.c"
done
settle
built cache-linker-flag 0 -Wl,--as-needed cached/time.c

# the tool itself
mkdir -p parts/bin parts/lib
cp "$build/inspect" parts/bin
cp -r "$source_tree/src/build/override" parts/lib
mkdir parts/lib/inspect && mv parts/lib/override parts/lib/inspect
cp "$build/inspect-instrument" "$build/libinspect-runtime.a" parts/lib/inspect
tool=$PWD/parts/bin/inspect
both cache-tool 0 cached/user.c cached/native.o
for part in lib/inspect/libinspect-runtime.a lib/inspect/inspect-instrument bin/inspect; do
	touch "parts/$part"
	both "cache-tool-${part##*/}" 0 cached/user.c cached/native.o
done
tool=$build/inspect

# damaged entries are built again and replaced
rm -rf "$folder"
both cache-entry 0 cached/user.c cached/native.o
entry=$(echo "$folder"/*)
size=$(wc -c <"$entry")
for keep in 0 40 $((size - 1)); do
	truncate -s "$keep" "$entry"
	both "cache-truncated-$keep" 0 cached/user.c cached/native.o
done
for place in 3 50 100 $((size - 1)); do
	printf '\xa5' | dd of="$entry" bs=1 seek="$place" conv=notrunc status=none
	both "cache-damaged-$place" 0 cached/user.c cached/native.o
done
head -c "$size" /dev/urandom >"$entry"
both cache-garbage 0 cached/user.c cached/native.o
echo >>"$entry"
both cache-longer 0 cached/user.c cached/native.o

# no cache
settle
rm -rf "$folder"
built cache-option 0 --no-cache cached/user.c cached/native.o
if [ -e "$folder" ]; then fail cache-option-folder "there is a folder"; else ok cache-option-folder; fi
usual=$XDG_CACHE_HOME
for XDG_CACHE_HOME in /dev/null /proc/1 /nowhere/at/all; do
	built "cache-nowhere-$XDG_CACHE_HOME" 0 cached/user.c cached/native.o
done
XDG_CACHE_HOME=$work/open
mkdir -p "$work/open/inspect"
chmod 777 "$work/open/inspect"
built cache-not-ours 0 cached/user.c cached/native.o
built cache-not-ours-again 0 cached/user.c cached/native.o
chmod 500 "$work/open/inspect"
if [ "$(id -u)" != 0 ]; then
	built cache-read-only 0 cached/user.c cached/native.o
	built cache-read-only-again 0 cached/user.c cached/native.o
fi
if [ -z "$(ls -A "$work/open/inspect")" ] || [ "$(id -u)" = 0 ]; then ok cache-read-only-empty; else fail cache-read-only-empty "there are files"; fi
unset XDG_CACHE_HOME
HOME='' built cache-no-home 0 cached/user.c cached/native.o
mkdir "$work/home"
HOME=$work/home built cache-home 0 cached/user.c cached/native.o
HOME=$work/home found cache-home-again 0 cached/user.c cached/native.o
if [ -d "$work/home/.cache/inspect" ]; then ok cache-home-folder; else fail cache-home-folder "not in .cache/inspect"; fi
export XDG_CACHE_HOME=$usual

# many at the same time
rm -rf "$folder"
settle
for i in 1 2 3 4 5 6; do
	"$tool" check -q --no-progress cached/program.c >"parallel.$i" 2>&1 || echo "status $?" >>"parallel.$i" &
done
wait
if [ "$(cat parallel.? | grep -c '^verified')" = 6 ]; then ok cache-parallel; else fail cache-parallel "$(cat parallel.?)"; fi
if [ "$(ls -A "$folder" | wc -l)" = 1 ]; then ok cache-parallel-folder; else fail cache-parallel-folder "$(ls -A "$folder")"; fi

# not too large
truncate -s 300M "$folder/0123456789abcdef0123456789abcdef"
touch -d yesterday "$folder/0123456789abcdef0123456789abcdef"
: >"$folder/new-left"
touch -d yesterday "$folder/new-left"
both cache-size 0 cached/user.c cached/native.o
if [ "$(ls -A "$folder" | wc -l)" = 2 ]; then ok cache-size-folder; else fail cache-size-folder "$(ls -A "$folder")"; fi

# a replay builds as well
cp cached/quote.c replayed.c
both cache-replay 1 -Icached replayed.c
: >"$work/compilations"
if PATH=$work/in/counted:$PATH "$tool" replay replayed.inspect 2>&1 | grep -q ^reproduced && [ ! -s "$work/compilations" ]
then ok cache-replay-found; else fail cache-replay-found "compiled, or not reproduced"; fi
