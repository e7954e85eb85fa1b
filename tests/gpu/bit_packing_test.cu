/// @file
/// Bit packing of groups on a device, against a string of single bits.
#include <doctest/doctest.h>

#include "tests/codec/backends.hpp"
#include "tests/codec/bit_packing.hpp"

using namespace codec_tests;

TEST_CASE("device: a warp appends its lanes' codes in order") { check_packings<96, false>(device_backend()); }

TEST_CASE("device: a block appends its threads' codes in order") {
  const device_backend backend;
  check_packings<32, true>(backend);
  check_packings<256, true>(backend);
}
