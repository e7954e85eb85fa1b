/// @file
/// A block of one thread: what the host runs the snake with.
#pragma once

#include "gpuimg/core/config.hpp"

namespace gpuimg::detail {

/// A warp of one thread.
struct serial_warp {
  GPUIMG_FUNCTION static constexpr int size() noexcept { return 1; }
  GPUIMG_FUNCTION static constexpr int rank() noexcept { return 0; }
  GPUIMG_FUNCTION void sync() const noexcept {}
  GPUIMG_FUNCTION static constexpr bool any(bool p) noexcept { return p; }
};

/// Has what snake_machine asks of a block.
struct serial_block {
  GPUIMG_FUNCTION static constexpr int size() noexcept { return 1; }
  GPUIMG_FUNCTION static constexpr int rank() noexcept { return 0; }
  GPUIMG_FUNCTION static constexpr int warp_rank() noexcept { return 0; }
  GPUIMG_FUNCTION static constexpr serial_warp warp() noexcept { return {}; }
  GPUIMG_FUNCTION void sync() const noexcept {}

  template <class T, class Operator>
  GPUIMG_FUNCTION T reduce(const T& value, Operator) const noexcept {
    return value;
  }
  template <class T, class Operator>
  GPUIMG_FUNCTION T exclusive_scan(const T& value, Operator, T& total) const noexcept {
    total = value;
    return T{};
  }
};

}  // namespace gpuimg::detail
