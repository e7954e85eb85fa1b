/// @file
/// Sums over the 32 values before each value of a sequence, by a warp (Santos et al., J. Applied Remote Sensing 7(1)
/// 074599, 2013: R_j = E_j - E_(j-32) with the prefix sums E).
#pragma once

#include <cstdint>

#include "gpuimg/core/config.hpp"
#include "gpuimg/simt/group.hpp"

namespace gpuimg::codec {

/// Each lane has `PerLane` consecutive values of a sequence of 32 * PerLane; `sums` receives, for each, the sum of the
/// 32 values before it, or of all before it when they are fewer. PerLane divides 32. A collective of one scan and
/// PerLane shuffles: the window is exactly 32 / PerLane lanes back, in the same register.
template <int PerLane, class Warp>
GPUIMG_FUNCTION void windowed_sums(Warp& warp, const std::uint32_t (&values)[PerLane], std::uint32_t (&sums)[PerLane]) {
  static_assert(32 % PerLane == 0);
  constexpr int lanes_back = 32 / PerLane;
  std::uint32_t total = 0;
  GPUIMG_UNROLL
  for (int i = 0; i < PerLane; ++i) {
    sums[i] = total;
    total += values[i];
  }
  const std::uint32_t before = warp.exclusive_scan(total, simt::plus{});
  GPUIMG_UNROLL
  for (int i = 0; i < PerLane; ++i) {
    sums[i] += before;
    const std::uint32_t outside = warp.shuffle_up(sums[i], lanes_back);
    sums[i] -= warp.rank() >= lanes_back ? outside : 0;
  }
}

}  // namespace gpuimg::codec
