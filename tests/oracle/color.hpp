/// @file
/// Level shift and reversible colour transform (docs/paco-format.md, section 2).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace gpuimg::oracle {

/// Smallest and largest sample of a depth.
struct sample_range {
  std::int64_t low;
  std::int64_t high;
};

inline sample_range range_of(int depth, bool is_signed) {
  const std::int64_t count = std::int64_t{1} << depth;
  if (is_signed) return {-count / 2, count / 2 - 1};
  return {0, count - 1};
}

/// What is subtracted from each sample before the transforms.
inline std::int64_t level_shift(int depth, bool is_signed) { return is_signed ? 0 : std::int64_t{1} << (depth - 1); }

/// Quotient rounded down, for negative dividends too.
inline std::int64_t divide_down(std::int64_t dividend, std::int64_t divisor) {
  const std::int64_t quotient = dividend / divisor;
  return dividend % divisor < 0 ? quotient - 1 : quotient;
}

/// (R, G, B) -> (Y, U, V).
inline std::array<std::int64_t, 3> forward_color(const std::array<std::int64_t, 3>& rgb) {
  const auto [r, g, b] = rgb;
  return {divide_down(r + 2 * g + b, 4), b - g, r - g};
}

/// (Y, U, V) -> (R, G, B).
inline std::array<std::int64_t, 3> inverse_color(const std::array<std::int64_t, 3>& yuv) {
  const auto [y, u, v] = yuv;
  const std::int64_t g = y - divide_down(u + v, 4);
  return {v + g, g, u + g};
}

}  // namespace gpuimg::oracle
