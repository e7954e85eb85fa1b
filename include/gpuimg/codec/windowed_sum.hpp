/// @file
/// Sums over the 32 values before each value of a sequence, by a warp (Santos et al., J. Applied Remote Sensing 7(1)
/// 074599, 2013: R_j = E_j - E_(j-32) with the prefix sums E).
#pragma once

#include <cstdint>

#include "gpuimg/core/config.hpp"
#include "gpuimg/simt/group.hpp"

namespace gpuimg::codec {

namespace detail {

/// Sum of `total` over the `lanes` lanes below each lane (a power of two, at most 32), as far as they exist.
template <class Warp>
GPUIMG_FUNCTION std::uint32_t sum_of_lanes_below(Warp& warp, std::uint32_t total, int lanes) {
  GPUIMG_UNROLL
  for (int distance = 1; distance < lanes; distance *= 2) {
    const std::uint32_t below = warp.shuffle_up(total, distance);
    total += warp.rank() >= distance ? below : 0;
  }
  const std::uint32_t sum = warp.shuffle_up(total, 1);
  return warp.rank() >= 1 ? sum : 0;
}

}  // namespace detail

/// Each lane has `PerLane` consecutive values of a sequence of 32 * PerLane; `sums` receives, for each, the sum of the
/// 32 values before it, or of all before it when they are fewer. PerLane divides 32. A collective of about
/// log(32 / PerLane) + PerLane shuffles: the window begins 32 / PerLane lanes back, in the same register.
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
  const std::uint32_t before = detail::sum_of_lanes_below(warp, total, lanes_back);
  GPUIMG_UNROLL
  for (int i = 1; i < PerLane; ++i) {
    const std::uint32_t outside = warp.shuffle_up(sums[i], lanes_back % 32);
    sums[i] += before - (warp.rank() >= lanes_back ? outside : 0);
  }
  sums[0] = before;
}

/// windowed_sums() of eight values a lane that are at most 7, in fewer steps: no sum exceeds a byte.
template <class Warp>
GPUIMG_FUNCTION void small_windowed_sums(Warp& warp, const std::uint32_t (&values)[8], std::uint32_t (&sums)[8]) {
  constexpr int lanes_back = 4;
  constexpr std::uint32_t all = 0x01010101u;
  constexpr std::uint32_t later = 0x01010100u;  // a product with it sums the bytes before each byte
  const std::uint32_t low = values[0] | values[1] << 8 | values[2] << 16 | values[3] << 24;
  const std::uint32_t high = values[4] | values[5] << 8 | values[6] << 16 | values[7] << 24;
  const std::uint32_t half = low * all >> 24;
  const std::uint32_t own[2] = {low * later, high * later + half * all};
  const std::uint32_t before = detail::sum_of_lanes_below(warp, half + (high * all >> 24), lanes_back);
  GPUIMG_UNROLL
  for (int h = 0; h < 2; ++h) {
    const std::uint32_t outside = warp.shuffle_up(own[h], lanes_back);
    // Exact byte by byte: what carries on the way is taken back, as the results fit.
    const std::uint32_t packed = before * all + own[h] - (warp.rank() >= lanes_back ? outside : 0);
    GPUIMG_UNROLL
    for (int i = 0; i < 4; ++i) { sums[4 * h + i] = (packed >> (8 * i)) & 0xFFu; }
  }
}

}  // namespace gpuimg::codec
