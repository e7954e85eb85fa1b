// Medians on the host: every engine, sample type and border against the oracle.
#include <cstdint>
#include <doctest/doctest.h>
#include <vector>

#include "tests/filter/median_backends.hpp"
#include "tests/filter/median_cases.hpp"

#include "gpuimg/filter/median.hpp"

using namespace median_tests;

TEST_SUITE("median on the host") {
  TEST_CASE_TEMPLATE("windows that the compiler knows", T, std::uint8_t, std::int8_t, std::uint16_t, std::int16_t,
                     std::int32_t, float) {
    host_backend backend;
    compiled_window<T, 3, 3>(backend, 67, 9);
    compiled_window<T, 5, 5>(backend, 33, 13);
    compiled_window<T, 7, 7>(backend, 5, 3);
  }

  TEST_CASE_TEMPLATE("windows of less usual samples", T, binary16, double, std::uint32_t, std::int64_t) {
    host_backend backend;
    compiled_window<T, 3, 3>(backend, 19, 7);
    compiled_window<T, 5, 5>(backend, 19, 7);
  }

  TEST_CASE("every small picture") {
    host_backend backend;
    for (int height = 1; height <= 9; ++height) {
      for (int width = 1; width <= 17; ++width) {
        compiled_window<std::uint8_t, 3, 3>(backend, width, height);
        compiled_window<std::uint16_t, 5, 5>(backend, width, height);
      }
    }
  }

  TEST_CASE("even, flat and tall windows") {
    host_backend backend;
    compiled_window<std::uint8_t, 2, 2>(backend, 23, 9);
    compiled_window<std::uint8_t, 4, 4>(backend, 23, 9);
    compiled_window<std::uint8_t, 1, 7>(backend, 23, 9);
    compiled_window<std::uint8_t, 7, 1>(backend, 23, 9);
    compiled_window<float, 6, 3>(backend, 23, 9);
    compiled_window<float, 1, 1>(backend, 23, 9);
    compiled_window<std::int16_t, 3, 10>(backend, 23, 9);
  }

  TEST_CASE("windows of run-time size") {
    host_backend backend;
    for (const border mode : modes) {
      square_window<std::uint8_t>(backend, 40, 23, 9);
      any_window<std::uint8_t>(backend, 40, 23, 21, 23, 21 * 23 / 2, mode);
      any_window<std::int8_t>(backend, 40, 23, 33, 8, 17, mode);
      any_window<std::uint16_t>(backend, 22, 11, 19, 5, 19 * 5 / 2, mode);
      any_window<float>(backend, 22, 11, 6, 21, 0, mode);
      any_window<std::int16_t>(backend, 9, 9, 3, 3, 8, mode);
    }
    any_window<std::uint8_t>(backend, 700, 5, 31, 31, 480, border::wrap);
    any_window<std::uint8_t>(backend, 9, 9, 255, 255, 32512, border::reflect);
    any_window<std::uint8_t>(backend, 5, 3, 300, 301, 45150, border::reflect101);
    any_window<std::uint16_t>(backend, 3, 3, 101, 101, 5100, border::replicate);
  }

  TEST_CASE("NaN") {
    host_backend backend;
    not_a_number<float, 3>(backend, 40, 9);
    not_a_number<float, 5>(backend, 40, 9);
    not_a_number<double, 19>(backend, 9, 9);
    not_a_number<binary16, 3>(backend, 40, 9);
  }

  TEST_CASE("iterations") {
    host_backend backend;
    iterations(backend);
  }

  TEST_CASE("refusals and empty pictures") { refusals(host{}); }

  TEST_CASE("masks") {
    const auto source = make_picture<std::uint8_t>(19, 11, 3);
    const std::vector<std::uint8_t> cross{0, 1, 0, 1, 1, 1, 0, 1, 0};
    for (int rank = 0; rank < 5; ++rank) {
      auto result = unwritten(source);
      filter::median_options<std::uint8_t> options;
      options.border_value = border_value<std::uint8_t>();
      host_backend{}.run(source, result, [&](const auto& execution, const auto& from, const auto& to) {
        filter::rank(execution, from, to, filter::window_mask{cross.data(), {3, 3}, 5}, rank, border::wrap, options);
      });
      CHECK(difference(source, result, {3, 3, cross}, rank, border::wrap) == "");
    }
  }

  TEST_CASE("planes and interleaved bands are filtered one by one") {
    for (const int bands : {2, 3, 4, 5, 9}) {
      std::vector<std::uint8_t> samples(static_cast<std::size_t>(17 * 19 * bands));
      for (std::size_t i = 0; i < samples.size(); ++i) { samples[i] = static_cast<std::uint8_t>(i * 7919 / 3); }
      std::vector<std::uint8_t> result(samples.size());
      const cube_view<const std::uint8_t> from(samples.data(), 17, 19, bands, interleave::bip);
      const cube_view<std::uint8_t> to(result.data(), 17, 19, bands, interleave::bip);
      std::vector<std::uint8_t> planar(samples.size());
      const planar_view<std::uint8_t> planes(planar.data(), 17, 19, bands);
      filter::median<5>(host{2}, from, to, border::reflect);
      filter::median(host{2}, from, planes, {7, 7}, border::reflect);
      for (int band = 0; band < bands; ++band) {
        picture<std::uint8_t> plane{17, 19, {}};
        auto filtered = plane;
        auto seventh = plane;
        for (int y = 0; y < 19; ++y) {
          for (int x = 0; x < 17; ++x) {
            plane.samples.push_back(from(x, y, band));
            filtered.samples.push_back(to(x, y, band));
            seventh.samples.push_back(planes.plane(band)(x, y));
          }
        }
        CHECK(difference(plane, filtered, {5, 5, {}}, 12, border::reflect) == "");
        CHECK(difference(plane, seventh, {7, 7, {}}, 24, border::reflect) == "");
      }
    }
  }

  TEST_CASE("the number of threads changes nothing") {
    const auto source = make_picture<std::uint8_t>(600, 40, 2);
    auto one = unwritten(source);
    auto many = unwritten(source);
    for (const int side : {5, 27}) {
      const auto body = [&](const auto& execution, const auto& from, const auto& to) {
        filter::median(execution, from, to, filter::window_size(side));
      };
      host_backend{1}.run(source, one, body);
      host_backend{7}.run(source, many, body);
      CHECK(one.samples == many.samples);
    }
  }
}
