/// @file
/// Bit packing of groups in the emulator, against a string of single bits. The kernels are in tests/codec.
#include "tests/codec/bit_packing.hpp"

#include <doctest/doctest.h>

#include "tests/codec/backends.hpp"

using namespace codec_tests;

TEST_CASE("bit packing: a warp appends its lanes' codes in order") {
  in_all_ways([](const auto& backend) { check_packings<96, false>(backend); });
}

TEST_CASE("bit packing: a block appends its threads' codes in order") {
  in_all_ways([](const auto& backend) {
    check_packings<32, true>(backend);
    check_packings<160, true>(backend);
  });
}
