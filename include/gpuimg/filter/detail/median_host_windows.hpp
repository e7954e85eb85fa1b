/// @file
/// Rank filters of any window on a host: each window is gathered and its wanted sample selected.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpuimg/core/image_view.hpp"
#include "gpuimg/core/parallel_for.hpp"
#include "gpuimg/filter/border.hpp"
#include "gpuimg/filter/detail/median_window.hpp"
#include "gpuimg/filter/median_key.hpp"
#include "gpuimg/filter/nan_policy.hpp"

namespace gpuimg::filter::detail {

/// O(window) a pixel on average.
template <ordered_sample T>
class host_window_filter {
  using order = sample_order<T>;
  using key_type = typename order::key_type;

 public:
  host_window_filter(const bordered_bands<T>& source, const cube_view<T>& destination, const window_frame& frame,
                     std::int32_t rank, nan_policy policy)
      : source_(source), destination_(destination), frame_(frame), rank_(rank), policy_(policy) {}

  void run(unsigned threads) const {
    std::vector<std::vector<key_type>> lines(threads);  // of a row's windows, mapped
    std::vector<std::vector<key_type>> windows(threads);
    const std::int64_t columns = destination_.width + frame_.width - 1;
    parallel_for(threads, destination_.height * destination_.bands, [&](std::int64_t index, unsigned thread) {
      const std::int64_t y = index % destination_.height;
      const std::int64_t band = index / destination_.height;
      auto& keys = lines[thread];
      keys.resize(static_cast<std::size_t>(columns * frame_.height));
      for (std::int64_t j = 0; j < frame_.height; ++j) {
        for (std::int64_t i = 0; i < columns; ++i) {
          keys[static_cast<std::size_t>(j * columns + i)] =
              order::key(source_(i - frame_.left, y - frame_.top + j, band));
        }
      }
      for (std::int64_t x = 0; x < destination_.width; ++x) {
        destination_(x, y, band) = order::sample(select(keys.data() + x, columns, windows[thread]));
      }
    });
  }

 private:
  key_type select(const key_type* keys, std::int64_t columns, std::vector<key_type>& window) const {
    window.clear();
    for (std::int32_t j = 0; j < frame_.height; ++j) {
      const key_type* const row = keys + j * columns;
      if (frame_.mask == nullptr) {
        window.insert(window.end(), row, row + frame_.width);
      } else {
        for (std::int32_t i = 0; i < frame_.width; ++i) {
          if (frame_.mask[j * frame_.width + i] != 0) { window.push_back(row[i]); }
        }
      }
    }
    std::int64_t wanted = rank_;
    if constexpr (order::has_nan) {
      const auto count = static_cast<std::int64_t>(window.size());
      const auto numbers = count - std::count(window.begin(), window.end(), order::nan_key);
      if (numbers < count) {
        const bool centre_is_nan = keys[frame_.top * columns + frame_.left] == order::nan_key;
        if (numbers == 0 || policy_ == nan_policy::propagate || (policy_ == nan_policy::preserve && centre_is_nan)) {
          return order::nan_key;
        }
        wanted = (2 * wanted + 1) * numbers / (2 * count);
      }
    }
    const auto at = window.begin() + wanted;
    std::nth_element(window.begin(), at, window.end());
    return *at;
  }

  bordered_bands<T> source_;
  cube_view<T> destination_;
  window_frame frame_;
  std::int32_t rank_;
  nan_policy policy_;
};

}  // namespace gpuimg::filter::detail
