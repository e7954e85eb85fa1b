/// @file
/// Tests of the snake's kernels, for any backend: prefix sums, nodes and criteria equal the host's, bit for bit.
///
/// A backend has, for pictures and starts on the host,
/// - `prefix<Model, Cell>(picture, mask)`: the cells of all rows, width + 1 of each;
/// - `rectangles<Model>(picture, search)`: what is found;
/// - `snakes<Model>(pictures, masks, starts, picture_of_start, parameters)`: the results of one launch.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <doctest/doctest.h>
#include <limits>
#include <vector>

#include "tests/oracle/snake_pictures.hpp"

#include "gpuimg/segment/rectangle_search.hpp"
#include "gpuimg/segment/snake.hpp"

namespace snake_bodies {

using gpuimg::host;
using gpuimg::image_view;
using gpuimg::point;
using gpuimg::polygon;
using gpuimg::rectangle;
using gpuimg::snake_parameters;
using gpuimg::snake_result;
using gpuimg::snake_start;
using oracle::shape;

/// A picture on the host, with a pitch above its width.
template <class T>
struct stored {
  std::vector<T> samples;
  std::vector<std::uint8_t> mask;  ///< empty: none
  int width = 0;
  int height = 0;
  int pitch = 0;

  image_view<const T> view() const {
    return {samples.data(), width, height, pitch * static_cast<std::int64_t>(sizeof(T))};
  }
  image_view<const std::uint8_t> mask_view() const {
    return mask.empty() ? image_view<const std::uint8_t>{} : image_view<const std::uint8_t>{mask.data(), width, height};
  }
};

template <class T>
stored<T> store(const oracle::scene<T>& s, int padding = 0) {
  stored<T> result{{}, {}, s.width, s.height, s.width + padding};
  result.samples.assign(static_cast<std::size_t>(result.pitch * s.height), std::numeric_limits<T>::max());
  for (int y = 0; y < s.height; ++y) {
    for (int x = 0; x < s.width; ++x) {
      result.samples[static_cast<std::size_t>(y * result.pitch + x)] =
          s.samples[static_cast<std::size_t>(y * s.width + x)];
    }
  }
  return result;
}

template <class T>
void hide_some(stored<T>& picture, std::uint64_t seed) {
  oracle::noise_source random(seed);
  picture.mask.resize(static_cast<std::size_t>(picture.width * picture.height));
  for (auto& m : picture.mask) { m = random.below(4) == 0 ? 0 : 1; }
}

inline polygon box(int width, int height) {
  return gpuimg::to_polygon({width / 10, height / 10, width - width / 5, height - height / 5});
}

template <class Model, class Cell, class Backend, class T>
void compare_prefix(Backend& backend, const stored<T>& picture) {
  const auto expected = gpuimg::make_prefix_image<Model, Cell>(host{1}, picture.view(), picture.mask_view());
  const std::vector<Cell> cells = backend.template prefix<Model, Cell>(picture);
  const auto view = expected.view();
  for (int y = 0; y < picture.height; ++y) {
    const Cell* row = cells.data() + static_cast<std::int64_t>(y) * (picture.width + 1);
    REQUIRE(std::memcmp(row, view.row(y), sizeof(Cell) * static_cast<std::size_t>(picture.width + 1)) == 0);
  }
}

template <class Backend>
void prefix_sums(Backend& backend) {
  for (const int width : {1, 31, 32, 33, 127, 128, 129, 300}) {
    CAPTURE(width);
    const auto bytes = store(oracle::gaussian_scene<std::uint8_t>(shape::disc, width, 7, 3, 90), 5);
    compare_prefix<gpuimg::gaussian, gpuimg::compact_cell>(backend, bytes);
    compare_prefix<gpuimg::bernoulli, gpuimg::compact_cell>(backend, bytes);
    auto words = store(oracle::gaussian_scene<std::uint16_t>(shape::disc, width, 5, 3, 30000));
    compare_prefix<gpuimg::poisson, gpuimg::wide_cell>(backend, words);
    hide_some(words, 8);
    compare_prefix<gpuimg::log_normal, gpuimg::masked_cell>(backend, words);
    auto reals = store(oracle::gaussian_scene<float>(shape::disc, width, 6, 3, 1e-3), 1);
    reals.samples[0] = std::numeric_limits<float>::quiet_NaN();
    compare_prefix<gpuimg::gaussian, gpuimg::masked_cell>(backend, reals);
    compare_prefix<gpuimg::gamma_speckle, gpuimg::masked_cell>(backend, reals);
    hide_some(reals, 9);
    compare_prefix<gpuimg::log_normal, gpuimg::masked_cell>(backend, reals);
    reals.samples.assign(reals.samples.size(), std::numeric_limits<float>::quiet_NaN());
    compare_prefix<gpuimg::gaussian, gpuimg::masked_cell>(backend, reals);
  }
}

inline void check_equal(const snake_result& a, const snake_result& b) {
  CHECK(a.nodes == b.nodes);
  CHECK(a.criterion == b.criterion);
  CHECK(a.target.pixels == b.target.pixels);
  CHECK(a.target.mean == b.target.mean);
  CHECK(a.target.variance == b.target.variance);
  CHECK(a.background.pixels == b.background.pixels);
  CHECK(a.iterations == b.iterations);
  CHECK(a.passes == b.passes);
  CHECK(a.crossings == b.crossings);
  CHECK(a.reason == b.reason);
  REQUIRE(a.trace.size() == b.trace.size());
  for (std::size_t i = 0; i < a.trace.size(); ++i) {
    CHECK(a.trace[i].step == b.trace[i].step);
    CHECK(a.trace[i].row_stride == b.trace[i].row_stride);
    CHECK(a.trace[i].moves == b.trace[i].moves);
    CHECK(a.trace[i].nodes == b.trace[i].nodes);
    CHECK(a.trace[i].criterion == b.trace[i].criterion);
  }
}

template <class Model, class Backend, class T>
void compare_snakes(Backend& backend, const std::vector<stored<T>>& pictures, const std::vector<snake_start>& starts,
                    const std::vector<std::int32_t>& picture_of_start, const snake_parameters& parameters = {},
                    const Model& model = {}) {
  const auto found = backend.template snakes<Model>(pictures, starts, picture_of_start, parameters, model);
  REQUIRE(found.size() == starts.size());
  for (std::size_t i = 0; i < starts.size(); ++i) {
    CAPTURE(i);
    const auto& picture = pictures[static_cast<std::size_t>(picture_of_start[i])];
    check_equal(found[i],
                gpuimg::snake<Model>(host{1}, picture.view(), starts[i], parameters, picture.mask_view(), model));
  }
}

template <class Model, class Backend, class T>
void compare_one(Backend& backend, const stored<T>& picture, const polygon& start,
                 const snake_parameters& parameters = {}, const Model& model = {}) {
  compare_snakes<Model>(backend, std::vector{picture}, {{start, {}}}, {0}, parameters, model);
}

/// Every layout of cells and every encoding but the binary one, by few models: each is a kernel to compile.
template <class Backend>
void models(Backend& backend, int side) {
  const auto bytes = store(oracle::gaussian_scene<std::uint8_t>(shape::star, side, side - 3), 3);
  compare_one<gpuimg::gaussian>(backend, bytes, box(side, side - 3));
  compare_one<gpuimg::log_normal>(backend, bytes, box(side, side - 3));
  const auto speckle = store(oracle::make_scene<std::uint16_t>(
      shape::disc, side, side, 5, [](auto& n, bool in) { return n.gamma(3) * (in ? 9000 : 3000); }));
  compare_one<gpuimg::gamma_speckle>(backend, speckle, box(side, side), {}, gpuimg::gamma_speckle{3});
  auto reals = store(oracle::make_scene<float>(shape::star, side, side, 7,
                                               [](auto& n, bool in) { return 1e-4 * (n.normal() + (in ? 2 : 0)); }));
  compare_one<gpuimg::gaussian>(backend, reals, box(side, side));
  reals.samples[5000] = std::numeric_limits<float>::quiet_NaN();
  hide_some(reals, 3);
  compare_one<gpuimg::gaussian>(backend, reals, box(side, side));
}

/// The models and sample types that are left.
template <class Backend>
void more_models(Backend& backend, int side) {
  const auto bytes = store(oracle::gaussian_scene<std::uint8_t>(shape::star, side, side - 3), 3);
  compare_one<gpuimg::poisson>(backend, bytes, box(side, side - 3));
  compare_one<gpuimg::rayleigh>(backend, bytes, box(side, side - 3));
  const auto shorts = store(oracle::make_scene<std::int16_t>(
      shape::concave, side, side, 4, [](auto& n, bool in) { return 500 * n.normal() - (in ? 900 : 0); }));
  compare_one<gpuimg::gaussian>(backend, shorts, box(side, side));
  const auto binary = store(oracle::make_scene<std::uint8_t>(
      shape::disc, side, side, 6, [](auto& n, bool in) { return n.uniform() < (in ? 0.8 : 0.3); }));
  compare_one<gpuimg::bernoulli>(backend, binary, box(side, side));
}

template <class Model, class Backend, class T>
void compare_rectangles(Backend& backend, const stored<T>& picture, const gpuimg::rectangle_search& search) {
  const auto expected = gpuimg::find_rectangles<Model>(host{1}, picture.view(), search, picture.mask_view());
  const auto found = backend.template rectangles<Model>(picture, search);
  REQUIRE(found.size() == expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    CHECK(found[i].area == expected[i].area);
    CHECK(found[i].criterion == expected[i].criterion);
  }
}

/// The search for rectangles.
template <class Backend>
void rectangles(Backend& backend, std::int32_t lines) {
  const auto bytes = store(oracle::gaussian_scene<std::uint8_t>(shape::box, 75, 61), 3);
  compare_rectangles<gpuimg::gaussian>(backend, bytes, {.columns = lines, .rows = lines + 1, .count = 3});
  auto reals = store(oracle::gaussian_scene<float>(shape::concave, 50, 70, 4));
  reals.samples[77] = std::numeric_limits<float>::quiet_NaN();
  compare_rectangles<gpuimg::gaussian>(backend, reals, {.columns = lines, .rows = lines});
  reals.samples.assign(reals.samples.size(), std::numeric_limits<float>::quiet_NaN());
  compare_rectangles<gpuimg::gaussian>(backend, reals, {.columns = lines, .rows = lines, .count = 2});
  const auto pixel = store(oracle::make_scene<std::uint8_t>(shape::disc, 2, 1, 1, [](auto&, bool) { return 9; }));
  compare_rectangles<gpuimg::gaussian>(backend, pixel, {.count = 9});
}

/// Parameters and starts that take other ways through the kernel.
template <class Backend>
void parameters(Backend& backend, int side) {
  const auto picture = store(oracle::gaussian_scene<std::uint8_t>(shape::star, side, side));
  const polygon triangle{{side / 2, 2}, {side - 3, side - 5}, {4, side - 9}};
  const polygon five{{side / 2, 2}, {side - 3, side / 3}, {side - 20, side - 9}, {20, side - 9}, {3, side / 3}};
  compare_one<gpuimg::gaussian>(backend, picture, triangle);
  compare_one<gpuimg::gaussian>(backend, picture, polygon(triangle.rbegin(), triangle.rend()));
  compare_one<gpuimg::gaussian>(backend, picture, five);
  compare_one<gpuimg::gaussian>(backend, picture, box(side, side), {.prune = true});
  compare_one<gpuimg::gaussian>(backend, picture, five, {.prune = true});
  compare_one<gpuimg::gaussian>(backend, picture, box(side, side), {.coarse_rows = false});
  compare_one<gpuimg::gaussian>(backend, picture, box(side, side), {.refine = false});
  compare_one<gpuimg::gaussian>(backend, picture, box(side, side), {.first_step = side / 8, .longest_edge = 5});
  compare_one<gpuimg::gaussian>(backend, picture, box(side, side), {.threshold = 0});
  compare_one<gpuimg::gaussian>(backend, picture, box(side, side), {.max_iterations = 3});
  compare_one<gpuimg::gaussian>(backend, picture, box(side, side), {.max_passes = 2});
  compare_one<gpuimg::gaussian>(backend, picture, five, {.max_nodes = 21});
  const auto flat = store(oracle::make_scene<std::uint8_t>(shape::disc, side, side, 1, [](auto&, bool) { return 9; }));
  compare_one<gpuimg::gaussian>(backend, flat, box(side, side));
  const auto nothing =
      store(oracle::make_scene<float>(shape::disc, 20, 20, 1, [](auto&, bool) { return std::nan(""); }));
  compare_one<gpuimg::gaussian>(backend, nothing, box(20, 20));
  const auto pixel = store(oracle::make_scene<std::uint8_t>(shape::disc, 1, 1, 1, [](auto&, bool) { return 9; }));
  compare_one<gpuimg::gaussian>(backend, pixel, gpuimg::to_polygon({0, 0, 1, 1}));
}

/// Snakes that begin with, or come to, more nodes than a block of up to 256 threads has shared memory for.
template <class Backend>
void many_nodes(Backend& backend, int side) {
  const auto picture = store(oracle::gaussian_scene<std::uint8_t>(shape::star, side, side, 6));
  compare_one<gpuimg::gaussian>(backend, picture, box(side, side), {.longest_edge = 2, .max_iterations = 9});
  compare_one<gpuimg::gaussian>(backend, picture, box(side, side),
                                {.longest_edge = 2, .max_iterations = 9, .prune = true});
  polygon frame;
  for (int x = 4; x < side - 4; ++x) { frame.push_back({x, 4}); }
  for (int y = 4; y < side - 4; ++y) { frame.push_back({side - 4, y}); }
  for (int x = side - 4; x > 4; --x) { frame.push_back({x, side - 4}); }
  for (int y = side - 4; y > 4; --y) { frame.push_back({4, y}); }
  compare_one<gpuimg::gaussian>(backend, picture, frame, {.max_iterations = 4});
}

/// Several starts on several pictures in one launch.
template <class Backend>
void batch(Backend& backend, int side, int starts_per_picture) {
  std::vector<stored<std::uint8_t>> pictures;
  std::vector<snake_start> starts;
  std::vector<std::int32_t> picture_of_start;
  for (int p = 0; p < 3; ++p) {
    pictures.push_back(store(
        oracle::gaussian_scene<std::uint8_t>(static_cast<shape>(p), side, side, 20 + static_cast<std::uint64_t>(p))));
    for (int i = 0; i < starts_per_picture; ++i) {
      starts.push_back({gpuimg::to_polygon({8 + i % 5, 10, side - 30, side - 24}), {i % 8, 4, side - 9, side - 4}});
      picture_of_start.push_back(p);
    }
  }
  compare_snakes<gpuimg::gaussian>(backend, pictures, starts, picture_of_start, {.max_nodes = 300});
}

}  // namespace snake_bodies
