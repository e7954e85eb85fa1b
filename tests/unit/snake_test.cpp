// The region snake: against the obvious one, on known targets, and what it refuses.
#include "gpuimg/segment/snake.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <limits>
#include <string>
#include <vector>

#include "tests/oracle/snake_oracle.hpp"
#include "tests/oracle/snake_pictures.hpp"

#include "gpuimg/core/error.hpp"
#include "gpuimg/segment/region_measures.hpp"

using namespace gpuimg;
using oracle::shape;

namespace {

template <class T>
image_view<const T> view_of(const oracle::scene<T>& s) {
  return {s.samples.data(), s.width, s.height};
}

rectangle inset(int width, int height) { return {width / 10, height / 10, width - width / 5, height - height / 5}; }

template <class T>
mask_agreement agreement(const oracle::scene<T>& s, const polygon& nodes) {
  std::vector<std::uint8_t> mask(s.truth.size());
  fill_polygon(nodes, {mask.data(), s.width, s.height});
  return compare_masks({mask.data(), s.width, s.height}, {s.truth.data(), s.width, s.height});
}

/// Wrong pixels, in parts of the target.
template <class T>
double error_of(const oracle::scene<T>& s, const polygon& nodes) {
  const auto counts = agreement(s, nodes);
  return static_cast<double>(counts.differing()) / static_cast<double>(counts.second);
}

/// @param most  of wrong pixels, in parts of the target, but for the star's: its contour is long
template <class Model, class T, class Draw>
void check_shapes(const char* name, double most_of_star, const Draw& draw, const Model& model = {}) {
  for (const auto kind : {shape::disc, shape::star, shape::box, shape::concave}) {
    CAPTURE(std::string(name));
    CAPTURE(static_cast<int>(kind));
    const auto scene = oracle::make_scene<T>(kind, 512, 512, 11, draw);
    const auto found = snake<Model>(host{1}, view_of(scene), inset(512, 512), {}, {}, model);
    CHECK(found.reason == stop_reason::converged);
    CHECK(found.crossings == 0);
    CHECK(error_of(scene, found.nodes) < (kind == shape::star ? most_of_star : 0.01));
  }
}

template <class T>
oracle::picture to_oracle(const oracle::scene<T>& s) {
  oracle::picture p{s.width, s.height, {}, std::vector<bool>(s.samples.size(), true)};
  p.value.assign(s.samples.begin(), s.samples.end());
  return p;
}

/// Whether the criterion of the contour found in a star is below that of the true mask.
template <class Model, class Draw>
void check_likelier(const Draw& draw, const oracle::region_cost& cost) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const auto scene = oracle::make_scene<std::uint16_t>(shape::star, 512, 512, seed, draw);
    const auto found = snake<Model>(host{1}, view_of(scene), inset(512, 512));
    oracle::sums in;
    oracle::sums out;
    for (std::size_t i = 0; i < scene.samples.size(); ++i) {
      auto& s = scene.truth[i] != 0 ? in : out;
      s = {s.n + 1, s.s + scene.samples[i], s.q + std::int64_t{scene.samples[i]} * scene.samples[i]};
    }
    CHECK(found.criterion < static_cast<double>(cost(in) + cost(out)));
  }
}

template <class Model, class T>
void compare_with_oracle(const oracle::scene<T>& s, const oracle::region_cost& cost, const polygon& start,
                         int longest_edge = 6) {
  snake_parameters parameters;
  parameters.first_step = 4;
  parameters.longest_edge = longest_edge;
  const auto found = snake<Model>(host{1}, view_of(s), start, parameters);
  const auto picture = to_oracle(s);
  std::vector<oracle::node> nodes;
  for (const auto& p : start) { nodes.push_back({p.x, p.y}); }
  const auto expected = oracle::snake(picture, cost, parameters.threshold).run(nodes, 4, longest_edge);
  std::vector<oracle::node> ours;
  for (const auto& p : found.nodes) { ours.push_back({p.x, p.y}); }
  CHECK(ours == expected);
  CHECK(found.criterion ==
        doctest::Approx(static_cast<double>(oracle::criterion(picture, expected, cost))).epsilon(1e-12));
}

errc code_of(const auto& call) {
  try {
    call();
  } catch (const error& e) {
    CHECK(std::string(e.what()).starts_with("snake: "));
    return e.code();
  }
  FAIL("no error");
  return errc::io;
}

}  // namespace

