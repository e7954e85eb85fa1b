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
  int rows = 0;                 ///< of a strip
  bool write_groups = false;
};

/// The shape of a kernel's blocks: a warp's strips lie side by side, those of its warps one above the other.
template <class S, class D, int Width, int Height, class Policy>
struct strip_shape {
  static constexpr int threads = 128;
  static constexpr int warps = threads / simt::warp_size;
  static constexpr int outputs = Policy::outputs;
  static constexpr int taps_x = Width;
  static constexpr int taps_y = Height;
  using policy = Policy;
  using layout = row_layout<outputs, Width, Policy::group>;
  using source_sample = S;
  using destination_sample = D;
  static constexpr bool shared_rows = false;  ///< whether the strips of a block work together
  struct shared_storage {};

  strip_problem<S, D> problem;
};

/// A column of the frame, `height` samples from (x, y) on: as a strip of one column, each sample of whose windows is
/// mapped when it is read. Kept to few registers, for those of a kernel are what its greediest part takes.
template <class Kernel>
GPUIMG_FUNCTION void run_edge(const Kernel& kernel, std::int64_t x, std::int64_t y, std::int64_t band, int height) {
  using sum = typename Kernel::sum;
  const auto& source = kernel.problem.source;
  std::int32_t columns[Kernel::taps_x];
  GPUIMG_UNROLL
  for (int i = 0; i < Kernel::taps_x; ++i) {
    columns[i] = static_cast<std::int32_t>(map_near(source.mode, x + source.shift_x + i, source.samples.width));
  }
  sum sums[Kernel::taps_y][1] = {};
  GPUIMG_NO_UNROLL
  for (int r = 0; r < height + Kernel::taps_y - 1; ++r) {
    const std::int64_t line = map_near(source.mode, y + source.shift_y + r, source.samples.height);
    const auto* samples = &source.samples(0, line < 0 ? 0 : line, band);
    sum window[Kernel::taps_x];
    GPUIMG_UNROLL
    for (int i = 0; i < Kernel::taps_x; ++i) {
#if defined(GPUIMG_DEVICE_PASS)
      asm volatile("" : "+r"(columns[i]));  // else an address is kept for each column, in twice the registers
#endif
      const bool none = columns[i] < 0 || line < 0;
      window[i] = static_cast<sum>(
          none ? source.value : *gpuimg::detail::advance_bytes(samples, columns[i] * source.samples.x_stride));
    }
    sum whole[1] = {};
    kernel.take_row(window, sums, whole);
    if (r >= Kernel::taps_y - 1) {
      kernel.problem.destination(x, y + r - (Kernel::taps_y - 1), band) = kernel.store(whole[0]);
    }
  }
}

/// A thread's strip of `height` rows, from the first sample that it reads, in a loop over rows; the next Policy::ahead
/// rows are on their way.
template <class Kernel, class S, class Writer>
GPUIMG_FUNCTION void march(const Kernel& kernel, const S* from, std::int64_t pitch, int height, Writer& to) {
  constexpr int ahead = Kernel::policy::ahead;
  using sum = typename Kernel::sum;
  raw_row<S, typename Kernel::layout> rows[ahead];
  const int count = height + Kernel::taps_y - 1;
  GPUIMG_UNROLL
  for (int s = 0; s < ahead; ++s) {
    if (s < count) { rows[s].load(from); }
    from = gpuimg::detail::advance_bytes(from, pitch);
  }
  sum sums[Kernel::taps_y][Kernel::outputs] = {};
  GPUIMG_NO_UNROLL
  for (int first = 0; first < count; first += ahead) {
    GPUIMG_UNROLL
    for (int s = 0; s < ahead; ++s) {
      const int r = first + s;
      if (r >= count) { return; }
      sum window[Kernel::layout::window];
      rows[s].unpack(window);
      if (r + ahead < count) { rows[s].load(from); }
      from = gpuimg::detail::advance_bytes(from, pitch);
      sum whole[Kernel::outputs] = {};
      kernel.take_row(window, sums, whole);
      if (r >= Kernel::taps_y - 1) { to.put(whole, kernel.store); }
    }
  }
}

/// The same in straight code, of Kernel::policy::rows rows: take(r, window) for each row of the source.
template <class Kernel, class S, class Take>
GPUIMG_FUNCTION void run_strip(const S* from, std::int64_t pitch, const Take& take) {
  constexpr int count = Kernel::policy::rows + Kernel::taps_y - 1;
  constexpr int ahead = Kernel::policy::ahead < count ? Kernel::policy::ahead : count;
  raw_row<S, typename Kernel::layout> rows[ahead];
  GPUIMG_UNROLL
  for (int s = 0; s < ahead; ++s) {
    rows[s].load(from);
    from = gpuimg::detail::advance_bytes(from, pitch);
  }
  GPUIMG_UNROLL
  for (int r = 0; r < count; ++r) {
    typename Kernel::sum window[Kernel::layout::window];
    rows[r % ahead].unpack(window);
    if (r + ahead < count) {
      rows[r % ahead].load(from);
      from = gpuimg::detail::advance_bytes(from, pitch);
    }
    take(r, window);
  }
}

