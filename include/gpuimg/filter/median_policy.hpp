/// @file
/// Which engine takes which window, and why: the one place where medians are tuned.
///
/// Measured on an H200 with random pictures of 4096 x 4096, GP/s (10^9 pixels a second), see benchmarks/median.md:
/// | engine, block                          | k | u8   | u16 | f32  | f64  |
/// |----------------------------------------|---|------|-----|------|------|
/// | registers (median_3x3_kernel)          | 3 | 615  | 401 | 203  |      |
/// | columns, tile 2x2, 32x8                | 3 | 302  |     |      |      |
/// | columns, tile 2x2, 32x8                | 5 | 211  | 167 | 94   | 42   |
/// | columns, tile 4x4, 32x4                | 5 | 218  |     | 104  |      |
/// | columns, tile 2x2, 32x8                | 7 | 131  |     |      |      |
/// | columns, tile 4x4, 32x4                | 7 | 141  |     | 72   |      |
/// | columns, tile 4x4, 32x4, Keep          | 7 | 145  |     |      |      |
/// | columns, tile 4x4, 32x4 / with Keep    | 9 | 97 / 101 | | 52   | 12.6 (2x2) |
/// | columns, tile 4x4, 32x4 / with Keep    | 11 | 66 / 71 | | 36   |      |
/// | columns, tile 4x4, 32x4, Keep          | 15 | 38.6 | 39 | 20   |      |
/// | columns, tile 8x8, 16x4, Keep (spills) | 15 | 20   |     |      |      |
/// | columns, tile 4x4, 32x4, Keep          | 17 | 29   |     | 15.6 |      |
/// | columns, tile 4x4, 32x4, Keep (spills) | 21 | 10   |     |      |      |
/// | histograms, 256 threads of 1 pixel     | 21 / 31 | 18.4 / 15.0 | | |  |
/// | histograms, 128 threads of 2 pixels    | 21 / 31 / 51 / 101 | 16.7 / 13.2 / 9.7 / 6.0 | | | |
/// | histograms, 256 threads of 2 pixels    | 31 / 101 / 255 | 12.1 / 5.6 / 2.1 | | | |
#pragma once

#include <cstddef>

#include "gpuimg/filter/sorted_columns.hpp"

namespace gpuimg::filter {

/// How windows of Width x Height samples with keys of KeyBytes are taken by sorted columns.
template <std::size_t KeyBytes, int Width, int Height>
struct column_policy {
  static constexpr int area = Width * Height;
  static constexpr int most = KeyBytes == 8 ? 2 : 4;  ///< side of a tile
  static constexpr int side(int window) { return window >= 5 && most == 4 ? 4 : window >= 2 ? 2 : 1; }

  using shape = tile_shape<Width, Height, side(Width), side(Height)>;

  /// Whether core and candidates fit into a thread's registers.
  static constexpr bool available = area <= (KeyBytes == 8 ? 81 : 289) && shape::core_columns * shape::core_rows <= 200;

  static constexpr bool keep = area >= 49;
  static constexpr int tiles_x = 32;
  static constexpr int tiles_y = 4;
  static constexpr int blocks_per_sm = KeyBytes == 8 ? (area <= 25 ? 4 : 2) : area <= 81 ? 4 : area <= 169 ? 3 : 2;
};

/// Odd square windows for which the functions of run-time size hold compiled engines, by their greatest side.
template <std::size_t KeyBytes>
inline constexpr int max_compiled_side = KeyBytes == 8 ? 9 : 17;

}  // namespace gpuimg::filter
