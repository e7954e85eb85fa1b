#!/bin/sh
# gpuimg-test-picture: the same picture through a pipe and by name, errors that name what is wrong, flat memory.
set -eu
program=$GPUIMG_PROGRAMS/gpuimg-test-picture
if [ ! -x "$program" ]; then echo "skipped: no $program"; exit 77; fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

"$program" --size 301x57 a.ppm
"$program" --size 301x57 - > b.ppm
cmp a.ppm b.ppm
"$program" --size 301x57 --format ppm - | cmp a.ppm -
"$program" --size 301x57 --seed 2 - | cmp -s a.ppm - && { echo "seeds make no difference"; exit 1; }
for file in a.png a.tif a.tiff a.pam; do
  "$program" --size 33x9 --components 4 --depth 12 "$file"
  test -s "$file"
done

# refused <part of the message> <arguments>...
refused() {
  part=$1
  shift
  if "$program" "$@" > out 2>&1; then echo "accepted: $*"; exit 1; fi
  grep -q -- "$part" out || { echo "no '$part' for $*:"; cat out; exit 1; }
}
refused 'known are .png' a.jpg
refused 'not a size' --size 12 a.png
refused 'not a size' --size 0x5 a.png
refused 'not a size' --size 5x5y a.png
refused 'components' --components 5 a.png
refused 'known kind' --format gif a.png
refused 'up to 16 bits' --depth 17 a.png
refused 'no/such/folder' no/such/folder/a.png
if ls ./*.partial-* 2> /dev/null; then echo "left a partial file"; exit 1; fi

# 36 MB of samples with less memory than that; a build with sanitizers does not even start in it.
if (ulimit -v 30000 && "$program" --help) > out 2>&1; then
  (ulimit -v 30000 && "$program" --size 6000x6000 --components 1 --depth 8 - > /dev/null)
fi
