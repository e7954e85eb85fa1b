// Snakes on large pictures: a target of 4096 x 4096 pixels is found to a thousandth, whatever the noise.
//
// The hardest target, a star, is searched in the hardest noise always; all targets in all noise where
// GPUIMG_LARGE_TESTS is set in the environment, because drawing that many samples takes a minute.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "tests/oracle/snake_pictures.hpp"

#include "gpuimg/segment/region_measures.hpp"
#include "gpuimg/segment/snake.hpp"

using namespace gpuimg;
using oracle::shape;

namespace {

constexpr int side = 4096;

/// A contrast of one standard deviation of the ground.
template <class Model, class T, class Draw>
void check_large(const char* name, const std::vector<shape>& kinds, const Draw& draw, const Model& model = {}) {
  for (const auto kind : kinds) {
    CAPTURE(std::string(name));
    CAPTURE(static_cast<int>(kind));
    const auto scene = oracle::make_scene<T>(kind, side, side, 1, draw);
    const auto found = snake<Model>(host{2}, image_view<const T>(scene.samples.data(), side, side),
                                    rectangle{side / 10, side / 10, side - side / 5, side - side / 5}, {}, {}, model);
    std::vector<std::uint8_t> mask(scene.truth.size());
    fill_polygon(found.nodes, {mask.data(), side, side});
    const auto counts = compare_masks({mask.data(), side, side}, {scene.truth.data(), side, side});
    CHECK(static_cast<double>(counts.differing()) < 0.001 * static_cast<double>(counts.second));
    CHECK(found.crossings == 0);
  }
}

}  // namespace

TEST_SUITE("large snakes") {
  TEST_CASE("a star in speckle of one look") {
    check_large<gamma_speckle, std::uint16_t>("exponential", {shape::star},
                                              [](auto& n, bool in) { return n.exponential() * (in ? 2000 : 1000); });
  }

  TEST_CASE("every target in every noise") {
    if (std::getenv("GPUIMG_LARGE_TESTS") == nullptr) { return; }
    const std::vector<shape> all{shape::star, shape::disc, shape::box, shape::concave};
    check_large<gaussian, std::uint8_t>("gaussian", all,
                                        [](auto& n, bool in) { return 100 + 30 * (n.normal() + (in ? 1 : 0)); });
    check_large<poisson, std::uint8_t>("poisson", all, [](auto& n, bool in) { return n.poisson(in ? 16 : 11.5); });
    check_large<gamma_speckle, std::uint16_t>("exponential", {shape::disc, shape::box, shape::concave},
                                              [](auto& n, bool in) { return n.exponential() * (in ? 2000 : 1000); });
    check_large<gamma_speckle, std::uint16_t>(
        "gamma of 4 looks", all, [](auto& n, bool in) { return n.gamma(4) * (in ? 1500 : 1000); }, gamma_speckle{4});
    check_large<rayleigh, std::uint16_t>(
        "rayleigh", all, [](auto& n, bool in) { return std::sqrt(2 * n.exponential()) * (in ? 1523 : 1000); });
    check_large<bernoulli, std::uint8_t>("bernoulli", all,
                                         [](auto& n, bool in) { return n.uniform() < (in ? 0.758 : 0.3); });
    check_large<log_normal, std::uint16_t>(
        "log-normal", all, [](auto& n, bool in) { return 1000 * std::exp(0.7 * (n.normal() + (in ? 1 : 0))); });
  }
}
