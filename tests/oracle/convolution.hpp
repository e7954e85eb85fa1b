/// @file
/// Correlation and convolution the slow obvious way: a sum for each sample, over a picture that is continued step by
/// step.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "gpuimg/core/image_view.hpp"
#include "gpuimg/filter/border.hpp"

namespace gpuimg::oracle {

/// Where a row of n samples continues at i; -1: nowhere.
inline std::int64_t continued(filter::border mode, std::int64_t i, std::int64_t n) {
  while (i < 0 || i >= n) {
    switch (mode) {
      case filter::border::constant: return -1;
      case filter::border::replicate: i = i < 0 ? 0 : n - 1; break;
      case filter::border::reflect: i = i < 0 ? -1 - i : 2 * n - 1 - i; break;
      case filter::border::reflect101:
        if (n == 1) { return 0; }
        i = i < 0 ? -i : 2 * n - 2 - i;
        break;
      case filter::border::wrap: i = i < 0 ? i + n : i - n; break;
    }
  }
  return i;
}

template <class D, class A>
D rounded(A sum) {
  if constexpr (std::is_floating_point_v<D>) {
    return static_cast<D>(sum);
  } else {
    const auto value = static_cast<long double>(sum);
    if (value != value) { return 0; }
    const long double nearest = std::nearbyint(value);
    if (nearest <= static_cast<long double>(std::numeric_limits<D>::min())) { return std::numeric_limits<D>::min(); }
    if (nearest >= static_cast<long double>(std::numeric_limits<D>::max())) { return std::numeric_limits<D>::max(); }
    return static_cast<D>(nearest);
  }
}

/// The quotient, rounded to nearest, halves to even, by whole numbers.
inline std::int64_t quotient(std::int64_t value, std::int64_t divisor) {
  std::int64_t low = value / divisor;
  if (low * divisor > value) { --low; }
  const std::int64_t twice = 2 * (value - low * divisor);
  if (twice > divisor || (twice == divisor && low % 2 != 0)) { ++low; }
  return low;
}

/// A kernel of coefficients in the type of the sums.
template <class A>
struct kernel {
  std::vector<A> values;
  int width = 0;
  int height = 0;
  int anchor_x = 0;
  int anchor_y = 0;
};

/// The sum of each sample, band after band, row after row; a fused multiply-add a tap, in the order of the rows.
template <class A, class S>
std::vector<A> sums(const cube_view<const S>& source, const kernel<A>& k, bool turned, filter::border mode, S value) {
  std::vector<A> result;
  for (std::int64_t b = 0; b < source.bands; ++b) {
    for (std::int64_t y = 0; y < source.height; ++y) {
      for (std::int64_t x = 0; x < source.width; ++x) {
        A sum = 0;
        const int count = k.width * k.height;
        for (int n = 0; n < count; ++n) {
          // Of a convolution the last coefficient meets the first sample.
          const int tap = turned ? count - 1 - n : n;
          const int i = tap % k.width;
          const int j = tap / k.width;
          const std::int64_t from_x = turned ? x - i + k.anchor_x : x + i - k.anchor_x;
          const std::int64_t from_y = turned ? y - j + k.anchor_y : y + j - k.anchor_y;
          const std::int64_t column = continued(mode, from_x, source.width);
          const std::int64_t line = continued(mode, from_y, source.height);
          const S sample = column < 0 || line < 0 ? value : source(column, line, b);
          const A coefficient = k.values[static_cast<std::size_t>(tap)];
          if constexpr (std::is_floating_point_v<A>) {
            sum = std::fma(coefficient, static_cast<A>(sample), sum);
          } else {
            sum += coefficient * static_cast<A>(sample);
          }
        }
        result.push_back(sum);
      }
    }
  }
  return result;
}

}  // namespace gpuimg::oracle
