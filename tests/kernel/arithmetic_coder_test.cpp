/// @file
/// The warp's arithmetic coder in the emulator, against the oracle. The kernels are in tests/codec.
#include "tests/codec/arithmetic_coder.hpp"

#include <doctest/doctest.h>

#include "tests/codec/backends.hpp"

using namespace codec_tests;

TEST_CASE("warp arithmetic coder: words, symbols and spare bits are the oracle's") {
  in_all_ways([](const auto& backend) {
    for (const int events : {0, 1, 2, 7, 100, 600}) {
      CAPTURE(events);
      check_arithmetic_coder<16, 8>(backend, events, 1u + static_cast<unsigned>(events));
      check_arithmetic_coder<16, 7>(backend, events, 2u + static_cast<unsigned>(events));
      check_arithmetic_coder<12, 8>(backend, events, 3u + static_cast<unsigned>(events));
      check_arithmetic_coder<2, 1>(backend, events, 4u + static_cast<unsigned>(events));
    }
  });
}

TEST_CASE("warp arithmetic coder: the check vector of an independent model, in any lane") {
  in_all_ways([](const auto& backend) {
    for (const int lane : {0, 1, 15, 31}) { check_lane_vector(backend, lane); }
  });
}
