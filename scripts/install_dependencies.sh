#!/bin/bash
# Installs the Debian packages that a job needs and this machine lacks. Asks nothing; does nothing where all are there.
#
#   scripts/install_dependencies.sh [build] [examples] [tests] [benchmarks] [checks]
#
# Without arguments: everything but the checks. CUDA is not installed: without nvcc the device parts are left out.
# Set GPUIMG_INSTALL=no to have it only name what is missing.
set -euo pipefail

declare -A packages=(
  [build]="g++ cmake ninja-build ccache python3"
  [examples]="libpng-dev libtiff-dev libcli11-dev"
  [tests]="doctest-dev libboost-context-dev"
  [benchmarks]="libbenchmark-dev"
  [checks]="clang clang-format clang-tidy libclang-rt-dev llvm valgrind git"
)

groups=("$@")
if [ $# = 0 ]; then groups=(build examples tests benchmarks); fi

missing=()
for group in "${groups[@]}"; do
  if [ -z "${packages[$group]:-}" ]; then
    echo "install_dependencies: no group '$group'; there are: ${!packages[*]}" >&2
    exit 2
  fi
  for package in ${packages[$group]}; do
    if [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2> /dev/null)" != installed ]; then missing+=("$package"); fi
  done
done
if [ ${#missing[@]} = 0 ]; then exit 0; fi

echo "missing: ${missing[*]}"
if [ "${GPUIMG_INSTALL:-yes}" = no ]; then exit 0; fi
if ! command -v apt-get > /dev/null; then
  echo "install_dependencies: no apt-get here; install what corresponds to the packages above" >&2
  exit 0
fi

root=()
if [ "$(id -u)" != 0 ]; then
  if ! command -v sudo > /dev/null; then
    echo "install_dependencies: run as root, or install sudo" >&2
    exit 1
  fi
  root=(sudo)
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT
apt() { "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 "$@" < /dev/null >> "$log" 2>&1; }
start=$SECONDS
if ! { apt update -q && apt install -y -q --no-install-recommends "${missing[@]}"; }; then
  tail -n 20 "$log" >&2
  echo "install_dependencies: apt-get failed" >&2
  exit 1
fi
echo "installed in $((SECONDS - start)) s"
