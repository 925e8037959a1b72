#!/bin/bash
# Install what is missing to build and test Inspect.  Quick when nothing is.
#
#   LLVM=19 tools/deps.sh [lint]      lint: what `make lint` needs, and nothing else
#
# On Debian and Ubuntu the missing packages are named and then installed with apt-get, through sudo when not root.
# Elsewhere, without root and sudo, or if INSPECT_NO_INSTALL is set to anything, they are named only: exit status 2.
set -eu

llvm=${LLVM:-19}
purpose="build and test Inspect"
packages=(gcc g++ libc6-dev binutils make libdw-dev libelf-dev util-linux bsdutils procps
	"clang-$llvm" "llvm-$llvm" "llvm-$llvm-dev" "clang-format-$llvm" openmpi-bin libopenmpi-dev)
# Optional, and tested if it is there: mpich libmpich-dev, which can be installed beside Open MPI.

# Something that stands for each package where there is no dpkg.
commands=(gcc g++ objdump make script ps "clang-$llvm" "llvm-config-$llvm" "clang-format-$llvm")

case ${1-} in
'') ;;
lint)
	purpose="look for mistakes in the sources (make lint)"
	packages=("clang-tidy-$llvm" cppcheck)
	commands=("${packages[@]}")
	;;
*) sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0" >&2; exit 2 ;;
esac

# --- what is missing ---

missing=()
if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
	for command in "${commands[@]}"; do
		command -v "$command" >/dev/null || missing+=("$command")
	done
	[ ${#missing[@]} -eq 0 ] && exit 0
	echo "Not found: ${missing[*]}" >&2
	echo "To $purpose, these packages are needed (names as in Debian); please install them:" >&2
	printf '  %s\n' "${packages[@]}" >&2
	exit 2
fi

installed=$(dpkg-query -W -f '${Package} ${db:Status-Status}\n' "${packages[@]}" 2>/dev/null |
	awk '$2 == "installed" { print $1 }') || true
for package in "${packages[@]}"; do
	grep -qxF -- "$package" <<<"$installed" || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

# --- name it, then install it ---

name_only()
{
	echo "$1: please install them, for example with: apt-get install ${missing[*]}" >&2
	exit 2
}

echo "To $purpose, these packages are missing: ${missing[*]}" >&2
[ -z "${INSPECT_NO_INSTALL-}" ] || name_only "INSPECT_NO_INSTALL is set"
root=()
if [ "$(id -u)" -ne 0 ]; then
	command -v sudo >/dev/null || name_only "Not root and no sudo"
	root=(sudo)
fi
echo "They are installed now: ${root[*]}${root:+ }apt-get install ${missing[*]} (not with INSPECT_NO_INSTALL=1)" >&2
apt=("${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -y -q)

install_missing()
{
	"${apt[@]}" install --no-install-recommends "${missing[@]}"
}

known()
{
	apt-cache show -- "${missing[@]}" >/dev/null 2>&1
}

# An old package list may know the names and no longer the files: then update and try once more.
if known && install_missing; then
	exit 0
fi
"${apt[@]}" update
install_missing
