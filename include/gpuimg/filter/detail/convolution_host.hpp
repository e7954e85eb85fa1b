/// @file
/// Convolution on the host: bands of rows for threads, and within a row blocks of neighbouring sums for vector units.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpuimg/core/execution.hpp"
#include "gpuimg/core/image_view.hpp"
#include "gpuimg/core/parallel_for.hpp"
#include "gpuimg/filter/convolution_arithmetic.hpp"
#include "gpuimg/filter/convolution_kernel.hpp"
#include "gpuimg/filter/detail/convolution_tile.hpp"

// Fused multiply-adds are instructions where the processor has them; elsewhere a library computes the same.
#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define GPUIMG_HAS_FMA_TARGET 1
#define GPUIMG_FMA_TARGET __attribute__((target("avx2,fma")))
#else
#define GPUIMG_HAS_FMA_TARGET 0
#endif

namespace gpuimg::filter::detail {

/// Sums that are computed together, side by side.
inline constexpr int host_block = 32;

/// sums[x] = sum over j, i of k[j * width + i] * rows[j][x + i], for `count` sums.
template <class A>
[[gnu::always_inline]] inline void sum_rows_here(const A* const* rows, const A* k, int width, int height,
                                                 std::int64_t count, A* sums) {
  std::int64_t x = 0;
  for (; x + host_block <= count; x += host_block) {
    A block[host_block] = {};
    for (int j = 0; j < height; ++j) {
      const A* row = rows[j] + x;
      for (int i = 0; i < width; ++i) {
        const A c = k[j * width + i];
        for (int n = 0; n < host_block; ++n) { block[n] = multiply_add(c, row[i + n], block[n]); }
      }
    }
    for (int n = 0; n < host_block; ++n) { sums[x + n] = block[n]; }
  }
  for (; x < count; ++x) {
    A sum{0};
    for (int j = 0; j < height; ++j) {
      for (int i = 0; i < width; ++i) { sum = multiply_add(k[j * width + i], rows[j][x + i], sum); }
    }
    sums[x] = sum;
  }
}

template <class A, class D, class Store>
[[gnu::always_inline]] inline void store_row_here(const A* sums, std::int64_t count, D* to, std::int64_t step,
                                                  const Store& store) {
  if (step == static_cast<std::int64_t>(sizeof(D))) {
    for (std::int64_t x = 0; x < count; ++x) { to[x] = store(sums[x]); }
  } else {
    for (std::int64_t x = 0; x < count; ++x) { *gpuimg::detail::advance_bytes(to, x * step) = store(sums[x]); }
  }
}

#if GPUIMG_HAS_FMA_TARGET
inline bool has_fma() noexcept { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }

template <class A>
GPUIMG_FMA_TARGET void sum_rows_fma(const A* const* rows, const A* k, int width, int height, std::int64_t count,
                                    A* sums) {
  sum_rows_here(rows, k, width, height, count, sums);
}
template <class A, class D, class Store>
GPUIMG_FMA_TARGET void store_row_fma(const A* sums, std::int64_t count, D* to, std::int64_t step, const Store& store) {
  store_row_here(sums, count, to, step, store);
}
#endif

template <class A>
void sum_rows(const A* const* rows, const A* k, int width, int height, std::int64_t count, A* sums) {
#if GPUIMG_HAS_FMA_TARGET
  if (has_fma()) { return sum_rows_fma(rows, k, width, height, count, sums); }
#endif
  sum_rows_here(rows, k, width, height, count, sums);
}

template <class A, class D, class Store>
void store_row(const A* sums, std::int64_t count, D* to, std::int64_t step, const Store& store) {
#if GPUIMG_HAS_FMA_TARGET
  if (has_fma()) { return store_row_fma(sums, count, to, step, store); }
#endif
  store_row_here(sums, count, to, step, store);
}

/// The samples under a row of windows, in the type of the sum: `count` from x on of row `y`, wherever these lie.
template <class A, class S>
void read_row(const tap_source<S>& source, std::int64_t x, std::int64_t y, std::int64_t band, std::int64_t count,
              A* to) {
  const auto& samples = source.samples;
  const std::int64_t line = map_near(source.mode, y, samples.height);
  if (line < 0) {
    std::fill_n(to, count, static_cast<A>(source.value));
    return;
  }
  const auto at = [&](std::int64_t i) {
    return static_cast<A>(source.at_mapped(map_near(source.mode, x + i, samples.width), line, band));
  };
  const std::int64_t first = std::clamp<std::int64_t>(-x, 0, count);
  const std::int64_t last = std::clamp<std::int64_t>(samples.width - x, first, count);
  for (std::int64_t i = 0; i < first; ++i) { to[i] = at(i); }
  if (first < last) {
    const S* from = &samples(x + first, line, band);
    if (samples.x_stride == static_cast<std::int64_t>(sizeof(S))) {
      for (std::int64_t i = first; i < last; ++i) { to[i] = static_cast<A>(from[i - first]); }
    } else {
      for (std::int64_t i = first; i < last; ++i) {
        to[i] = static_cast<A>(*gpuimg::detail::advance_bytes(from, (i - first) * samples.x_stride));
      }
    }
  }
  for (std::int64_t i = last; i < count; ++i) { to[i] = at(i); }
}

/// The last `height` rows that windows need, as they move down.
template <class A>
class row_ring {
 public:
  row_ring(int height, std::int64_t row_size)
      : height_(height),
        size_(row_size),
        values_(static_cast<std::size_t>(height * row_size)),
        rows_(2u * static_cast<std::size_t>(height)) {
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      rows_[i] = values_.data() + static_cast<std::int64_t>(i) % height_ * size_;
    }
  }
  A* row(std::int64_t y) noexcept { return values_.data() + y % height_ * size_; }
  /// Rows y, y + 1, ..., y + height - 1.
  const A* const* rows(std::int64_t y) const noexcept { return rows_.data() + y % height_; }

