// The picture made by code: the same everywhere, by rows in any order.
#include "support/synthetic_picture.hpp"

#include <doctest/doctest.h>

#include "tests/examples/picture_fixtures.hpp"

#include "gpuimg/core/error.hpp"

using namespace gpuimg;
using namespace gpuimg::examples;
using namespace gpuimg::examples::test;

namespace {

bytes make(const picture_format& format, std::uint32_t seed = 1) {
  synthetic_picture source(format, seed);
  bytes result(static_cast<std::size_t>(format.bytes()));
  // From the bottom up: no row may depend on another.
  for (std::int64_t y = format.height - 1; y >= 0; --y) {
    source.make_row(y, std::span(result).subspan(static_cast<std::size_t>(y * format.bytes_per_row())));
  }
  return result;
}

std::uint64_t digest(const bytes& samples) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const std::byte value : samples) hash = (hash ^ std::to_integer<std::uint64_t>(value)) * 0x100000001b3U;
  return hash;
}

}  // namespace

TEST_SUITE("synthetic picture") {
  TEST_CASE("the samples are those of every other machine") {
    CHECK(digest(make({.width = 700, .height = 300, .components = 3, .depth = 8})) == 7105641730940020892U);
    CHECK(digest(make({.width = 129, .height = 1, .components = 1, .depth = 4}, 9)) == 4239225124883351705U);
  }

  TEST_CASE("a smaller picture is a corner of a larger one, a lower depth the upper bits") {
    const bytes large = make({.width = 300, .height = 40, .components = 3, .depth = 8});
    const bytes small = make({.width = 257, .height = 33, .components = 3, .depth = 8});
    const bytes few = make({.width = 300, .height = 40, .components = 3, .depth = 3});
    bool agree = true;
    for (std::size_t y = 0; y < 33; ++y) {
      for (std::size_t i = 0; i < 257 * 3; ++i) agree = agree && large[y * 900 + i] == small[y * 771 + i];
    }
    CHECK(agree);
    for (std::size_t i = 0; i < large.size(); ++i) agree = agree && (large[i] >> 5) == few[i];
    CHECK(agree);
  }

  TEST_CASE("seeds differ, samples spread over the range") {
    const picture_format format{.width = 512, .height = 512, .components = 1, .depth = 8};
    const bytes one = make(format, 1);
    CHECK(one != make(format, 2));
    std::vector<int> counts(256);
    for (const std::byte value : one) ++counts[std::to_integer<std::size_t>(value)];
    CHECK(std::count_if(counts.begin(), counts.end(), [](int n) { return n > 0; }) > 150);
    CHECK(*std::max_element(counts.begin(), counts.end()) < 512 * 512 / 20);
  }

  TEST_CASE("depths up to 32, any number of components, alpha from opaque to transparent") {
    for (const int depth : {1, 9, 16, 17, 32}) {
      const bytes samples = make({.width = 40, .height = 3, .components = 5, .depth = depth});
      CHECK(digest(samples) != digest(bytes(samples.size())));
    }
    const bytes rgba = make({.width = 2, .height = 256, .components = 4, .depth = 8, .has_alpha = true});
    CHECK(rgba[3] == std::byte{255});
    CHECK(rgba[rgba.size() - 1] == std::byte{0});
  }

  TEST_CASE("what cannot be made is refused") {
    CHECK_THROWS_AS(synthetic_picture({.width = 0, .height = 1}), error);
    CHECK_THROWS_AS(synthetic_picture({.width = 1, .height = 1, .components = 1, .depth = 33}), error);
    CHECK_THROWS_AS(synthetic_picture({.width = 1, .height = 1, .is_signed = true}), error);
    synthetic_picture source({.width = 2, .height = 1});
    bytes row(2);
    CHECK_THROWS_AS(source.make_row(1, row), error);
    CHECK_THROWS_AS(source.make_row(-1, row), error);
    CHECK_THROWS_AS(source.make_row(0, std::span(row).first(1)), error);
  }
}
