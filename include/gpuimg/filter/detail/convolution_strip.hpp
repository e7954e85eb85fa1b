/// @file
/// What the kernels of a convolution with a size known at compile time share: blocks of strips in the inner part of the
/// picture, and the frame around it.
#pragma once

#include <cstdint>

#include "gpuimg/core/config.hpp"
#include "gpuimg/core/image_view.hpp"
#include "gpuimg/filter/detail/convolution_tile.hpp"
#include "gpuimg/simt/group.hpp"

namespace gpuimg::filter::detail {

/// What such a kernel works on.
template <class S, class D>
struct strip_problem {
  tap_source<S> source;
  cube_view<D> destination;
  inner_part inner;
  std::int64_t frame_rows = 0;  ///< rows of blocks for the frame, ahead of the others
  bool write_groups = false;
};

/// The columns of the samples under a window whose first is at `x`, mapped once for all of its rows.
template <int Width>
struct mapped_columns {
  std::int64_t at[Width];

  template <class S>
  GPUIMG_FUNCTION mapped_columns(const tap_source<S>& source, std::int64_t x) noexcept {
    GPUIMG_UNROLL
    for (int i = 0; i < Width; ++i) { at[i] = map_near(source.mode, x + i, source.samples.width); }
  }

  /// The samples of a row of the window; `line` is mapped too.
  template <class S, class A>
  GPUIMG_FUNCTION void load(const tap_source<S>& source, std::int64_t line, std::int64_t band,
                            A (&window)[Width]) const noexcept {
    GPUIMG_UNROLL
    for (int i = 0; i < Width; ++i) { window[i] = static_cast<A>(source.at_mapped(at[i], line, band)); }
  }
};

/// A block's work: strips, or a part of the frame.
template <class Kernel, simt::block_group Block>
GPUIMG_FUNCTION void run_strips(const Kernel& kernel, const Block& block) {
  const auto& [source, destination, inner, frame_rows, write_groups] = kernel.problem;
  const auto index = block.index();
  if (index.y < frame_rows) {
    const std::int64_t i = (index.y * block.grid().x + index.x) * Block::size() + block.rank();
    if (i >= inner.frame_size(destination.width, destination.height)) { return; }
    std::int64_t x = 0;
    std::int64_t y = 0;
    frame_place(inner, destination.width, destination.height, i, x, y);
    destination(x, y, index.z) = kernel.store(kernel.sum_at(x, y, index.z));
    return;
  }
  const std::int64_t column = index.x * Kernel::block_columns + block.rank() % simt::warp_size;
  std::int64_t line = (index.y - frame_rows) * Kernel::block_height + block.warp_rank() * Kernel::rows;
  if (column >= inner.columns || line >= inner.height) { return; }
  // The last strip of a column goes back instead of leaving the inner part: some rows are computed twice, alike.
  const std::int64_t last = inner.height - Kernel::rows;
  line = line <= last ? line : last;
  const std::int64_t x = inner.x + column * Kernel::outputs;
  const std::int64_t y = inner.y + line;
  row_writer<Kernel::outputs, typename Kernel::destination_sample> to(destination, write_groups, x, y, index.z,
                                                                      Kernel::rows);
  kernel.compute(&source.samples(x + source.shift_x - Kernel::layout::lead, y + source.shift_y, index.z),
                 source.samples.y_stride, to);
}

/// Fills a kernel's problem in. @returns the grid that solves it.
template <class Kernel, class S, class D>
simt::grid_extent plan_strips(const tap_source<S>& source, const cube_view<D>& destination,
                              strip_problem<S, D>& problem) {
  problem.source = source;
  problem.destination = destination;
  problem.inner = find_inner_part<typename Kernel::layout, Kernel::outputs, Kernel::taps_y>(source, destination.width,
                                                                                            destination.height);
  if (problem.inner.height < Kernel::rows) { problem.inner = {}; }
  problem.write_groups = can_write_groups<Kernel::outputs>(destination, problem.inner.x);
  const auto blocks = [](std::int64_t count, std::int64_t size) { return (count + size - 1) / size; };
  const std::int64_t across = problem.inner.columns == 0 ? 64 : blocks(problem.inner.columns, Kernel::block_columns);
  problem.frame_rows =
      blocks(problem.inner.frame_size(destination.width, destination.height), Kernel::threads * across);
  return {across, problem.frame_rows + blocks(problem.inner.height, Kernel::block_height), destination.bands};
}

}  // namespace gpuimg::filter::detail
