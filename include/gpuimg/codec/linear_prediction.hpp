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
GPUIMG_FUNCTION inline std::uint32_t least_squares_gain(const prediction_sums& sums, std::uint32_t count,
                                                        std::int32_t mx, std::int32_t mp) noexcept {
  // Centred on rounded means, which leaves a small remainder of each sum. All products are of two 32-bit numbers.
  const std::uint64_t p = static_cast<std::uint32_t>(mp);
  const std::uint64_t x = static_cast<std::uint32_t>(mx);
  const auto sum_p = static_cast<std::uint32_t>(sums.p);
  const auto sum_x = static_cast<std::uint32_t>(sums.x);
  const std::uint32_t n_p = count * static_cast<std::uint32_t>(mp);
  const auto n = static_cast<std::int64_t>(sums.px - p * sum_x - x * sum_p + x * n_p);
  const auto d = static_cast<std::int64_t>(sums.pp - 2 * p * sum_p + p * n_p);
  // Without branches: a warp has the same values in all lanes, but the compiler does not know.
  const std::int64_t divisor = d == 0 ? 1 : d;
  const std::int64_t most = static_cast<std::int64_t>(largest_gain) * divisor;
  const std::int64_t rounded = n <= 0 ? 0 : (n << gain_bits) + d / 2;
  const std::int64_t dividend = rounded < most ? rounded : most;
  // A quotient of up to 254 from 24-bit floats is off by one at most; the exact product tells.
#if defined(GPUIMG_DEVICE_PASS)
  const auto estimate =
      static_cast<std::int32_t>(__fdividef(static_cast<float>(dividend), static_cast<float>(divisor)));
#else
  const auto estimate = static_cast<std::int32_t>(static_cast<float>(dividend) / static_cast<float>(divisor));
#endif
  const std::int64_t rest = dividend - estimate * divisor;
  const std::int32_t quotient = estimate + (rest >= divisor ? 1 : 0) - (rest < 0 ? 1 : 0);
  return d == 0 ? std::uint32_t{1} << gain_bits : static_cast<std::uint32_t>(quotient);
}

/// What decoded samples of the band before predict, before the limits of the sample's range:
/// mx + ((gain (p - mp) + 64) >> 7).
class gain_predictor {
 public:
  GPUIMG_FUNCTION constexpr gain_predictor(std::int32_t mp, std::int32_t mx, std::int32_t gain) noexcept
      : gain_(gain), offset_(mx * (1 << gain_bits) + (1 << (gain_bits - 1)) - gain * mp) {}

  GPUIMG_FUNCTION constexpr std::int32_t operator()(std::int32_t p) const noexcept {
    return (gain_ * p + offset_) >> gain_bits;
  }

 private:
  std::int32_t gain_;
  std::int32_t offset_;
};

/// v limited to 0 .. greatest.
GPUIMG_FUNCTION constexpr std::int32_t clamp_to(std::int32_t v, std::int32_t greatest) noexcept {
  return v < 0 ? 0 : v > greatest ? greatest : v;
}

}  // namespace gpuimg::codec
