// Rank filters on a host against tables of small pictures.
#include "tests/filter/median_tables.hpp"

#include <cstdint>
#include <doctest/doctest.h>

#include "tests/filter/median_backends.hpp"

using namespace median_tests;

TEST_CASE_TEMPLATE("median: tables of SciPy's tests", T, std::uint8_t, std::int16_t, std::uint32_t, float, double) {
  host_backend backend;
  agrees_with_tables<T>(backend);
}

TEST_CASE_TEMPLATE("median: opencv/opencv#29592: more bands than four", T, std::uint8_t, float) {
  bands_one_by_one<T>(gpuimg::host{2});
}
