/// @file
/// Arithmetic of a convolution: the type of its sums, their one order of operations, and what becomes of a sum that
/// does not fit into the destination.
///
/// Sums. Integer samples and integer kernels are summed exactly, whatever their size (a kernel whose sum could exceed
/// 64 bits is refused). All others are summed in float, or in double where a sample has more than 24 significant bits
/// or either type is double; the caller may choose. A floating-point sum starts from +0 and takes in the taps row by
/// row, from left to right, by one fused multiply-add each: a = fma(k, v, a). Host and devices agree bit for bit.
///
/// Stores. To an integer type a sum is rounded to the nearest integer, halves to the even one, and saturated; NaN
/// becomes 0. To a floating-point type it is converted, and rounded to nearest where the type is narrower.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "gpuimg/core/config.hpp"

namespace gpuimg::filter {

/// A type of samples.
template <class S>
concept convolution_sample = std::is_same_v<S, std::uint8_t> || std::is_same_v<S, std::int8_t> ||
    std::is_same_v<S, std::uint16_t> || std::is_same_v<S, std::int16_t> || std::is_same_v<S, std::int32_t> ||
    std::is_same_v<S, float> || std::is_same_v<S, double>;

/// A type of sums.
template <class A>
concept convolution_sum = std::is_same_v<A, std::int32_t> || std::is_same_v<A, std::int64_t> ||
    std::is_same_v<A, float> || std::is_same_v<A, double>;

/// Stands for the type of sums that this file's rules give.
struct automatic_sum {};

/// a * b + c: fused for floating-point types; the integers that are used here do not overflow.
template <convolution_sum A>
GPUIMG_FUNCTION inline A multiply_add(A a, A b, A c) noexcept {
  if constexpr (std::is_same_v<A, float>) {
#if defined(GPUIMG_DEVICE_PASS)
    return __fmaf_rn(a, b, c);
#else
    return __builtin_fmaf(a, b, c);
#endif
  } else if constexpr (std::is_same_v<A, double>) {
#if defined(GPUIMG_DEVICE_PASS)
    return __fma_rn(a, b, c);
#else
    return __builtin_fma(a, b, c);
#endif
  } else {
    return a * b + c;
  }
}

namespace detail {

// Values, because the functions of numeric_limits are the host's alone.
template <class T>
inline constexpr T lowest_integer = std::numeric_limits<T>::min();
template <class T>
inline constexpr T highest_integer = std::numeric_limits<T>::max();

}  // namespace detail

/// `value` rounded to the nearest integer, halves to the even one, and brought into the range of D; NaN becomes 0. For
/// a floating-point D, `value` in that type.
template <convolution_sample D, class A>
GPUIMG_FUNCTION inline D saturate_round(A value) noexcept {
  if constexpr (std::is_floating_point_v<D>) {
    return static_cast<D>(value);
  } else if constexpr (std::is_integral_v<A>) {
    constexpr A low = static_cast<A>(detail::lowest_integer<D>);
    constexpr A high = static_cast<A>(detail::highest_integer<D>);
    return static_cast<D>(value < low ? low : value > high ? high : value);
  } else if constexpr (sizeof(D) <= 2) {
    constexpr A low = static_cast<A>(detail::lowest_integer<D>);
    constexpr A high = static_cast<A>(detail::highest_integer<D>);
    // Of a number so large that the last bit counts ones, the low bits are those of the rounded integer.
    constexpr A ones = std::is_same_v<A, float> ? A(12582912.0) : A(6755399441055744.0);
    A inside = value;
    if constexpr (low < 0) { inside = value == value ? value : A{0}; }
#if defined(GPUIMG_DEVICE_PASS)
    inside = fmin(fmax(inside, low), high);  // of a NaN and a number they are the number
#else
    inside = inside > low ? inside : low;
    inside = inside < high ? inside : high;
#endif
    using bits = std::conditional_t<sizeof(A) == 4, std::uint32_t, std::uint64_t>;
    const A shifted = inside + ones;
    bits low_bits;
    memcpy(&low_bits, &shifted, sizeof(bits));
    return static_cast<D>(low_bits);
  } else {
    const double wide = static_cast<double>(value);
    if (!(wide == wide)) { return 0; }
    if (wide <= -2147483648.0) { return detail::lowest_integer<D>; }
    if (wide >= 2147483647.0) { return detail::highest_integer<D>; }
    return static_cast<D>(rint(wide));
  }
}

/// Takes a row of a kernel into the sums of neighbouring outputs: sums[x] += coefficients[i] * window[x + i], from left
/// to right, fused. In a kernel, call it from unrolled loops: with all indices known to the compiler, sums and window
/// stay in registers, and coefficients (members of the kernel) are operands.
template <int Width, class A, int Outputs, int Size>
GPUIMG_FUNCTION inline void accumulate_row(const A* coefficients, const A (&window)[Size],
                                           A (&sums)[Outputs]) noexcept {
  static_assert(Size >= Outputs + Width - 1);
  GPUIMG_UNROLL
  for (int i = 0; i < Width; ++i) {
    GPUIMG_UNROLL
    for (int x = 0; x < Outputs; ++x) { sums[x] = multiply_add(coefficients[i], window[x + i], sums[x]); }
  }
}

/// The quotient of two integers, rounded to the nearest, halves to the even one. `divisor` is positive.
template <class A>
GPUIMG_FUNCTION constexpr A divide_round(A value, A divisor) noexcept {
  const A quotient = value / divisor;
  const A remainder = value - quotient * divisor;
  const A magnitude = remainder < 0 ? -remainder : remainder;
  const A rest = divisor - magnitude;  // compared in place of doubling, which could overflow
  if (magnitude < rest || (magnitude == rest && quotient % 2 == 0)) { return quotient; }
  return value < 0 ? quotient - 1 : quotient + 1;
}

namespace detail {

/// Whether samples and coefficients are integers, whose sums are exact.
template <class S, class C>
inline constexpr bool exact_sums = std::is_integral_v<S>&& std::is_integral_v<C>;

/// The type of sums by the rules of this file; for exact sums it is chosen at run time.
template <class S, class C>
using floating_sum =
    std::conditional_t<std::is_same_v<S, double> || std::is_same_v<C, double> || std::is_same_v<S, std::int32_t>,
                       double, float>;

/// `first` and `second` brought into the range of D, of 8 or 16 bits: two samples of 16 bits, `second` in the lower
/// half; or two of 8 bits in the lower half, `second` in the lower byte, and the lower half of `rest` above.
template <class D>
GPUIMG_FUNCTION inline std::uint32_t pack_saturated(std::int32_t first, std::int32_t second,
                                                    std::uint32_t rest) noexcept {
#if defined(GPUIMG_DEVICE_PASS)
  std::uint32_t word;
  if constexpr (std::is_same_v<D, std::uint8_t>) {
    asm("cvt.pack.sat.u8.s32.b32 %0, %1, %2, %3;" : "=r"(word) : "r"(first), "r"(second), "r"(rest));
  } else if constexpr (std::is_same_v<D, std::int8_t>) {
    asm("cvt.pack.sat.s8.s32.b32 %0, %1, %2, %3;" : "=r"(word) : "r"(first), "r"(second), "r"(rest));
  } else if constexpr (std::is_same_v<D, std::uint16_t>) {
    asm("cvt.pack.sat.u16.s32 %0, %1, %2;" : "=r"(word) : "r"(first), "r"(second));
  } else {
    asm("cvt.pack.sat.s16.s32 %0, %1, %2;" : "=r"(word) : "r"(first), "r"(second));
  }
  return word;
#else
  constexpr int bits = 8 * static_cast<int>(sizeof(D));
  constexpr std::uint32_t mask = (1u << bits) - 1;
  const std::uint32_t pair = (static_cast<std::uint32_t>(saturate_round<D>(first)) & mask) << bits |
                             (static_cast<std::uint32_t>(saturate_round<D>(second)) & mask);
  return bits == 8 ? rest << 16 | pair : pair;
#endif
}

/// How a sum becomes a sample of D.
template <class A, class D>
struct plain_store {
  GPUIMG_FUNCTION D operator()(A sum) const noexcept { return saturate_round<D>(sum); }

