/// @file
/// Division by a number that is known beforehand, through a multiplication.
#pragma once

#include <cstdint>

#include "gpuimg/core/config.hpp"

namespace gpuimg::codec {

/// Divides by `divisor` (1 .. 65535): floor(n / divisor) = (n * M) >> 40 with M = floor(2^40 / divisor) + 1, exact for
/// n * divisor < 2^40 and n < 2^23 * divisor.
///
/// M exceeds 2^40 / divisor by at most 1, so the product is too large by at most n / 2^40 < 1 / divisor, which never
/// reaches the next integer; n * M stays below 2^64.
class exact_divider {
 public:
  exact_divider() = default;
  GPUIMG_FUNCTION constexpr explicit exact_divider(std::uint32_t divisor) noexcept
      : multiplier_((std::uint64_t{1} << 40) / divisor + 1) {}

  GPUIMG_FUNCTION constexpr std::uint32_t operator()(std::uint32_t n) const noexcept {
    return static_cast<std::uint32_t>((n * multiplier_) >> 40);
  }

 private:
  std::uint64_t multiplier_;
};

/// Divides numbers below 2^16 by `divisor` (1 .. 65535) with one product of 32 bits, of which the upper half counts:
/// floor(n / divisor) = ((n + 1) * M) >> 32 with M = floor((2^32 - 1) / divisor), exact for (n + 1) * divisor <= 2^32.
///
/// At a multiple n = k d the product is at least k 2^32 - n + 2^32 / d - 1 >= k 2^32; at n = k d + d - 1 it is at most
/// (k + 1) (2^32 - 1).
class exact_short_divider {
 public:
  exact_short_divider() = default;
  GPUIMG_FUNCTION constexpr explicit exact_short_divider(std::uint32_t divisor) noexcept
      : multiplier_(0xFFFFFFFFu / divisor) {}

  GPUIMG_FUNCTION constexpr std::uint32_t operator()(std::uint32_t n) const noexcept {
    return static_cast<std::uint32_t>((std::uint64_t{n + 1} * multiplier_) >> 32);
  }

 private:
  std::uint32_t multiplier_;
};

}  // namespace gpuimg::codec
