#!/bin/bash
# Installs what is missing, builds everything and runs all tests.
#
#   scripts/test.sh [BUILD_DIRECTORY] [CMAKE OPTIONS...]        (default directory: build-test)
#
# With a device and nvcc the device's tests are built for that device and run; otherwise they count as skipped.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/environment.sh

build=${1:-build-test}
if [ $# -gt 0 ]; then shift; fi

cuda=(-DGPUIMG_CUDA=OFF)
if has_device && has_nvcc; then cuda=(-DGPUIMG_CUDA=ON -DCMAKE_CUDA_ARCHITECTURES=native); fi

phase "dependencies" scripts/install_dependencies.sh build examples tests benchmarks
phase "configure" quietly "$build/configure.log" cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release "${cuda[@]}" "$@"
phase "build" quietly "$build/build.log" cmake --build "$build" -j "$jobs"

printf '\n== tests\n'
scripts/run_ctest.sh "$build"
