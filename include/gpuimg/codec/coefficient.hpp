/// @file
/// A wavelet coefficient in one 32-bit register: sign, magnitude, the plane in which it became significant, state.
/// Source: BPC-PaCo's register word (specification section 9), with the state in two bits.
///
/// @code
/// auto c = gpuimg::codec::packed_coefficient::from_value(-5);
/// c.magnitude_bit(2);          // true: 5 = 101b
/// c.set_significant(2);        // in plane 2
/// c.significant();             // true
/// c.value();                   // -5
/// @endcode
#pragma once

#include <cstdint>

#include "gpuimg/core/config.hpp"
#include "gpuimg/simt/bits.hpp"

namespace gpuimg::codec {

/// Layout: bit 0 sign (1 is negative), bits 1..24 magnitude, bits 25..29 significance plane, bit 30 significant,
/// bit 31 was significant before the current plane.
class packed_coefficient {
 public:
  static constexpr int magnitude_bits = 24;
  static constexpr std::uint32_t largest_magnitude = (std::uint32_t{1} << magnitude_bits) - 1;

  constexpr packed_coefficient() = default;

  /// Packs a value of magnitude below 2^24; not yet significant.
  GPUIMG_FUNCTION static constexpr packed_coefficient from_value(std::int32_t v) noexcept {
    const auto u = static_cast<std::uint32_t>(v);
    packed_coefficient c;
    c.word_ = v < 0 ? (((0 - u) << 1) | 1u) : (u << 1);
    return c;
  }

  GPUIMG_FUNCTION constexpr bool negative() const noexcept { return (word_ & 1u) != 0; }
  GPUIMG_FUNCTION constexpr std::uint32_t magnitude() const noexcept { return (word_ >> 1) & largest_magnitude; }
  GPUIMG_FUNCTION constexpr std::int32_t value() const noexcept {
    const auto m = static_cast<std::int32_t>(magnitude());
    return negative() ? -m : m;
  }
  GPUIMG_FUNCTION constexpr bool magnitude_bit(int plane) const noexcept { return ((word_ >> (plane + 1)) & 1u) != 0; }
  /// Number of planes that hold the magnitude: 0 for 0.
  GPUIMG_FUNCTION int planes() const noexcept { return simt::bit_width(magnitude()); }

  GPUIMG_FUNCTION constexpr bool significant() const noexcept { return (word_ & significant_flag) != 0; }
  GPUIMG_FUNCTION constexpr int significance_plane() const noexcept {
    return static_cast<int>((word_ >> plane_shift) & 31u);
  }
  /// Records that the bit of `plane` made the coefficient significant.
  GPUIMG_FUNCTION constexpr void set_significant(int plane) noexcept {
    word_ |= significant_flag | (static_cast<std::uint32_t>(plane) << plane_shift);
  }
  GPUIMG_FUNCTION constexpr bool significant_before() const noexcept { return (word_ & before_flag) != 0; }
  /// Starts a plane: what is significant now was so before it.
  GPUIMG_FUNCTION constexpr void start_plane() noexcept { word_ |= (word_ & significant_flag) << 1; }

  /// Decoder: sets a magnitude bit, or the sign.
  GPUIMG_FUNCTION constexpr void set_magnitude_bit(int plane, bool bit) noexcept {
    word_ |= static_cast<std::uint32_t>(bit) << (plane + 1);
  }
  GPUIMG_FUNCTION constexpr void set_negative(bool negative) noexcept { word_ |= static_cast<std::uint32_t>(negative); }

  GPUIMG_FUNCTION constexpr std::uint32_t word() const noexcept { return word_; }

 private:
  static constexpr int plane_shift = 1 + magnitude_bits;
  static constexpr std::uint32_t significant_flag = std::uint32_t{1} << 30;
  static constexpr std::uint32_t before_flag = std::uint32_t{1} << 31;

  std::uint32_t word_ = 0;
};

}  // namespace gpuimg::codec
