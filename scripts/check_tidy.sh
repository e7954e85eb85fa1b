#!/bin/bash
# Runs clang-tidy over every public header and every source of the examples.
#
#   scripts/check_tidy.sh [FILE...]
set -uo pipefail
cd "$(dirname "$0")/.."
. scripts/environment.sh

# A file of includes for each folder of headers keeps the number of runs, each of which reads the standard library, low.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [ $# = 0 ]; then
  while read -r folder; do
    unit=$work/$(echo "$folder" | tr / _).cpp
    (cd include && find "$folder" -maxdepth 1 -name '*.hpp' | sort | sed 's/.*/#include "&"/') > "$unit"
    if [ -s "$unit" ]; then set -- "$@" "$unit"; fi
  done < <(cd include && find gpuimg -type d | sort)
  while read -r source; do set -- "$@" "$source"; done < <(git ls-files 'examples/*.cpp')
fi

tidy() { clang-tidy --quiet --config-file=.clang-tidy "$1" -- -std=c++20 -I"$PWD/include" -I"$PWD/examples" -I"$PWD" -DGPUIMG_WITH_CUDA=0 2> /dev/null; }
export -f tidy
printf '%s\0' "$@" | xargs -0 -n 1 -P "$jobs" bash -c 'tidy "$0"' && echo "clang-tidy finds nothing in $# units"