TEST_SUITE("snake") {
  TEST_CASE("the obvious snake, which fills every polygon it tries, finds the same nodes") {
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
      const int side = 24 + static_cast<int>(seed);
      const auto bright = oracle::gaussian_scene<std::uint8_t>(static_cast<shape>(seed % 4), side, side + 3, seed);
      compare_with_oracle<gaussian>(bright, oracle::gaussian_cost, to_polygon(inset(side, side)), 17);
      compare_with_oracle<poisson>(bright, oracle::poisson_cost, to_polygon(inset(side, side)));
      compare_with_oracle<rayleigh>(bright, oracle::rayleigh_cost, {{4, 2}, {20, 5}, {18, 21}});
      const auto speckle = oracle::make_scene<std::uint16_t>(
          shape::disc, side, side, seed, [](auto& noise, bool in) { return noise.exponential() * (in ? 900 : 300); });
      compare_with_oracle<gamma_speckle>(speckle, oracle::exponential_cost,
                                         {{2, 2}, {20, 3}, {21, 20}, {9, 22}, {3, 18}});
    }
  }

  TEST_CASE("targets of all shapes are found where their contrast is that of the noise") {
    check_shapes<gaussian, std::uint8_t>("gaussian", 0.01,
                                         [](auto& n, bool in) { return 100 + 30 * n.normal() + (in ? 30 : 0); });
    check_shapes<gaussian, float>("gaussian f32", 0.01,
                                  [](auto& n, bool in) { return -3 + n.normal() - (in ? 1 : 0); });
    check_shapes<gaussian, std::int16_t>("gaussian i16", 0.01,
                                         [](auto& n, bool in) { return 500 * n.normal() - (in ? 500 : 0); });
    check_shapes<poisson, std::uint8_t>("poisson", 0.01, [](auto& n, bool in) { return n.poisson(in ? 16 : 11.5); });
    check_shapes<bernoulli, std::uint8_t>("bernoulli", 0.01,
                                          [](auto& n, bool in) { return n.uniform() < (in ? 0.758 : 0.3); });
    check_shapes<log_normal, float>("log-normal", 0.01,
                                    [](auto& n, bool in) { return std::exp(0.7 * (n.normal() + (in ? 1 : 0))); });
    // Twice the mean is a contrast of one standard deviation of the ground, but noise grows with the mean: a pixel
    // tells target from ground by 0.25 nats, where a Gaussian one does by 0.5.
    check_shapes<gamma_speckle, std::uint16_t>("exponential", 0.02,
                                               [](auto& n, bool in) { return n.exponential() * (in ? 2000 : 1000); });
    check_shapes<gamma_speckle, float>(
        "gamma of 4 looks", 0.015, [](auto& n, bool in) { return n.gamma(4) * (in ? 1.5 : 1); }, gamma_speckle{4});
    check_shapes<rayleigh, std::uint16_t>(
        "rayleigh", 0.015, [](auto& n, bool in) { return std::sqrt(2 * n.exponential()) * (in ? 1523 : 1000); });
  }

  TEST_CASE("speckled targets of all shapes are found where a pixel tells as much as at a Gaussian contrast of one") {
    check_shapes<gamma_speckle, std::uint16_t>("exponential", 0.01,
                                               [](auto& n, bool in) { return n.exponential() * (in ? 2600 : 1000); });
    check_shapes<gamma_speckle, float>(
        "gamma of 4 looks", 0.01, [](auto& n, bool in) { return n.gamma(4) * (in ? 1.63 : 1); }, gamma_speckle{4});
    check_shapes<rayleigh, std::uint16_t>(
        "rayleigh", 0.01, [](auto& n, bool in) { return std::sqrt(2 * n.exponential()) * (in ? 1612 : 1000); });
  }

  TEST_CASE("where a speckled star is missed by a hundredth, the contour found is likelier than the true one") {
    check_likelier<gamma_speckle>([](auto& n, bool in) { return n.exponential() * (in ? 2000 : 1000); },
                                  oracle::exponential_cost);
    check_likelier<rayleigh>([](auto& n, bool in) { return std::sqrt(2 * n.exponential()) * (in ? 1523 : 1000); },
                             oracle::rayleigh_cost);
  }

  TEST_CASE("a snake that starts from a pruned contour follows less of the noise") {
    double first = 0;
    double second = 0;
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      const auto scene = oracle::make_scene<std::uint16_t>(shape::star, 512, 512, seed, [](auto& n, bool in) {
        return std::sqrt(2 * n.exponential()) * (in ? 1523 : 1000);
      });
      const auto pruned = snake<rayleigh>(host{1}, view_of(scene), inset(512, 512), {.prune = true});
      const auto again = snake<rayleigh>(host{1}, view_of(scene), pruned.nodes, {.first_step = 4, .longest_edge = 24});
      first += error_of(scene, pruned.nodes) / 4;
      second += error_of(scene, again.nodes) / 4;
    }
    CHECK(second < first);
    CHECK(second < 0.0105);
  }

  TEST_CASE("a large target is found to a thousandth") {
    const auto scene = oracle::gaussian_scene<std::uint8_t>(shape::star, 4096, 4096);
    const auto found = snake<gaussian>(host{2}, view_of(scene), inset(4096, 4096));
    CHECK(error_of(scene, found.nodes) < 0.001);
    CHECK(found.crossings == 0);
  }

  TEST_CASE("criterion and statistics are those of the mask") {
    const auto scene = oracle::gaussian_scene<std::uint8_t>(shape::star, 200, 180);
    const auto found = snake<gaussian>(host{1}, view_of(scene), inset(200, 180));
    std::vector<std::uint8_t> mask(scene.truth.size());
    fill_polygon(found.nodes, {mask.data(), 200, 180});
    oracle::sums in;
    oracle::sums out;
    for (std::size_t i = 0; i < mask.size(); ++i) {
      auto& s = mask[i] != 0 ? in : out;
      s = {s.n + 1, s.s + scene.samples[i], s.q + scene.samples[i] * scene.samples[i]};
    }
    CHECK(found.target.pixels == in.n);
    CHECK(found.background.pixels == out.n);
    CHECK(found.target.mean == doctest::Approx(static_cast<double>(in.s) / static_cast<double>(in.n)));
    CHECK(found.criterion ==
          doctest::Approx(static_cast<double>(oracle::gaussian_cost(in) + oracle::gaussian_cost(out))));
    CHECK(found.trace.size() == static_cast<std::size_t>(found.iterations));
    CHECK(found.trace.back().criterion == doctest::Approx(found.criterion));
  }

  TEST_CASE("an odd number of nodes, and a negative start, end on the target") {
    const auto scene = oracle::gaussian_scene<std::uint8_t>(shape::disc, 256, 256);
    for (const polygon& start : {polygon{{128, 10}, {246, 240}, {10, 240}}, polygon{{10, 240}, {246, 240}, {128, 10}},
                                 polygon{{128, 10}, {240, 100}, {200, 240}, {60, 240}, {10, 100}}}) {
      const auto found = snake<gaussian>(host{1}, view_of(scene), start);
      CHECK(error_of(scene, found.nodes) < 0.02);
      CHECK(doubled_area(found.nodes) > 0);
    }
  }

  TEST_CASE("the sequential rule, all rows, and pruning find the target too") {
    const auto scene = oracle::gaussian_scene<std::uint8_t>(shape::star, 512, 512);
    const auto plain = snake<gaussian>(host{1}, view_of(scene), inset(512, 512));
    snake_parameters parameters;
    parameters.rule = move_rule::sequential;
    CHECK(error_of(scene, snake<gaussian>(host{1}, view_of(scene), inset(512, 512), parameters).nodes) < 0.01);
    parameters = {};
    parameters.coarse_rows = false;
    CHECK(error_of(scene, snake<gaussian>(host{1}, view_of(scene), inset(512, 512), parameters).nodes) < 0.01);
    parameters = {};
    parameters.prune = true;
    const auto pruned = snake<gaussian>(host{1}, view_of(scene), inset(512, 512), parameters);
    CHECK(error_of(scene, pruned.nodes) < 0.015);
    CHECK(pruned.nodes.size() < plain.nodes.size() / 2);
    CHECK(pruned.crossings == 0);
  }

  TEST_CASE("nothing but the order of threads changes with their number") {
    const auto scene = oracle::gaussian_scene<float>(shape::concave, 300, 200);
    std::vector<snake_start> starts;
    for (int i = 0; i < 9; ++i) { starts.push_back({to_polygon({10 + i, 12, 250, 160}), {0, 0, 290, 200}}); }
    const auto one = snakes<gaussian>(host{1}, view_of(scene), starts);
    const auto four = snakes<gaussian>(host{4}, view_of(scene), starts);
    REQUIRE(one.size() == 9);
    for (std::size_t i = 0; i < one.size(); ++i) {
      CHECK(one[i].nodes == four[i].nodes);
      CHECK(one[i].criterion == four[i].criterion);
      CHECK(one[i].nodes == snake<gaussian>(host{1}, view_of(scene), starts[i]).nodes);
    }
  }

  TEST_CASE("a window keeps the snake and its background inside") {
    auto scene = oracle::gaussian_scene<std::uint8_t>(shape::disc, 200, 200);
    const auto alone =
        snake<gaussian>(host{1}, view_of(scene), snake_start{to_polygon({40, 40, 120, 120}), {20, 20, 160, 160}});
    for (int y = 0; y < 200; ++y) {
      for (int x = 0; x < 20; ++x) { scene.samples[static_cast<std::size_t>(y * 200 + x)] = 255; }
    }
    const auto beside =
        snake<gaussian>(host{1}, view_of(scene), snake_start{to_polygon({40, 40, 120, 120}), {20, 20, 160, 160}});
    CHECK(alone.nodes == beside.nodes);
    CHECK(alone.background.pixels + alone.target.pixels == 160 * 160);
  }

  TEST_CASE("the observer sees every iteration") {
    const auto scene = oracle::gaussian_scene<std::uint8_t>(shape::disc, 128, 128);
    int calls = 0;
    const auto found = snake<gaussian>(host{1}, view_of(scene), inset(128, 128), {}, {}, {},
                                       [&](const snake_iteration& it, const polygon& nodes) {
                                         CHECK(it.number == calls++);
                                         CHECK(static_cast<std::size_t>(it.nodes) == nodes.size());
                                       });
    CHECK(calls == found.iterations);
  }

  TEST_CASE("limits on iterations and nodes end the search") {
    const auto scene = oracle::gaussian_scene<std::uint8_t>(shape::star, 256, 256);
    snake_parameters parameters;
    parameters.max_iterations = 2;
    const auto early = snake<gaussian>(host{1}, view_of(scene), inset(256, 256), parameters);
    CHECK(early.reason == stop_reason::iteration_limit);
    CHECK(early.iterations == 2);
    parameters = {};
    parameters.max_nodes = 20;
    const auto few = snake<gaussian>(host{1}, view_of(scene), inset(256, 256), parameters);
    CHECK(few.reason == stop_reason::node_limit);
    CHECK(few.nodes.size() <= 20);
    CHECK(std::string(name(few.reason)) == "node_limit");
  }

  TEST_CASE("what cannot be is refused by name") {
    const std::vector<std::uint8_t> samples(100);
    const image_view<const std::uint8_t> view(samples.data(), 10, 10);
    const auto run = [&](const polygon& start, const snake_parameters& p = {}, const rectangle& window = {}) {
      return code_of([&] { snake<gaussian>(host{1}, view, snake_start{start, window}, p); });
    };
    const polygon box = to_polygon({1, 1, 5, 5});
    CHECK(run({{1, 1}, {2, 2}}) == errc::invalid_argument);
    CHECK(run({{1, 1}, {11, 2}, {3, 3}}) == errc::invalid_argument);
    CHECK(run({{1, 1}, {5, -1}, {3, 3}}) == errc::invalid_argument);
    CHECK(run(box, {.first_step = -1}) == errc::invalid_argument);
    CHECK(run(box, {.longest_edge = 1}) == errc::invalid_argument);
    CHECK(run(box, {.threshold = std::numeric_limits<double>::quiet_NaN()}) == errc::invalid_argument);
    CHECK(run(box, {.threshold = -1}) == errc::invalid_argument);
    CHECK(run(box, {.max_iterations = 0}) == errc::invalid_argument);
    CHECK(run(box, {.max_passes = 0}) == errc::invalid_argument);
    CHECK(run(box, {.max_nodes = 3}) == errc::invalid_argument);
    CHECK(run(box, {}, {5, 5, 6, 5}) == errc::invalid_argument);
    CHECK(run(box, {}, {2, 2, 5, 5}) == errc::invalid_argument);
    CHECK(code_of([&] { snake<gaussian>(host{1}, view.crop(0, 0, 0, 10), box); }) == errc::invalid_argument);
    CHECK(code_of([&] { snake<gaussian>(host{1}, view, box, {}, view.crop(0, 0, 9, 10)); }) == errc::invalid_argument);
  }
}
