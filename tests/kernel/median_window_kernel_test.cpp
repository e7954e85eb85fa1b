// Kernels of windows of run-time size in the emulator: histograms of columns, bisection, masks.
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <vector>

#include "tests/filter/median_cases.hpp"
#include "tests/filter/median_emulated.hpp"

using namespace median_tests;

TEST_SUITE("median window kernels") {
  TEST_CASE("histograms of columns") {
    for (const bool descending : {false, true}) {
      emulated_backend backend{false, descending};
      for (const border mode : modes) {
        any_window<std::uint8_t>(backend, 40, 23, 21, 23, 21 * 23 / 2, mode);
        any_window<std::int8_t>(backend, 40, 23, 33, 64, 17, mode);
      }
    }
    emulated_backend backend;
    any_window<std::uint8_t>(backend, 290, 12, 19, 21, 0, border::wrap);
    any_window<std::uint8_t>(backend, 20, 5, 21, 200, 21 * 200 - 1, border::wrap);
    any_window<std::uint8_t>(backend, 5, 4, 255, 255, 32512, border::reflect);
  }

  TEST_CASE_TEMPLATE("bisection, for columns and where shared memory is short", T, std::uint16_t, std::int16_t, float,
                     double, std::int32_t) {
    emulated_backend backend{false, false, std::size_t{65} << 10};
    for (const border mode : modes) { any_window<T>(backend, 35, 9, 70, 5, 70 * 5 / 2, mode); }
    any_window<T>(backend, 9, 34, 1, 4, 0, border::reflect);
    any_window<T>(backend, 4, 3, 1, 19, 18, border::reflect101);
  }

  TEST_CASE("window by window, where nothing else fits") {
    emulated_backend backend;
    any_window<std::uint16_t>(backend, 20, 3, 1, 2, 1, border::reflect);
    any_window<double>(backend, 3, 2, 151, 151, 11400, border::reflect);
    any_window<std::uint8_t>(backend, 3, 2, 10, 300, 1500, border::wrap);
    emulated_backend without{false, false, 0};
    any_window<std::uint8_t>(without, 9, 7, 5, 5, 12, border::wrap);
    any_window<float>(without, 9, 7, 5, 5, 12, border::wrap);
    compiled_window<std::uint16_t, 9, 9>(without, 9, 7);
  }

  TEST_CASE("masks") {
    const auto source = make_picture<float>(19, 11, 2, true);
    const std::vector<std::uint8_t> corner{1, 9, 0, 1, 0, 0};
    for (int rank = 0; rank < 3; ++rank) {
      auto result = unwritten(source);
      filter::median_options<float> options;
      options.border_value = border_value<float>();
      options.nan = nan_policy::ignore;
      emulated_backend{}.run(source, result, [&](const auto& execution, const auto& from, const auto& to) {
        filter::rank(execution, from, to, filter::window_mask{corner.data(), {3, 2}, 3}, rank, border::constant,
                     options);
      });
      CHECK(difference(source, result, {3, 2, corner}, rank, border::constant, nan_policy::ignore) == "");
    }
  }
}
