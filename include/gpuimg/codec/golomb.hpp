/// @file
/// Golomb codes with a power-of-two parameter and a capped unary part, and exponential Golomb codes of order 0, for
/// bit strings with the least significant bit first (docs/lce-format.md, section 4).
///
/// A codeword is made in a register and read from a register, so that a thread can code alone:
/// @code
/// const auto word = golomb_codeword(map_signed(q), golomb_parameter(sum_of_magnitudes, samples));
/// deposit_bits(words, at, word.bits, word.length);
/// @endcode
#pragma once

#include <bit>
#include <cstdint>

#include "gpuimg/core/config.hpp"
#include "gpuimg/simt/bits.hpp"

namespace gpuimg::codec {

/// Zero bits of the longest unary part; as many say that a plain field of golomb_plain_bits follows.
inline constexpr int golomb_cap = 15;
/// Bits of a value behind the capped unary part; no codeword is longer than 32 bits.
inline constexpr int golomb_plain_bits = 17;
/// The greatest value that both codes hold: the map of -65535.
inline constexpr std::uint32_t golomb_limit = 131070;

/// 0, 1, -1, 2, -2, ... to 0, 1, 2, 3, 4, ...
GPUIMG_FUNCTION constexpr std::uint32_t map_signed(std::int32_t q) noexcept {
  return static_cast<std::uint32_t>(-q * 2) ^ static_cast<std::uint32_t>(-q >> 31);
}
/// map_signed() of a magnitude below 2^16 with sign 0, or with sign -1 and so below 0.
GPUIMG_FUNCTION constexpr std::uint32_t map_magnitude(std::uint32_t magnitude, std::int32_t sign) noexcept {
  const std::int32_t mapped = static_cast<std::int32_t>(2 * magnitude) - 1 - sign;
  return static_cast<std::uint32_t>(mapped < 0 ? 0 : mapped);  // 0 has no sign
}
/// The inverse of map_signed().
GPUIMG_FUNCTION constexpr std::int32_t unmap_signed(std::uint32_t m) noexcept {
  return -static_cast<std::int32_t>((m >> 1) ^ (0 - (m & 1)));
}
/// |unmap_signed(m)|.
GPUIMG_FUNCTION constexpr std::uint32_t mapped_magnitude(std::uint32_t m) noexcept { return (m + 1) >> 1; }

/// Bits in transmission order, the first one lowest.
struct codeword {
  std::uint32_t bits;
  int length;
};

/// A codeword of up to 33 bits.
struct wide_codeword {
  std::uint64_t bits;
  int length;
};

/// A value read from the front of a window, and the bits that it took.
struct decoded_value {
  std::uint32_t value;
  int length;
};

/// The smallest k with count * 2^k >= sum; `count` in 1 .. 2^15, `sum` < 2^31.
GPUIMG_FUNCTION inline int golomb_parameter(std::uint32_t sum, std::uint32_t count) noexcept {
  const int k = simt::bit_width(sum) - simt::bit_width(count);
  if (k < 0) { return 0; }
  return (count << k) < sum ? k + 1 : k;
}

/// Samples whose magnitudes choose the parameter of the next one.
inline constexpr int golomb_window = 32;

/// golomb_parameter(sum, golomb_window).
GPUIMG_FUNCTION inline int golomb_window_parameter(std::uint32_t sum) noexcept {
  return simt::bit_width(((sum > 1 ? sum : 1) - 1) / golomb_window);
}

/// Bits of golomb_codeword(value, k).
GPUIMG_FUNCTION constexpr int golomb_length(std::uint32_t value, int k) noexcept {
  const std::uint32_t unary = value >> k;
  return unary < golomb_cap ? static_cast<int>(unary) + 1 + k : golomb_cap + golomb_plain_bits;
}

/// The Golomb code of `value` (at most golomb_limit) with parameter k (0 .. 16).
GPUIMG_FUNCTION constexpr codeword golomb_codeword(std::uint32_t value, int k) noexcept {
  const std::uint32_t unary = value >> k;
  if (unary >= golomb_cap) { return {value << golomb_cap, golomb_cap + golomb_plain_bits}; }
  const std::uint32_t low = value & ((std::uint32_t{1} << k) - 1);
  return {((low << 1) | 1) << unary, static_cast<int>(unary) + 1 + k};
}

/// Reads a Golomb code from the low end of `window`, which holds at least 32 bits of the string. Any bits are a code.
GPUIMG_FUNCTION inline decoded_value read_golomb(std::uint64_t window, int k) noexcept {
  const auto low = static_cast<std::uint32_t>(window);
  const int unary = simt::lowest_bit(low | (std::uint32_t{1} << golomb_cap));
#if !defined(GPUIMG_DEVICE_PASS)
  // A processor foresees this branch; threads of a device go together without one.
  if (unary == golomb_cap) [[unlikely]] { return {low >> golomb_cap, golomb_cap + golomb_plain_bits}; }
#endif
  const bool plain = unary == golomb_cap;
  const std::uint32_t rest = (low >> (unary + 1)) & ((std::uint32_t{1} << k) - 1);
  return {plain ? low >> golomb_cap : (static_cast<std::uint32_t>(unary) << k) | rest,
          plain ? golomb_cap + golomb_plain_bits : unary + 1 + k};
}

/// Bits of exp_golomb_codeword(value).
GPUIMG_FUNCTION inline int exp_golomb_length(std::uint32_t value) noexcept {
  return 2 * simt::bit_width(value + 1) - 1;
}

/// The exponential Golomb code of order 0 of `value`, at most golomb_limit.
GPUIMG_FUNCTION inline wide_codeword exp_golomb_codeword(std::uint32_t value) noexcept {
  const int zeros = simt::bit_width(value + 1) - 1;
  const std::uint64_t low = (value + 1) & ((std::uint32_t{1} << zeros) - 1);
  return {((low << 1) | 1) << zeros, 2 * zeros + 1};
}

/// Reads an exponential Golomb code from the low end of `window`, which holds at least 33 bits of the string. A code
/// above golomb_limit, of more bits or not, is returned as a value above it.
GPUIMG_FUNCTION inline decoded_value read_exp_golomb(std::uint64_t window) noexcept {
  const int zeros = simt::lowest_bit(static_cast<std::uint32_t>(window) | (std::uint32_t{1} << 17));
  if (zeros == 17) { return {golomb_limit + 1, 18}; }
  const auto low = static_cast<std::uint32_t>(window >> (zeros + 1)) & ((std::uint32_t{1} << zeros) - 1);
  return {((std::uint32_t{1} << zeros) | low) - 1, 2 * zeros + 1};
}

}  // namespace gpuimg::codec
