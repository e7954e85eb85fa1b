/// @file
/// Means of windows of integers on a host. Their sums are exact, so that any order gives them: the sums of columns move
/// down with the windows, a line more and a line less, and along a row those of many columns are made of sums of few.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "gpuimg/core/execution.hpp"
#include "gpuimg/core/image_view.hpp"
#include "gpuimg/filter/convolution_arithmetic.hpp"
#include "gpuimg/filter/convolution_kernel.hpp"
#include "gpuimg/filter/detail/convolution_host_lines.hpp"
#include "gpuimg/filter/detail/convolution_host_stores.hpp"
#include "gpuimg/filter/detail/convolution_tile.hpp"
#include "gpuimg/filter/detail/host_isa.hpp"
#include "gpuimg/filter/detail/host_parts.hpp"

namespace gpuimg::filter::detail {

/// Loops over lines of sums in integers of type N.
template <class N>
struct box_lines {
  static constexpr int few_pieces = 7;  ///< that are added up in one loop

  /// columns[x] += comes[x] - leaves[x]; `leaves` is null while a window has not left a line.
  template <class S>
  GPUIMG_ALWAYS_INLINE static void down(const S* comes, const S* leaves, std::int64_t count, N* columns) noexcept {
    if (leaves == nullptr) {
      add(comes, count, columns);
    } else {
      slide(comes, leaves, count, columns);
    }
  }
  /// How often sums of columns are joined by twos before windows are put together from them: until few pieces are left.
  static int joins(int width) noexcept {
    int count = 0;
    while ((width >> count) + count > few_pieces && width >> count > 1) { ++count; }
    return count;
  }
  /// sums[x] = the sum of columns[x..x + width - 1], for `count` sums.
  /// @param parts  room for joins(width) lines of count + width - 1
  GPUIMG_ALWAYS_INLINE static void across(const N* columns, int width, std::int64_t count, N* parts,
                                          N* __restrict sums) noexcept {
    const std::int64_t room = count + width - 1;
    const int last = joins(width);
    const N* pieces[few_pieces + 32] = {};
    int used = 0;
    int done = 0;               // columns at the window's end that are in a piece
    const N* joined = columns;  // sums of 2^i columns
    for (int i = 0; i < last; ++i) {
      const std::int64_t step = std::int64_t{1} << i;
      if ((width >> i & 1) != 0) {
        done += static_cast<int>(step);
        pieces[used++] = joined + width - done;
      }
      N* const to = parts + i * room;
      join(joined, step, room - 2 * step + 1, to);
      joined = to;
    }
    for (int i = 0; i < width >> last; ++i) { pieces[used++] = joined + (i << last); }
    switch (std::min(used, few_pieces)) {
      case 1: take<1>(pieces, count, sums); break;
      case 2: take<2>(pieces, count, sums); break;
      case 3: take<3>(pieces, count, sums); break;
      case 4: take<4>(pieces, count, sums); break;
      case 5: take<5>(pieces, count, sums); break;
      case 6: take<6>(pieces, count, sums); break;
      default: take<few_pieces>(pieces, count, sums); break;
    }
    for (int i = few_pieces; i < used; ++i) { add(pieces[i], count, sums); }
  }