/// Where a thread writes the rows of its strip, which are all in the picture.
template <int Outputs, class D>
class strip_writer {
 public:
  /// From (x, y) of a band on. @param groups  see can_write_groups
  GPUIMG_FUNCTION strip_writer(const cube_view<D>& destination, bool groups, std::int64_t x, std::int64_t y,
                               std::int64_t band) noexcept
      : to_(&destination(x, y, band)), pitch_(destination.y_stride), step_(destination.x_stride), groups_(groups) {}

  /// Writes a row's sums and goes on to the next.
  template <class A, class Store>
  GPUIMG_FUNCTION void put(const A (&sums)[Outputs], const Store& store) noexcept {
    sample_pack<D, Outputs> pack;
    store_all(sums, store, pack.values);
    if (groups_) {
      store_pack<D, Outputs>(to_, pack);
    } else {
      GPUIMG_UNROLL
      for (int i = 0; i < Outputs; ++i) { *gpuimg::detail::advance_bytes(to_, i * step_) = pack.values[i]; }
    }
    to_ = gpuimg::detail::advance_bytes(to_, pitch_);
  }

 private:
  D* to_;
  std::int64_t pitch_;
  std::int64_t step_;
  bool groups_;
};

/// Lets a block do its part of the frame. @returns whether it had one
template <class Kernel, simt::block_group Block>
GPUIMG_FUNCTION bool run_frame(const Kernel& kernel, const Block& block) {
  const auto& destination = kernel.problem.destination;
  const auto index = block.index();
  if (index.y >= kernel.problem.frame_rows) { return false; }
  const std::int64_t i = (index.y * block.grid().x + index.x) * Block::size() + block.rank();
  const frame_column at = kernel.problem.inner.frame_place(destination.width, destination.height, i);
  if (at.height > 0) { run_edge(kernel, at.x, at.y, index.z, at.height); }
  return true;
}

/// A block's work: strips, or a part of the frame.
template <class Kernel, simt::block_group Block>
GPUIMG_FUNCTION void run_strips(const Kernel& kernel, const Block& block) {
  if (run_frame(kernel, block)) { return; }
  const auto& [source, destination, inner, frame_rows, rows, write_groups] = kernel.problem;
  const auto index = block.index();
  const std::int64_t column = index.x * simt::warp_size + block.rank() % simt::warp_size;
  std::int64_t line = ((index.y - frame_rows) * Kernel::warps + block.warp_rank()) * rows;
  if (column >= inner.columns || line >= inner.height) { return; }
  // The last strip of a column goes back instead of leaving the inner part: some rows are computed twice, alike.
  const std::int64_t last = inner.height - rows;
  line = line <= last ? line : last;
  const std::int64_t x = inner.x + column * Kernel::outputs;
  const std::int64_t y = inner.y + line;
  strip_writer<Kernel::outputs, typename Kernel::destination_sample> to(destination, write_groups, x, y, index.z);
  kernel.compute(&source.samples(x + source.shift_x - Kernel::layout::lead, y + source.shift_y, index.z),
                 source.samples.y_stride, rows, to);
}

/// Fills a kernel's problem in. @returns the grid that solves it.
template <class Kernel, class S, class D>
simt::grid_extent plan_strips(const tap_source<S>& source, const cube_view<D>& destination,
                              strip_problem<S, D>& problem) {
  problem.source = source;
  problem.destination = destination;
  problem.inner = find_inner_part<typename Kernel::layout, Kernel::outputs, Kernel::taps_y>(source, destination.width,
                                                                                            destination.height);
  problem.rows = Kernel::policy::rows;
  if (Kernel::policy::marching && problem.inner.height < problem.rows) {
    problem.rows = static_cast<int>(problem.inner.height);
  }
  const std::int64_t least = Kernel::shared_rows ? std::int64_t{Kernel::warps} * problem.rows : problem.rows;
  constexpr std::int64_t widest = 0x7FFFFFFF;  // run_edge keeps columns in 32 bits
  if (problem.inner.height < least || destination.width > widest) { problem.inner = {}; }
  problem.write_groups = can_write_groups<Kernel::outputs>(destination, problem.inner.x);
  const auto blocks = [](std::int64_t count, std::int64_t size) { return size == 0 ? 0 : (count + size - 1) / size; };
  const std::int64_t across =
      problem.inner.columns == 0 ? 64 : blocks(problem.inner.columns, std::int64_t{simt::warp_size});
  problem.frame_rows =
      blocks(problem.inner.frame_size(destination.width, destination.height), Kernel::threads * across);
  return {across, problem.frame_rows + blocks(problem.inner.height, std::int64_t{Kernel::warps} * problem.rows),
          destination.bands};
}

}  // namespace gpuimg::filter::detail
