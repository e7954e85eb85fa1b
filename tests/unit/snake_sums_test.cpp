// Prefix images and contour sums, against filling pixel by pixel.
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <limits>
#include <vector>

#include "tests/oracle/snake_oracle.hpp"
#include "tests/oracle/snake_pictures.hpp"

#include "gpuimg/core/error.hpp"
#include "gpuimg/segment/noise_model.hpp"
#include "gpuimg/segment/prefix_image.hpp"
#include "gpuimg/segment/region_sums.hpp"

using namespace gpuimg;

namespace {

template <class T>
T random_sample(oracle::noise_source& random) {
  return static_cast<T>(random.word());
}

template <class T>
struct random_picture {
  random_picture(int w, int h, std::uint64_t seed) : oracle_form{w, h, {}, {}} {
    oracle::noise_source random(seed);
    for (int i = 0; i < w * h; ++i) {
      samples.push_back(random_sample<T>(random));
      mask.push_back(random.below(3) == 0 ? 0 : 255);
      oracle_form.value.push_back(samples.back());
    }
    oracle_form.counts.assign(samples.size(), true);
  }
  image_view<const T> view() const { return {samples.data(), oracle_form.width, oracle_form.height}; }
  image_view<const std::uint8_t> mask_view() const { return {mask.data(), oracle_form.width, oracle_form.height}; }

  std::vector<T> samples;
  std::vector<std::uint8_t> mask;
  oracle::picture oracle_form;
};

std::vector<oracle::node> random_polygon(oracle::noise_source& random, int w, int h) {
  std::vector<oracle::node> nodes(static_cast<std::size_t>(3 + random.below(10)));
  for (auto& n : nodes) { n = {random.below(w + 1), random.below(h + 1)}; }
  return nodes;
}

polygon to_points(const std::vector<oracle::node>& nodes) {
  polygon result;
  for (const auto& n : nodes) { result.push_back({n.x, n.y}); }
  return result;
}

oracle::sums plain(const region_sums& s) { return {s.count, s.sum, s.square}; }

/// Random polygons, most of which cross themselves.
template <class Cell, class T>
void check_polygons(int count, bool masked) {
  oracle::noise_source random(7);
  for (int i = 0; i < count; ++i) {
    const int w = 1 + random.below(14);
    const int h = 1 + random.below(14);
    random_picture<T> picture(w, h, static_cast<std::uint64_t>(i) + 1);
    if (masked) {
      for (std::size_t k = 0; k < picture.mask.size(); ++k) { picture.oracle_form.counts[k] = picture.mask[k] != 0; }
    }
    const auto prefix = make_prefix_image<gaussian, Cell>(
        host{1}, picture.view(), masked ? picture.mask_view() : image_view<const std::uint8_t>{});
    const auto view = static_cast<const prefix_image<Cell>&>(prefix).view();
    const auto nodes = random_polygon(random, w, h);
    const auto points = to_points(nodes);
    const row_sampling rows{1 + random.below(3), random.below(3)};
    const auto n = static_cast<std::int64_t>(points.size());
    REQUIRE(plain(polygon_sums(view, points.data(), n)) == oracle::polygon_sums(picture.oracle_form, nodes));
    REQUIRE(plain(polygon_sums(view, points.data(), n, rows)) ==
            oracle::polygon_sums(picture.oracle_form, nodes, rows.stride, rows.phase));
  }
}

}  // namespace

