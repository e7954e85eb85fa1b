#!/bin/bash
# From nothing to a losslessly coded picture: installs what is missing, builds gpuimg-paco, encodes, decodes, compares.
#
#   scripts/demo.sh [PICTURE]          a PNG, PNM or TIFF; without it a 3840x2160 picture is made
#
# The result is in out/demo/. Uses the CUDA device where there is one (and nvcc to build for it), else the processor.
set -euo pipefail
picture=${1:+$(realpath "$1")}
cd "$(dirname "$0")/.."
. scripts/environment.sh

build=build-demo
out=out/demo
cuda=(-DGPUIMG_CUDA=OFF)
if has_device && has_nvcc; then cuda=(-DGPUIMG_CUDA=ON -DCMAKE_CUDA_ARCHITECTURES=native); fi

phase "dependencies" scripts/install_dependencies.sh build examples
phase "configure" quietly $build/configure.log cmake -S . -B $build -G Ninja -DCMAKE_BUILD_TYPE=Release \
  -DGPUIMG_TESTS=OFF -DGPUIMG_BENCHMARKS=OFF "${cuda[@]}"
phase "build" quietly $build/build.log cmake --build $build -j "$jobs" --target gpuimg-paco gpuimg-test-picture

mkdir -p $out
rm -f $out/picture.paco $out/decoded.png $out/encode.json $out/decode.json
if [ -z "$picture" ]; then
  picture=$out/picture.png
  phase "make a picture" $build/bin/gpuimg-test-picture --size 3840x2160 --seed 1 $picture
fi
decoded=$out/decoded.png
case $picture in
  *.tif | *.tiff) decoded=$out/decoded.tif ;;
  *.pam) decoded=$out/decoded.pam ;;
esac

encode() { $build/bin/gpuimg-paco encode --verify --json "$picture" $out/picture.paco > $out/encode.json; }
decode() { $build/bin/gpuimg-paco decode --json $out/picture.paco $decoded > $out/decode.json; }
phase "encode, and verify in memory" encode
phase "decode" decode
phase "compare every sample of the two files" $build/bin/gpuimg-paco compare "$picture" $decoded

echo
python3 scripts/summarise_demo.py "$picture" $out/picture.paco $decoded $out/encode.json $out/decode.json
