/// @file
/// Quantisers of prediction residuals, in integers: uniform, and uniform with a first threshold of its own
/// (docs/lce-format.md, section 3.3; after Sullivan, IEEE Trans. Information Theory 42(5), 1996).
#pragma once

#include <cstdint>

#include "gpuimg/codec/exact_division.hpp"
#include "gpuimg/core/config.hpp"

namespace gpuimg::codec {

/// Steps of `delta` beyond the threshold; in each cell the value `offset` above its lower end stands for the cell.
class residual_quantizer {
 public:
  residual_quantizer() = default;

  /// @param delta      1 .. 65535
  /// @param threshold  residuals below it in magnitude become 0; 1 .. 65535
  /// @param offset     0 .. delta - 1
  /// @param limit      greatest magnitude of an index
  GPUIMG_FUNCTION constexpr residual_quantizer(std::uint32_t delta, std::uint32_t threshold, std::uint32_t offset,
                                               std::uint32_t limit) noexcept
      : divide_(delta), delta_(delta), threshold_(threshold), offset_(offset), limit_(limit) {}

  /// The one whose error is at most floor(delta / 2).
  GPUIMG_FUNCTION static constexpr residual_quantizer uniform(std::uint32_t delta, std::uint32_t limit) noexcept {
    return {delta, delta - delta / 2, delta / 2, limit};
  }

  /// |original - reconstructed|, at most, of residuals whose index is not limited.
  GPUIMG_FUNCTION constexpr std::uint32_t error_bound() const noexcept {
    const std::uint32_t above = delta_ - 1 - offset_ > offset_ ? delta_ - 1 - offset_ : offset_;
    return threshold_ - 1 > above ? threshold_ - 1 : above;
  }

  GPUIMG_FUNCTION constexpr std::uint32_t delta() const noexcept { return delta_; }
  /// Greatest magnitude of an index.
  GPUIMG_FUNCTION constexpr std::uint32_t limit() const noexcept { return limit_; }

  /// Whether magnitude() is round() and value() the product with delta: the uniform quantiser, for residuals up to
  /// 2 limit() + 1, of which no index is limited.
  GPUIMG_FUNCTION constexpr bool plain() const noexcept {
    return delta_ >= 3 && threshold_ == delta_ - delta_ / 2 && offset_ == delta_ / 2;
  }
  /// |index| of a residual of this magnitude, when plain().
  GPUIMG_FUNCTION constexpr std::uint32_t round(std::uint32_t magnitude) const noexcept {
    return divide_(magnitude + (delta_ - threshold_));
  }

  /// |index| of a residual of this magnitude, below 2^16.
  GPUIMG_FUNCTION constexpr std::uint32_t magnitude(std::uint32_t residual) const noexcept {
    // Without branches: which residuals are 0 is what nobody can predict.
    const auto beyond = static_cast<std::int32_t>(residual + delta_ - threshold_);
    const std::uint32_t q = divide_(static_cast<std::uint32_t>(beyond < 0 ? 0 : beyond));
    return q < limit_ ? q : limit_;
  }
  /// Magnitude of the residual that stands for an index of magnitude q.
  GPUIMG_FUNCTION constexpr std::uint32_t value(std::uint32_t q) const noexcept {
    return q * delta_ + (q != 0 ? threshold_ + offset_ - delta_ : 0);
  }

  /// The index of residual e, |e| < 2^16.
  GPUIMG_FUNCTION constexpr std::int32_t index(std::int32_t e) const noexcept {
    const std::int32_t sign = e >> 31;
    const auto q = static_cast<std::int32_t>(magnitude(static_cast<std::uint32_t>((e ^ sign) - sign)));
    return (q ^ sign) - sign;
  }

  /// The residual that stands for index q, |q| <= limit().
  GPUIMG_FUNCTION constexpr std::int32_t residual(std::int32_t q) const noexcept {
    const std::int32_t sign = q >> 31;
    const auto v = static_cast<std::int32_t>(value(static_cast<std::uint32_t>((q ^ sign) - sign)));
    return (v ^ sign) - sign;
  }

 private:
  exact_scaled_divider divide_;
  std::uint32_t delta_;
  std::uint32_t threshold_;
  std::uint32_t offset_;
  std::uint32_t limit_;
};

}  // namespace gpuimg::codec
