/// @file
/// Checks of a grid before its kernel runs.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "gpuimg/core/error.hpp"
#include "gpuimg/simt/group.hpp"

namespace gpuimg::simt {

/// Throws when `grid` is not one. Empty grids are.
/// @throws error invalid_argument, when an extent is negative or the grid has 2^63 blocks or more
inline void check_grid(const grid_extent& grid) {
  const auto text = [&] {
    return std::to_string(grid.x) + "x" + std::to_string(grid.y) + "x" + std::to_string(grid.z);
  };
  if (grid.x < 0 || grid.y < 0 || grid.z < 0) {
    throw error(errc::invalid_argument, "grid: an extent of " + text() + " is negative");
  }
  if (grid.x == 0 || grid.y == 0 || grid.z == 0) { return; }
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  if (grid.y > most / grid.x || grid.z > most / (grid.x * grid.y)) {
    throw error(errc::invalid_argument, "grid: " + text() + " is more than 2^63 - 1 blocks");
  }
}

}  // namespace gpuimg::simt