 private:
  template <class S>
  GPUIMG_ALWAYS_INLINE static void slide(const S* __restrict comes, const S* __restrict leaves, std::int64_t count,
                                         N* __restrict columns) noexcept {
    for (std::int64_t x = 0; x < count; ++x) {
      columns[x] = static_cast<N>(columns[x] + static_cast<N>(comes[x]) - static_cast<N>(leaves[x]));
    }
  }
  template <class S>
  GPUIMG_ALWAYS_INLINE static void add(const S* __restrict comes, std::int64_t count, N* __restrict columns) noexcept {
    for (std::int64_t x = 0; x < count; ++x) { columns[x] = static_cast<N>(columns[x] + static_cast<N>(comes[x])); }
  }
  /// to[x] = from[x] + from[x + step]
  GPUIMG_ALWAYS_INLINE static void join(const N* __restrict from, std::int64_t step, std::int64_t count,
                                        N* __restrict to) noexcept {
    for (std::int64_t x = 0; x < count; ++x) { to[x] = static_cast<N>(from[x] + from[x + step]); }
  }
  template <int Pieces>
  GPUIMG_ALWAYS_INLINE static void take(const N* const* pieces, std::int64_t count, N* __restrict sums) noexcept {
    const N* const a = pieces[0];
    const N* const b = pieces[Pieces > 1 ? 1 : 0];
    const N* const c = pieces[Pieces > 2 ? 2 : 0];
    const N* const d = pieces[Pieces > 3 ? 3 : 0];
    const N* const e = pieces[Pieces > 4 ? 4 : 0];
    const N* const f = pieces[Pieces > 5 ? 5 : 0];
    const N* const g = pieces[Pieces > 6 ? 6 : 0];
    for (std::int64_t x = 0; x < count; ++x) {
      N sum = a[x];
      if constexpr (Pieces > 1) { sum = static_cast<N>(sum + b[x]); }
      if constexpr (Pieces > 2) { sum = static_cast<N>(sum + c[x]); }
      if constexpr (Pieces > 3) { sum = static_cast<N>(sum + d[x]); }
      if constexpr (Pieces > 4) { sum = static_cast<N>(sum + e[x]); }
      if constexpr (Pieces > 5) { sum = static_cast<N>(sum + f[x]); }
      if constexpr (Pieces > 6) { sum = static_cast<N>(sum + g[x]); }
      sums[x] = sum;
    }
  }
};

#if GPUIMG_HAS_AVX2_TARGET
template <class N, class S>
GPUIMG_TARGET_AVX2 void box_down_avx2(const S* comes, const S* leaves, std::int64_t count, N* columns) noexcept {
  box_lines<N>::down(comes, leaves, count, columns);
}
template <class N>
GPUIMG_TARGET_AVX2 void box_across_avx2(const N* columns, int width, std::int64_t count, N* parts, N* sums) noexcept {
  box_lines<N>::across(columns, width, count, parts, sums);
}
#endif

/// box_lines::down and box_lines::across by the code for an instruction set.
template <class N, class S>
void box_down([[maybe_unused]] host_isa isa, const S* comes, const S* leaves, std::int64_t count, N* columns) noexcept {
#if GPUIMG_HAS_AVX2_TARGET
  if (isa == host_isa::avx2) { return box_down_avx2(comes, leaves, count, columns); }
#endif
  box_lines<N>::down(comes, leaves, count, columns);
}
template <class N>
void box_across([[maybe_unused]] host_isa isa, const N* columns, int width, std::int64_t count, N* parts,
                N* sums) noexcept {
#if GPUIMG_HAS_AVX2_TARGET
  if (isa == host_isa::avx2) { return box_across_avx2(columns, width, count, parts, sums); }
#endif
  box_lines<N>::across(columns, width, count, parts, sums);
}

/// Sums of windows of width x height in integers of type N, and what `store` makes of them.
template <class N, class S, class D, class Store>
void sum_boxes(const host& execution, host_isa isa, const tap_source<S>& source, const cube_view<D>& destination,
               int width, int height, const Store& store) {
  constexpr std::int64_t strip = 4096 / static_cast<std::int64_t>(sizeof(N));
  const std::int64_t rows = std::max<std::int64_t>(128, 4 * std::int64_t{height});
  const std::int64_t joins = box_lines<N>::joins(width);
  for_each_part(execution.thread_count(), destination, strip, rows, [&](const picture_part& part, unsigned) {
    const auto [x0, y0, count, end, band] = part;
    const std::int64_t columns = count + width - 1;
    line_ring<S> ring(height + 1, columns);
    std::vector<N> sums(static_cast<std::size_t>((1 + joins) * columns + count));
    N* const parts = sums.data() + columns;
    N* const across = parts + joins * columns;
    for (std::int64_t line = 0; line < end + height - 1; ++line) {
      read_line(isa, source, x0 + source.shift_x, y0 + source.shift_y + line, band, columns, ring.line(line));
      box_down(isa, ring.line(line), line < height ? nullptr : ring.line(line - height), columns, sums.data());
      if (line < height - 1) { continue; }
      box_across(isa, sums.data(), width, count, parts, across);
      const std::int64_t y = line - (height - 1);
      store_line(isa, across, count, &destination(x0, y0 + y, band), destination.x_stride, store);
    }
  });
}

/// Whether a store divides sums of S, to samples of D that this file is for.
template <class S, class D, class Store>
inline constexpr bool box_store = false;
template <class S, class D, class A>
inline constexpr bool box_store<S, D, dividing_store<A, D>> = std::is_integral_v<S>&& std::is_integral_v<D> &&
                                                              sizeof(S) <= 2 && sizeof(D) <= 2;

/// Filters, if that is a mean of windows of integers that this file is quick for.
/// @return whether it has
template <class A, class S, class D, class Store>
bool box_on_host([[maybe_unused]] const host& execution, [[maybe_unused]] const tap_source<S>& source,
                 [[maybe_unused]] const cube_view<D>& destination, [[maybe_unused]] const prepared_kernel<A>& row,
                 [[maybe_unused]] const prepared_kernel<A>& column, [[maybe_unused]] const Store& store,
                 [[maybe_unused]] host_isa isa) {
  if constexpr (box_store<S, D, Store>) {
    constexpr std::int64_t largest = -std::int64_t{std::numeric_limits<S>::min()} > std::numeric_limits<S>::max()
                                         ? -std::int64_t{std::numeric_limits<S>::min()}
                                         : std::int64_t{std::numeric_limits<S>::max()};
    const auto is_one = [](A c) { return c == A{1}; };
    const std::int64_t number = std::int64_t{row.width} * column.height;
    if (store.divisor != number || number * largest > std::numeric_limits<std::int32_t>::max() ||
        number > line_quotient<D>::most || !std::all_of(row.coefficients.begin(), row.coefficients.end(), is_one) ||
        !std::all_of(column.coefficients.begin(), column.coefficients.end(), is_one)) {
      return false;
    }
    const auto with = [&](auto sum, const auto& line_store) {
      sum_boxes<decltype(sum)>(execution, isa, source, destination, row.width, column.height, line_store);
    };
    const bool exact_product = number % 2 == 1 && number * largest <= line_mean<D>::most_sum;
    if constexpr (std::is_same_v<S, std::uint8_t>) {
      if constexpr (std::is_same_v<D, std::uint8_t>) {
        if (number > 1 && number <= byte_mean::most) {
          with(std::uint16_t{}, byte_mean(number));
          return true;
        }
      }
      if (number * largest <= 65535 && exact_product) {
        with(std::uint16_t{}, line_mean<D>(number));
        return true;
      }
    }
    if (exact_product) {
      with(std::int32_t{}, line_mean<D>(number));
    } else {
      with(std::int32_t{}, line_quotient<D>(number));
    }
    return true;
  }
  return false;
}

}  // namespace gpuimg::filter::detail
