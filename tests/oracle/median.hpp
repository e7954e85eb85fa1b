/// @file
/// Order statistics of windows the slow, obvious way.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "gpuimg/filter/border.hpp"
#include "gpuimg/filter/median_key.hpp"
#include "gpuimg/filter/nan_policy.hpp"

namespace gpuimg::oracle {

/// The value of a binary16, by its definition.
inline double value_of(filter::binary16 sample) {
  const int exponent = (sample.bits >> 10) & 31;
  const int fraction = sample.bits & 1023;
  const double magnitude = exponent == 0    ? std::ldexp(fraction, -24)
                           : exponent != 31 ? std::ldexp(1024 + fraction, exponent - 25)
                           : fraction == 0  ? HUGE_VAL
                                            : NAN;
  return (sample.bits & 0x8000) != 0 ? -magnitude : magnitude;
}
template <class T>
auto value_of(T sample) {
  return sample;
}

template <class T>
bool is_nan(T sample) {
  const auto value = value_of(sample);
  if constexpr (std::is_floating_point_v<decltype(value)>) {
    return std::isnan(value);
  } else {
    return false;
  }
}

/// Whether a is less than b; -0 is less than +0, and NaN is the greatest.
template <class T>
bool less(T a, T b) {
  if (is_nan(a) || is_nan(b)) { return !is_nan(a); }
  const auto x = value_of(a);
  const auto y = value_of(b);
  if constexpr (std::is_floating_point_v<decltype(x)>) {
    if (x == 0 && y == 0) { return std::signbit(x) && !std::signbit(y); }
  }
  return x < y;
}

/// Planes of samples, packed.
template <class T>
struct picture {
  std::int64_t width = 0;
  std::int64_t height = 0;
  std::vector<T> samples;

  const T& at(std::int64_t x, std::int64_t y) const { return samples[static_cast<std::size_t>(y * width + x)]; }
};

/// A window; with a mask, the samples under its non-zero bytes.
struct window {
  int width = 3;
  int height = 3;
  std::vector<std::uint8_t> mask;
};

/// Rank `rank` of the window about (x, y).
template <class T>
T window_rank(const picture<T>& source, const window& shape, int rank, filter::border mode, T value,
              filter::nan_policy policy, std::int64_t x, std::int64_t y) {
  std::vector<T> all;
  for (int j = 0; j < shape.height; ++j) {
    for (int i = 0; i < shape.width; ++i) {
      if (!shape.mask.empty() && shape.mask[static_cast<std::size_t>(j * shape.width + i)] == 0) { continue; }
      const auto column = filter::map_coordinate(mode, x - shape.width / 2 + i, source.width);
      const auto line = filter::map_coordinate(mode, y - shape.height / 2 + j, source.height);
      all.push_back(column < 0 || line < 0 ? value : source.at(column, line));
    }
  }
  std::sort(all.begin(), all.end(), less<T>);
  const auto numbers =
      static_cast<int>(std::count_if(all.begin(), all.end(), [](T sample) { return !is_nan(sample); }));
  const auto count = static_cast<int>(all.size());
  if (numbers < count) {
    const bool keep_centre = policy == filter::nan_policy::preserve && is_nan(source.at(x, y));
    if (policy == filter::nan_policy::propagate || numbers == 0 || keep_centre) { return all.back(); }
    return all[static_cast<std::size_t>(static_cast<std::int64_t>(2 * rank + 1) * numbers / (2 * count))];
  }
  return all[static_cast<std::size_t>(rank)];
}

/// Same sample: the same bits, or both NaN.
template <class T>
bool same(T a, T b) {
  return (is_nan(a) && is_nan(b)) || (!less(a, b) && !less(b, a));
}

}  // namespace gpuimg::oracle
