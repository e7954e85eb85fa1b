/// @file
/// One lane's interval of the arithmetic coder. The coder of a warp is tested in tests/kernel.
#include "tests/codec/arithmetic_coder.hpp"

#include <cstdint>
#include <doctest/doctest.h>
#include <vector>

using gpuimg::codec::codeword_interval;

TEST_CASE("codeword interval: the words of the check vector of an independent model") {
  const codec_tests::lane_vector vector;
  codeword_interval<16, 7> interval;
  std::vector<std::uint16_t> words;
  for (const auto& decision : vector.decisions) {
    if (!interval.open()) { interval.start(); }
    interval.narrow(decision.symbol != 0, interval.split(decision.probability));
    if (!interval.open()) { words.push_back(static_cast<std::uint16_t>(interval.low)); }
  }
  CHECK(words == vector.words);
  CHECK(!interval.open());
}

TEST_CASE("codeword interval: both symbols keep a part of every interval, for every probability") {
  std::size_t wrong = 0;
  for (std::uint32_t size = 1; size <= codeword_interval<>::full; size = size * 5 / 4 + 1) {
    for (std::uint32_t p = 1; p <= 255; ++p) {
      codeword_interval<> zero{.low = 0, .size = size};
      codeword_interval<> one = zero;
      const std::uint32_t t = zero.split(p);
      zero.narrow(false, t);
      one.narrow(true, t);
      // Symbol 0 has low .. low + t - 1, symbol 1 the rest.
      wrong += t < 1 || t > size || zero.low != 0 || zero.size != t - 1 || one.low != t || one.low + one.size != size;
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("codeword interval: spare bits are those that any value can take inside") {
  for (const std::uint32_t size : {1u, 2u, 3u, 4u, 6u, 7u, 8u, 255u, 256u, 32766u, 32767u, 65534u, 65535u}) {
    const codeword_interval<> interval{.low = 0, .size = size};
    const int spare = interval.spare_bits();
    CHECK((1u << spare) <= size + 1);
    CHECK((2u << spare) > size + 1);
  }
}
