#!/bin/sh
# The default tables are what gpuimg-train-tables makes of the pictures that their file names, in any order; a table file fits the
# encoder. Skipped where the pictures are not there.
set -eu
train=$GPUIMG_PROGRAMS/gpuimg-train-tables
header=$GPUIMG_SOURCE_DIR/include/gpuimg/codec/paco/default_tables.hpp
images=${GPUIMG_DATA:-$GPUIMG_SOURCE_DIR/../shared/data}/images
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$GPUIMG_PROGRAMS/gpuimg-test-picture" --size 300x200 "$work/picture.png"
"$train" "$work/picture.png" --file "$work/own.tables"
"$GPUIMG_PROGRAMS/gpuimg-paco" encode --verify --tables "$work/own.tables" "$work/picture.png" "$work/picture.paco"
if "$train" "$work/missing.png" --file "$work/none" 2> "$work/message"; then exit 1; fi
grep -q 'missing.png' "$work/message"
test ! -e "$work/none"

if [ ! -d "$images/photo" ]; then
  echo "skipped: no pictures in $images"
  exit 77
fi
set --
for name in $(sed -n 's|^//   ||p' "$header"); do set -- "$(find "$images" -name "$name" | head -n 1)" "$@"; done
"$train" --header "$work/default_tables.hpp" "$@"
cmp "$work/default_tables.hpp" "$header"
