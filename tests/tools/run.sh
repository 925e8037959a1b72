#!/bin/bash
# What tools/deps.sh says, and what it would install: with a dpkg and an apt-get that only pretend.  And `make lint` can
# fail, where its programs are installed.
#
#   tests/tools/run.sh [TEST…]
#
# A test is a function named test_…; see tests/command.sh.
set -u

self=$(realpath "$0")
root=$(realpath "$(dirname "$self")/../..")
tests=("$@")

. "$root/tests/command.sh"

all="gcc g++ libc6-dev binutils make libdw-dev libelf-dev util-linux bsdutils procps clang-19 llvm-19 llvm-19-dev \
clang-format-19 openmpi-bin libopenmpi-dev clang-tidy-19 cppcheck"

# fake NAME: a command, given on standard input
fake()
{
	{ echo '#!/bin/bash' && cat; } >"$work/bin/$1"
	chmod +x "$work/bin/$1"
}

# machine USER WITHOUT…: where all packages but these are installed, and no command is found but those that are made here;
# apt-get writes into $work/done what it was asked for.
machine()
{
	local user=$1 tool package
	mkdir "$work/bin"
	for tool in bash awk grep env sed; do
		ln -s "$(command -v "$tool")" "$work/bin/$tool"
	done
	for package in $all; do
		[[ " ${*:2} " == *" $package "* ]] || echo "$package installed"
	done >"$work/packages"
	echo "echo $user" | fake id
	echo "cat '$work/packages'" | fake dpkg-query
	echo ':' | fake apt-cache
	echo "echo \"\$*\" >>'$work/done'; echo 'apt-get works' >&2" | fake apt-get
	ln -s "$(command -v cat)" "$work/bin/cat"
	: >"$work/done"
}

# deps STATUS [VARIABLE=VALUE…] [ARGUMENT]
deps()
{
	local status=$1 variables=()
	shift
	while [[ ${1-} == *=* ]]; do
		variables+=("$1") && shift
	done
	expect "$status" env -u INSPECT_NO_INSTALL PATH="$work/bin" LLVM=19 "${variables[@]}" "$root/tools/deps.sh" "$@"
}

# installs PACKAGES: exactly these are asked for; without, nothing is done at all
installs()
{
	local wanted=${1:+"-y -q install --no-install-recommends $1"}
	[ "$(cat "$work/done")" = "$wanted" ] || fail "apt-get $wanted expected, got: $(paste -sd';' "$work/done")"
}

silent()
{
	[ ! -s "$out" ] && [ ! -s "$err" ] || fail "nothing expected, got: $(head -3 "$out" "$err" | paste -sd' ')"
}

test_nothing_missing()
{
	machine 0
	deps 0
	silent
	deps 0 lint
	silent
	deps 0 INSPECT_NO_INSTALL=1
	silent
	installs ""
}

# Nothing is installed before it has been named.
test_root()
{
	machine 0 g++ libdw-dev cppcheck
	deps 0
	says "packages are missing: g++ libdw-dev" "They are installed now: apt-get install g++ libdw-dev" INSPECT_NO_INSTALL
	installs "g++ libdw-dev"
	[[ $(head -2 "$err" | tail -1) == "They are installed now"* ]] || fail "apt-get came first"
}

test_lint()
{
	machine 0 g++ cppcheck
	deps 0 lint
	says "make lint" "packages are missing: cppcheck"
	installs cppcheck
}

# A package that was removed and has left its configuration is not there.
test_removed()
{
	machine 0 make
	echo "make config-files" >>"$work/packages"
	deps 0
	installs make
}

test_must_not_install()
{
	machine 0 g++ clang-19
	deps 2 INSPECT_NO_INSTALL=1
	says "packages are missing: g++ clang-19" "INSPECT_NO_INSTALL is set"
	installs ""
}

test_user_without_sudo()
{
	machine 1000 g++
	deps 2
	says "packages are missing: g++" "Not root and no sudo"
	installs ""
}

test_user_with_sudo()
{
	machine 1000 g++
	echo "echo sudo >>'$work/sudo'; exec \"\$@\"" | fake sudo
	deps 0
	says "They are installed now: sudo apt-get install g++"
	installs "g++"
	[ -s "$work/sudo" ] || fail "not through sudo"
	rm -f "$work/sudo"
	deps 2 INSPECT_NO_INSTALL=1
	[ ! -e "$work/sudo" ] || fail "sudo though nothing may be installed"
}

test_old_package_list()
{
	machine 0 g++
	echo "echo \"\$*\" >>'$work/done'; [[ \$* != *install* ]] || [ \$(grep -c . '$work/done') -gt 1 ]" | fake apt-get
	deps 0
	[ "$(awk '{ print $3 }' "$work/done" | paste -sd' ')" = "install update install" ] ||
		fail "install, update, install expected, got: $(paste -sd';' "$work/done")"
}

test_cannot_be_installed()
{
	machine 0 g++
	echo 'exit 100' | fake apt-get
	deps 100
	says "packages are missing: g++"
}

test_no_dpkg()
{
	machine 0
	rm "$work/bin/dpkg-query"
	deps 2
	says "Not found: gcc g++ objdump" "  libdw-dev"
	deps 2 lint
	says "Not found: clang-tidy-19 cppcheck"
	for name in gcc g++ objdump make script ps clang-19 llvm-config-19 clang-format-19; do
		echo | fake "$name"
	done
	deps 0
	silent
	installs ""
	name=no_dpkg
}

# planted NAME: a source with a mistake of that name, given on standard input, is one that `make lint` reports
planted()
{
	source_file planted.c
	expect 2 make -C "$root" -s --no-print-directory B="$work/build" LINT_SOURCES="$work/planted.c" lint
	says "$1"
}

test_lint_finds()
{
	if ! command -v clang-tidy-19 cppcheck >/dev/null; then
		echo "clang-tidy-19 or cppcheck is missing: that make lint can fail was not tested"
		return
	fi
	printf 'int planted(void);\nint planted(void)\n{\n\treturn 0;\n}\n' | source_file planted.c
	expect 0 make -C "$root" -s --no-print-directory B="$work/build" LINT_SOURCES="$work/planted.c" lint
	planted clang-analyzer-core.NullDereference <<-'TEXT'
		int planted(int take);
		int planted(int take)
		{
			int *nothing = 0;
			return take ? *nothing : 0;
		}
	TEXT
	planted arrayIndexOutOfBounds <<-'TEXT'
		int planted(void);
		int planted(void)
		{
			char text[4] = {0};
			return text[7];
		}
	TEXT
}

test_unknown()
{
	machine 0
	deps 2 everything
	says "tools/deps.sh [lint]"
	installs ""
}

run_tests "tests of the tools"
