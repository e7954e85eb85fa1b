#include "gpuimg/codec/coefficient.hpp"

#include <cstdint>
#include <cstdlib>
#include <doctest/doctest.h>
#include <initializer_list>

using gpuimg::codec::packed_coefficient;

namespace {
constexpr std::int32_t largest = static_cast<std::int32_t>(packed_coefficient::largest_magnitude);
constexpr auto values = {0, 1, -1, 2, -2, 5, -5, 255, -256, 65535, -65536, 1 << 23, -(1 << 23), largest, -largest};
}  // namespace

static_assert(packed_coefficient::from_value(-5).value() == -5);
static_assert(packed_coefficient::from_value(-5).magnitude_bit(2));
static_assert(packed_coefficient().value() == 0 && !packed_coefficient().significant());

TEST_CASE("packed coefficient: value, sign, magnitude and planes") {
  for (const std::int32_t v : values) {
    CAPTURE(v);
    const auto c = packed_coefficient::from_value(v);
    const auto magnitude = static_cast<std::uint32_t>(std::abs(v));
    CHECK(c.value() == v);
    CHECK(c.negative() == (v < 0));
    CHECK(c.magnitude() == magnitude);
    int planes = 0;
    for (int j = 0; j < packed_coefficient::magnitude_bits; ++j) {
      CHECK(c.magnitude_bit(j) == ((magnitude >> j) % 2 == 1));
      if (c.magnitude_bit(j)) { planes = j + 1; }
    }
    CHECK(c.planes() == planes);
    CHECK(!c.significant());
    CHECK(!c.significant_before());
    CHECK(c.word() == 2 * magnitude + (v < 0 ? 1u : 0u));
  }
}

TEST_CASE("packed coefficient: significance has a plane and a time, and leaves the value alone") {
  for (const std::int32_t v : values) {
    for (int j = 0; j < packed_coefficient::magnitude_bits; ++j) {
      auto c = packed_coefficient::from_value(v);
      c.start_plane();
      CHECK(!c.significant_before());
      c.set_significant(j);
      CHECK(c.significant());
      CHECK(c.significance_plane() == j);
      CHECK(!c.significant_before());
      c.start_plane();
      CHECK(c.significant_before());
      CHECK(c.significant());
      CHECK(c.significance_plane() == j);
      CHECK(c.value() == v);
    }
  }
}

TEST_CASE("packed coefficient: a decoder sets bits and signs one by one") {
  for (const std::int32_t v : values) {
    const auto source = packed_coefficient::from_value(v);
    packed_coefficient c;
    for (int j = packed_coefficient::magnitude_bits - 1; j >= 0; --j) {
      const bool bit = source.magnitude_bit(j);
      c.set_magnitude_bit(j, bit);
      if (bit && !c.significant()) {
        c.set_significant(j);
        c.set_negative(source.negative());
      }
    }
    CHECK(c.value() == v);
    CHECK(c.magnitude() == source.magnitude());
    CHECK(c.negative() == source.negative());
  }
}
