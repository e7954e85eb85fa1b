/// @file
/// The warp's arithmetic coder on a device, against the oracle.
#include <doctest/doctest.h>

#include "tests/codec/arithmetic_coder.hpp"
#include "tests/codec/backends.hpp"

using namespace codec_tests;

TEST_CASE("device: words, symbols and spare bits of the arithmetic coder are the oracle's") {
  const device_backend backend;
  for (const int events : {0, 1, 2, 7, 100, 3000}) {
    CAPTURE(events);
    check_arithmetic_coder<16, 8>(backend, events, 1u + static_cast<unsigned>(events));
    check_arithmetic_coder<12, 7>(backend, events, 2u + static_cast<unsigned>(events));
  }
}

TEST_CASE("device: the arithmetic coder's check vector of an independent model, in any lane") {
  const device_backend backend;
  for (int lane = 0; lane < simt::warp_size; ++lane) { check_lane_vector(backend, lane); }
}
