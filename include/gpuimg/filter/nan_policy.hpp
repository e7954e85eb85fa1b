/// @file
/// What an order statistic makes of samples that are not numbers.
#pragma once

#include <cstdint>

namespace gpuimg::filter {

/// How median and rank treat windows that hold NaN. A window without NaN has the same result under each.
enum class nan_policy : std::uint8_t {
  propagate,  ///< the result is NaN
  ignore,     ///< the same quantile of the window's other samples: rank (2 rank + 1) m / (2 n), rounded down, of the m
              ///< numbers among n samples, which is rank m / 2 for a median; NaN if there are none
  preserve,   ///< where the pixel itself is NaN, so is the result; otherwise as `ignore`
};

}  // namespace gpuimg::filter
