// Ranks other than the median on the host: extremes along x and y, and bisection of many windows at a time.
#include <cstdint>
#include <doctest/doctest.h>
#include <vector>

#include "tests/filter/median_backends.hpp"
#include "tests/filter/median_cases.hpp"

#include "gpuimg/filter/median.hpp"

using namespace median_tests;

namespace {

/// Every rank that has an engine of its own, and some between.
template <class T>
void ranks(std::int64_t width, std::int64_t height, int window_width, int window_height) {
  host_backend backend{3};
  const int count = window_width * window_height;
  for (const border mode : modes) {
    for (const int rank : {0, count / 4, count / 2, count - 1}) {
      any_window<T>(backend, width, height, window_width, window_height, rank, mode);
    }
  }
}

}  // namespace

TEST_SUITE("ranks on the host") {
  TEST_CASE_TEMPLATE("windows of any shape", T, std::uint8_t, std::int8_t, std::uint16_t, std::int16_t, std::int32_t,
                     float, double, binary16) {
    ranks<T>(67, 9, 3, 3);
    ranks<T>(33, 40, 7, 3);
    ranks<T>(5, 3, 2, 9);
    ranks<T>(130, 2, 1, 4);
  }

  TEST_CASE("every side from 1 to 20 along either axis") {
    for (int side = 1; side <= 20; ++side) {
      ranks<std::uint8_t>(41, 5, side, 1);
      ranks<std::uint16_t>(5, 41, 1, side);
    }
  }

  TEST_CASE("windows larger than the picture, and than a part of it") {
    ranks<std::uint8_t>(9, 7, 31, 40);
    ranks<std::uint16_t>(3, 90, 5, 77);
  }

  TEST_CASE("extremes around NaN, with every policy") {
    const auto source = make_picture<float>(40, 17, 5, true);
    for (const nan_policy policy : {nan_policy::propagate, nan_policy::ignore, nan_policy::preserve}) {
      for (const border mode : {border::constant, border::wrap}) {
        for (const int rank : {0, 14}) {
          auto result = unwritten(source);
          filter::median_options<float> options;
          options.border_value = border_value<float>();
          options.nan = policy;
          host_backend{}.run(source, result, [&](const auto& execution, const auto& from, const auto& to) {
            filter::rank(execution, from, to, filter::window_size{5, 3}, rank, mode, options);
          });
          CHECK(difference(source, result, {5, 3, {}}, rank, mode, policy) == "");
        }
      }
    }
  }

  TEST_CASE("masks") {
    std::vector<std::uint8_t> diamond;
    int count = 0;
    for (int y = -4; y <= 4; ++y) {
      for (int x = -6; x <= 6; ++x) {
        diamond.push_back(3 * std::abs(y) + 2 * std::abs(x) <= 12 ? 1 : 0);
        count += diamond.back();
      }
    }
    const auto check = [&]<class T>(T) {
      const auto source = make_picture<T>(70, 11, 2);
      for (const int rank : {0, 7, count / 2, count - 1}) {
        auto result = unwritten(source);
        filter::median_options<T> options;
        options.border_value = border_value<T>();
        host_backend{}.run(source, result, [&](const auto& execution, const auto& from, const auto& to) {
          filter::rank(execution, from, to, filter::window_mask{diamond.data(), {13, 9}, count}, rank, border::constant,
                       options);
        });
        CHECK(difference(source, result, {13, 9, diamond}, rank, border::constant) == "");
      }
    };
    check(std::uint8_t{});
    check(std::int16_t{});
    check(float{});
  }

  TEST_CASE("interleaved samples") {
    std::vector<std::uint8_t> samples(static_cast<std::size_t>(17 * 19 * 3));
    for (std::size_t i = 0; i < samples.size(); ++i) { samples[i] = static_cast<std::uint8_t>(i * 7919 / 3); }
    for (const int rank : {0, 5, 20}) {
      std::vector<std::uint8_t> result(samples.size());
      const cube_view<const std::uint8_t> from(samples.data(), 17, 19, 3, interleave::bip);
      const cube_view<std::uint8_t> to(result.data(), 17, 19, 3, interleave::bip);
      filter::rank(host{2}, from, to, filter::window_size{7, 3}, rank);
      for (int band = 0; band < 3; ++band) {
        picture<std::uint8_t> plane{17, 19, {}};
        auto filtered = plane;
        for (int y = 0; y < 19; ++y) {
          for (int x = 0; x < 17; ++x) {
            plane.samples.push_back(from(x, y, band));
            filtered.samples.push_back(to(x, y, band));
          }
        }
        CHECK(difference(plane, filtered, {7, 3, {}}, rank, border::reflect) == "");
      }
    }
  }
}
