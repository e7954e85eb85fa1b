/// @file
/// Sums of a convolution on a host: for a row of windows or two rows at once, blocks of neighbours side by side.
///
/// With AVX2 and FMA a block is held in registers, and what is loaded from a line is taken into both rows' sums. Every
/// sum takes in its taps row by row, from left to right, whatever the block.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "gpuimg/filter/convolution_arithmetic.hpp"
#include "gpuimg/filter/detail/host_isa.hpp"

#if GPUIMG_HAS_AVX2_TARGET
#include <immintrin.h>
#endif

namespace gpuimg::filter::detail {

/// Lines of values under two neighbouring rows of windows, and where the sums of these go.
///
/// sums[r][x] = sum over j, i of k[j * width + i] * lines[r + j][x + i], for x below `count`. Lines and sums have room
/// for the count rounded up to `sum_block`.
template <class A>
struct window_sums {
  const A* const* lines;
  const A* coefficients;
  int width;
  int height;
  std::int64_t count;
  A* sums[2];
};

/// Sums side by side that are computed together.
inline constexpr std::int64_t sum_block = 64;

/// One row of sums. Of as many neighbours at a time as fill some vectors.
template <class A>
void sum_row_plain(const window_sums<A>& in, int row) {
  constexpr int together = 32;
  for (std::int64_t x = 0; x < in.count; x += together) {
    A block[together] = {};
    for (int j = 0; j < in.height; ++j) {
      const A* const line = in.lines[row + j] + x;
      for (int i = 0; i < in.width; ++i) {
        const A c = in.coefficients[j * in.width + i];
        for (int n = 0; n < together; ++n) { block[n] = multiply_add(c, line[i + n], block[n]); }
      }
    }
    for (int n = 0; n < together; ++n) { in.sums[row][x + n] = block[n]; }
  }
}

#if GPUIMG_HAS_AVX2_TARGET
/// Vectors of sums.
template <class A>
struct avx2_sum;
template <>
struct avx2_sum<float> {
  static constexpr int lanes = 8;
  __m256 value;

  GPUIMG_AVX2_INLINE static avx2_sum all(float of) noexcept { return {_mm256_set1_ps(of)}; }
  GPUIMG_AVX2_INLINE static avx2_sum load(const float* from) noexcept { return {_mm256_loadu_ps(from)}; }
  GPUIMG_AVX2_INLINE void store(float* to) const noexcept { _mm256_storeu_ps(to, value); }
  GPUIMG_AVX2_INLINE void take(avx2_sum a, avx2_sum b) noexcept { value = _mm256_fmadd_ps(a.value, b.value, value); }
};
template <>
struct avx2_sum<double> {
  static constexpr int lanes = 4;
  __m256d value;

