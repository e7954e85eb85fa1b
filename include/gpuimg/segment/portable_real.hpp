/// @file
/// Double-precision arithmetic that rounds alike on every target, and a logarithm made of it.
///
/// Compilers may fuse a product and a sum into one rounding, and every mathematical library has a logarithm of its own:
/// a criterion that is to choose the same move on the host and on every device can use neither. Each operation here
/// is one IEEE 754 operation, rounded to nearest.
#pragma once

#include <cstdint>
#include <cstring>

#include "gpuimg/core/config.hpp"

// A product that GCC may not fuse into the sum that follows. Clang fuses within one expression only.
#if !defined(GPUIMG_DEVICE_PASS) && defined(__GNUC__) && !defined(__clang__) && defined(__FP_FAST_FMA)
#if defined(__x86_64__)
#define GPUIMG_KEEP_PRODUCT(p) __asm__("" : "+x"(p))
#elif defined(__aarch64__)
#define GPUIMG_KEEP_PRODUCT(p) __asm__("" : "+w"(p))
#else
#define GPUIMG_KEEP_PRODUCT(p) __asm__("" : "+m"(p))
#endif
#else
#define GPUIMG_KEEP_PRODUCT(p) static_cast<void>(0)
#endif

namespace gpuimg::portable {

/// a * b, never fused with what follows.
GPUIMG_FUNCTION inline double multiply(double a, double b) noexcept {
#if defined(GPUIMG_DEVICE_PASS)
  return __dmul_rn(a, b);
#else
  double product = a * b;
  GPUIMG_KEEP_PRODUCT(product);
  return product;
#endif
}

/// a + b, never fused with what came before.
GPUIMG_FUNCTION inline double add(double a, double b) noexcept {
#if defined(GPUIMG_DEVICE_PASS)
  return __dadd_rn(a, b);
#else
  return a + b;
#endif
}

/// a / b.
GPUIMG_FUNCTION inline double divide(double a, double b) noexcept {
#if defined(GPUIMG_DEVICE_PASS)
  return __ddiv_rn(a, b);
#else
  return a / b;
#endif
}

/// Natural logarithm of a positive, finite, normal number: the same bits on every target, relative error below 2^-51
/// (absolute error below 2^-52 where the logarithm is below 1/2 in size).
///
/// x = 2^e * m with m in [sqrt(1/2), sqrt(2)]; log m is the series of 2 atanh((m - 1) / (m + 1)), whose first left-out
/// term is below 2^-60.
GPUIMG_FUNCTION inline double log(double x) noexcept {
  std::uint64_t bits = 0;
  memcpy(&bits, &x, sizeof bits);
  constexpr std::uint64_t mantissa = (std::uint64_t{1} << 52) - 1;
  constexpr std::uint64_t one = std::uint64_t{1023} << 52;
  constexpr std::uint64_t root_of_two = 0x6A09E667F3BCDull;
  auto exponent = static_cast<std::int32_t>(bits >> 52) - 1023;
  bits = (bits & mantissa) | one;
  if ((bits & mantissa) > root_of_two) {
    bits -= std::uint64_t{1} << 52;
    ++exponent;
  }
  double m = 0;
  memcpy(&m, &bits, sizeof m);
  const double f = add(m, -1.0);
  const double s = divide(f, add(m, 1.0));
  const double z = multiply(s, s);
  // Pairs of terms, then pairs of pairs: a device waits for every operation that needs the one before.
  const double z2 = multiply(z, z);
  const double z4 = multiply(z2, z2);
  const double a = add(add(2.0 / 3, multiply(2.0 / 5, z)), multiply(add(2.0 / 7, multiply(2.0 / 9, z)), z2));
  const double b = add(add(2.0 / 11, multiply(2.0 / 13, z)), multiply(add(2.0 / 15, multiply(2.0 / 17, z)), z2));
  const double c = add(2.0 / 19, multiply(2.0 / 21, z));
  const double series = add(a, multiply(add(b, multiply(c, z4)), z4));
  const double tail = multiply(multiply(series, z), s);
  // log 2 in two parts, the first short enough for an exact product with the exponent.
  constexpr double log2_high = 0x1.62e42fefa38p-1;
  constexpr double log2_low = 0x1.ef35793c7673p-45;
  const auto e = static_cast<double>(exponent);
  return add(multiply(e, log2_high), add(add(s, s), add(tail, multiply(e, log2_low))));
}

}  // namespace gpuimg::portable
