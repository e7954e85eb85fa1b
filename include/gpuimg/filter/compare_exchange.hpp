/// @file
/// The one operation of comparator networks, for single keys and for packed ones.
///
/// A word holds one key or several side by side; minimum and maximum work lane by lane. Networks written with
/// compare_exchange sort as many rows at once as a word has lanes.
///
/// @code
/// gpuimg::filter::u16x2 a = gpuimg::filter::pack(7, 1);
/// gpuimg::filter::u16x2 b = gpuimg::filter::pack(3, 5);
/// gpuimg::filter::compare_exchange(a, b);
/// // a is (3, 1) and b is (7, 5)
/// @endcode
#pragma once

#include <concepts>
#include <cstdint>

#include "gpuimg/core/config.hpp"
#include "gpuimg/filter/median_key.hpp"

namespace gpuimg::filter {

/// Two 16-bit keys in a register: one instruction compares both on devices of compute capability 9.0 and above.
struct u16x2 {
  std::uint32_t bits;

  /// Lane 0 (the lower half) or 1.
  GPUIMG_FUNCTION constexpr std::uint16_t lane(int index) const noexcept {
    return static_cast<std::uint16_t>(bits >> (16 * index));
  }
};

/// The word whose lanes are `low` and `high`.
GPUIMG_FUNCTION constexpr u16x2 pack(std::uint16_t low, std::uint16_t high) noexcept {
  return {static_cast<std::uint32_t>(low) | static_cast<std::uint32_t>(high) << 16};
}

template <std::integral T>
GPUIMG_FUNCTION constexpr T minimum(T a, T b) noexcept {
  return b < a ? b : a;
}
template <std::integral T>
GPUIMG_FUNCTION constexpr T maximum(T a, T b) noexcept {
  return a < b ? b : a;
}

GPUIMG_FUNCTION inline u16x2 minimum(u16x2 a, u16x2 b) noexcept {
#if defined(GPUIMG_DEVICE_PASS)
  return {__vminu2(a.bits, b.bits)};
#else
  return pack(minimum(a.lane(0), b.lane(0)), minimum(a.lane(1), b.lane(1)));
#endif
}
GPUIMG_FUNCTION inline u16x2 maximum(u16x2 a, u16x2 b) noexcept {
#if defined(GPUIMG_DEVICE_PASS)
  return {__vmaxu2(a.bits, b.bits)};
#else
  return pack(maximum(a.lane(0), b.lane(0)), maximum(a.lane(1), b.lane(1)));
#endif
}

/// A float that needs no key: one instruction compares two in the order of sample_order<float> on devices of compute
/// capability 8.0 and above. A NaN wins every comparison, so what depends on one is a NaN: that with all bits set but
/// the sign.
struct float_word {
  float value;
};

namespace detail {

/// Whether one of two is a NaN.
GPUIMG_FUNCTION constexpr bool unordered(float_word a, float_word b) noexcept {
  return a.value != a.value || b.value != b.value;
}
inline constexpr float absorbing_nan = sample_order<float>::sample(sample_order<float>::nan_key);

}  // namespace detail

GPUIMG_FUNCTION inline float_word minimum(float_word a, float_word b) noexcept {
#if defined(GPUIMG_DEVICE_PASS) && __CUDA_ARCH__ >= 800
  float least;
  asm("min.NaN.f32 %0, %1, %2;" : "=f"(least) : "f"(a.value), "f"(b.value));
  return {least};
#else
  using order = sample_order<float>;
  if (detail::unordered(a, b)) { return {detail::absorbing_nan}; }
  return {order::sample(minimum(order::key(a.value), order::key(b.value)))};
#endif
}
GPUIMG_FUNCTION inline float_word maximum(float_word a, float_word b) noexcept {
#if defined(GPUIMG_DEVICE_PASS) && __CUDA_ARCH__ >= 800
  float greatest;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(greatest) : "f"(a.value), "f"(b.value));
  return {greatest};
#else
  using order = sample_order<float>;
  if (detail::unordered(a, b)) { return {detail::absorbing_nan}; }
  return {order::sample(maximum(order::key(a.value), order::key(b.value)))};
#endif
}

/// The least and the greatest of three: one instruction for integers on devices of compute capability 9.0 and above.
template <class Word>
GPUIMG_FUNCTION constexpr Word minimum(const Word& a, const Word& b, const Word& c) noexcept {
  return minimum(minimum(a, b), c);
}
template <class Word>
GPUIMG_FUNCTION constexpr Word maximum(const Word& a, const Word& b, const Word& c) noexcept {
  return maximum(maximum(a, b), c);
}

/// The middle one of three. Of keys it is what their sum has beyond the least and the greatest: an addition is twice as
/// quick as a comparison, and these two are often wanted too.
template <class Word>
GPUIMG_FUNCTION constexpr Word middle(const Word& a, const Word& b, const Word& c) noexcept {
  if constexpr (std::unsigned_integral<Word>) {
    return static_cast<Word>(a + b + c - minimum(a, b, c) - maximum(a, b, c));
  } else if constexpr (requires { a.bits; }) {
    return {a.bits + b.bits + c.bits - minimum(a, b, c).bits - maximum(a, b, c).bits};  // no lane is left a carry
  } else {
    return maximum(minimum(a, b), minimum(maximum(a, b), c));
  }
}

/// Puts the lesser keys into `low` and the greater ones into `high`.
template <class Word>
GPUIMG_FUNCTION constexpr void compare_exchange(Word& low, Word& high) noexcept {
  const Word least = minimum(low, high);
  high = maximum(low, high);
  low = least;
}

}  // namespace gpuimg::filter