 private:
  std::int64_t height_;
  std::int64_t size_;
  std::vector<A> values_;
  std::vector<const A*> rows_;
};

/// Computes every row of the destination from the rows of `ring_width` values that read(y, to) gives; `width` x
/// `height` coefficients. Columns of `strip` sums at a time, so that rows stay in the cache.
template <class A, class S, class D, class Store, class Read>
void convolve_rows(const host& execution, const tap_source<S>& source, const cube_view<D>& destination,
                   const A* coefficients, int width, int height, int taps_x, const Store& store, const Read& read) {
  constexpr std::int64_t strip = 2048;
  const std::int64_t rows = std::max<std::int64_t>(64, 2 * height);
  const std::int64_t bands_y = (destination.height + rows - 1) / rows;
  const std::int64_t strips = (destination.width + strip - 1) / strip;
  parallel_for(execution.thread_count(), bands_y * strips * destination.bands, [&](std::int64_t task, unsigned) {
    const std::int64_t x0 = task % strips * strip;
    const std::int64_t y0 = task / strips % bands_y * rows;
    const std::int64_t band = task / strips / bands_y;
    const std::int64_t count = std::min(strip, destination.width - x0);
    const std::int64_t lines = std::min(rows, destination.height - y0);
    row_ring<A> ring(height, count + width - 1);
    std::vector<A> scratch(static_cast<std::size_t>(count + taps_x - 1));
    std::vector<A> sums(static_cast<std::size_t>(count));
    for (std::int64_t r = 0; r < lines + height - 1; ++r) {
      read(x0 + source.shift_x, y0 + source.shift_y + r, band, count, ring.row(r), scratch.data());
      if (r < height - 1) { continue; }
      const std::int64_t y = r - (height - 1);
      sum_rows(ring.rows(y), coefficients, width, height, count, sums.data());
      store_row(sums.data(), count, &destination(x0, y0 + y, band), destination.x_stride, store);
    }
  });
}

/// out(x, y) = sum of k(i, j) * in(x + shift_x + i, y + shift_y + j)
template <class A, class S, class D, class Store>
void convolve_on_host(const host& execution, const tap_source<S>& source, const cube_view<D>& destination,
                      const prepared_kernel<A>& kernel, const Store& store) {
  const int width = kernel.width;
  convolve_rows(execution, source, destination, kernel.coefficients.data(), width, kernel.height, 1, store,
                [&](std::int64_t x, std::int64_t y, std::int64_t band, std::int64_t count, A* to, A*) {
                  read_row(source, x, y, band, count + width - 1, to);
                });
}

/// The same by a row and then a column.
template <class A, class S, class D, class Store>
void convolve_separably_on_host(const host& execution, const tap_source<S>& source, const cube_view<D>& destination,
                                const prepared_kernel<A>& row, const prepared_kernel<A>& column, const Store& store) {
  const int width = row.width;
  convolve_rows(execution, source, destination, column.coefficients.data(), 1, column.height, width, store,
                [&](std::int64_t x, std::int64_t y, std::int64_t band, std::int64_t count, A* to, A* scratch) {
                  read_row(source, x, y, band, count + width - 1, scratch);
                  sum_rows(&scratch, row.coefficients.data(), width, 1, count, to);
                });
}

}  // namespace gpuimg::filter::detail
