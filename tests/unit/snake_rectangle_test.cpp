// The most likely rectangle, against trying every rectangle of the picture.
#include <cstdint>
#include <doctest/doctest.h>
#include <limits>
#include <vector>

#include "tests/oracle/snake_oracle.hpp"
#include "tests/oracle/snake_pictures.hpp"

#include "gpuimg/core/error.hpp"
#include "gpuimg/segment/rectangle_search.hpp"

using namespace gpuimg;

namespace {

/// Samples of two bright boxes on a ground.
std::vector<std::uint8_t> two_boxes(int side, double sigma) {
  oracle::noise_source noise(4);
  std::vector<std::uint8_t> samples;
  for (int y = 0; y < side; ++y) {
    for (int x = 0; x < side; ++x) {
      const bool first = x >= 20 && x < 61 && y >= 33 && y < 70;
      const bool second = x >= 90 && x < 113 && y >= 81 && y < 120;
      samples.push_back(oracle::to_sample<std::uint8_t>(90 + sigma * noise.normal() + (first || second ? 60 : 0)));
    }
  }
  return samples;
}

}  // namespace

TEST_SUITE("snake rectangles") {
  TEST_CASE("on a grid of pixels it is the best of all rectangles") {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      const auto scene = oracle::gaussian_scene<std::uint8_t>(oracle::shape::box, 13, 11, seed);
      const oracle::picture picture{13, 11, {scene.samples.begin(), scene.samples.end()}, std::vector<bool>(143, true)};
      long double best = std::numeric_limits<long double>::infinity();
      for (int x0 = 0; x0 < 13; ++x0) {
        for (int x1 = x0 + 1; x1 <= 13; ++x1) {
          for (int y0 = 0; y0 < 11; ++y0) {
            for (int y1 = y0 + 1; y1 <= 11; ++y1) {
              best = std::min(
                  best, oracle::criterion(picture, {{x0, y0}, {x1, y0}, {x1, y1}, {x0, y1}}, oracle::gaussian_cost));
            }
          }
        }
      }
      const image_view<const std::uint8_t> view(scene.samples.data(), 13, 11);
      const auto found = find_rectangles<gaussian>(host{1}, view, {.columns = 40, .rows = 40});
      REQUIRE(found.size() == 1);
      CHECK(found[0].criterion == doctest::Approx(static_cast<double>(best)).epsilon(1e-12));
      CHECK(find_rectangles<gaussian>(host{3}, view, {.columns = 40, .rows = 40})[0].area == found[0].area);
    }
  }

  TEST_CASE("boxes are found to the pixel, one after the other, from a coarse grid") {
    const auto samples = two_boxes(150, 20);
    const image_view<const std::uint8_t> view(samples.data(), 150, 150);
    const auto found = find_rectangles<gaussian>(host{2}, view, {.columns = 16, .rows = 16, .count = 3});
    REQUIRE(found.size() == 3);
    CHECK(found[0].area == rectangle{20, 33, 41, 37});
    CHECK(found[1].area == rectangle{90, 81, 23, 39});
    CHECK(found[0].criterion < found[1].criterion);
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < i; ++j) { CHECK_FALSE(detail::overlap(found[i].area, found[j].area)); }
    }
  }

  TEST_CASE("there are no more rectangles than there is room for, and none without pixels") {
    const std::vector<std::uint8_t> samples{1, 200, 3, 90};
    const image_view<const std::uint8_t> view(samples.data(), 2, 2);
    CHECK(find_rectangles<gaussian>(host{1}, view, {.count = 50}).size() <= 4);
    const std::vector<float> nothing(16, std::numeric_limits<float>::quiet_NaN());
    CHECK(find_rectangles<gaussian>(host{1}, image_view<const float>(nothing.data(), 4, 4)).empty());
    CHECK_THROWS_AS(find_rectangles<gaussian>(host{1}, view, {.columns = 0}), error);
    CHECK_THROWS_AS(find_rectangles<gaussian>(host{1}, view, {.rows = 256}), error);
    CHECK_THROWS_AS(find_rectangles<gaussian>(host{1}, view, {.count = 0}), error);
    CHECK_THROWS_AS(find_rectangles<gaussian>(host{1}, view.crop(0, 0, 0, 0)), error);
  }
}