  GPUIMG_AVX2_INLINE static avx2_sum all(double of) noexcept { return {_mm256_set1_pd(of)}; }
  GPUIMG_AVX2_INLINE static avx2_sum load(const double* from) noexcept { return {_mm256_loadu_pd(from)}; }
  GPUIMG_AVX2_INLINE void store(double* to) const noexcept { _mm256_storeu_pd(to, value); }
  GPUIMG_AVX2_INLINE void take(avx2_sum a, avx2_sum b) noexcept { value = _mm256_fmadd_pd(a.value, b.value, value); }
};

/// Which rows of sums a line is taken into.
enum class rows_taken : std::uint8_t { first, second, both };

template <rows_taken Rows, class Vector>
GPUIMG_AVX2_INLINE void take_values_avx2(Vector values, Vector c, Vector c_below, Vector& sum,
                                         Vector& sum_below) noexcept {
  if constexpr (Rows == rows_taken::both) { asm("" : "+x"(values.value)); }  // else g++ loads them for each
  if constexpr (Rows != rows_taken::second) { sum.take(c, values); }
  if constexpr (Rows != rows_taken::first) { sum_below.take(c_below, values); }
}

/// Takes the first `width` taps of a line into blocks of sums; of the two rows of coefficients each has its own.
template <rows_taken Rows, class A, std::size_t... I>
GPUIMG_AVX2_INLINE void take_line_avx2(const A* line, const A* first, const A* second, int width, avx2_sum<A>* sums,
                                       avx2_sum<A>* sums_below, std::index_sequence<I...>) noexcept {
  using vector = avx2_sum<A>;
  for (int i = 0; i < width; ++i) {
    const vector c = vector::all(first[i]);
    const vector c_below = vector::all(second[i]);
    (take_values_avx2<Rows>(vector::load(line + i + static_cast<std::int64_t>(I) * vector::lanes), c, c_below, sums[I],
                            sums_below[I]),
     ...);
  }
}

/// Both rows of sums from x on, sizeof...(I) vectors of each.
template <class A, std::size_t... I>
GPUIMG_AVX2_INLINE void sum_two_blocks_avx2(const window_sums<A>& in, std::int64_t x,
                                            std::index_sequence<I...> all) noexcept {
  using vector = avx2_sum<A>;
  vector sums[] = {(static_cast<void>(I), vector::all(0))...};
  vector below[] = {(static_cast<void>(I), vector::all(0))...};
  const A* k = in.coefficients;
  take_line_avx2<rows_taken::first>(in.lines[0] + x, k, k, in.width, sums, below, all);
  for (int j = 1; j < in.height; ++j) {
    k += in.width;
    take_line_avx2<rows_taken::both>(in.lines[j] + x, k, k - in.width, in.width, sums, below, all);
  }
  take_line_avx2<rows_taken::second>(in.lines[in.height] + x, k, k, in.width, sums, below, all);
  (sums[I].store(in.sums[0] + x + static_cast<std::int64_t>(I) * vector::lanes), ...);
  (below[I].store(in.sums[1] + x + static_cast<std::int64_t>(I) * vector::lanes), ...);
}

template <class A, std::size_t... I>
GPUIMG_AVX2_INLINE void sum_block_avx2(const window_sums<A>& in, int row, std::int64_t x,
                                       std::index_sequence<I...> all) noexcept {
  using vector = avx2_sum<A>;
  vector sums[] = {(static_cast<void>(I), vector::all(0))...};
  for (int j = 0; j < in.height; ++j) {
    const A* const k = in.coefficients + j * in.width;
    take_line_avx2<rows_taken::first>(in.lines[row + j] + x, k, k, in.width, sums, sums, all);
  }
  (sums[I].store(in.sums[row] + x + static_cast<std::int64_t>(I) * vector::lanes), ...);
}

template <class A>
GPUIMG_TARGET_AVX2 void sum_rows_avx2(const window_sums<A>& in, int rows) noexcept {
  if (rows == 2) {
    constexpr int step = 4 * avx2_sum<A>::lanes;  // eight vectors of sums: as many as keep two multipliers busy
    for (std::int64_t x = 0; x < in.count; x += step) { sum_two_blocks_avx2(in, x, std::make_index_sequence<4>{}); }
  } else {
    constexpr int step = 8 * avx2_sum<A>::lanes;
    for (std::int64_t x = 0; x < in.count; x += step) { sum_block_avx2(in, 0, x, std::make_index_sequence<8>{}); }
  }
}
#endif

/// The first `rows` (1 or 2) rows of sums.
template <class A>
void sum_rows([[maybe_unused]] host_isa isa, const window_sums<A>& in, int rows) {
#if GPUIMG_HAS_AVX2_TARGET
  if constexpr (std::is_floating_point_v<A>) {
    if (isa == host_isa::avx2) { return sum_rows_avx2(in, rows); }
  }
#endif
  for (int row = 0; row < rows; ++row) { sum_row_plain(in, row); }
}

}  // namespace gpuimg::filter::detail
