/// @file
/// Prediction of samples from those of another band by a least-squares gain, in integers (docs/lce-format.md, sections
/// 3.2 and 7; Santos et al., J. Applied Remote Sensing 7(1) 074599, 2013, section 2).
#pragma once

#include <cstdint>

#include "gpuimg/codec/exact_division.hpp"
#include "gpuimg/core/config.hpp"

namespace gpuimg::codec {

/// Fraction bits of a gain.
inline constexpr int gain_bits = 7;
/// The greatest gain that least_squares_gain() returns, 254/128.
inline constexpr std::uint32_t largest_gain = 254;

/// Sums over the samples x of a band and the decoded samples p of the band before.
struct prediction_sums {
  std::uint64_t x;   ///< sum of x
  std::uint64_t px;  ///< sum of p x
  std::uint64_t p;   ///< sum of p
  std::uint64_t pp;  ///< sum of p p
};

/// Mean of up to 256 samples of 16 bits, rounded to nearest, halves upwards. `by_count` divides by count.
GPUIMG_FUNCTION constexpr std::int32_t rounded_mean(std::uint64_t sum, std::uint32_t count,
                                                    exact_divider by_count) noexcept {
  return static_cast<std::int32_t>(by_count(static_cast<std::uint32_t>(sum) + count / 2));
}

/// The gain a, in 1/128, that makes sum(((p - mp) a / 128 - (x - mx))^2) least, rounded and limited to 0 .. 254; 128
/// when p is constant. Exact: the sums are of at most 256 samples of 16 bits, the means are those of rounded_mean().
GPUIMG_FUNCTION constexpr std::uint32_t least_squares_gain(const prediction_sums& sums, std::uint32_t count,
                                                           std::int32_t mx, std::int32_t mp) noexcept {
  // Centred on rounded means, which leaves a small remainder of each sum.
  const std::int64_t n = static_cast<std::int64_t>(sums.px) - mp * static_cast<std::int64_t>(sums.x) -
                         mx * static_cast<std::int64_t>(sums.p) + std::int64_t{count} * mp * mx;
  const std::int64_t d =
      static_cast<std::int64_t>(sums.pp) - 2 * mp * static_cast<std::int64_t>(sums.p) + std::int64_t{count} * mp * mp;
  if (d == 0) { return std::uint32_t{1} << gain_bits; }
  if (n <= 0) { return 0; }
  const std::int64_t dividend = (n << gain_bits) + d / 2;
  if (dividend >= largest_gain * d) { return largest_gain; }
  // A quotient below 254 from 24-bit floats is off by one at most; the exact product tells.
  auto quotient = static_cast<std::int64_t>(static_cast<float>(dividend) / static_cast<float>(d));
  if (quotient * d > dividend) { --quotient; }
  if ((quotient + 1) * d <= dividend) { ++quotient; }
  return static_cast<std::uint32_t>(quotient);
}

/// What the decoded sample p predicts, before the limits of the sample's range.
GPUIMG_FUNCTION constexpr std::int32_t predict(std::int32_t p, std::int32_t mp, std::int32_t mx,
                                               std::int32_t gain) noexcept {
  return mx + ((gain * (p - mp) + (1 << (gain_bits - 1))) >> gain_bits);
}

/// v limited to 0 .. greatest.
GPUIMG_FUNCTION constexpr std::int32_t clamp_to(std::int32_t v, std::int32_t greatest) noexcept {
  return v < 0 ? 0 : v > greatest ? greatest : v;
}

}  // namespace gpuimg::codec
