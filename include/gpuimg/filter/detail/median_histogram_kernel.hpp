/// @file
/// Kernel of rank filters of 8-bit samples by histograms of columns: for large windows.
#pragma once

#include <cstdint>

#include "gpuimg/core/config.hpp"
#include "gpuimg/core/image_view.hpp"
#include "gpuimg/filter/border.hpp"
#include "gpuimg/filter/detail/median_window.hpp"
#include "gpuimg/filter/median_key.hpp"
#include "gpuimg/simt/group.hpp"

namespace gpuimg::filter::detail {

/// A block goes down a strip of Threads * Pixels columns. It keeps a histogram of every column that a window may touch:
/// 256 bins of a byte, and 16 coarse ones of 16 bins each. A thread adds the coarse bins of its window's columns, finds
/// the one that holds the rank, and adds the 16 bins of that one. O(width) operations a pixel, O(1) in the height.
///
/// Windows are at most 255 high, and wide enough for Columns: Threads * Pixels + width - 1 <= Columns.
template <ordered_sample T, int Threads, int Pixels, int Columns>
requires(sizeof(T) == 1) struct column_histogram_kernel {
  static constexpr int threads = Threads;
  static constexpr int min_blocks_per_sm = Columns > 400 ? 1 : 2;  // what shared memory has room for
  static constexpr int block_width = Threads * Pixels;
  static constexpr int max_width = Columns - block_width + 1;
  static constexpr int max_height = 255;

  static constexpr int segment = 16;                  ///< bins that are read at once
  static constexpr int segments = 256 / segment + 1;  ///< of a column; the last are the coarse bins
  static constexpr int column_bytes = segment * segments;

  struct alignas(16) shared_storage {
    std::uint8_t bins[Columns * column_bytes];
  };

  bordered_bands<T> source;
  cube_view<T> destination;
  window_frame frame;
  std::int32_t rank = 0;
  std::int32_t block_rows = 64;  ///< rows that a block goes down

  static constexpr bool fits(const window_frame& window) noexcept {
    return window.mask == nullptr && window.height <= max_height && window.width <= max_width;
  }

  template <simt::block_group Block>
  GPUIMG_FUNCTION void operator()(Block& block, shared_storage& shared) const {
    const std::int64_t left = block.index().x * block_width;
    const std::int64_t top = block.index().y * block_rows;
    const std::int64_t end = top + block_rows < destination.height ? top + block_rows : destination.height;
    const std::int64_t band = block.index().z;
    const int columns = block_width + frame.width - 1;
    clear(block.rank(), columns, shared);
    block.sync();
    for (int column = block.rank(); column < columns; column += threads) {
      const std::int64_t x = map_coordinate(source.mode, left - frame.left + column, source.cube.width);
      std::uint8_t* const bins = shared.bins + column * column_bytes;
      for (int j = 0; j < frame.height; ++j) { change(bins, key_at(x, top - frame.top + j, band), 1); }
    }
    block.sync();
    for (std::int64_t y = top; y < end; ++y) {
      row(block.rank(), left, y, band, shared);
      if (y + 1 == end) { break; }
      block.sync();
      for (int column = block.rank(); column < columns; column += threads) {
        const std::int64_t x = map_coordinate(source.mode, left - frame.left + column, source.cube.width);
        std::uint8_t* const bins = shared.bins + column * column_bytes;
        const std::uint8_t leaves = key_at(x, y - frame.top, band);
        const std::uint8_t comes = key_at(x, y - frame.top + frame.height, band);
        change(bins, leaves, -1);
        change(bins, comes, 1);
      }
      block.sync();
    }
  }

 private:
  struct alignas(16) four_words {
    std::uint32_t of[4];
  };

  /// Sixteen sums of 16 bits: bins 4i and 4i + 2 in even[i], 4i + 1 and 4i + 3 in odd[i].
  struct bin_sums {
    std::uint32_t even[4] = {};
    std::uint32_t odd[4] = {};

    /// Adds sums of bytes.
    GPUIMG_FUNCTION void add(const std::uint32_t (&bytes)[4]) noexcept {
      GPUIMG_UNROLL
      for (int i = 0; i < 4; ++i) {
        even[i] += bytes[i] & 0x00FF00FFu;
        odd[i] += (bytes[i] >> 8) & 0x00FF00FFu;
      }
    }

    /// The bin that holds rank `left` of all; `left` becomes the rank within it.
    GPUIMG_FUNCTION int find(std::int32_t& left) const noexcept {
      std::uint32_t chosen_even = 0;
      std::uint32_t chosen_odd = 0;
      int bin = 0;
      bool found = false;
      GPUIMG_UNROLL
      for (int i = 0; i < 4; ++i) {
        const std::uint32_t pairs = even[i] + odd[i];  // at most 255 * 255 in all: no carry
        const auto four = static_cast<std::int32_t>((pairs & 0xFFFFu) + (pairs >> 16));
        const bool here = !found && left < four;
        if (here) {
          chosen_even = even[i];
          chosen_odd = odd[i];
          bin = 4 * i;
        }
        found = found || here;
        if (!found) { left -= four; }
      }
      const std::int32_t counts[3] = {static_cast<std::int32_t>(chosen_even & 0xFFFFu),
                                      static_cast<std::int32_t>(chosen_odd & 0xFFFFu),
                                      static_cast<std::int32_t>(chosen_even >> 16)};
      bool passed = true;
      GPUIMG_UNROLL
      for (int i = 0; i < 3; ++i) {
        passed = passed && left >= counts[i];
        if (passed) {
          left -= counts[i];
          ++bin;
        }
      }
      return bin;
    }
  };

  GPUIMG_FUNCTION static void clear(int rank, int columns, shared_storage& shared) {
    auto* const to = reinterpret_cast<four_words*>(shared.bins);
    for (int i = rank; i < columns * segments; i += threads) { to[i] = {}; }
  }

  GPUIMG_FUNCTION std::uint8_t key_at(std::int64_t x, std::int64_t y, std::int64_t band) const {
    const std::int64_t line = map_coordinate(source.mode, y, source.cube.height);
    return sample_order<T>::key(x < 0 || line < 0 ? source.value : source.cube(x, line, band));
  }

  GPUIMG_FUNCTION static void change(std::uint8_t* bins, int key, int by) {
    bins[key] = static_cast<std::uint8_t>(bins[key] + by);
    std::uint8_t& coarse = bins[256 + key / segment];
    coarse = static_cast<std::uint8_t>(coarse + by);
  }

  /// Adds one segment of columns first..first+count-1.
  GPUIMG_FUNCTION void sum_columns(const shared_storage& shared, int first, int count, int which,
                                   bin_sums& sums) const {
    const auto* from = reinterpret_cast<const four_words*>(shared.bins + first * column_bytes + which * segment);
    const int together = max_height / frame.height;  // columns whose sums fit in bytes
    if (together >= 4) {
      for (; count >= 4; count -= 4) {
        std::uint32_t bytes[4] = {};
        GPUIMG_UNROLL
        for (int c = 0; c < 4; ++c) { add(bytes, from[c * segments]); }
        sums.add(bytes);
        from += 4 * segments;
      }
    } else if (together >= 2) {
      for (; count >= 2; count -= 2) {
        std::uint32_t bytes[4] = {};
        GPUIMG_UNROLL
        for (int c = 0; c < 2; ++c) { add(bytes, from[c * segments]); }
        sums.add(bytes);
        from += 2 * segments;
      }
    }
    for (; count > 0; --count) {
      std::uint32_t bytes[4] = {};
      add(bytes, *from);
      sums.add(bytes);
      from += segments;
    }
  }

  GPUIMG_FUNCTION static void add(std::uint32_t (&bytes)[4], const four_words& more) {
    GPUIMG_UNROLL
    for (int i = 0; i < 4; ++i) { bytes[i] += more.of[i]; }
  }

  GPUIMG_FUNCTION void row(int thread, std::int64_t left, std::int64_t y, std::int64_t band,
                           const shared_storage& shared) const {
    const int first = thread * Pixels;
    const int common = frame.width - (Pixels - 1);  // columns that all of the thread's windows touch
    bin_sums shared_coarse;
    sum_columns(shared, first + Pixels - 1, common, segments - 1, shared_coarse);
    bin_sums shared_fine;
    int shared_segment = -1;
    GPUIMG_UNROLL
    for (int p = 0; p < Pixels; ++p) {
      std::int32_t wanted = rank;
      bin_sums coarse = shared_coarse;
      add_ends(shared, first, p, segments - 1, coarse);
      const int bin = coarse.find(wanted);
      if (bin != shared_segment) {
        shared_segment = bin;
        shared_fine = {};
        sum_columns(shared, first + Pixels - 1, common, bin, shared_fine);
      }
      bin_sums fine = shared_fine;
      add_ends(shared, first, p, bin, fine);
      const int key = bin * segment + fine.find(wanted);
      const std::int64_t x = left + first + p;
      if (x < destination.width) { destination(x, y, band) = sample_order<T>::sample(static_cast<std::uint8_t>(key)); }
    }
  }

  /// Adds the columns of window p that not all of the thread's windows touch.
  GPUIMG_FUNCTION void add_ends(const shared_storage& shared, int first, int p, int which, bin_sums& sums) const {
    GPUIMG_UNROLL
    for (int i = 0; i < Pixels - 1; ++i) {
      const int column = p + i < Pixels - 1 ? first + p + i : first + p + i + frame.width - (Pixels - 1);
      std::uint32_t bytes[4] = {};
      add(bytes, *reinterpret_cast<const four_words*>(shared.bins + column * column_bytes + which * segment));
      sums.add(bytes);
    }
  }
};

}  // namespace gpuimg::filter::detail
