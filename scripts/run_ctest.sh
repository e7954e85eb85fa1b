#!/bin/bash
# Runs the tests of a build and ends with the totals: test cases and assertions as doctest counts them, then the line
# of ctest.
#
#   scripts/run_ctest.sh BUILD_DIRECTORY [CTEST OPTIONS...]
set -uo pipefail
. "$(dirname "$0")/environment.sh"

build=$1
shift
ctest --test-dir "$build" -j "$jobs" --output-on-failure --no-label-summary --no-tests=error "$@" < /dev/null |
  awk '/% tests passed,/ { totals = $0; next } { print; fflush() } END { print totals > "'"$build"'/totals.txt" }'
status=${PIPESTATUS[0]}

echo
sed -nE 's/^\[doctest\] (test cases|assertions): *[0-9]+ \| *([0-9]+) passed \| *([0-9]+) failed.*/\1,\2,\3/p' \
  "$build/Testing/Temporary/LastTest.log" |
  awk -F, '{ passed[$1] += $2; failed[$1] += $3 }
           END { for (kind in passed) printf "doctest %s: %d passed, %d failed\n", kind, passed[kind], failed[kind] }'
cat "$build/totals.txt"
exit "$status"
