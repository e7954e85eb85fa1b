// What must not change a snake: where the picture stands, its units, its masked pixels (field cases FC-63, FC-64).
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <limits>
#include <vector>

#include "tests/oracle/snake_pictures.hpp"

#include "gpuimg/segment/region_measures.hpp"
#include "gpuimg/segment/snake.hpp"

using namespace gpuimg;
using oracle::shape;

namespace {

constexpr int side = 256;
constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

template <class Model, class T>
snake_result find(const std::vector<T>& samples, const image_view<const std::uint8_t>& mask = {}) {
  return snake<Model>(host{1}, image_view<const T>(samples.data(), side, side), rectangle{26, 26, 205, 205}, {}, mask);
}

double dice_of(const polygon& a, const polygon& b) {
  std::vector<std::uint8_t> first(side * side);
  std::vector<std::uint8_t> second(side * side);
  fill_polygon(a, {first.data(), side, side});
  fill_polygon(b, {second.data(), side, side});
  return compare_masks({first.data(), side, side}, {second.data(), side, side}).dice();
}

template <class T, class U, class Change>
std::vector<U> changed(const std::vector<T>& samples, const Change& change) {
  std::vector<U> result;
  for (const T v : samples) { result.push_back(static_cast<U>(change(v))); }
  return result;
}

}  // namespace

