/// @file
/// Convolution by kernels of a size known at compile time: sums and windows in registers, coefficients as operands from
/// the kernel's parameters.
///
/// A thread computes a strip of `Outputs` columns, row by row of the source. A row of the source that it holds serves
/// every output row under it at once, so that each sample is read less often than a sum takes it in.
#pragma once

#include <cstdint>

#include "gpuimg/core/config.hpp"
#include "gpuimg/core/image_view.hpp"
#include "gpuimg/filter/convolution_arithmetic.hpp"
#include "gpuimg/filter/detail/convolution_strip.hpp"
#include "gpuimg/filter/detail/convolution_tile.hpp"
#include "gpuimg/simt/group.hpp"

namespace gpuimg::filter::detail {

/// What a thread computes. Chosen by measurement (benchmarks/convolution.md).
template <class S, class A, int Width, int Height>
struct direct_policy {
  static constexpr bool marching = Height > 15;  ///< rows in a loop; else in straight code
  static constexpr int outputs = sizeof(A) > 4 ? 2 : sizeof(S) <= 2 && Height <= 7 ? 8 : 4;
  static constexpr int group = outputs;  ///< samples that are read at once
  static constexpr int rows = marching ? 64 : 4;
  static constexpr int early = Height <= 5 ? Height : sizeof(S) == 1 ? 5 : 1;
  static constexpr int ahead = outputs == 8 ? early : 1;  ///< rows whose loads are on their way
};

/// What a thread computes in rows that start anywhere: it reads sample by sample.
template <class S, class A, int Width, int Height>
struct loose_policy : direct_policy<S, A, Width, Height> {
  using direct_policy<S, A, Width, Height>::marching;
  static constexpr int outputs = sizeof(A) > 4 ? 2 : 4;
  static constexpr int group = 1;
  static constexpr int rows = marching ? 64 : Height <= 3 || (Height >= 6 && Height <= 8) ? 8 : 4;
  static constexpr int ahead = 1;
};

/// out(x, y) = sum of k(i, j) * in(x + shift_x + i, y + shift_y + j)
template <class S, class D, class A, int Width, int Height, class Store,
          class Policy = direct_policy<S, A, Width, Height>>
struct direct_convolution_kernel : strip_shape<S, D, Width, Height, Policy> {
  using shape = strip_shape<S, D, Width, Height, Policy>;
  using shape::outputs;
  using typename shape::layout;
  using typename shape::shared_storage;
  using sum = A;

  Store store;
  A coefficients[Width * Height];

  template <simt::block_group Block>
  GPUIMG_FUNCTION void operator()(Block& block, shared_storage&) const {
    run_strips(*this, block);
  }

  /// Takes a row of the source in. sums[i] belongs to the output row that i more rows follow: it moves to i - 1, as the
  /// first of the multiplications writes there, and sums[0] to `whole`.
  template <int Outputs, int Size>
  GPUIMG_FUNCTION void take_row(const A (&window)[Size], A (&sums)[Height][Outputs], A (&whole)[Outputs]) const {
    GPUIMG_UNROLL
    for (int i = 0; i < Height; ++i) {
      A next[Outputs];
      GPUIMG_UNROLL
      for (int o = 0; o < Outputs; ++o) { next[o] = sums[i][o]; }
      accumulate_row<Width>(coefficients + (Height - 1 - i) * Width, window, next);
      GPUIMG_UNROLL
      for (int o = 0; o < Outputs; ++o) { (i == 0 ? whole : sums[i == 0 ? 0 : i - 1])[o] = next[o]; }
    }
  }

  /// A thread's strip of `height` rows, from the first sample that it reads.
  GPUIMG_FUNCTION void compute(const S* from, std::int64_t pitch, int height, strip_writer<outputs, D>& to) const {
    if constexpr (Policy::marching) {
      march(*this, from, pitch, height, to);
    } else {
      strip(from, pitch, to);
    }
  }

 private:
  /// All rows in straight code.
  GPUIMG_FUNCTION void strip(const S* from, std::int64_t pitch, strip_writer<outputs, D>& to) const {
    constexpr int rows = Policy::rows;
    A sums[rows][outputs] = {};
    run_strip<direct_convolution_kernel>(from, pitch, [&](int r, const A(&window)[layout::window]) {
      GPUIMG_UNROLL
      for (int e = 0; e < rows; ++e) {
        const int j = r - e;
        if (j >= 0 && j < Height) { accumulate_row<Width>(coefficients + j * Width, window, sums[e]); }
      }
      if (r >= Height - 1) { to.put(sums[r - (Height - 1)], store); }
    });
  }
};

}  // namespace gpuimg::filter::detail
