// Kernels of small windows in the emulator: every sample type and border against the oracle.
#include <cstdint>
#include <doctest/doctest.h>

#include "tests/filter/median_cases.hpp"
#include "tests/filter/median_emulated.hpp"

using namespace median_tests;

TEST_SUITE("median tile kernels") {
  TEST_CASE_TEMPLATE("strips in registers", T, std::uint8_t, std::int8_t, std::uint16_t, std::int16_t, std::int32_t,
                     float) {
    for (const bool wide : {true, false}) {
      emulated_backend backend{wide};
      compiled_window<T, 3, 3>(backend, 70, 6);
      compiled_window<T, 3, 3>(backend, 3, 2);
      compiled_window<T, 3, 3>(backend, 16, 1);
    }
  }

  TEST_CASE_TEMPLATE("strips of other windows", T, std::uint8_t, std::int16_t, float) {
    emulated_backend backend{true};
    compiled_window<T, 2, 2>(backend, 48, 9);
    compiled_window<T, 2, 4>(backend, 32, 9);
    compiled_window<T, 4, 3>(backend, 48, 9);
    compiled_window<T, 3, 5>(backend, 64, 10);
    compiled_window<T, 5, 2>(backend, 33, 10);
    compiled_window<T, 5, 5>(backend, 50, 11);
    compiled_window<T, 5, 5>(backend, 2, 1);
  }

  TEST_CASE_TEMPLATE("sorted columns", T, std::uint8_t, std::int16_t, float) {
    for (const bool descending : {false, true}) {
      emulated_backend backend{false, descending};
      compiled_window<T, 5, 5>(backend, 41, 18);
      compiled_window<T, 7, 7>(backend, 5, 3);
    }
  }

  TEST_CASE("every small picture") {
    emulated_backend backend;
    for (int height = 1; height <= 5; ++height) {
      for (int width = 1; width <= 9; ++width) { compiled_window<std::uint8_t, 3, 5>(backend, width, height); }
    }
  }

  TEST_CASE("even, flat and tall windows") {
    emulated_backend backend;
    compiled_window<std::uint8_t, 2, 2>(backend, 23, 9);
    compiled_window<std::uint8_t, 1, 7>(backend, 23, 9);
    compiled_window<std::int16_t, 7, 1>(backend, 23, 9);
    compiled_window<float, 6, 3>(backend, 23, 9);
    compiled_window<double, 5, 4>(backend, 23, 9);
    compiled_window<binary16, 3, 3>(backend, 23, 9);
    compiled_window<std::uint8_t, 1, 1>(backend, 23, 9);
  }

  TEST_CASE("large compiled windows") {
    emulated_backend backend;
    compiled_window<std::uint8_t, 15, 15>(backend, 20, 6);
    compiled_window<std::uint16_t, 9, 9>(backend, 20, 6);
    compiled_window<float, 17, 17>(backend, 7, 5);
  }

  TEST_CASE("NaN") {
    for (const bool wide : {true, false}) {
      emulated_backend backend{wide};
      not_a_number<float, 3>(backend, 70, 9);
      not_a_number<float, 5>(backend, 32, 13);
      not_a_number<double, 5>(backend, 40, 9);
    }
  }

  TEST_CASE("iterations, refusals, empty pictures") {
    emulated_backend backend;
    iterations(backend);
    refusals(emulated_device{});
  }
}
