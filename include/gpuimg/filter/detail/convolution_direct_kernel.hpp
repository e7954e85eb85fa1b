/// @file
/// Convolution by kernels of a size known at compile time: sums and windows in registers, coefficients as operands from
/// the kernel's parameters.
///
/// A thread computes a strip of `Outputs` columns, row by row of the source. A row of the source that it holds serves
/// every output row under it at once, so that each sample is read Height times less often than a sum takes it in.
#pragma once

#include <cstdint>

#include "gpuimg/core/config.hpp"
#include "gpuimg/core/image_view.hpp"
#include "gpuimg/filter/convolution_arithmetic.hpp"
#include "gpuimg/filter/detail/convolution_strip.hpp"
#include "gpuimg/filter/detail/convolution_tile.hpp"
#include "gpuimg/simt/group.hpp"

namespace gpuimg::filter {

namespace detail {

/// What a thread computes. Chosen by measurement (benchmarks/convolution.md).
template <class S, class A, int Width, int Height>
struct direct_policy {
  static constexpr bool unrolled = Height <= 15;  ///< else rows are a loop and sums move on through registers
  static constexpr int outputs = sizeof(A) > 4 ? 2 : sizeof(S) <= 2 && Height <= 5 ? 8 : 4;
  static constexpr int rows = !unrolled ? 16 : sizeof(S) == 1 && Height >= 7 && Height <= 9 ? 8 : 4;
};

/// out(x, y) = sum of k(i, j) * in(x + shift_x + i, y + shift_y + j)
///
/// The first `frame_rows` rows of the grid's blocks compute the frame around the inner part, a sample a thread: they
/// take longer, and should not be what the others wait for in the end.
template <class S, class D, class A, int Width, int Height, class Store,
          class Policy = direct_policy<S, A, Width, Height>>
struct direct_convolution_kernel {
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
  A coefficients[Width * Height];

  template <simt::block_group Block>
  GPUIMG_FUNCTION void operator()(Block& block, shared_storage&) const {
    run_strips(*this, block);
  }

  /// The sum of a sample at the border.
  GPUIMG_FUNCTION A sum_at(std::int64_t x, std::int64_t y, std::int64_t band) const {
    const auto& source = problem.source;
    const mapped_columns<Width> columns(source, x + source.shift_x);
    A sum[1] = {};
    GPUIMG_NO_UNROLL
    for (int j = 0; j < Height; ++j) {
      A window[Width];
      columns.load(source, map_near(source.mode, y + source.shift_y + j, source.samples.height), band, window);
      accumulate_row<Width>(coefficients + j * Width, window, sum);
    }
    return sum[0];
  }

  /// A thread's strip, from the first sample that it reads.
  GPUIMG_FUNCTION void compute(const S* from, std::int64_t pitch, row_writer<outputs, D>& to) const {
    if constexpr (Policy::unrolled) {
      strip(from, pitch, to);
    } else {
      march(from, pitch, to);
    }
  }

 private:
  /// All rows in straight code.
  GPUIMG_FUNCTION void strip(const S* from, std::int64_t pitch, row_writer<outputs, D>& to) const {
    A sums[rows][outputs] = {};
    GPUIMG_UNROLL
    for (int r = 0; r < rows + Height - 1; ++r) {
      raw_row<S, layout> raw;
      raw.load(from);
      from = gpuimg::detail::advance_bytes(from, pitch);
      A window[layout::window];
      raw.unpack(window);
      GPUIMG_UNROLL
      for (int e = 0; e < rows; ++e) {
        const int j = r - e;
        if (j >= 0 && j < Height) { accumulate_row<Width>(coefficients + j * Width, window, sums[e]); }
      }
      if (r >= Height - 1) { to.put(sums[r - (Height - 1)], store); }
    }
  }

  /// A loop over rows. sums[Height - 1 - j] belongs to the output row that takes in row j of the kernel next: sums move
  /// down by one after each row, and those at 0 are whole.
  GPUIMG_FUNCTION void march(const S* from, std::int64_t pitch, row_writer<outputs, D>& to) const {
    A sums[Height][outputs] = {};
    raw_row<S, layout> next;
    next.load(from);
    GPUIMG_NO_UNROLL
    for (int r = 0; r < rows + Height - 1; ++r) {
      const raw_row<S, layout> raw = next;
      from = gpuimg::detail::advance_bytes(from, pitch);
      if (r < rows + Height - 2) { next.load(from); }
      A window[layout::window];
      raw.unpack(window);
      if (r >= Height - 1 && r < rows) {
        GPUIMG_UNROLL
        for (int j = 0; j < Height; ++j) {
          accumulate_row<Width>(coefficients + j * Width, window, sums[Height - 1 - j]);
        }
      } else {  // rows of the kernel that lie on no output row of this strip are left out
        GPUIMG_UNROLL
        for (int j = 0; j < Height; ++j) {
          if (j <= r && r - j < rows) { accumulate_row<Width>(coefficients + j * Width, window, sums[Height - 1 - j]); }
        }
      }
      if (r >= Height - 1) { to.put(sums[0], store); }
      GPUIMG_UNROLL
      for (int j = 0; j < Height - 1; ++j) {
        GPUIMG_UNROLL
        for (int o = 0; o < outputs; ++o) { sums[j][o] = sums[j + 1][o]; }
      }
      GPUIMG_UNROLL
      for (int o = 0; o < outputs; ++o) { sums[Height - 1][o] = A{0}; }
    }
  }
};

}  // namespace detail
}  // namespace gpuimg::filter
