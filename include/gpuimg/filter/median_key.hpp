/// @file
/// Samples as unsigned integers of the same order, which networks and histograms can handle.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "gpuimg/core/config.hpp"

namespace gpuimg::filter {

/// A sample of IEEE 754 binary16, by its bits: what __half and _Float16 hold. Filters read and write it; it has no
/// arithmetic of its own.
struct binary16 {
  std::uint16_t bits;
  friend constexpr bool operator==(binary16, binary16) = default;
};

/// The order of samples of type T: key() maps them to unsigned integers that compare the same way, sample() back.
///
/// Of floating-point samples, -0 is below +0, and all NaN are one, above +infinity.
template <class T>
struct sample_order;

/// Whether T has an order, so that its medians can be taken: integers of up to 64 bits, float, double, binary16.
template <class T>
concept ordered_sample = requires(T sample) {
  sample_order<T>::key(sample);
};

namespace detail {

template <class T>
using unsigned_of = std::make_unsigned_t<std::conditional_t<
    sizeof(T) == 1, std::int8_t,
    std::conditional_t<sizeof(T) == 2, std::int16_t, std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>>>>;

/// Floating-point formats by their bits: sign and magnitude to order and back.
template <class T, class Key, Key Infinity>
struct floating_order {
  using key_type = Key;
  static constexpr bool has_nan = true;
  static constexpr Key sign = static_cast<Key>(Key{1} << (8 * sizeof(Key) - 1));
  static constexpr Key nan_key = std::numeric_limits<Key>::max();

  GPUIMG_FUNCTION static constexpr Key key(T sample) noexcept {
    const Key bits = __builtin_bit_cast(Key, sample);
    if (static_cast<Key>(bits & static_cast<Key>(~sign)) > Infinity) { return nan_key; }
    return static_cast<Key>((bits & sign) != 0 ? ~bits : bits | sign);
  }
  GPUIMG_FUNCTION static constexpr T sample(Key key) noexcept {
    return __builtin_bit_cast(T, static_cast<Key>((key & sign) != 0 ? key & static_cast<Key>(~sign) : ~key));
  }
};

}  // namespace detail

template <std::integral T>
struct sample_order<T> {
  using key_type = detail::unsigned_of<T>;
  static constexpr bool has_nan = false;
  static constexpr key_type offset =
      std::is_signed_v<T> ? static_cast<key_type>(key_type{1} << (8 * sizeof(T) - 1)) : key_type{0};

  GPUIMG_FUNCTION static constexpr key_type key(T sample) noexcept {
    return static_cast<key_type>(static_cast<key_type>(sample) ^ offset);
  }
  GPUIMG_FUNCTION static constexpr T sample(key_type key) noexcept {
    return static_cast<T>(static_cast<key_type>(key ^ offset));
  }
};

template <>
struct sample_order<float> : detail::floating_order<float, std::uint32_t, 0x7F800000u> {};
template <>
struct sample_order<double> : detail::floating_order<double, std::uint64_t, 0x7FF0000000000000u> {};
template <>
struct sample_order<binary16> : detail::floating_order<binary16, std::uint16_t, 0x7C00u> {};

}  // namespace gpuimg::filter
