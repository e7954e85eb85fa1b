#!/bin/bash
# Runs every libFuzzer target of a build, from the corpus in the repository, which stays as it is.
#
#   scripts/run_fuzzers.sh BUILD_DIRECTORY [SECONDS]      (60 seconds, shared by the targets)
set -euo pipefail
cd "$(dirname "$0")/.."

build=$1
targets=("$build"/bin/fuzz_*)
if [ ! -x "${targets[0]}" ]; then
  echo "no fuzz targets"
  exit 0
fi
seconds=$((${2:-60} / ${#targets[@]} + 1))
for target in "${targets[@]}"; do
  name=$(basename "$target" | sed s/^fuzz_//)
  found=$build/corpus/$name
  mkdir -p "$found"
  folders=("$found")
  if [ -d "tests/fuzz/corpus/$name" ]; then folders+=("tests/fuzz/corpus/$name"); fi
  echo "$name: $seconds s"
  quiet_log=$build/fuzz_$name.log
  if ! "$target" -max_total_time=$seconds -timeout=10 -rss_limit_mb=2048 -artifact_prefix="$build/crash_${name}_" \
    "${folders[@]}" > "$quiet_log" 2>&1 < /dev/null; then
    tail -n 60 "$quiet_log"
    echo "$name: found a fault; the input is $build/crash_${name}_*"
    exit 1
  fi
  grep -E "^Done|stat::" "$quiet_log" || true
done
