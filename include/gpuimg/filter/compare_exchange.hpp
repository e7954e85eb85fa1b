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

/// Puts the lesser keys into `low` and the greater ones into `high`.
template <class Word>
GPUIMG_FUNCTION constexpr void compare_exchange(Word& low, Word& high) noexcept {
  const Word least = minimum(low, high);
  high = maximum(low, high);
  low = least;
}

}  // namespace gpuimg::filter
