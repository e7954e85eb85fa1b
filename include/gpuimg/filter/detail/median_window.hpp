/// @file
/// One order statistic of one window, whatever its size, its mask and its contents: the exact path of last resort.
#pragma once

#include <cstdint>

#include "gpuimg/core/config.hpp"
#include "gpuimg/core/image_view.hpp"
#include "gpuimg/filter/border.hpp"
#include "gpuimg/filter/median_key.hpp"
#include "gpuimg/filter/nan_policy.hpp"

namespace gpuimg::filter::detail {

/// The bands of a picture, which may be read at any coordinate.
template <class T>
struct bordered_bands {
  cube_view<const T> cube;
  border mode = border::reflect;
  T value{};  ///< what a `constant` border reads

  GPUIMG_FUNCTION constexpr T operator()(std::int64_t x, std::int64_t y, std::int64_t band) const noexcept {
    const std::int64_t column = map_coordinate(mode, x, cube.width);
    const std::int64_t line = map_coordinate(mode, y, cube.height);
    return column < 0 || line < 0 ? value : cube(column, line, band);
  }
};

/// A window of width x height samples about a pixel: columns x - left.., rows y - top... With a mask only the samples
/// under its bytes that are not 0 count.
struct window_frame {
  std::int32_t width = 1;
  std::int32_t height = 1;
  std::int32_t left = 0;
  std::int32_t top = 0;
  const std::uint8_t* mask = nullptr;  ///< width * height bytes, or null for all
  std::int32_t count = 1;              ///< samples that count
};

/// Rank `rank` of the window about (x, y) of a band, by bisection of the keys' range. O(bits of a key * width *
/// height).
template <ordered_sample T>
GPUIMG_FUNCTION T window_rank(const bordered_bands<T>& source, const window_frame& frame, std::int32_t rank,
                              nan_policy policy, std::int64_t x, std::int64_t y, std::int64_t band) {
  using order = sample_order<T>;
  using key_type = typename order::key_type;
  const auto count_if = [&](const auto& predicate) {
    std::int32_t count = 0;
    for (std::int32_t j = 0; j < frame.height; ++j) {
      const std::int64_t line = map_coordinate(source.mode, y - frame.top + j, source.cube.height);
      for (std::int32_t i = 0; i < frame.width; ++i) {
        if (frame.mask != nullptr && frame.mask[j * frame.width + i] == 0) { continue; }
        const std::int64_t column = map_coordinate(source.mode, x - frame.left + i, source.cube.width);
        const T sample = line < 0 || column < 0 ? source.value : source.cube(column, line, band);
        count += predicate(order::key(sample)) ? 1 : 0;
      }
    }
    return count;
  };
  std::int32_t wanted = rank;
  if constexpr (order::has_nan) {
    const std::int32_t numbers = count_if([](key_type key) { return key != order::nan_key; });
    if (numbers < frame.count) {
      const bool centre_is_nan = order::key(source.cube(x, y, band)) == order::nan_key;
      if (numbers == 0 || policy == nan_policy::propagate || (policy == nan_policy::preserve && centre_is_nan)) {
        return order::sample(order::nan_key);
      }
      wanted = static_cast<std::int32_t>((2 * std::int64_t{rank} + 1) * numbers / (2 * std::int64_t{frame.count}));
    }
  }
  key_type found = 0;  // the greatest key below which there are no more than `wanted` others
  for (int bit = 8 * static_cast<int>(sizeof(key_type)) - 1; bit >= 0; --bit) {
    const auto tried = static_cast<key_type>(found | (key_type{1} << bit));
    if (count_if([tried](key_type key) { return key < tried; }) <= wanted) { found = tried; }
  }
  return order::sample(found);
}

}  // namespace gpuimg::filter::detail
