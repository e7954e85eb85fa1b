// Medians of small windows on a device.
#include <cstdint>
#include <doctest/doctest.h>

#include "tests/filter/median_cases.hpp"
#include "tests/filter/median_device.cuh"

using namespace median_tests;

TEST_SUITE("median on a device") {
  TEST_CASE_TEMPLATE("strips in registers", T, std::uint8_t, std::int8_t, std::uint16_t, std::int16_t, std::int32_t,
                     float) {
    for (const bool wide : {true, false}) {
      device_backend backend(wide);
      compiled_window<T, 3, 3>(backend, 300, 19);
      compiled_window<T, 3, 3>(backend, 3, 2);
      compiled_window<T, 5, 5>(backend, 1000, 19);
      compiled_window<T, 5, 5>(backend, 2, 1);
      compiled_window<T, 2, 4>(backend, 70, 40);
    }
  }

  TEST_CASE_TEMPLATE("sorted columns", T, std::uint8_t, std::int16_t, float) {
    device_backend backend;
    compiled_window<T, 5, 5>(backend, 301, 40);
    compiled_window<T, 7, 7>(backend, 5, 3);
  }

  TEST_CASE("other windows and samples") {
    device_backend backend;
    compiled_window<std::uint8_t, 2, 4>(backend, 70, 40);
    compiled_window<std::int16_t, 7, 1>(backend, 70, 40);
    compiled_window<double, 5, 5>(backend, 70, 40);
    compiled_window<binary16, 3, 3>(backend, 70, 40);
  }

  TEST_CASE("large compiled windows") {
    device_backend backend;
    compiled_window<std::uint8_t, 15, 15>(backend, 80, 40);
    compiled_window<float, 17, 17>(backend, 40, 20);
  }

  TEST_CASE("NaN, iterations, refusals, empty pictures") {
    for (const bool wide : {true, false}) {
      device_backend backend(wide);
      not_a_number<float, 3>(backend, 70, 30);
      not_a_number<float, 5>(backend, 70, 30);
    }
    device_backend backend;
    iterations(backend);
    refusals(backend.execution());
  }
}
