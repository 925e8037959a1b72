#!/bin/bash
# Install what is missing to build and test Inspect.  Quick when nothing is.
#
#   LLVM=19 tools/deps.sh
#
# On Debian and Ubuntu the missing packages are named and installed with apt-get
# (through sudo when not root).  Elsewhere they are listed: exit status 2.
set -eu

llvm=${LLVM:-19}
packages=(gcc g++ libc6-dev binutils make libdw-dev libelf-dev util-linux bsdutils procps
	"clang-$llvm" "llvm-$llvm" "llvm-$llvm-dev" "clang-format-$llvm" openmpi-bin libopenmpi-dev)
# Optional, and tested if it is there: mpich libmpich-dev, which can be installed beside Open MPI.

# Something that stands for each package where there is no dpkg.
commands=(gcc g++ objdump make script ps "clang-$llvm" "llvm-config-$llvm" "clang-format-$llvm")

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
	missing=()
	for command in "${commands[@]}"; do
		command -v "$command" >/dev/null || missing+=("$command")
	done
	[ ${#missing[@]} -eq 0 ] && exit 0
	echo "Not found: ${missing[*]}" >&2
	echo "Inspect needs these packages (names as in Debian); please install them:" >&2
	printf '  %s\n' "${packages[@]}" >&2
	exit 2
fi

installed=$(dpkg-query -W -f '${Package} ${db:Status-Status}\n' "${packages[@]}" 2>/dev/null |
	awk '$2 == "installed" { print $1 }') || true
missing=()
for package in "${packages[@]}"; do
	grep -qx -- "$package" <<<"$installed" || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

echo "Missing packages, to be installed with apt-get: ${missing[*]}"
root=()
if [ "$(id -u)" -ne 0 ]; then
	if ! command -v sudo >/dev/null; then
		echo "Not root and no sudo: please install them yourself." >&2
		exit 2
	fi
	root=(sudo)
fi
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
