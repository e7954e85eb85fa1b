/// @file
/// Lines of a picture as keys, with what lies beyond both ends: what the host's filters work on.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpuimg/core/parallel_for.hpp"
#include "gpuimg/filter/border.hpp"
#include "gpuimg/filter/detail/median_window.hpp"

namespace gpuimg::filter::detail {

/// Writes `columns` keys of line `y` of a band, from column -left on; any y. @param key_of  from a sample to its key
template <class T, class Key, class KeyOf>
void fill_line(const bordered_bands<T>& source, std::int64_t y, std::int64_t band, std::int64_t left,
               std::int64_t columns, const KeyOf& key_of, Key* to) {
  const std::int64_t line = map_coordinate(source.mode, y, source.cube.height);
  if (line < 0) {
    std::fill(to, to + columns, key_of(source.value));
    return;
  }
  const std::int64_t width = source.cube.width;
  for (std::int64_t i = 0; i < left; ++i) { to[i] = key_of(source(i - left, y, band)); }
  if (source.cube.x_stride == static_cast<std::int64_t>(sizeof(T))) {
    const T* const from = &source.cube(0, line, band);
    for (std::int64_t x = 0; x < width; ++x) { to[left + x] = key_of(from[x]); }
  } else {
    for (std::int64_t x = 0; x < width; ++x) { to[left + x] = key_of(source.cube(x, line, band)); }
  }
  for (std::int64_t i = left + width; i < columns; ++i) { to[i] = key_of(source(i - left, y, band)); }
}

/// Calls body(top, rows, band, scratch) for parts of `part_rows` rows of every band, on threads; each has a scratch of
/// `scratch_keys` keys.
template <class Key, class Body>
void filter_parts(unsigned threads, std::int64_t height, std::int64_t bands, std::int64_t part_rows,
                  std::int64_t scratch_keys, const Body& body) {
  const std::int64_t parts = (height + part_rows - 1) / part_rows;
  std::vector<std::vector<Key>> scratches(threads);
  parallel_for(threads, parts * bands, [&](std::int64_t index, unsigned thread) {
    scratches[thread].resize(static_cast<std::size_t>(scratch_keys));
    const std::int64_t top = index % parts * part_rows;
    body(top, std::min(part_rows, height - top), index / parts, scratches[thread].data());
  });
}

}  // namespace gpuimg::filter::detail
