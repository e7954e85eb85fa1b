#include "gpuimg/codec/reversible_color.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <limits>
#include <string>
#include <vector>

#include "tests/codec/pictures.hpp"
#include "tests/codec/samples.hpp"
#include "tests/oracle/color.hpp"

#include "gpuimg/codec/sample_transform.hpp"

using namespace gpuimg;
using codec::reversible_color;
using codec::sample_format;
using codec::triple;

TEST_CASE("every colour of five bits, as the oracle and back") {
  std::size_t wrong = 0;
  for (std::int32_t r = -16; r < 16; ++r) {
    for (std::int32_t g = -16; g < 16; ++g) {
      for (std::int32_t b = -16; b < 16; ++b) {
        const triple yuv = reversible_color::forward({r, g, b});
        const auto expected = oracle::forward_color({r, g, b});
        wrong += std::array<std::int64_t, 3>{yuv.c0, yuv.c1, yuv.c2} != expected;
        wrong += reversible_color::inverse(yuv) != triple{r, g, b};
      }
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("the ends of sixteen bits") {
  for (const std::int32_t r : {-32768, 0, 32767}) {
    for (const std::int32_t g : {-32768, 0, 32767}) {
      for (const std::int32_t b : {-32768, 0, 32767}) {
        const triple yuv = reversible_color::forward({r, g, b});
        CHECK(std::max(yuv.c1, yuv.c2) < 65536);
        CHECK(std::min(yuv.c1, yuv.c2) > -65536);
        CHECK(reversible_color::inverse(yuv) == triple{r, g, b});
      }
    }
  }
}

TEST_CASE("values of a damaged stream wrap") {
  constexpr auto low = std::numeric_limits<std::int32_t>::min();
  constexpr auto high = std::numeric_limits<std::int32_t>::max();
  constexpr triple wrapped = reversible_color::inverse({high, low, low});
  static_assert(wrapped == triple{-1, high, -1});
}

TEST_CASE("level shift and clamping, all depths") {
  for (int depth = 1; depth <= 16; ++depth) {
    CAPTURE(depth);
    for (const bool is_signed : {false, true}) {
      CHECK(codec::level_shift(depth, is_signed) == oracle::level_shift(depth, is_signed));
    }
    const auto range = oracle::range_of(depth, true);
    for (const std::int32_t v : {-2147483647 - 1, -70000, -32769, -129, -1, 0, 1, 128, 32768, 2147483647}) {
      CHECK(codec::clamp_sample(v, depth) == std::clamp<std::int64_t>(v, range.low, range.high));
    }
  }
}

TEST_CASE_TEMPLATE("samples to planes and back, as the oracle", S, std::uint8_t, std::int8_t, std::uint16_t,
                   std::int16_t) {
  for (const auto& test : codec_tests::sample_cases<S>()) {
    CAPTURE(test.depth);
    CAPTURE(test.bands);
    CAPTURE(test.color_transform);
    codec_tests::check_samples_round_trip<S, std::int32_t>(codec_tests::host_samples{}, test);
    if (test.depth <= 12) { codec_tests::check_samples_round_trip<S, std::int16_t>(codec_tests::host_samples{}, test); }
  }
}

TEST_CASE("many rows on several threads") {
  const codec_tests::sample_case test{.width = 613, .height = 401, .bands = 3, .depth = 8, .color_transform = true};
  codec_tests::check_samples_round_trip<std::uint8_t, std::int16_t>(codec_tests::host_samples{3}, test);
}

TEST_CASE("values outside of the depth's range are clamped when stored") {
  std::vector<std::int32_t> values = {-1000, -9, -8, 0, 7, 8, 1000, std::numeric_limits<std::int32_t>::max()};
  const planar_view<const std::int32_t> planes(values.data(), 8, 1, 1);
  std::vector<std::uint8_t> samples(8);
  codec::store_samples(host{1}, planes, {.depth = 4},
                       cube_view<std::uint8_t>(samples.data(), 8, 1, 1, interleave::bsq));
  CHECK(samples == std::vector<std::uint8_t>{0, 0, 0, 8, 15, 15, 15, 15});
  std::vector<std::int8_t> signed_samples(8);
  codec::store_samples(host{1}, planes, {.depth = 4},
                       cube_view<std::int8_t>(signed_samples.data(), 8, 1, 1, interleave::bsq));
  CHECK(signed_samples == std::vector<std::int8_t>{-8, -8, -8, 0, 7, 7, 7, 7});
}

TEST_CASE("samples beyond the depth are found and named") {
  std::vector<std::uint16_t> samples(300 * 500 * 2, 4095);
  const cube_view<const std::uint16_t> cube(samples.data(), 300, 500, 2, interleave::bip);
  CHECK(codec::samples_fit(host{2}, cube, 12));
  CHECK_NOTHROW(codec::check_samples(host{2}, cube, 12));
  samples[(321 * 300 + 17) * 2 + 1] = 5000;
  samples[(444 * 300 + 2) * 2] = 6000;
  CHECK_FALSE(codec::samples_fit(host{2}, cube, 12));
  CHECK(codec::samples_fit(host{2}, cube, 13));
  CHECK(codec::samples_fit(host{2}, cube, 16));
  CHECK_THROWS_WITH_AS(codec::check_samples(host{2}, cube, 12),
                       "sample 5000 at (17, 321) of component 1 is outside of 0..4095, the range of 12 bits", error);

  const std::vector<std::int8_t> signed_samples = {-5, 3, 7};
  const cube_view<const std::int8_t> row(signed_samples.data(), 3, 1, 1, interleave::bsq);
  CHECK(codec::samples_fit(host{1}, row, 4));
  CHECK_FALSE(codec::samples_fit(host{1}, row, 3));
}

TEST_CASE("formats that samples cannot have are refused") {
  std::vector<std::uint8_t> samples(3 * 4);
  std::vector<std::int16_t> coefficients(3 * 4);
  const cube_view<const std::uint8_t> cube(samples.data(), 2, 2, 3, interleave::bip);
  const planar_view<std::int16_t> planes(coefficients.data(), 2, 2, 3);
  const auto load = [&](const sample_format& format) { codec::load_samples(host{1}, cube, format, planes); };
  CHECK_NOTHROW(load({.depth = 8, .color_transform = true}));
  CHECK_THROWS_WITH_AS(load({.depth = 9}), "samples: a depth of 9 is outside of 1..8", error);
  CHECK_THROWS_AS(load({.depth = 0}), error);
  CHECK_THROWS_AS(load({.depth = 8, .color_transform = true, .color_components = {0, 1, 3}}), error);
  CHECK_THROWS_AS(load({.depth = 8, .color_transform = true, .color_components = {0, -1, 2}}), error);
  CHECK_THROWS_AS(load({.depth = 8, .color_transform = true, .color_components = {0, 2, 2}}), error);
  CHECK_NOTHROW(load({.depth = 8, .color_transform = false, .color_components = {0, 0, 0}}));
  const planar_view<std::int16_t> other(coefficients.data(), 2, 3, 2);
  CHECK_THROWS_WITH_AS(codec::load_samples(host{1}, cube, {}, other),
                       "samples: a picture of 2x2x3 does not fit planes of 2x3x2", error);
  CHECK_THROWS_AS(
      codec::store_samples(host{1}, other, {}, cube_view<std::uint8_t>(samples.data(), 2, 2, 3, interleave::bip)),
      error);
}
