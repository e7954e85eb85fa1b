/// @file
/// The 3x3 median on a host, row by row, in loops that compilers turn into vector code.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpuimg/core/image_view.hpp"
#include "gpuimg/core/parallel_for.hpp"
#include "gpuimg/filter/border.hpp"
#include "gpuimg/filter/compare_exchange.hpp"
#include "gpuimg/filter/detail/median_window.hpp"
#include "gpuimg/filter/median_key.hpp"
#include "gpuimg/filter/nan_policy.hpp"

namespace gpuimg::filter::detail {

/// Sorts the columns of three, then takes the median of the greatest minimum, the median of the medians and the
/// least maximum.
template <ordered_sample T>
class host_3x3_filter {
  using order = sample_order<T>;
  using key_type = typename order::key_type;

 public:
  host_3x3_filter(const bordered_bands<T>& source, const cube_view<T>& destination, const window_frame& frame,
                  nan_policy policy)
      : source_(source), destination_(destination), frame_(frame), policy_(policy), columns_(destination.width + 2) {}

  void run(unsigned threads) const {
    constexpr std::int64_t part_rows = 32;
    const std::int64_t parts = (destination_.height + part_rows - 1) / part_rows;
    std::vector<std::vector<key_type>> scratches(threads);
    parallel_for(threads, parts * destination_.bands, [&](std::int64_t index, unsigned thread) {
      scratches[thread].resize(static_cast<std::size_t>(6 * columns_));
      const std::int64_t top = index % parts * part_rows;
      part(top, std::min(top + part_rows, destination_.height), index / parts, scratches[thread].data());
    });
  }

 private:
  void part(std::int64_t top, std::int64_t end, std::int64_t band, key_type* scratch) const {
    bool nan[3] = {};
    for (int row = 0; row < 2; ++row) { nan[(top + row) % 3] = fill(top - 1 + row, band, line(scratch, top + row)); }
    for (std::int64_t y = top; y < end; ++y) {
      nan[(y + 2) % 3] = fill(y + 1, band, line(scratch, y + 2));
      if (nan[0] || nan[1] || nan[2]) {
        for (std::int64_t x = 0; x < destination_.width; ++x) {
          destination_(x, y, band) = window_rank(source_, frame_, 4, policy_, x, y, band);
        }
        continue;
      }
      key_type* const low = scratch + 3 * columns_;
      key_type* const middle = low + columns_;
      key_type* const high = middle + columns_;
      sort_columns(line(scratch, y), line(scratch, y + 1), line(scratch, y + 2), low, middle, high);
      finish(low, middle, high, y, band);
    }
  }

  /// Three rows of keys take turns.
  key_type* line(key_type* scratch, std::int64_t y) const { return scratch + y % 3 * columns_; }

  bool fill(std::int64_t y, std::int64_t band, key_type* to) const {
    const std::int64_t at = map_coordinate(source_.mode, y, source_.cube.height);
    const std::int64_t width = source_.cube.width;
    if (at < 0) {
      std::fill(to, to + columns_, order::key(source_.value));
    } else {
      const std::int64_t before = map_coordinate(source_.mode, -1, width);
      const std::int64_t behind = map_coordinate(source_.mode, width, width);
      to[0] = order::key(before < 0 ? source_.value : source_.cube(before, at, band));
      to[width + 1] = order::key(behind < 0 ? source_.value : source_.cube(behind, at, band));
      if (source_.cube.x_stride == static_cast<std::int64_t>(sizeof(T))) {
        const T* const from = &source_.cube(0, at, band);
        for (std::int64_t x = 0; x < width; ++x) { to[x + 1] = order::key(from[x]); }
      } else {
        for (std::int64_t x = 0; x < width; ++x) { to[x + 1] = order::key(source_.cube(x, at, band)); }
      }
    }
    if constexpr (order::has_nan) { return *std::max_element(to, to + columns_) == order::nan_key; }
    return false;
  }

  void sort_columns(const key_type* __restrict a, const key_type* __restrict b, const key_type* __restrict c,
                    key_type* __restrict low, key_type* __restrict middle, key_type* __restrict high) const {
    const std::int64_t count = columns_;
    for (std::int64_t x = 0; x < count; ++x) {
      const key_type least = minimum(a[x], b[x]);
      const key_type most = maximum(a[x], b[x]);
      const key_type between = maximum(least, c[x]);
      low[x] = minimum(least, c[x]);
      middle[x] = minimum(between, most);
      high[x] = maximum(between, most);
    }
  }

  void finish(const key_type* __restrict low, const key_type* __restrict middle, const key_type* __restrict high,
              std::int64_t y, std::int64_t band) const {
    const std::int64_t width = destination_.width;
    if (destination_.x_stride == static_cast<std::int64_t>(sizeof(T))) {
      T* __restrict const to = &destination_(0, y, band);
      for (std::int64_t x = 0; x < width; ++x) { to[x] = result(low + x, middle + x, high + x); }
    } else {
      for (std::int64_t x = 0; x < width; ++x) { destination_(x, y, band) = result(low + x, middle + x, high + x); }
    }
  }

  /// From three sorted columns side by side.
  static T result(const key_type* low, const key_type* middle, const key_type* high) {
    const key_type least = maximum(maximum(low[0], low[1]), low[2]);
    const key_type most = minimum(minimum(high[0], high[1]), high[2]);
    return order::sample(median_of(least, median_of(middle[0], middle[1], middle[2]), most));
  }

  static key_type median_of(key_type a, key_type b, key_type c) {
    return maximum(minimum(a, b), minimum(maximum(a, b), c));
  }

  bordered_bands<T> source_;
  cube_view<T> destination_;
  window_frame frame_;
  nan_policy policy_;
  std::int64_t columns_;
};

}  // namespace gpuimg::filter::detail
