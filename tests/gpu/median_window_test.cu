// Medians of windows of run-time size on a device.
#include <cstdint>
#include <doctest/doctest.h>

#include "tests/filter/median_cases.hpp"
#include "tests/filter/median_device.cuh"

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

  TEST_CASE_TEMPLATE("bisection", T, std::uint16_t, float) {
    device_backend backend;
    for (const border mode : modes) { any_window<T>(backend, 70, 40, 19, 21, 19 * 21 / 2, mode); }
    any_window<T>(backend, 9, 34, 6, 4, 0, border::reflect);
    any_window<T>(backend, 20, 9, 150, 151, 11325, border::reflect101);
    any_window<T>(backend, 20, 3, 9, 2, 4, border::reflect);
    any_window<T>(backend, 6, 5, 300, 301, 45150, border::reflect101);
  }

  TEST_CASE("NaN") {
    device_backend backend;
    not_a_number<float, 19>(backend, 40, 20);
  }
}
