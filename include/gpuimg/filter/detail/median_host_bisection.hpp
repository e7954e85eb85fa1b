/// @file
/// Any rank of small windows of any shape on a host, many pixels at a time: the keys' range is bisected.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "gpuimg/core/image_view.hpp"
#include "gpuimg/filter/detail/median_host_lines.hpp"
#include "gpuimg/filter/detail/median_host_words.hpp"
#include "gpuimg/filter/detail/median_window.hpp"
#include "gpuimg/filter/median_key.hpp"

namespace gpuimg::filter::detail {
inline namespace GPUIMG_KEY_WORDS {

/// For integers of 8 and 16 bits. O(window * bits of a sample) additions and comparisons a pixel, 16 or 8 of them in an
/// instruction: 7x3 windows of 8 bits take a tenth of the time of selecting pixel by pixel.
template <ordered_sample T>
requires(sizeof(T) <= 2 && !sample_order<T>::has_nan) class host_bisection_filter {
  using order = sample_order<T>;
  using key_type = typename order::key_type;
  using word = host_word<key_type>;
  static constexpr int block = 64;
  static constexpr int lanes = word::lanes;
  static constexpr int words = block / lanes;

 public:
  /// Samples of a window: what a counter of a key's width holds, and what still pays.
  static constexpr std::int32_t max_count = sizeof(T) == 1 ? 255 : 1024;

  host_bisection_filter(const bordered_bands<T>& source, const cube_view<T>& destination, const window_frame& frame,
                        std::int32_t rank)
      : source_(source),
        destination_(destination),
        frame_(frame),
        rank_(static_cast<key_type>(rank)),
        // Blocks of pixels are whole: the last one may read and find more than the picture's width.
        columns_((destination.width + block - 1) / block * block + frame.width - 1) {
    for (std::int32_t j = 0; j < frame.height; ++j) {
      for (std::int32_t i = 0; i < frame.width; ++i) {
        if (frame.mask == nullptr || frame.mask[j * frame.width + i] != 0) { offsets_.push_back(j * columns_ + i); }
      }
    }
  }

  void run(unsigned threads) const {
    filter_parts<key_type>(
        threads, source_, destination_, frame_, 32, columns_, [](T sample) { return order::key(sample); },
        [this](const key_type* keys, std::int64_t top, std::int64_t rows, std::int64_t band) {
          part(keys, top, rows, band);
        });
  }

 private:
  void part(const key_type* keys, std::int64_t top, std::int64_t rows, std::int64_t band) const {
    for (std::int64_t j = 0; j < rows; ++j) {
      for (std::int64_t x = 0; x < destination_.width; x += block) {
        key_type found[block] = {};
        select(keys + j * columns_ + x, found);
        const auto count = std::min<std::int64_t>(block, destination_.width - x);
        for (std::int64_t i = 0; i < count; ++i) { destination_(x + i, top + j, band) = order::sample(found[i]); }
      }
    }
  }

  /// The greatest keys below which there are no more than `rank_` others.
  void select(const key_type* keys, key_type (&found)[block]) const {
    word best[words] = {};
    const word limit = word::all(rank_);
    for (int bit = std::numeric_limits<key_type>::digits - 1; bit >= 0; --bit) {
      const word half = word::all(static_cast<key_type>(1u << bit));
      word tried[words];
      word below[words] = {};
      for (int i = 0; i < words; ++i) { tried[i] = best[i] | half; }
      for (const std::int64_t offset : offsets_) {
        for (int i = 0; i < words; ++i) {
          word row;
          row.load(keys + offset + i * lanes);
          count_less(row, tried[i], below[i]);
        }
      }
      for (int i = 0; i < words; ++i) { best[i] = choose_at_most(below[i], limit, tried[i], best[i]); }
    }
    for (int i = 0; i < words; ++i) { best[i].store(found + i * lanes); }
  }

  bordered_bands<T> source_;
  cube_view<T> destination_;
  window_frame frame_;
  key_type rank_;
  std::int64_t columns_;
  std::vector<std::int64_t> offsets_;  ///< of a window's samples from its first one
};

}  // namespace GPUIMG_KEY_WORDS
}  // namespace gpuimg::filter::detail
