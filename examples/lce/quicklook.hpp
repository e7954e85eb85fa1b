/// @file
/// A picture of three bands, to see what a cube shows.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "cube_file.hpp"

namespace gpuimg::examples {

/// Collects three bands of a cube and writes them as red, green and blue of 8 bits, each stretched from its 2nd to its
/// 98th percentile. Holds six bytes a pixel.
class quicklook {
 public:
  /// @throws error invalid_argument, when a band does not exist
  quicklook(const cube_layout& layout, const std::array<std::int64_t, 3>& bands);

  void add_rows(const lce::any_cube& rows);
  void write(const std::string& path) const;

 private:
  cube_layout layout_;
  std::array<std::int64_t, 3> bands_;
  std::array<std::vector<std::uint16_t>, 3> planes_;
};

}  // namespace gpuimg::examples
