// Masks of polygons, Dice and Hausdorff, against their definitions.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <vector>

#include "tests/oracle/snake_oracle.hpp"
#include "tests/oracle/snake_pictures.hpp"

#include "gpuimg/core/error.hpp"
#include "gpuimg/segment/region_measures.hpp"

using namespace gpuimg;

TEST_SUITE("snake measures") {
  TEST_CASE("a mask holds the pixels that a polygon winds around") {
    oracle::noise_source random(2);
    for (int i = 0; i < 1000; ++i) {
      const int w = 1 + random.below(20);
      const int h = 1 + random.below(20);
      std::vector<oracle::node> nodes(static_cast<std::size_t>(3 + random.below(6)));
      polygon points;
      for (auto& n : nodes) {
        n = {random.below(w + 11) - 5, random.below(h + 11) - 5};
        points.push_back({n.x, n.y});
      }
      const std::size_t pitch = static_cast<std::size_t>(w) + 3;
      std::vector<std::uint8_t> mask(pitch * static_cast<std::size_t>(h), 7);
      fill_polygon(points, {mask.data(), w, h, static_cast<std::int64_t>(pitch)});
      for (int y = 0; y < h; ++y) {
        for (int x = 0; x < static_cast<int>(pitch); ++x) {
          const int value = mask[static_cast<std::size_t>(y) * pitch + static_cast<std::size_t>(x)];
          REQUIRE(value == (x >= w ? 7 : oracle::winding(nodes, x, y) != 0 ? 255 : 0));
        }
      }
    }
  }

  TEST_CASE("Dice and Hausdorff follow their definitions") {
    oracle::noise_source random(4);
    for (int round = 0; round < 300; ++round) {
      const int w = 1 + random.below(13);
      const int h = 1 + random.below(13);
      const int sparse = 2 + random.below(30);
      std::vector<std::uint8_t> a(static_cast<std::size_t>(w * h));
      std::vector<std::uint8_t> b(a.size());
      for (auto& v : a) { v = random.below(sparse) == 0 ? 1 : 0; }
      for (auto& v : b) { v = random.below(sparse) == 0 ? 255 : 0; }
      const auto farthest = [&](const auto& from, const auto& to) {
        double worst = 0;
        for (int i = 0; i < w * h; ++i) {
          if (from[static_cast<std::size_t>(i)] == 0) { continue; }
          double nearest = INFINITY;
          for (int j = 0; j < w * h; ++j) {
            if (to[static_cast<std::size_t>(j)] != 0) {
              nearest = std::min(nearest, std::hypot(i % w - j % w, i / w - j / w));
            }
          }
          worst = std::max(worst, nearest);
        }
        return worst;
      };
      std::int64_t both = 0;
      std::int64_t either = 0;
      for (std::size_t i = 0; i < a.size(); ++i) {
        both += a[i] != 0 && b[i] != 0;
        either += (a[i] != 0) + (b[i] != 0);
      }
      const image_view<const std::uint8_t> first(a.data(), w, h);
      const image_view<const std::uint8_t> second(b.data(), w, h);
      const auto counts = compare_masks(first, second);
      CHECK(counts.both == both);
      CHECK(counts.differing() == either - 2 * both);
      CHECK(counts.dice() == (either == 0 ? 1 : 2.0 * static_cast<double>(both) / static_cast<double>(either)));
      const double expected = std::max(farthest(a, b), farthest(b, a));
      const double ours = hausdorff_distance(first, second);
      CHECK((ours == expected || std::abs(ours - expected) < 1e-9));
    }
  }

  TEST_CASE("masks of different sizes are refused") {
    const std::vector<std::uint8_t> m(20);
    CHECK_THROWS_AS(compare_masks({m.data(), 4, 5}, {m.data(), 5, 4}), error);
    CHECK_THROWS_AS(hausdorff_distance({m.data(), 4, 5}, {m.data(), 5, 4}), error);
  }
}
