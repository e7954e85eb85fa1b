/// @file
/// Kernel of small windows: no shared memory, a thread for 16 bytes of a few rows.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpuimg/core/config.hpp"
#include "gpuimg/core/image_view.hpp"
#include "gpuimg/filter/detail/median_window.hpp"
#include "gpuimg/filter/median_key.hpp"
#include "gpuimg/filter/median_policy.hpp"
#include "gpuimg/filter/nan_policy.hpp"
#include "gpuimg/filter/register_window.hpp"
#include "gpuimg/filter/sorted_columns.hpp"
#include "gpuimg/simt/group.hpp"

namespace gpuimg::filter::detail {

/// Order statistics of Width x Height windows, from 2 x 2 on; the grid's z is the band. All is selected from a thread's
/// registers: medians of 3 x 3 integers from operations on three, others tile by tile of 2 x 2 pixels, of which those
/// side by side share their sorted columns.
template <ordered_sample T, int Width, int Height, int Rank, class Policy = strip_policy<T, Width, Height>>
struct median_strip_kernel {
  static constexpr int threads = 128;
  static constexpr int min_blocks_per_sm = Policy::blocks_per_sm;
  static constexpr int thread_rows = Policy::rows;
  static constexpr int halo = Width / 2;
  using shape = tile_shape<Width, Height, 2, 2>;
  using window = register_window<T, halo, thread_rows + Height - 1>;
  using word = typename window::word_type;
  static constexpr int words = window::words;
  static constexpr int block_width = simt::warp_size * window::pixels;
  static constexpr int block_height = threads / simt::warp_size * thread_rows;

  static constexpr bool by_threes = Width == 3 && Height == 3 && Rank == 4 && !sample_order<T>::has_nan;

  struct shared_storage {};

  bordered_bands<T> source;
  cube_view<T> destination;
  window_frame frame;
  nan_policy policy = nan_policy::propagate;
  bool wide_source = false;       ///< whether 16 bytes may be read at once
  bool wide_destination = false;  ///< whether they may be written at once

  template <simt::block_group Block>
  GPUIMG_FUNCTION void operator()(Block& block, shared_storage&) const {
    const std::int64_t x =
        block.index().x * block_width + block.rank() % simt::warp_size * std::int64_t{window::pixels};
    const std::int64_t y = block.index().y * block_height + block.warp_rank() * std::int64_t{thread_rows};
    const std::int64_t band = block.index().z;
    if (x >= destination.width || y >= destination.height) { return; }
    window pixels;
    pixels.load(source, x, y - Height / 2, band, wide_source);
    if (policy != nan_policy::propagate && pixels.has_nan()) {
      by_windows(x, y, band);
      return;
    }
    GPUIMG_UNROLL
    for (int row = 0; row < thread_rows; row += 2) {
      word results[2][static_cast<std::size_t>(words)];
      if constexpr (by_threes) {
        GPUIMG_UNROLL
        for (int i = 0; i < 2; ++i) { median_of_nine(pixels, row + i, results[i]); }
      } else {
        select_tiles(pixels, row, results);
      }
      GPUIMG_UNROLL
      for (int i = 0; i < 2; ++i) { window::store(results[i], destination, x, y + row + i, band, wide_destination); }
    }
  }

 private:
  using columns = word[static_cast<std::size_t>(words + Width - 1)][static_cast<std::size_t>(shape::core_rows)];

  /// A tile of a thread's pixels, as tile_selection sees it.
  struct tile {
    static constexpr bool in_registers = true;
    const window& pixels;
    const columns& sorted;
    word (&results)[2][static_cast<std::size_t>(words)];
    int column;  ///< of the thread's words
    int row;     ///< of its rows

    GPUIMG_FUNCTION word pixel(int x, int y) const { return pixels.word(column - halo + x, row + y); }
    GPUIMG_FUNCTION word sorted_column(int x, int i) const { return sorted[column + x][i]; }
    GPUIMG_FUNCTION void emit(int x, int y, word result) const { results[y][column + x] = result; }
  };

  /// Rows `row` and row + 1 of the thread.
  GPUIMG_FUNCTION static void select_tiles(const window& pixels, int row,
                                           word (&results)[2][static_cast<std::size_t>(words)]) {
    columns sorted;  // of the rows that both see
    GPUIMG_UNROLL
    for (int c = 0; c < words + Width - 1; ++c) {
      GPUIMG_UNROLL
      for (int i = 0; i < shape::core_rows; ++i) { sorted[c][i] = pixels.word(c - halo, row + 1 + i); }
      sort<shape::core_rows>(sorted[c]);
    }
    GPUIMG_UNROLL
    for (int c = 0; c < words; c += 2) {
      tile part{pixels, sorted, results, c, row};
      tile_selection<shape, Rank>::template run<word>(part);
    }
  }

  /// Row `row` of the thread: of three sorted columns, the middle one of the greatest minimum, the middle of the
  /// middles and the least maximum.
  GPUIMG_FUNCTION static void median_of_nine(const window& pixels, int row,
                                             word (&results)[static_cast<std::size_t>(words)]) {
    word low[words + 2];
    word mid[words + 2];
    word high[words + 2];
    GPUIMG_UNROLL
    for (int c = 0; c < words + 2; ++c) {
      const word& a = pixels.word(c - 1, row);
      const word& b = pixels.word(c - 1, row + 1);
      const word& d = pixels.word(c - 1, row + 2);
      low[c] = minimum(a, b, d);
      mid[c] = middle(a, b, d);
      high[c] = maximum(a, b, d);
    }
    GPUIMG_UNROLL
    for (int c = 0; c < words; ++c) {
      results[c] = middle(maximum(low[c], low[c + 1], low[c + 2]), middle(mid[c], mid[c + 1], mid[c + 2]),
                          minimum(high[c], high[c + 1], high[c + 2]));
    }
  }

  /// The thread's pixels one by one: NaN in a window change which rank is wanted.
  GPUIMG_FUNCTION GPUIMG_COLD void by_windows(std::int64_t left, std::int64_t top, std::int64_t band) const {
    for (int i = 0; i < window::pixels * thread_rows; ++i) {
      const std::int64_t x = left + i % window::pixels;
      const std::int64_t y = top + i / window::pixels;
      if (x < destination.width && y < destination.height) {
        destination(x, y, band) = window_rank(source, frame, Rank, policy, x, y, band);
      }
    }
  }
};

}  // namespace gpuimg::filter::detail
