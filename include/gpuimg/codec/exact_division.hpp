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

/// Divides numbers below 2^30 by `divisor` (1 .. 65535) with one product of two 32-bit numbers: floor(n / divisor) =
/// (n * M) >> S with S = 30 + w, where w is the number of bits of the divisor, and M = floor(2^S / divisor) + 1.
///
/// M is below 2^32 and exceeds 2^S / divisor by at most 1, so the product is too large by at most n / 2^S, which is
/// less than 1 / divisor and never reaches the next integer.
class exact_scaled_divider {
 public:
  exact_scaled_divider() = default;
  GPUIMG_FUNCTION constexpr explicit exact_scaled_divider(std::uint32_t divisor) noexcept : multiplier_(0), shift_(30) {
    for (std::uint32_t rest = divisor; rest != 0; rest >>= 1) { ++shift_; }
    multiplier_ = static_cast<std::uint32_t>((std::uint64_t{1} << shift_) / divisor + 1);
  }

  GPUIMG_FUNCTION constexpr std::uint32_t operator()(std::uint32_t n) const noexcept {
    return static_cast<std::uint32_t>((std::uint64_t{n} * multiplier_) >> shift_);
  }

 private:
  std::uint32_t multiplier_;
  int shift_;
};

}  // namespace gpuimg::codec
