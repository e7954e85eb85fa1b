/// @file
/// Separable convolution of a size known at compile time in one pass: the row's filter on each row of the source as it
/// is read, the column's on its results while they are in registers. Nothing in between is stored.
#pragma once

#include <cstdint>

#include "gpuimg/core/config.hpp"
#include "gpuimg/core/image_view.hpp"
#include "gpuimg/filter/convolution_arithmetic.hpp"
#include "gpuimg/filter/detail/convolution_direct_kernel.hpp"
#include "gpuimg/filter/detail/convolution_strip.hpp"
#include "gpuimg/filter/detail/convolution_tile.hpp"
#include "gpuimg/simt/group.hpp"

namespace gpuimg::filter::detail {

/// What a thread computes. Chosen by measurement (benchmarks/convolution.md).
template <class A, int Height>
struct separable_policy {
  static constexpr int outputs = sizeof(A) > 4 ? 2 : 4;
  static constexpr int rows = Height <= 5 ? 4 : 8;
};

/// h(x, y) = sum of row(i) * in(x + shift_x + i, y); out(x, y) = sum of column(j) * h(x, y + shift_y + j)
template <class S, class D, class A, int Width, int Height, class Store, class Policy = separable_policy<A, Height>>
struct separable_convolution_kernel {
  static constexpr int threads = 128;
  static constexpr int outputs = Policy::outputs;
  static constexpr int rows = Policy::rows;
  static constexpr int block_columns = simt::warp_size;
  static constexpr int block_height = threads / simt::warp_size * rows;
  static constexpr int taps_y = Height;
  using layout = row_layout<outputs, Width>;
  using destination_sample = D;
  struct shared_storage {};

  strip_problem<S, D> problem;
  Store store;
  A row[Width];
  A column[Height];

  template <simt::block_group Block>
  GPUIMG_FUNCTION void operator()(Block& block, shared_storage&) const {
    run_strips(*this, block);
  }

  /// The sum of a sample at the border.
  GPUIMG_FUNCTION A sum_at(std::int64_t x, std::int64_t y, std::int64_t band) const {
    const auto& source = problem.source;
    const mapped_columns<Width> columns(source, x + source.shift_x);
    A sum{0};
    GPUIMG_NO_UNROLL
    for (int j = 0; j < Height; ++j) {
      A window[Width];
      columns.load(source, map_near(source.mode, y + source.shift_y + j, source.samples.height), band, window);
      A filtered[1] = {};
      accumulate_row<Width>(row, window, filtered);
      sum = multiply_add(column[j], filtered[0], sum);
    }
    return sum;
  }

  /// A thread's strip, from the first sample that it reads.
  GPUIMG_FUNCTION void compute(const S* from, std::int64_t pitch, row_writer<outputs, D>& to) const {
    A sums[rows][outputs] = {};
    GPUIMG_UNROLL
    for (int r = 0; r < rows + Height - 1; ++r) {
      raw_row<S, layout> raw;
      raw.load(from);
      from = gpuimg::detail::advance_bytes(from, pitch);
      A window[layout::window];
      raw.unpack(window);
      A filtered[outputs] = {};
      accumulate_row<Width>(row, window, filtered);
      GPUIMG_UNROLL
      for (int e = 0; e < rows; ++e) {
        const int j = r - e;
        if (j >= 0 && j < Height) { accumulate_row<1>(column + j, filtered, sums[e]); }
      }
      if (r >= Height - 1) { to.put(sums[r - (Height - 1)], store); }
    }
  }
};

}  // namespace gpuimg::filter::detail
