#include "gpuimg/codec/subband.hpp"

#include <cstddef>
#include <doctest/doctest.h>
#include <vector>

#include "tests/oracle/wavelet.hpp"

using namespace gpuimg;
using codec::orientation;

namespace {

oracle::band oracle_band(orientation o) {
  switch (o) {
    case orientation::hl: return oracle::band::hl;
    case orientation::lh: return oracle::band::lh;
    case orientation::hh: return oracle::band::hh;
    case orientation::ll: break;
  }
  return oracle::band::ll;
}

}  // namespace

TEST_CASE("sub-bands lie where the format says") {
  std::size_t wrong = 0;
  for (std::int64_t width = 0; width <= 33; ++width) {
    for (std::int64_t height = 0; height <= 33; ++height) {
      for (int levels = 0; levels <= 7; ++levels) {
        for (int resolution = 0; resolution <= levels; ++resolution) {
          const int level = resolution == 0 ? levels : levels - resolution + 1;
          for (const auto o : codec::orientations_of_resolution(resolution)) {
            const auto actual = codec::subband(width, height, levels, resolution, o);
            const auto expected = oracle::sub_band_rectangle(width, height, level, oracle_band(o));
            wrong += oracle::rectangle{actual.x, actual.y, actual.width, actual.height} != expected;
          }
        }
      }
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("the sub-bands of all resolutions cover the plane once") {
  for (const int levels : {0, 1, 2, 5, 32}) {
    CAPTURE(levels);
    std::vector<int> covered(37 * 23, 0);
    for (int resolution = 0; resolution <= levels; ++resolution) {
      for (const auto o : codec::orientations_of_resolution(resolution)) {
        const auto s = codec::subband(37, 23, levels, resolution, o);
        for (auto y = s.y; y < s.y + s.height; ++y) {
          for (auto x = s.x; x < s.x + s.width; ++x) { ++covered.at(static_cast<std::size_t>(y * 37 + x)); }
        }
      }
    }
    CHECK(covered == std::vector<int>(37 * 23, 1));
  }
}

TEST_CASE("resolution 0 is LL alone, the others are HL, LH, HH in this order") {
  const auto coarsest = codec::orientations_of_resolution(0);
  REQUIRE(coarsest.size() == 1);
  CHECK(coarsest[0] == orientation::ll);
  const auto finer = codec::orientations_of_resolution(3);
  REQUIRE(finer.size() == 3);
  CHECK(finer[0] == orientation::hl);
  CHECK(finer[1] == orientation::lh);
  CHECK(finer[2] == orientation::hh);
}

TEST_CASE("sizes are halved to one, never to none") {
  CHECK(codec::low_size(std::int64_t{1} << 32, 32) == 1);
  CHECK(codec::low_size((std::int64_t{1} << 32) - 1, 31) == 2);
  CHECK(codec::low_size(1, 32) == 1);
  CHECK(codec::low_size(0, 32) == 0);
  CHECK(codec::low_size(5, 1) + codec::high_size(5) == 5);
}
