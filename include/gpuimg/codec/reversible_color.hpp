/// @file
/// Level shift and the reversible colour transform (RCT) of JPEG 2000: exact in integers, chroma needs one more bit.
/// Source: docs/paco-format.md section 2.
///
/// In a kernel of your own:
/// @code
/// const auto ycc = gpuimg::codec::reversible_color::forward({r - 128, g - 128, b - 128});
/// // ... work on ycc.c0 (luma), ycc.c1, ycc.c2 ...
/// const auto rgb = gpuimg::codec::reversible_color::inverse(ycc);
/// @endcode
#pragma once

#include <cstdint>

#include "gpuimg/core/config.hpp"
#include "gpuimg/core/wrapping.hpp"

namespace gpuimg::codec {

/// Three samples of a pixel.
struct triple {
  std::int32_t c0;
  std::int32_t c1;
  std::int32_t c2;
  friend constexpr bool operator==(const triple&, const triple&) = default;
};

/// (R, G, B) to (Y, U, V) and back. One addition of range: |U|, |V| < 2^d for d-bit input.
struct reversible_color {
  /// Y = (R + 2G + B) >> 2, U = B - G, V = R - G.
  GPUIMG_FUNCTION static constexpr triple forward(triple rgb) noexcept {
    return {(rgb.c0 + 2 * rgb.c1 + rgb.c2) >> 2, rgb.c2 - rgb.c1, rgb.c0 - rgb.c1};
  }
  /// The exact inverse of forward(); wraps on values that forward() cannot produce.
  GPUIMG_FUNCTION static constexpr triple inverse(triple yuv) noexcept {
    const std::int32_t green = wrapping_subtract(yuv.c0, wrapping_add(yuv.c1, yuv.c2) >> 2);
    return {wrapping_add(yuv.c2, green), green, wrapping_add(yuv.c1, green)};
  }
};

/// What a sample of `depth` bits is reduced by before coding: half the range of unsigned samples, 0 for signed ones.
GPUIMG_FUNCTION constexpr std::int32_t level_shift(int depth, bool is_signed) noexcept {
  return is_signed ? 0 : std::int32_t{1} << (depth - 1);
}

/// `v` limited to the range of a sample after the level shift: -2^(depth-1) .. 2^(depth-1)-1.
GPUIMG_FUNCTION constexpr std::int32_t clamp_sample(std::int32_t v, int depth) noexcept {
  const std::int32_t half = std::int32_t{1} << (depth - 1);
  return v < -half ? -half : v > half - 1 ? half - 1 : v;
}

}  // namespace gpuimg::codec
