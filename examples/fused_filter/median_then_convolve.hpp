/// @file
/// A kernel of one's own from the library's blocks: a 3x3 median and, on its results while they are in registers, a 5x5
/// correlation. The picture between the two is never stored.
#pragma once

#include <cstdint>

#include "gpuimg/core/config.hpp"
#include "gpuimg/core/image_view.hpp"
#include "gpuimg/filter/border.hpp"
#include "gpuimg/filter/convolution_arithmetic.hpp"
#include "gpuimg/simt/group.hpp"

namespace gpuimg::examples {

/// A thread's strip is 4 x 8 outputs. For each row of the source it sorts 10 columns of three, gets 8 medians from
/// them, and takes these into the sums of the up to 5 output rows around.
///
/// With a border that mirrors or repeats the picture (reflect, reflect101, wrap) the result is that of median<3, 3> and
/// correlate, bit for bit: medians of a mirrored picture are mirrored medians.
struct median_then_convolve_kernel {
  static constexpr int threads = 128;
  static constexpr int outputs = 4;
  static constexpr int rows = 8;
  static constexpr int block_width = simt::warp_size * outputs;
  static constexpr int block_height = threads / simt::warp_size * rows;
  struct shared_storage {};

  filter::bordered_image<std::uint8_t> source;
  image_view<std::uint8_t> destination;
  float coefficients[25];

  simt::grid_extent grid() const noexcept {
    return {(destination.width + block_width - 1) / block_width,
            (destination.height + block_height - 1) / block_height};
  }

  template <simt::block_group Block>
  GPUIMG_FUNCTION void operator()(Block& block, shared_storage&) const {
    const std::int64_t x = block.index().x * block_width + block.rank() % simt::warp_size * outputs;
    const std::int64_t y = block.index().y * block_height + block.warp_rank() * rows;
    if (x >= destination.width || y >= destination.height) { return; }
    constexpr int columns = outputs + 6;  // 2 more on each side for the 5x5 window, 1 for the 3x3
    const std::int64_t width = source.image.width;
    const bool inside = x >= 3 && x + columns - 3 <= width;
    int lines[3][columns];
    float sums[rows][outputs] = {};
    GPUIMG_UNROLL
    for (int r = 0; r < rows + 6; ++r) {
      load(x - 3, y - 3 + r, inside, lines[r % 3]);
      if (r < 2) { continue; }
      float medians[outputs + 4];
      take_medians(lines, medians);
      GPUIMG_UNROLL
      for (int e = 0; e < rows; ++e) {
        const int j = r - 2 - e;
        if (j >= 0 && j < 5) { filter::accumulate_row<5>(coefficients + 5 * j, medians, sums[e]); }
      }
    }
    GPUIMG_UNROLL
    for (int e = 0; e < rows; ++e) {
      GPUIMG_UNROLL
      for (int i = 0; i < outputs; ++i) {
        if (x + i < destination.width && y + e < destination.height) {
          destination(x + i, y + e) = filter::saturate_round<std::uint8_t>(sums[e][i]);
        }
      }
    }
  }

 private:
  template <int Columns>
  GPUIMG_FUNCTION void load(std::int64_t x, std::int64_t y, bool inside, int (&line)[Columns]) const {
    if (inside && y >= 0 && y < source.image.height) {
      const std::uint8_t* from = source.image.row(y) + x;
      GPUIMG_UNROLL
      for (int i = 0; i < Columns; ++i) { line[i] = from[i]; }
      return;
    }
    GPUIMG_UNROLL
    for (int i = 0; i < Columns; ++i) { line[i] = source(x + i, y); }
  }

  /// The middle one of three.
  GPUIMG_FUNCTION static int middle(int a, int b, int c) {
    const int low = simt::minimum{}(a, b);
    const int high = simt::maximum{}(a, b);
    return simt::maximum{}(low, simt::minimum{}(high, c));
  }

  /// Of nine values in three sorted columns: the middle one of the largest minimum, the middle middle and the least
  /// maximum.
  template <int Columns>
  GPUIMG_FUNCTION static void take_medians(const int (&lines)[3][Columns], float (&medians)[Columns - 2]) {
    int low[Columns];
    int mid[Columns];
    int high[Columns];
    GPUIMG_UNROLL
    for (int i = 0; i < Columns; ++i) {
      const int a = lines[0][i];
      const int b = lines[1][i];
      const int c = lines[2][i];
      low[i] = simt::minimum{}(simt::minimum{}(a, b), c);
      mid[i] = middle(a, b, c);
      high[i] = simt::maximum{}(simt::maximum{}(a, b), c);
    }
    GPUIMG_UNROLL
    for (int i = 0; i < Columns - 2; ++i) {
      const int l = simt::maximum{}(simt::maximum{}(low[i], low[i + 1]), low[i + 2]);
      const int m = middle(mid[i], mid[i + 1], mid[i + 2]);
      const int h = simt::minimum{}(simt::minimum{}(high[i], high[i + 1]), high[i + 2]);
      medians[i] = static_cast<float>(middle(l, m, h));
    }
  }
};

}  // namespace gpuimg::examples
