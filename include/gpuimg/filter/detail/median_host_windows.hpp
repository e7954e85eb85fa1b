/// @file
/// Rank filters of any window on a host: each window is gathered and its wanted sample selected.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpuimg/core/image_view.hpp"
#include "gpuimg/filter/detail/median_host_lines.hpp"
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
    const std::int64_t columns = destination_.width + frame_.width - 1;
    filter_parts<key_type>(
        threads, source_, destination_, frame_, 8, columns, [](T sample) { return order::key(sample); },
        [&](const key_type* keys, std::int64_t top, std::int64_t rows, std::int64_t band) {
          std::vector<key_type> window;
          for (std::int64_t j = 0; j < rows; ++j) {
            for (std::int64_t x = 0; x < destination_.width; ++x) {
              destination_(x, top + j, band) = order::sample(select(keys + j * columns + x, columns, window));
            }
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
