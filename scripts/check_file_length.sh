#!/bin/bash
# Fails when a source file of the project is longer than 500 lines: one subject a file. Generated files say so in their
# first lines and are exempt.
set -euo pipefail
cd "$(dirname "$0")/.."

status=0
while read -r file; do
  [ -f "$file" ] || continue
  lines=$(wc -l < "$file")
  if [ "$lines" -gt 500 ] && ! head -n 5 "$file" | grep -qi generated; then
    echo "$file: $lines lines, the limit is 500"
    status=1
  fi
done < <(git ls-files -- '*.hpp' '*.cuh' '*.cpp' '*.cu' '*.py' '*.sh' '*.cmake' '*CMakeLists.txt')
exit $status
