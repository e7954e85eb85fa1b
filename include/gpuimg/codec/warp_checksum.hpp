/// @file
/// CRC-32 (ISO-HDLC) of a string of words by a warp: equal to gpuimg::crc32 of its bytes.
#pragma once

#include <cstdint>

#include "gpuimg/core/config.hpp"
#include "gpuimg/simt/group.hpp"

namespace gpuimg::codec {

namespace detail {

inline constexpr std::uint32_t crc_polynomial = 0xEDB88320u;  // 04C11DB7, the highest power in the lowest bit

/// The remainder `crc` times x^32, without a table: on a device, steps are cheaper than scattered loads.
GPUIMG_FUNCTION constexpr std::uint32_t crc_shift_word(std::uint32_t crc) noexcept {
  for (int bit = 0; bit < 32; ++bit) { crc = (crc >> 1) ^ ((0 - (crc & 1u)) & crc_polynomial); }
  return crc;
}

/// a times b modulo the polynomial.
GPUIMG_FUNCTION constexpr std::uint32_t crc_multiply(std::uint32_t a, std::uint32_t b) noexcept {
  std::uint32_t product = 0;
  for (int bit = 0; bit < 32; ++bit) {
    product ^= (0 - ((a >> (31 - bit)) & 1u)) & b;
    b = (b >> 1) ^ ((0 - (b & 1u)) & crc_polynomial);
  }
  return product;
}

/// x^(32 words) modulo the polynomial.
GPUIMG_FUNCTION constexpr std::uint32_t crc_power(std::uint64_t words) noexcept {
  std::uint32_t power = crc_shift_word(0x80000000u);  // x^32
  std::uint32_t result = 0x80000000u;                 // 1
  for (; words != 0; words >>= 1) {
    if ((words & 1) != 0) { result = crc_multiply(result, power); }
    power = crc_multiply(power, power);
  }
  return result;
}

}  // namespace detail

/// CRC-32 of `count` words. A collective; O(count) steps, and O(log count) to join the lanes' parts.
template <class Warp>
GPUIMG_FUNCTION std::uint32_t warp_crc32(Warp& warp, const std::uint32_t* words, std::int64_t count) {
  const std::int64_t part = (count + simt::warp_size - 1) / simt::warp_size;
  const std::int64_t first = part * warp.rank() < count ? part * warp.rank() : count;
  const std::int64_t last = first + part < count ? first + part : count;
  std::uint32_t crc = warp.rank() == 0 ? ~std::uint32_t{0} : 0;
  for (std::int64_t i = first; i < last; ++i) { crc = detail::crc_shift_word(crc ^ words[i]); }
  // The CRC of the whole is the sum of the parts' remainders, each moved up by what follows it.
  crc = detail::crc_multiply(crc, detail::crc_power(static_cast<std::uint64_t>(count - last)));
  std::uint32_t joined = crc;
  for (int distance = simt::warp_size / 2; distance != 0; distance /= 2) {
    joined ^= warp.shuffle_xor(joined, distance);
  }
  return ~joined;
}

}  // namespace gpuimg::codec