  /// Before saturation to a D of fewer than 32 bits.
  GPUIMG_FUNCTION std::int32_t rounded(A sum) const noexcept {
#if defined(GPUIMG_DEVICE_PASS)
    if constexpr (std::is_same_v<A, float>) { return __float2int_rn(sum); }
#endif
    return saturate_round<std::int32_t>(sum);
  }
};

/// How an exact sum, an integer in any type, becomes a sample of D after its division.
template <class A, class D>
struct dividing_store {
  std::int64_t divisor = 1;

  GPUIMG_FUNCTION D operator()(A sum) const noexcept {
    if constexpr (std::is_floating_point_v<D>) {
      return static_cast<D>(static_cast<double>(sum) / static_cast<double>(divisor));
    } else if constexpr (std::is_same_v<A, std::int64_t>) {
      return saturate_round<D>(divide_round<std::int64_t>(sum, divisor));
    } else {
      return saturate_round<D>(rounded(sum));
    }
  }
  /// Before saturation to D, of a sum that 32 bits hold.
  GPUIMG_FUNCTION std::int32_t rounded(A sum) const noexcept {
    return divide_round<std::int32_t>(static_cast<std::int32_t>(sum), static_cast<std::int32_t>(divisor));
  }
};

}  // namespace detail
}  // namespace gpuimg::filter
