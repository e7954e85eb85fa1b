/// @file
/// Separable convolution of a size known at compile time in one pass: the row's filter on each row of the source as it
/// is read, the column's on its results while they are in registers. Nothing in between is stored.
#pragma once

#include <cstdint>

#include "gpuimg/core/config.hpp"
#include "gpuimg/core/image_view.hpp"
#include "gpuimg/filter/convolution_arithmetic.hpp"
#include "gpuimg/filter/detail/convolution_strip.hpp"
#include "gpuimg/filter/detail/convolution_tile.hpp"
#include "gpuimg/simt/group.hpp"

namespace gpuimg::filter::detail {

/// What a thread computes; as direct_policy. Chosen by measurement (benchmarks/convolution.md).
template <class S, class A, int Height>
struct separable_policy {
  static constexpr bool marching = false;
  static constexpr int outputs = sizeof(A) > 4 ? 2 : sizeof(S) <= 2 && Height <= 5 ? 8 : 4;
  static constexpr int group = outputs;
  static constexpr int rows = Height <= 5 ? 4 : Height <= 9 ? 8 : 12;
  static constexpr int ahead = Height <= 5 ? Height : Height <= 9 ? 1 : 2;
};

/// h(x, y) = sum of row(i) * in(x + shift_x + i, y); out(x, y) = sum of column(j) * h(x, y + shift_y + j)
template <class S, class D, class A, int Width, int Height, class Store, class Policy = separable_policy<S, A, Height>>
struct separable_convolution_kernel : strip_shape<S, D, Width, Height, Policy> {
  using shape = strip_shape<S, D, Width, Height, Policy>;
  using shape::outputs;
  using typename shape::layout;
  using typename shape::shared_storage;
  using sum = A;

  Store store;
  A row[Width];
  A column[Height];

  template <simt::block_group Block>
  GPUIMG_FUNCTION void operator()(Block& block, shared_storage&) const {
    run_strips(*this, block);
  }

  /// Takes a row of the source in. sums[i] belongs to the output row that i more rows follow: it moves to i - 1, as its
  /// multiplication writes there, and sums[0] to `whole`.
  template <int Outputs, int Size>
  GPUIMG_FUNCTION void take_row(const A (&window)[Size], A (&sums)[Height][Outputs], A (&whole)[Outputs]) const {
    A filtered[Outputs] = {};
    accumulate_row<Width>(row, window, filtered);
    GPUIMG_UNROLL
    for (int o = 0; o < Outputs; ++o) {
      whole[o] = multiply_add(column[Height - 1], filtered[o], sums[0][o]);
      GPUIMG_UNROLL
      for (int i = 1; i < Height; ++i) {
        sums[i - 1][o] = multiply_add(column[Height - 1 - i], filtered[o], sums[i][o]);
      }
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
    run_strip<separable_convolution_kernel>(from, pitch, [&](int r, const A(&window)[layout::window]) {
      A filtered[outputs] = {};
      accumulate_row<Width>(row, window, filtered);
      GPUIMG_UNROLL
      for (int e = 0; e < rows; ++e) {
        const int j = r - e;
        if (j >= 0 && j < Height) { accumulate_row<1>(column + j, filtered, sums[e]); }
      }
      if (r >= Height - 1) { to.put(sums[r - (Height - 1)], store); }
    });
  }
};

}  // namespace gpuimg::filter::detail
