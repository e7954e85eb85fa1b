/// @file
/// Convolution on the host: bands of rows for threads, and within a band pairs of rows of sums.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpuimg/core/execution.hpp"
#include "gpuimg/core/image_view.hpp"
#include "gpuimg/filter/convolution_arithmetic.hpp"
#include "gpuimg/filter/convolution_kernel.hpp"
#include "gpuimg/filter/detail/convolution_host_box.hpp"
#include "gpuimg/filter/detail/convolution_host_lines.hpp"
#include "gpuimg/filter/detail/convolution_host_stores.hpp"
#include "gpuimg/filter/detail/convolution_host_sums.hpp"
#include "gpuimg/filter/detail/convolution_tile.hpp"
#include "gpuimg/filter/detail/host_isa.hpp"
#include "gpuimg/filter/detail/host_parts.hpp"

namespace gpuimg::filter::detail {

/// Computes every row of the destination from lines that read(x, y, band, count, to, scratch) gives for its windows of
/// `width` x `height` coefficients. A strip of columns at a time, so that the lines stay in the cache.
/// @param taps_x  values of a scratch line beyond those of a strip, plus one
template <class A, class S, class D, class Store, class Read>
void convolve_lines(const host& execution, host_isa isa, const tap_source<S>& source, const cube_view<D>& destination,
                    const A* coefficients, int width, int height, int taps_x, const Store& store, const Read& read) {
  constexpr std::int64_t cached = 131072 / static_cast<std::int64_t>(sizeof(A));
  const std::int64_t strip =
      std::clamp<std::int64_t>(cached / (height + 4) / sum_block * sum_block, 4 * sum_block, 2048);
  // A band begins with the lines above it, so its height is some times the window's, unless threads would want for
  // work.
  const auto threads = static_cast<std::int64_t>(execution.thread_count());
  const std::int64_t share = destination.height / (4 * threads);
  const std::int64_t high = 16 * std::int64_t{height};
  const std::int64_t rows = whole_blocks(
      std::max({std::int64_t{128}, 2 * std::int64_t{height}, threads == 1 ? high : std::min(high, share)}), 2);
  for_each_part(execution.thread_count(), destination, strip, rows, [&](const picture_part& part, unsigned) {
    const auto [x0, y0, count, end, band] = part;
    const std::int64_t blocks = whole_blocks(count, sum_block);
    line_ring<A> ring(height + 1, blocks + width - 1);
    std::vector<A> scratch(static_cast<std::size_t>(blocks + taps_x - 1));
    std::vector<A> sums(static_cast<std::size_t>(2 * blocks));
    std::int64_t filled = 0;
    for (std::int64_t y = 0; y < end; y += 2) {
      const int pair = y + 1 < end ? 2 : 1;
      for (; filled < y + height - 1 + pair; ++filled) {
        read(x0 + source.shift_x, y0 + source.shift_y + filled, band, count, ring.line(filled), scratch.data());
      }
      sum_rows(isa,
               window_sums<A>{ring.from(y), coefficients, width, height, count, {sums.data(), sums.data() + blocks}},
               pair);
      for (int row = 0; row < pair; ++row) {
        store_line(isa, sums.data() + row * blocks, count, &destination(x0, y0 + y + row, band), destination.x_stride,
                   store);
      }
    }
  });
}

/// out(x, y) = sum of k(i, j) * in(x + shift_x + i, y + shift_y + j)
template <class A, class S, class D, class Store>
void convolve_on_host(const host& execution, const tap_source<S>& source, const cube_view<D>& destination,
                      const prepared_kernel<A>& kernel, const Store& store, host_isa isa = best_isa()) {
  const int width = kernel.width;
  with_line_store(store, [&](const auto& line_store) {
    convolve_lines(execution, isa, source, destination, kernel.coefficients.data(), width, kernel.height, 1, line_store,
                   [&](std::int64_t x, std::int64_t y, std::int64_t band, std::int64_t count, A* to, A*) {
                     read_line(isa, source, x, y, band, count + width - 1, to);
                   });
  });
}

/// The same by a row and then a column.
template <class A, class S, class D, class Store>
void convolve_separably_on_host(const host& execution, const tap_source<S>& source, const cube_view<D>& destination,
                                const prepared_kernel<A>& row, const prepared_kernel<A>& column, const Store& store,
                                host_isa isa = best_isa()) {
  if (box_on_host(execution, source, destination, row, column, store, isa)) { return; }
  const int width = row.width;
  with_line_store(store, [&](const auto& line_store) {
    convolve_lines(execution, isa, source, destination, column.coefficients.data(), 1, column.height, width, line_store,
                   [&](std::int64_t x, std::int64_t y, std::int64_t band, std::int64_t count, A* to, A* scratch) {
                     read_line(isa, source, x, y, band, count + width - 1, scratch);
                     const A* const line = scratch;
                     sum_rows(isa, window_sums<A>{&line, row.coefficients.data(), width, 1, count, {to, to}}, 1);
                   });
  });
}

}  // namespace gpuimg::filter::detail
