/// @file
/// Parameters that all medians and rank filters share.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpuimg/core/config.hpp"
#include "gpuimg/filter/nan_policy.hpp"

namespace gpuimg::filter {

/// A window of width x height samples. Its anchor is sample (width / 2, height / 2), rounded down: the centre of an odd
/// window; of an even one, as in SciPy, the sample right of and below the centre, so that `width` 4 sees x-2..x+1.
struct window_size {
  int width = 3;
  int height = 3;

  constexpr window_size() = default;
  constexpr explicit window_size(int side) noexcept : width(side), height(side) {}
  constexpr window_size(int w, int h) noexcept : width(w), height(h) {}
};

/// Any set of samples of a window: those whose byte of `mask` (row by row, width * height bytes, in memory that the
/// execution can read, until its work is done) is not 0.
struct window_mask {
  const std::uint8_t* mask = nullptr;
  window_size size;
  std::int32_t count = 0;  ///< how many bytes are not 0
};

/// The longest side of a window.
inline constexpr int max_window_side = 1023;

/// What is the same for every pixel.
template <class T>
struct median_options {
  T border_value{};                        ///< what border::constant reads
  nan_policy nan = nan_policy::propagate;  ///< for samples that can be NaN
  int iterations = 1;                      ///< how often the filter is applied, each time to the last result; from 1
  std::byte* workspace = nullptr;  ///< filter_workspace_size() bytes, aligned to 16, or null to allocate for the call
};

/// Rank of the median among `count` samples, 0 being the minimum: the middle one, and of an even number the upper one
/// of the two in the middle, as in SciPy. The result is always one of the samples.
GPUIMG_FUNCTION constexpr int median_rank(int count) noexcept { return count / 2; }

}  // namespace gpuimg::filter
