/// @file
/// Bit operations that compile to one instruction on the host and on the device.
#pragma once

#include <bit>
#include <cstdint>

#include "gpuimg/core/config.hpp"

namespace gpuimg::simt {

/// Number of set bits.
GPUIMG_FUNCTION inline int popcount(std::uint32_t v) noexcept {
#if defined(GPUIMG_DEVICE_PASS)
  return __popc(v);
#else
  return std::popcount(v);
#endif
}

/// Index of the lowest set bit; `v` must not be 0.
GPUIMG_FUNCTION inline int lowest_bit(std::uint32_t v) noexcept {
#if defined(GPUIMG_DEVICE_PASS)
  return __ffs(static_cast<int>(v)) - 1;
#else
  return std::countr_zero(v);
#endif
}

/// Number of bits that hold v: 0 for 0, else 1 + index of the highest set bit.
GPUIMG_FUNCTION inline int bit_width(std::uint32_t v) noexcept {
#if defined(GPUIMG_DEVICE_PASS)
  return 32 - __clz(static_cast<int>(v));
#else
  return static_cast<int>(std::bit_width(v));
#endif
}

}  // namespace gpuimg::simt
