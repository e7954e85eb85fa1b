// Medians of windows of run-time size on a device.
#include <cstdint>
#include <doctest/doctest.h>

#include "tests/filter/median_cases.hpp"
#include "tests/filter/median_device.cuh"
#include "tests/filter/median_tables.hpp"

using namespace median_tests;

TEST_SUITE("median of run-time size on a device") {
  TEST_CASE("histograms of columns") {
    device_backend backend;
    for (const border mode : modes) {
      any_window<std::uint8_t>(backend, 300, 40, 21, 23, 21 * 23 / 2, mode);
      any_window<std::uint8_t>(backend, 40, 23, 33, 64, 17, mode);
    }
    any_window<std::uint8_t>(backend, 50, 20, 255, 255, 32512, border::reflect);
    square_window<std::uint8_t>(backend, 40, 23, 9);
  }

  TEST_CASE_TEMPLATE("regions", T, std::uint16_t, std::int16_t, float, double, binary16) {
    device_backend backend;
    for (const border mode : modes) { any_window<T>(backend, 70, 40, 19, 21, 19 * 21 / 2, mode); }
    any_window<T>(backend, 9, 34, 6, 4, 0, border::reflect);
    for (const int side : {2, 11, 23, 35, 51, 65, 103}) {
      any_window<T>(backend, 40, 5, side, side, side * side / 2, border::reflect);
    }
  }

  TEST_CASE_TEMPLATE("bisection", T, std::uint16_t, float) {
    device_backend backend;
    any_window<T>(backend, 40, 34, 1, 5, 2, border::constant);
    any_window<T>(backend, 20, 3, 1, 2, 1, border::reflect);
    any_window<T>(backend, 6, 5, 300, 301, 45150, border::reflect101);
  }

  TEST_CASE_TEMPLATE("tables of SciPy's tests", T, std::uint8_t, std::uint16_t, float) {
    device_backend backend;
    agrees_with_tables<T>(backend);
  }

  TEST_CASE("NaN") {
    device_backend backend;
    not_a_number<float, 19>(backend, 40, 20);
    not_a_number<double, 18>(backend, 40, 20);
  }
}