TEST_SUITE("snake sums") {
  TEST_CASE("sums over 10 000 random polygons equal a winding fill") {
    check_polygons<compact_cell, std::uint8_t>(4000, false);
    check_polygons<wide_cell, std::uint16_t>(3000, false);
    check_polygons<wide_cell, std::int16_t>(1000, false);
    check_polygons<masked_cell, std::uint8_t>(1000, true);
    check_polygons<masked_cell, std::uint16_t>(1000, true);
  }

  TEST_CASE("the shares of an edge add up to it") {
    random_picture<std::uint8_t> picture(40, 50, 3);
    const auto prefix = make_prefix_image<gaussian, compact_cell>(host{2}, picture.view());
    const prefix_view<const compact_cell> view = static_cast<const prefix_image<compact_cell>&>(prefix).view();
    oracle::noise_source random(5);
    for (int i = 0; i < 500; ++i) {
      const point a{random.below(41), random.below(51)};
      const point b{random.below(41), random.below(51)};
      const row_sampling rows{1 + random.below(4), random.below(4)};
      const int parts = 1 + random.below(40);
      region_sums sums;
      for (int part = 0; part < parts; ++part) { sums += edge_sums(view, rows, a, b, part, parts); }
      CHECK(sums == edge_sums(view, rows, a, b));
      CHECK(edge_sums(view, rows, b, a) == region_sums{} - sums);
    }
  }

  TEST_CASE("a rectangle's sums are those of its polygon") {
    random_picture<std::int16_t> picture(17, 23, 9);
    const auto prefix = make_prefix_image<gaussian, wide_cell>(host{1}, picture.view());
    const prefix_view<const wide_cell> view = static_cast<const prefix_image<wide_cell>&>(prefix).view();
    for (const rectangle& r : {rectangle{0, 0, 17, 23}, rectangle{3, 4, 5, 6}, rectangle{16, 22, 1, 1}}) {
      const auto nodes = to_polygon(r);
      CHECK(rectangle_sums(view, r) == polygon_sums(view, nodes.data(), 4));
      CHECK(rectangle_sums(view, r, {3, 1}) == polygon_sums(view, nodes.data(), 4, {3, 1}));
      CHECK(rectangle_sums(view, r).count == std::int64_t{r.width} * r.height);
    }
  }

  TEST_CASE("crossings are exact in the widest pictures") {
    const std::int64_t side = max_snake_side;
    oracle::noise_source random(11);
    for (int i = 0; i < 20000; ++i) {
      const auto d = 1 + static_cast<std::int64_t>(random.word() % static_cast<std::uint64_t>(side));
      const auto q = static_cast<std::int64_t>(random.word() % static_cast<std::uint64_t>(2 * side)) - side;
      const std::int64_t remainder = i % 3 == 0 ? 0 : i % 3 == 1 ? d - 1 : 1 % d;
      CHECK(detail::floor_quotient(q * d + remainder, d) == q);
    }
    for (int i = 0; i < 200000; ++i) {
      const int bits = 1 + random.below(25);  // of the height: short edges matter as much as long ones
      const std::int32_t d = 1 + random.below(1 << bits);
      const std::int32_t a = random.below(d + 1);
      const std::int32_t b = random.below(2 << 25) - (1 << 25);
      const detail::floor_division divided(a, b, d, detail::near_reciprocal(d));
      CHECK(std::int64_t{divided.quotient} * d + divided.remainder == std::int64_t{a} * b);
      CHECK(divided.remainder >= 0);
      CHECK(divided.remainder < d);
    }
  }

  TEST_CASE("sums of the largest samples do not overflow") {
    const std::vector<std::uint8_t> row(66051, 255);
    const auto compact =
        make_prefix_image<gaussian, compact_cell>(host{1}, image_view<const std::uint8_t>(row.data(), 66051, 1));
    CHECK(compact.view().prefix(66051, 0) == region_sums{66051, 66051 * 255, 66051ll * 255 * 255});
    const std::vector<std::uint16_t> deep(100000, 65535);
    const auto wide =
        make_prefix_image<gaussian, wide_cell>(host{1}, image_view<const std::uint16_t>(deep.data(), 100000, 1));
    CHECK(wide.view().prefix(100000, 0) == region_sums{100000, 100000ll * 65535, 100000ll * 65535 * 65535});
  }

  TEST_CASE("rows too long for compact cells, empty pictures and other masks are refused") {
    const std::vector<std::uint8_t> row(66052, 255);
    const image_view<const std::uint8_t> view(row.data(), 66052, 1);
    CHECK_THROWS_AS((make_prefix_image<gaussian, compact_cell>(host{1}, view)), error);
    CHECK_THROWS_AS((make_prefix_image<gaussian, compact_cell>(host{1}, view.crop(0, 0, 0, 1))), error);
    CHECK_THROWS_AS((make_prefix_image<gaussian, masked_cell>(host{1}, view, view.crop(0, 0, 5, 1))), error);
    CHECK_NOTHROW(make_prefix_image<gaussian, masked_cell>(host{1}, view));
  }

  TEST_CASE("edges that cross are told from those that touch") {
    CHECK(segments_cross({0, 0}, {4, 4}, {0, 4}, {4, 0}));
    CHECK_FALSE(segments_cross({0, 0}, {4, 4}, {4, 4}, {8, 0}));
    CHECK_FALSE(segments_cross({0, 0}, {4, 4}, {2, 2}, {8, 0}));
    CHECK_FALSE(segments_cross({0, 0}, {4, 0}, {1, 0}, {3, 0}));
    CHECK_FALSE(segments_cross({0, 0}, {4, 4}, {5, 0}, {9, 4}));
  }

  TEST_CASE("length, area and box of a polygon") {
    const polygon triangle{{0, 0}, {4, 0}, {4, 3}};
    CHECK(contour_length(triangle) == doctest::Approx(12));
    CHECK(doubled_area(triangle) == 12);
    CHECK(doubled_area({{0, 0}, {4, 3}, {4, 0}}) == -12);
    CHECK(bounding_box(triangle) == rectangle{0, 0, 4, 3});
    CHECK(bounding_box({}) == rectangle{});
    CHECK(doubled_area(to_polygon({2, 3, 5, 7})) == 70);
  }
}
