#!/bin/bash
# Checks that every C++ and CUDA source is formatted as .clang-format says; with --fix, formats it.
set -euo pipefail
cd "$(dirname "$0")/.."

mode=(--dry-run -Werror)
if [ "${1:-}" = --fix ]; then mode=(-i); fi
git ls-files -z -- '*.hpp' '*.cuh' '*.cpp' '*.cu' | xargs -0 --no-run-if-empty clang-format "${mode[@]}"
