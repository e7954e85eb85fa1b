/// @file
/// The lifting steps of CDF 5/3 on whole rows, written so that compilers use the processor's vectors at -O2 already:
/// chunks of a fixed length, no two pointers that may meet.
#pragma once

#include <cstdint>

#include "gpuimg/codec/cdf_5_3.hpp"
#include "gpuimg/codec/sample_format.hpp"

#if defined(_MSC_VER) && !defined(__clang__)
#define GPUIMG_RESTRICT __restrict
#else
#define GPUIMG_RESTRICT __restrict__
#endif

namespace gpuimg::codec::detail {

/// (a + b) >> 1 without a bit more than T has.
constexpr std::int16_t floor_average(std::int16_t a, std::int16_t b) noexcept {
  return static_cast<std::int16_t>((a & b) + ((a ^ b) >> 1));
}

/// The steps of cdf_5_3 on coefficients of type T, modulo T. Those of std::int16_t stay inside of 16 bits, so that a
/// vector holds twice as many.
template <coefficient_store T>
struct lifting_steps {
  struct predict {
    T operator()(T x, T a, T b) const noexcept {
      if constexpr (sizeof(T) == 2) { return static_cast<T>(x - floor_average(a, b)); }
      return static_cast<T>(cdf_5_3::predict(x, a, b));
    }
  };
  struct undo_predict {
    T operator()(T x, T a, T b) const noexcept {
      if constexpr (sizeof(T) == 2) { return static_cast<T>(x + floor_average(a, b)); }
      return static_cast<T>(cdf_5_3::undo_predict(x, a, b));
    }
  };
  // (a + b + 2) >> 2 is (average + 1) >> 1, which is average - (average >> 1).
  struct update {
    T operator()(T x, T a, T b) const noexcept {
      if constexpr (sizeof(T) == 2) {
        const T average = floor_average(a, b);
        return static_cast<T>(x + static_cast<T>(average - static_cast<T>(average >> 1)));
      }
      return static_cast<T>(cdf_5_3::update(x, a, b));
    }
  };
  struct undo_update {
    T operator()(T x, T a, T b) const noexcept {
      if constexpr (sizeof(T) == 2) {
        const T average = floor_average(a, b);
        return static_cast<T>(x - static_cast<T>(average - static_cast<T>(average >> 1)));
      }
      return static_cast<T>(cdf_5_3::undo_update(x, a, b));
    }
  };
};

inline constexpr int chunk = 16;  // samples of a loop whose length the compiler knows

/// x[i] = Step(x[i], a[i], b[i]) for i in 0..n-1. `x` meets neither `a` nor `b`; these may overlap.
template <class Step, coefficient_store T>
void lift(T* GPUIMG_RESTRICT x, const T* GPUIMG_RESTRICT a, const T* GPUIMG_RESTRICT b, std::int64_t n) noexcept {
  const Step step;
  for (; n >= chunk; n -= chunk, x += chunk, a += chunk, b += chunk) {
    for (int k = 0; k < chunk; ++k) { x[k] = step(x[k], a[k], b[k]); }
  }
  for (int k = 0; k < n; ++k) { x[k] = step(x[k], a[k], b[k]); }
}

/// Samples 0, 2, 4 ... of a row of n to `even`, the others to `odd`.
template <coefficient_store T>
void split_row(const T* GPUIMG_RESTRICT row, T* GPUIMG_RESTRICT even, T* GPUIMG_RESTRICT odd, std::int64_t n) noexcept {
  std::int64_t pairs = n / 2;
  const auto split = [&](int k) {
    even[k] = row[2 * k];
    odd[k] = row[2 * k + 1];
  };
  for (; pairs >= chunk; pairs -= chunk, row += 2 * chunk, even += chunk, odd += chunk) {
    for (int k = 0; k < chunk; ++k) { split(k); }
  }
  for (int k = 0; k < pairs; ++k) { split(k); }
  if (n % 2 != 0) { even[pairs] = row[2 * pairs]; }
}

/// The inverse of split_row().
template <coefficient_store T>
void merge_row(T* GPUIMG_RESTRICT row, const T* GPUIMG_RESTRICT even, const T* GPUIMG_RESTRICT odd,
               std::int64_t n) noexcept {
  std::int64_t pairs = n / 2;
  const auto merge = [&](int k) {
    row[2 * k] = even[k];
    row[2 * k + 1] = odd[k];
  };
  for (; pairs >= chunk; pairs -= chunk, row += 2 * chunk, even += chunk, odd += chunk) {
    for (int k = 0; k < chunk; ++k) { merge(k); }
  }
  for (int k = 0; k < pairs; ++k) { merge(k); }
  if (n % 2 != 0) { row[2 * pairs] = even[pairs]; }
}

}  // namespace gpuimg::codec::detail
