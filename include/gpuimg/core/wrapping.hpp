/// @file
/// Signed arithmetic modulo 2^32: damaged streams may drive a transform out of range, which must stay defined.
#pragma once

#include <cstdint>

#include "gpuimg/core/config.hpp"

namespace gpuimg {

/// a + b modulo 2^32.
GPUIMG_FUNCTION constexpr std::int32_t wrapping_add(std::int32_t a, std::int32_t b) noexcept {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) + static_cast<std::uint32_t>(b));
}

/// a - b modulo 2^32.
GPUIMG_FUNCTION constexpr std::int32_t wrapping_subtract(std::int32_t a, std::int32_t b) noexcept {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) - static_cast<std::uint32_t>(b));
}

}  // namespace gpuimg
