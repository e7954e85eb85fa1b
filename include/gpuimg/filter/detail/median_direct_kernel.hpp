/// @file
/// Kernel of the 3x3 median: no shared memory, a thread for 16 bytes of four rows.
#pragma once

#include <cstdint>

#include "gpuimg/core/config.hpp"
#include "gpuimg/core/image_view.hpp"
#include "gpuimg/filter/compare_exchange.hpp"
#include "gpuimg/filter/detail/median_window.hpp"
#include "gpuimg/filter/median_key.hpp"
#include "gpuimg/filter/nan_policy.hpp"
#include "gpuimg/filter/register_window.hpp"
#include "gpuimg/simt/group.hpp"

namespace gpuimg::filter::detail {

/// Medians of 3x3 windows; the grid's z is the band. The columns of three are sorted, and the median of nine is the
/// median of the greatest minimum, the median of the medians, and the least maximum.
template <ordered_sample T>
struct median_3x3_kernel {
  static constexpr int threads = 128;
  static constexpr int min_blocks_per_sm = 4;  // registers enough for all of a thread's pixels
  static constexpr int thread_rows = 4;
  using window = register_window<T, 1, thread_rows + 2>;
  using word = typename window::word_type;
  static constexpr int words = window::words;
  static constexpr int block_width = simt::warp_size * window::pixels;
  static constexpr int block_height = threads / simt::warp_size * thread_rows;

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
    const bool has_nan = pixels.load(source, x, y - 1, band, wide_source);
    if constexpr (sample_order<T>::has_nan) {
      if (has_nan) {
        by_windows(x, y, band);
        return;
      }
    }
    GPUIMG_UNROLL
    for (int pair = 0; pair < thread_rows / 2; ++pair) { two_rows(pixels, 2 * pair, x, y + 2 * pair, band); }
  }

 private:
  /// Rows `first` and first + 1 of the thread: the two rows between them are sorted once.
  GPUIMG_FUNCTION void two_rows(const window& pixels, int first, std::int64_t x, std::int64_t y,
                                std::int64_t band) const {
    word upper[3][words + 2];  // minima, medians and maxima of the columns about the upper row
    word lower[3][words + 2];
    GPUIMG_UNROLL
    for (int c = 0; c < words + 2; ++c) {
      word low = pixels.word(c - 1, first + 1);
      word high = pixels.word(c - 1, first + 2);
      compare_exchange(low, high);
      insert(low, high, pixels.word(c - 1, first), upper, c);
      insert(low, high, pixels.word(c - 1, first + 3), lower, c);
    }
    finish(upper, x, y, band);
    finish(lower, x, y + 1, band);
  }

  GPUIMG_FUNCTION static void insert(const word& low, const word& high, const word& added, word (&sorted)[3][words + 2],
                                     int c) {
    const word middle = maximum(low, added);
    sorted[0][c] = minimum(low, added);
    sorted[1][c] = minimum(middle, high);
    sorted[2][c] = maximum(middle, high);
  }

  GPUIMG_FUNCTION static word median_of_3(const word& low, const word& high, const word& c) {
    return maximum(low, minimum(high, c));  // low <= high
  }

  GPUIMG_FUNCTION void finish(const word (&sorted)[3][words + 2], std::int64_t x, std::int64_t y,
                              std::int64_t band) const {
    word results[static_cast<std::size_t>(words)];
    GPUIMG_UNROLL
    for (int c = 0; c < words; c += 2) {  // columns c + 1 and c + 2 are in both windows
      const word least = maximum(sorted[0][c + 1], sorted[0][c + 2]);
      const word greatest = minimum(sorted[2][c + 1], sorted[2][c + 2]);
      word low = sorted[1][c + 1];
      word high = sorted[1][c + 2];
      compare_exchange(low, high);
      GPUIMG_UNROLL
      for (int i = 0; i < 2; ++i) {
        word a = maximum(least, sorted[0][c + 3 * i]);
        word b = minimum(greatest, sorted[2][c + 3 * i]);
        const word middle = median_of_3(low, high, sorted[1][c + 3 * i]);
        compare_exchange(a, b);
        results[c + i] = median_of_3(a, b, middle);
      }
    }
    window::store(results, destination, x, y, band, wide_destination);
  }

  /// The thread's pixels one by one: NaN in a window change which rank is wanted.
  GPUIMG_FUNCTION GPUIMG_COLD void by_windows(std::int64_t left, std::int64_t top, std::int64_t band) const {
    for (int i = 0; i < window::pixels * thread_rows; ++i) {
      const std::int64_t x = left + i % window::pixels;
      const std::int64_t y = top + i / window::pixels;
      if (x < destination.width && y < destination.height) {
        destination(x, y, band) = window_rank(source, frame, 4, policy, x, y, band);
      }
    }
  }
};

}  // namespace gpuimg::filter::detail
