/// @file
/// Lines of a picture as keys, with what lies beyond both ends: what the host's filters work on.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpuimg/core/image_view.hpp"
#include "gpuimg/filter/border.hpp"
#include "gpuimg/filter/detail/host_parts.hpp"
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

/// Calls body(keys, top, rows, band) for parts of `part_rows` rows of every band, on threads. `keys` are the lines
/// under the windows of these rows, rows + frame.height - 1 of them, `pitch` keys apart.
template <class Key, class T, class KeyOf, class Body>
void filter_parts(unsigned threads, const bordered_bands<T>& source, const cube_view<T>& destination,
                  const window_frame& frame, std::int64_t part_rows, std::int64_t pitch, const KeyOf& key_of,
                  const Body& body) {
  std::vector<std::vector<Key>> lines(threads);
  for_each_part(threads, destination, std::max<std::int64_t>(destination.width, 1), part_rows,
                [&](const picture_part& part, unsigned thread) {
                  lines[thread].resize(static_cast<std::size_t>((part_rows + frame.height - 1) * pitch));
                  Key* const keys = lines[thread].data();
                  for (std::int64_t j = 0; j < part.height + frame.height - 1; ++j) {
                    fill_line(source, part.y - frame.top + j, part.band, frame.left, part.width + frame.width - 1,
                              key_of, keys + j * pitch);
                  }
                  body(keys, part.y, part.height, part.band);
                });
}

}  // namespace gpuimg::filter::detail
