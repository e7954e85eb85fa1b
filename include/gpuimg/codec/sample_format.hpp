/// @file
/// What samples of a picture are: their type, depth, and the components that a colour transform takes.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <type_traits>

#include "gpuimg/core/config.hpp"
#include "gpuimg/core/error.hpp"
#include "gpuimg/core/image_view.hpp"

namespace gpuimg::codec {

/// A type of samples of up to 16 bits. Perhaps const.
template <class S>
concept picture_sample = std::integral<S> && sizeof(S) <= 2 && !std::same_as<std::remove_const_t<S>, bool>;

/// A type that holds what samples become, here and in the wavelet transform. Perhaps const.
template <class T>
concept coefficient_store =
    std::same_as<std::remove_const_t<T>, std::int16_t> || std::same_as<std::remove_const_t<T>, std::int32_t>;

/// How samples become coefficients. Whether they are signed is in their type.
struct sample_format {
  int depth = 8;                                 ///< significant bits of a sample, 1 .. those of its type
  bool color_transform = false;                  ///< RCT on three components
  std::int32_t color_components[3] = {0, 1, 2};  ///< R, G, B of that transform; distinct

  /// Whether component `band` is one of the three.
  GPUIMG_FUNCTION constexpr bool transforms(std::int64_t band) const noexcept {
    return color_transform &&
           (band == color_components[0] || band == color_components[1] || band == color_components[2]);
  }
};

/// Smallest and largest sample of a depth.
struct sample_limits {
  std::int32_t low;
  std::int32_t high;

  /// Whether a sample of a type up to 16 bits lies between them; one comparison.
  GPUIMG_FUNCTION constexpr bool contain(std::int32_t sample) const noexcept {
    return static_cast<std::uint32_t>(sample - low) <= static_cast<std::uint32_t>(high - low);
  }
};

/// Range of the samples of type S with `depth` significant bits.
template <picture_sample S>
GPUIMG_FUNCTION constexpr sample_limits limits_of(int depth) noexcept {
  const std::int32_t span = std::int32_t{1} << depth;
  if constexpr (std::is_signed_v<S>) { return {-(span / 2), span / 2 - 1}; }
  return {0, span - 1};
}

/// Throws when samples of type S cannot have this format in a picture of `bands` components.
/// @throws error invalid_argument, when the depth is 0 or above the bits of S, or the colour transform names components
///   that are not there or not distinct
template <picture_sample S>
void check_format(const sample_format& format, std::int64_t bands) {
  constexpr int most = 8 * static_cast<int>(sizeof(S));
  if (format.depth < 1 || format.depth > most) {
    throw error(errc::invalid_argument,
                "samples: a depth of " + std::to_string(format.depth) + " is outside of 1.." + std::to_string(most));
  }
  if (!format.color_transform) { return; }
  const auto& c = format.color_components;
  for (const std::int32_t component : c) {
    gpuimg::detail::check_index("component of the colour transform", component, bands);
  }
  if (c[0] == c[1] || c[0] == c[2] || c[1] == c[2]) {
    throw error(errc::invalid_argument, "samples: components " + std::to_string(c[0]) + ", " + std::to_string(c[1]) +
                                            " and " + std::to_string(c[2]) +
                                            " of the colour transform are not distinct");
  }
}

}  // namespace gpuimg::codec
