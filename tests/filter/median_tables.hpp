/// @file
/// Small pictures and what rank filters make of them, as in SciPy's own tests of ndimage (border reflect): inputs and
/// results, facts both.
#pragma once

#include <cstdint>
#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "tests/filter/median_cases.hpp"

#include "gpuimg/filter/median.hpp"

namespace median_tests {

/// A rank filter of a picture of `width` columns. Windows are width x height; SciPy names the height first.
struct table_row {
  std::string name;
  int width;
  std::vector<int> samples;
  filter::window_size window;
  std::vector<std::uint8_t> mask;  ///< empty for all of the window
  int rank;
  std::vector<int> expected;
};

inline std::vector<table_row> scipy_table() {
  const std::vector<int> ascending{1, 2, 3, 4, 5};
  const std::vector<int> row{3, 2, 5, 1, 4};
  const std::vector<int> a{3, 2, 5, 1, 4, 5, 8, 3, 7, 1, 5, 6, 9, 3, 5};
  const std::vector<int> b{3, 2, 5, 1, 4, 7, 6, 9, 3, 5, 5, 8, 3, 7, 1};
  const std::vector<std::uint8_t> three{1, 0, 1, 0, 1, 0};
  const std::vector<std::uint8_t> four{1, 0, 1, 1, 1, 0};
  return {
      {"rank01", 5, ascending, {2, 1}, {}, 1, ascending},
      {"rank02", 5, ascending, {3, 1}, {}, 1, ascending},
      {"rank03", 5, row, {2, 1}, {}, 1, {3, 3, 5, 5, 4}},
      {"rank04", 5, row, {3, 1}, {}, 1, {3, 3, 2, 4, 4}},
      {"minimum_filter05", 5, b, {3, 2}, {}, 0, {2, 2, 1, 1, 1, 2, 2, 1, 1, 1, 5, 3, 3, 1, 1}},
      {"maximum_filter04", 5, row, {3, 1}, {}, 2, {3, 5, 5, 5, 4}},
      {"maximum_filter05", 5, b, {3, 2}, {}, 5, {3, 5, 5, 5, 4, 7, 9, 9, 9, 5, 8, 9, 9, 9, 7}},
      {"rank06", 5, a, {3, 2}, {}, 1, {2, 2, 1, 1, 1, 3, 3, 2, 1, 1, 5, 5, 3, 3, 1}},
      {"rank07", 5, a, {3, 2}, {}, 4, {3, 5, 5, 5, 4, 5, 5, 7, 5, 4, 6, 8, 8, 7, 5}},
      {"rank08", 5, a, {3, 2}, {}, 3, {3, 3, 2, 4, 4, 5, 5, 5, 4, 4, 5, 6, 7, 5, 5}},
      {"rank09", 5, a, {3, 2}, three, 1, {3, 3, 2, 4, 4, 3, 5, 2, 5, 1, 5, 5, 8, 3, 5}},
      {"rank10", 5, b, {3, 2}, four, 0, {2, 2, 1, 1, 1, 2, 3, 1, 3, 1, 5, 5, 3, 3, 1}},
      {"rank11", 5, b, {3, 2}, four, 3, {3, 5, 5, 5, 4, 7, 7, 9, 9, 5, 7, 9, 8, 9, 7}},
  };
}

/// Every row of the table with samples of type T.
template <class T, class Backend>
void agrees_with_tables(Backend& backend) {
  for (const table_row& row : scipy_table()) {
    CAPTURE(row.name);
    picture<T> source{row.width, static_cast<std::int64_t>(row.samples.size()) / row.width, {}};
    for (const int sample : row.samples) { source.samples.push_back(static_cast<T>(sample)); }
    auto result = unwritten(source);
    backend.run(source, result, [&](const auto& execution, const auto& from, const auto& to) {
      if (row.mask.empty()) {
        filter::rank(execution, from, to, row.window, row.rank, border::reflect);
      } else {
        const auto& mask = backend.mask(row.mask);
        std::int32_t count = 0;
        for (const std::uint8_t byte : row.mask) { count += byte; }
        filter::rank(execution, from, to,
                     filter::window_mask{reinterpret_cast<const std::uint8_t*>(mask.data()), row.window, count},
                     row.rank, border::reflect);
      }
    });
    std::vector<T> expected;
    for (const int sample : row.expected) { expected.push_back(static_cast<T>(sample)); }
    CHECK(result.samples == expected);
  }
}

}  // namespace median_tests
