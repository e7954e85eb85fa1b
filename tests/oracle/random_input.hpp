/// @file
/// Random tables, blocks and pictures for tests; the same on every machine.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <random>

#include "tests/oracle/color.hpp"
#include "tests/oracle/stream.hpp"
#include "tests/oracle/tables.hpp"

namespace gpuimg::oracle {

using random_source = std::mt19937;

inline int draw(random_source& random, int low, int high) {
  return low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1));
}

template <class Value, std::size_t Count>
Value pick(random_source& random, const std::array<Value, Count>& values) {
  return values.at(random() % Count);
}

inline table_set random_table(random_source& random) {
  table_set table;
  for (table_row& row : table) {
    for (std::uint8_t& cell : row) cell = static_cast<std::uint8_t>(draw(random, 1, 255));
  }
  return table;
}

inline table_class random_class(random_source& random) {
  table_class result;
  for (table_set& set : result) set = random_table(random);
  return result;
}

/// Values whose magnitudes have up to `planes` planes; small ones are more frequent, some rows are zero.
inline plane random_values(random_source& random, coordinate width, coordinate height, int planes) {
  plane values(width, height);
  const int zero_rows = draw(random, 0, 3);
  for (coordinate y = 0; y < height; ++y) {
    const bool zero = draw(random, 0, 5) < zero_rows;
    for (coordinate x = 0; x < width; ++x) {
      if (zero) continue;
      const int bits = std::min(draw(random, 0, planes), draw(random, 0, planes));
      const auto magnitude = static_cast<std::int32_t>(random() % (1U << bits));
      values.at(x, y) = draw(random, 0, 1) == 1 ? -magnitude : magnitude;
    }
  }
  return values;
}

inline picture random_picture(random_source& random, const stream_header& header) {
  const sample_range range = range_of(header.depth, header.is_signed);
  picture samples;
  for (int i = 0; i < header.components; ++i) {
    plane component(header.width, header.height);
    const auto span = static_cast<unsigned>(range.high - range.low + 1);
    for (coordinate y = 0; y < component.height(); ++y) {
      for (coordinate x = 0; x < component.width(); ++x) {
        const auto ramp = static_cast<unsigned>(3 * x + 2 * y + i) + random() % 4;
        component.at(x, y) = static_cast<std::int32_t>(range.low + static_cast<int>(ramp % span));
      }
    }
    samples.push_back(component);
  }
  return samples;
}

}  // namespace gpuimg::oracle
