/// @file
/// Geometry of a dyadic wavelet decomposition in Mallat's layout: every sub-band is a rectangle of one plane of the
/// picture's size. Source: docs/paco-format.md sections 3 and 4.
///
/// @code
/// // all sub-bands of a 1920 x 1080 picture, three levels
/// for (int r = 0; r <= 3; ++r) {
///   for (const auto o : orientations_of_resolution(r)) {
///     const subband_rectangle s = subband(1920, 1080, 3, r, o);
///     // s.x, s.y, s.width, s.height
///   }
/// }
/// @endcode
#pragma once

#include <cstdint>
#include <span>

#include "gpuimg/core/config.hpp"

namespace gpuimg::codec {

/// Which filters made a sub-band: first letter along x, second along y.
enum class orientation : std::uint8_t { hl, lh, hh, ll };

/// Samples of the low-pass half of n samples.
GPUIMG_FUNCTION constexpr std::int64_t low_size(std::int64_t n) noexcept { return (n + 1) / 2; }
/// Samples of the high-pass half of n samples.
GPUIMG_FUNCTION constexpr std::int64_t high_size(std::int64_t n) noexcept { return n / 2; }

/// Samples of the low-pass part of n samples after `levels` levels.
GPUIMG_FUNCTION constexpr std::int64_t low_size(std::int64_t n, int levels) noexcept {
  for (int i = 0; i < levels && n > 1; ++i) { n = low_size(n); }
  return n;
}

/// Place of a sub-band in the plane.
struct subband_rectangle {
  std::int64_t x = 0;
  std::int64_t y = 0;
  std::int64_t width = 0;
  std::int64_t height = 0;
};

/// Rectangle of the sub-band `o` of `resolution` (0 is LL alone; r holds HL, LH, HH of level levels - r + 1).
/// Complexity O(levels).
GPUIMG_FUNCTION constexpr subband_rectangle subband(std::int64_t width, std::int64_t height, int levels, int resolution,
                                                    orientation o) noexcept {
  if (resolution == 0) { return {0, 0, low_size(width, levels), low_size(height, levels)}; }
  const int above = levels - resolution;
  const std::int64_t w = low_size(width, above);
  const std::int64_t h = low_size(height, above);
  const bool high_x = o != orientation::lh;
  const bool high_y = o != orientation::hl;
  return {high_x ? low_size(w) : 0, high_y ? low_size(h) : 0, high_x ? high_size(w) : low_size(w),
          high_y ? high_size(h) : low_size(h)};
}

namespace detail {
inline constexpr orientation ll_only[] = {orientation::ll};
inline constexpr orientation details_only[] = {orientation::hl, orientation::lh, orientation::hh};
}  // namespace detail

/// The sub-bands that a resolution adds, in coding order.
constexpr std::span<const orientation> orientations_of_resolution(int resolution) noexcept {
  if (resolution == 0) { return detail::ll_only; }
  return detail::details_only;
}

}  // namespace gpuimg::codec
