/// @file
/// Separable convolution of a size known at compile time in one pass: the row's filter on each row of the source as it
/// is read, the column's on its results while they are in registers or, of longer columns, in shared memory, so that
/// the strips of a block filter each row once. Nothing in between is stored in device memory.
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
  /// Whether filtered rows go through shared memory.
  static constexpr bool shared = sizeof(A) <= 4 && Height >= (sizeof(S) == 1 ? 7 : sizeof(S) == 2 ? 9 : 11);
  static constexpr bool marching = false;
  static constexpr int outputs = sizeof(A) > 4 ? 2 : 4;
  static constexpr int group = outputs;
  static constexpr int rows = shared ? 12 : Height <= 5 && sizeof(S) > 1 ? 4 : 8;
  static constexpr int ahead = Height <= 5 ? Height : 1;
};

/// The same in rows that start anywhere: it reads sample by sample.
template <class S, class A, int Height>
struct loose_separable_policy : separable_policy<S, A, Height> {
  static constexpr bool shared = sizeof(A) <= 4 && Height >= 9;
  static constexpr int group = 1;
  static constexpr int rows = shared ? 12 : 8;
  static constexpr int ahead = 1;
};

/// h(x, y) = sum of row(i) * in(x + shift_x + i, y); out(x, y) = sum of column(j) * h(x, y + shift_y + j)
template <class S, class D, class A, int Width, int Height, class Store, class Policy = separable_policy<S, A, Height>>
struct separable_convolution_kernel : strip_shape<S, D, Width, Height, Policy> {
  using shape = strip_shape<S, D, Width, Height, Policy>;
  using shape::outputs;
  using shape::threads;
  using shape::warps;
  using typename shape::layout;
  using sum = A;
  static constexpr bool shared_rows = Policy::shared;
  static constexpr int min_blocks_per_sm = Policy::shared ? 6 : 0;
  static constexpr int block_columns = simt::warp_size * outputs;
  static constexpr int filtered_rows = warps * Policy::rows + Height - 1;  ///< for a block
  struct shared_storage {
    alignas(16) A filtered[Policy::shared ? filtered_rows * block_columns : 1];
  };

  Store store;
  A row[Width];
  A column[Height];

  template <simt::block_group Block>
  GPUIMG_FUNCTION void operator()(Block& block, shared_storage& storage) const {
    if constexpr (Policy::shared) {
      run_block(block, storage.filtered);
    } else {
      run_strips(*this, block);
    }
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

  /// A thread's strip, from the first sample that it reads.
  GPUIMG_FUNCTION void compute(const S* from, std::int64_t pitch, int, strip_writer<outputs, D>& to) const {
    A sums[Policy::rows][outputs] = {};
    run_strip<separable_convolution_kernel>(from, pitch, [&](int r, const A(&window)[layout::window]) {
      A filtered[outputs] = {};
      accumulate_row<Width>(row, window, filtered);
      take_filtered(r, filtered, sums, to);
    });
  }

 private:
  /// The column's filter: takes row r of a strip's filtered rows in, and writes the row that it completes.
  GPUIMG_FUNCTION void take_filtered(int r, const A (&filtered)[outputs], A (&sums)[Policy::rows][outputs],
                                     strip_writer<outputs, D>& to) const {
    GPUIMG_UNROLL
    for (int e = 0; e < Policy::rows; ++e) {
      const int j = r - e;
      if (j >= 0 && j < Height) { accumulate_row<1>(column + j, filtered, sums[e]); }
    }
    if (r >= Height - 1) { to.put(sums[r - (Height - 1)], store); }
  }

  /// A block's work, by way of filtered rows in shared memory; or a part of the frame.
  template <simt::block_group Block>
  GPUIMG_FUNCTION void run_block(Block& block, A* filtered) const {
    if (run_frame(*this, block)) { return; }
    const auto& [source, destination, inner, frame_rows, rows, write_groups] = shape::problem;
    const auto index = block.index();
    const int lane = block.rank() % simt::warp_size;
    const std::int64_t column_number = index.x * simt::warp_size + lane;
    const bool inside = column_number < inner.columns;
    // The last block of a column goes back instead of leaving the inner part: some rows are computed twice, alike.
    std::int64_t line = (index.y - frame_rows) * (warps * Policy::rows);
    const std::int64_t last = inner.height - warps * Policy::rows;
    line = line <= last ? line : last;
    const std::int64_t x = inner.x + column_number * outputs;
    const std::int64_t y = inner.y + line;
    filter_rows(block, y, filtered);
    block.sync();
    if (!inside) { return; }
    A* const at = filtered + lane * outputs;
    const int first = block.warp_rank() * Policy::rows;
    strip_writer<outputs, D> to(destination, write_groups, x, y + first, index.z);
    A sums[Policy::rows][outputs] = {};
    GPUIMG_UNROLL
    for (int r = 0; r < Policy::rows + Height - 1; ++r) {
      const auto pack = load_pack<A, outputs>(at + (first + r) * block_columns);
      take_filtered(r, pack.values, sums, to);
    }
  }

  /// The row's filter on the rows of the source that a block needs. A thread computes twice as many outputs of a row as
  /// in the column's filter: it reads fewer samples for each.
  template <simt::block_group Block>
  GPUIMG_FUNCTION void filter_rows(const Block& block, std::int64_t y, A* filtered) const {
    constexpr int twice = 2 * outputs;
    constexpr int across = block_columns / twice;  // threads to a row
    constexpr int step = threads / across;
    const auto& [source, destination, inner, frame_rows, rows, write_groups] = shape::problem;
    const int offset = block.rank() % across * twice;
    const int first = block.rank() / across;
    const std::int64_t x = block.index().x * block_columns + offset;  // in the inner part
    if (x >= inner.width) { return; }
    const S* from =
        &source.samples(inner.x + x + source.shift_x - layout::lead, y + source.shift_y + first, block.index().z);
    A* const to = filtered + offset;
    if (x + twice <= inner.width) {
      filter_each_row<twice>(from, step * source.samples.y_stride, first, step, to, block.rank() / 4 % 2 == 0);
    } else {
      filter_each_row<outputs>(from, step * source.samples.y_stride, first, step, to, true);
    }
  }

  /// Rows first, first + step, ... of a block's, `Count` outputs of each; the next row is on its way.
  /// @param upwards  whether the first half is stored first: where some threads do and some do not, their stores meet
  ///                 in fewer banks
  template <int Count>
  GPUIMG_FUNCTION void filter_each_row(const S* from, std::int64_t pitch, int first, int step, A* to,
                                       bool upwards) const {
    using row_part = row_layout<Count, Width, Policy::group>;
    static_assert(row_part::before == layout::before);
    raw_row<S, row_part> samples;
    samples.load(from);
    GPUIMG_NO_UNROLL
    for (int r = first; r < filtered_rows; r += step) {
      A window[row_part::window];
      samples.unpack(window);
      from = gpuimg::detail::advance_bytes(from, pitch);
      if (r + step < filtered_rows) { samples.load(from); }
      A sums[Count] = {};
      accumulate_row<Width>(row, window, sums);
      A* const at = to + r * block_columns;
      GPUIMG_UNROLL
      for (int half = 0; half < Count / outputs; ++half) {
        const int part = upwards ? half : Count / outputs - 1 - half;
        sample_pack<A, outputs> pack;
        GPUIMG_UNROLL
        for (int i = 0; i < outputs; ++i) { pack.values[i] = part == 0 ? sums[i] : sums[Count - outputs + i]; }
        store_pack<A, outputs>(at + part * outputs, pack);
      }
    }
  }
};

}  // namespace gpuimg::filter::detail