TEST_SUITE("snake invariance") {
  TEST_CASE("a turned or transposed picture has the turned or transposed target") {
    const auto scene = oracle::gaussian_scene<std::uint8_t>(shape::star, side, side);
    const auto plain = find<gaussian>(scene.samples);
    std::vector<std::uint8_t> transposed(scene.samples.size());
    std::vector<std::uint8_t> turned(scene.samples.size());
    for (int y = 0; y < side; ++y) {
      for (int x = 0; x < side; ++x) {
        const auto v = scene.samples[static_cast<std::size_t>(y * side + x)];
        transposed[static_cast<std::size_t>(x * side + y)] = v;
        turned[static_cast<std::size_t>(x * side + (side - 1 - y))] = v;
      }
    }
    polygon back;
    for (const auto& p : find<gaussian>(transposed).nodes) { back.push_back({p.y, p.x}); }
    CHECK(dice_of(plain.nodes, back) > 0.975);
    back.clear();
    for (const auto& p : find<gaussian>(turned).nodes) { back.push_back({p.y, side - p.x}); }
    CHECK(dice_of(plain.nodes, back) > 0.975);
  }

  TEST_CASE("a constant added to a Gaussian picture changes nothing") {
    const auto scene = oracle::gaussian_scene<std::uint16_t>(shape::concave, side, side);
    const auto plain = find<gaussian>(scene.samples);
    const auto moved =
        find<gaussian>(changed<std::uint16_t, std::uint16_t>(scene.samples, [](int v) { return v + 60000; }));
    CHECK(plain.nodes == moved.nodes);
    CHECK(plain.criterion == moved.criterion);
    CHECK(moved.target.mean == doctest::Approx(plain.target.mean + 60000));
    CHECK(moved.target.variance == doctest::Approx(plain.target.variance).epsilon(1e-5));
    const auto negative =
        find<gaussian>(changed<std::uint16_t, std::int16_t>(scene.samples, [](int v) { return v - 20000; }));
    CHECK(plain.nodes == negative.nodes);
  }

  TEST_CASE("a scaled speckle picture has the same target") {
    const auto scene = oracle::make_scene<std::uint16_t>(
        shape::star, side, side, 3, [](auto& n, bool in) { return 1 + n.gamma(2) * (in ? 800 : 300); });
    const auto plain = find<gamma_speckle>(scene.samples);
    const auto scaled =
        find<gamma_speckle>(changed<std::uint16_t, std::uint16_t>(scene.samples, [](int v) { return v * 4; }));
    CHECK(plain.nodes == scaled.nodes);
    const double logarithm = std::log(4.0) * side * side;
    CHECK(scaled.criterion == doctest::Approx(plain.criterion + logarithm).epsilon(1e-9));
  }

  TEST_CASE("FC-64: parameters do not depend on the range of values") {
    const auto scene = oracle::gaussian_scene<std::uint8_t>(shape::disc, side, side);
    const auto bytes = find<gaussian>(scene.samples);
    const auto wide = find<gaussian>(changed<std::uint8_t, float>(scene.samples, [](int v) { return v; }));
    const auto unit = find<gaussian>(changed<std::uint8_t, float>(scene.samples, [](int v) { return v / 255.0; }));
    const auto tiny =
        find<gaussian>(changed<std::uint8_t, float>(scene.samples, [](int v) { return (v - 90) * 1e-30; }));
    for (const auto* other : {&unit, &tiny, &bytes}) {
      CHECK(dice_of(wide.nodes, other->nodes) > 0.999);
      CHECK(other->reason == stop_reason::converged);
    }
    CHECK(unit.target.mean * 255 == doctest::Approx(wide.target.mean).epsilon(1e-3));
    CHECK(unit.target.variance * 255 * 255 == doctest::Approx(wide.target.variance).epsilon(1e-2));
    const auto speckle = oracle::make_scene<float>(shape::disc, side, side, 3,
                                                   [](auto& n, bool in) { return n.gamma(2) * (in ? 2 : 1); });
    const auto one = find<gamma_speckle>(speckle.samples);
    const auto many = find<gamma_speckle>(changed<float, float>(speckle.samples, [](float v) { return v * 1e6f; }));
    CHECK(dice_of(one.nodes, many.nodes) > 0.999);
  }

  TEST_CASE("FC-63: NaN pixels are left out of the statistics") {
    std::vector<float> samples(48, 1.0f);
    for (const std::size_t i : {9u, 20u, 30u}) { samples[i] = not_a_number; }
    const image_view<const float> view(samples.data(), 8, 6);
    const auto whole = snake<gaussian>(host{1}, view, rectangle{0, 0, 8, 6}, {.threshold = 1e9, .max_iterations = 1});
    CHECK(whole.target.pixels == 45);
    CHECK(whole.target.mean == 1);
    CHECK(whole.target.variance == 0);
    CHECK(whole.background.pixels == 0);
    CHECK(std::isfinite(whole.criterion));

    const std::vector<float> nothing(48, not_a_number);
    const auto lost = snake<gaussian>(host{1}, image_view<const float>(nothing.data(), 8, 6), rectangle{1, 1, 4, 4});
    CHECK(lost.reason == stop_reason::no_target);
    CHECK(lost.nodes == to_polygon({1, 1, 4, 4}));
    CHECK(lost.target.pixels == 0);
    CHECK(lost.criterion == 0);
  }

  TEST_CASE("NaN, a mask and samples outside of the law hide pixels alike") {
    auto scene = oracle::make_scene<float>(shape::disc, side, side, 5,
                                           [](auto& n, bool in) { return n.gamma(3) * (in ? 2 : 1); });
    oracle::noise_source random(9);
    std::vector<std::uint8_t> mask(scene.samples.size(), 1);
    auto holes = scene.samples;
    auto negative = scene.samples;
    auto flooded = scene.samples;
    for (std::size_t i = 0; i < mask.size(); ++i) {
      if (random.below(4) != 0) { continue; }
      mask[i] = 0;
      holes[i] = i % 2 == 0 ? not_a_number : std::numeric_limits<float>::infinity();
      negative[i] = -1;
      flooded[i] = 1e9f;
    }
    const image_view<const std::uint8_t> view(mask.data(), side, side);
    const auto by_nan = find<gamma_speckle>(holes);
    for (const auto& other : {find<gamma_speckle>(negative), find<gamma_speckle>(flooded, view)}) {
      CHECK(by_nan.nodes == other.nodes);
      CHECK(by_nan.criterion == other.criterion);
      CHECK(by_nan.target.pixels == other.target.pixels);
    }
    CHECK(dice_of(by_nan.nodes, find<gamma_speckle>(scene.samples).nodes) > 0.97);
  }

  TEST_CASE("no-data pixels around a picture do not attract the snake") {
    auto scene = oracle::gaussian_scene<std::uint8_t>(shape::disc, side, side);
    std::vector<std::uint8_t> mask(scene.samples.size(), 1);
    for (std::size_t i = 0; i < mask.size(); ++i) {
      if (i % side < 60) {
        scene.samples[i] = 0;
        mask[i] = 0;
      }
    }
    const auto found = find<gaussian>(scene.samples, {mask.data(), side, side});
    std::vector<std::uint8_t> filled(mask.size());
    fill_polygon(found.nodes, {filled.data(), side, side});
    std::int64_t wrong = 0;
    for (std::size_t i = 0; i < mask.size(); ++i) {
      wrong += mask[i] != 0 && (filled[i] != 0) != (scene.truth[i] != 0);
    }
    CHECK(wrong < side * side / 100);
  }

  TEST_CASE("flat pictures, and pictures without noise, end in a result") {
    const std::vector<std::uint8_t> flat(side * side, 77);
    const auto nothing = find<gaussian>(flat);
    CHECK(nothing.reason == stop_reason::converged);
    CHECK(std::isfinite(nothing.criterion));
    auto clean =
        oracle::make_scene<std::uint8_t>(shape::concave, side, side, 1, [](auto&, bool in) { return in ? 200 : 50; });
    const auto found = find<gaussian>(clean.samples);
    std::vector<std::uint8_t> mask(clean.truth.size());
    fill_polygon(found.nodes, {mask.data(), side, side});
    CHECK(compare_masks({mask.data(), side, side}, {clean.truth.data(), side, side}).dice() > 0.99);
    const std::vector<float> level(side * side, 3.5f);
    CHECK(find<gaussian>(level).reason == stop_reason::converged);
    CHECK(find<log_normal>(std::vector<std::uint8_t>(side * side, 0)).reason == stop_reason::no_target);
  }

  TEST_CASE("pictures of one pixel, row or column are taken") {
    const std::vector<std::uint8_t> samples{1, 2, 3, 200, 220, 210, 3, 2, 1};
    for (const auto& [w, h] : {std::pair(1, 1), std::pair(9, 1), std::pair(1, 9)}) {
      const image_view<const std::uint8_t> view(samples.data(), w, h);
      const auto found = snake<gaussian>(host{1}, view, rectangle{0, 0, w, h});
      CHECK(found.nodes.size() >= 3);
      CHECK(found.target.pixels + found.background.pixels == w * h);
    }
  }
}
