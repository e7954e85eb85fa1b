/// @file
/// Least and greatest samples of any rectangle on a host: erosion and dilation.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "gpuimg/core/image_view.hpp"
#include "gpuimg/filter/compare_exchange.hpp"
#include "gpuimg/filter/detail/median_host_lines.hpp"
#include "gpuimg/filter/detail/median_window.hpp"
#include "gpuimg/filter/median_key.hpp"
#include "gpuimg/filter/nan_policy.hpp"

namespace gpuimg::filter::detail {

/// Rank 0 or the last one of a window without a mask. Along x, then along y, each in about log2(side) vector operations
/// a pixel: extremes of runs of 1, 2, 4, ... samples, and at last of two runs that overlap.
template <ordered_sample T>
class host_extreme_filter {
  using order = sample_order<T>;
  using key_type = typename order::key_type;

 public:
  host_extreme_filter(const bordered_bands<T>& source, const cube_view<T>& destination, const window_frame& frame,
                      bool greatest, nan_policy policy)
      : source_(source),
        destination_(destination),
        frame_(frame),
        greatest_(greatest),
        policy_(policy),
        columns_(destination.width + frame.width - 1) {}

  void run(unsigned threads) const {
    const std::int64_t part_rows = std::max<std::int64_t>(32, frame_.height);
    filter_parts<key_type>(
        threads, source_, destination_, frame_, part_rows, columns_, [this](T sample) { return key_of(sample); },
        [this](key_type* keys, std::int64_t top, std::int64_t rows, std::int64_t band) {
          part(keys, top, rows, band);
        });
  }

 private:
  void part(key_type* keys, std::int64_t top, std::int64_t rows, std::int64_t band) const {
    const std::int64_t lines = rows + frame_.height - 1;
    for (std::int64_t j = 0; j < lines; ++j) { reduce(keys + j * columns_, columns_, frame_.width, 1); }
    reduce(keys, lines * columns_, frame_.height, columns_);
    for (std::int64_t j = 0; j < rows; ++j) { store(keys + j * columns_, top + j, band); }
  }

  /// NaN as the key that wins, where it is to be the result, or loses, where it is not to count.
  key_type key_of(T sample) const {
    const key_type key = order::key(sample);
    if constexpr (order::has_nan) {
      const bool wins = policy_ == nan_policy::propagate;
      if (key == order::nan_key && wins != greatest_) { return key_type{0}; }  // no number has it
    }
    return key;
  }

  /// keys[i] becomes the extreme of keys[i], keys[i + step], ..., `side` of them, for all i that have as many behind.
  void reduce(key_type* keys, std::int64_t count, std::int64_t side, std::int64_t step) const {
    const auto whole = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(side)));
    std::int64_t left = count;
    for (std::int64_t run = 1; run < whole; run *= 2) {
      left -= run * step;
      combine(keys, keys + run * step, left);
    }
    if (side > whole) { combine(keys, keys + (side - whole) * step, left - (side - whole) * step); }
  }

  /// In place: what is read lies ahead of what is written.
  void combine(key_type* keys, const key_type* ahead, std::int64_t count) const {
    if (greatest_) {
      for (std::int64_t i = 0; i < count; ++i) { keys[i] = maximum(keys[i], ahead[i]); }
    } else {
      for (std::int64_t i = 0; i < count; ++i) { keys[i] = minimum(keys[i], ahead[i]); }
    }
  }

  void store(const key_type* keys, std::int64_t y, std::int64_t band) const {
    for (std::int64_t x = 0; x < destination_.width; ++x) {
      key_type key = keys[x];
      if constexpr (order::has_nan) {
        const bool centre = policy_ == nan_policy::preserve && order::key(source_.cube(x, y, band)) == order::nan_key;
        if (key == 0 || centre) { key = order::nan_key; }
      }
      destination_(x, y, band) = order::sample(key);
    }
  }

  bordered_bands<T> source_;
  cube_view<T> destination_;
  window_frame frame_;
  bool greatest_;
  nan_policy policy_;
  std::int64_t columns_;
};

}  // namespace gpuimg::filter::detail
