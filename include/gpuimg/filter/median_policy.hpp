/// @file
/// Which engine takes which window, and why: the one place where medians are tuned.
///
/// Measured on an H200 with random pictures of 4096 x 4096, GP/s (10^9 pixels a second), see benchmarks/median.md:
/// | engine, block                          | k | u8   | u16 | f32  | f64  |
/// |----------------------------------------|---|------|-----|------|------|
/// | strips, policy below                   | 3 | 920  | 607 | 347  |      |
/// | strips, policy below                   | 5 | 358  | 311 | 173  |      |
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
///
/// Larger windows, windows of run-time size that are no odd square, and other ranks: bytes by histograms of columns;
/// all other samples by the order of regions (detail/median_region_engines.hpp), whose tile is the greatest of these
/// that pays. Random content, and in brackets a photograph:
/// | tile, warps       | k   | u16           | f32         |
/// |-------------------|-----|---------------|-------------|
/// | 32x16, 2          | 9   | 19.2 (14.8)   |             |
/// | 32x32, 2          | 9 / 21 / 31 | 16.9 (12.5) / 16.1 (10.1) / 11.1 | 9.9 at 21 |
/// | 64x32, 4          | 21 / 31 | 17.4 (8.0) / 14.4 | 11.2 (6.3) |
/// | 64x64, 8          | 31 / 51 / 65 / 101 | 15.9 (5.4) / 10.9 / 10.5 / 4.0 | 7.5 (3.8) at 51, 2.7 (2.0) at 101 |
/// | 64x64, 16         | 51 / 65 / 101 | 12.2 (4.9) / 10.8 (4.8) / 5.0 (2.6) | 6.3 / 5.8 (3.2) |
/// | 32x64, 16 / 8     | 141 | 2.2 / 1.8     | 1.35 at 117 |
/// | 64x64, 8, workspace   | 101 / 131 / 163 / 255 | 2.4 / 1.4 / 0.80 / 0.34 | 1.3 / - / - / 0.16 |
/// | 64x128, 16, workspace | 131 / 163 / 255 | 2.3 (1.2) / 1.5 (1.0) / 0.51 (0.54) | 1.4 / - / 0.26 (0.39) |
/// What bisection in shared memory gave instead: 0.9 (u16) and 0.5 (f32) at 21, 0.044 and 0.024 at 101. It is left for
/// columns, for windows beyond 268 x 268 and for devices with little shared memory; masks take it from global memory.
#pragma once

#include <cstddef>

#include "gpuimg/filter/register_window.hpp"
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

/// Strips by rows of a thread and blocks on a multiprocessor, of those that no compiler spills: 3 x 3 of floats 2, 6:
/// 341; 4, 4: 332; 8, 3: 347 (6, 4: 368, but spilled for 10.0); of bytes 2, 6: 906; 4, 4: 920; 6, 3: 891. 5 x 5 of
/// bytes 2, 3: 358; 4, 2: 365; of 16 bits 2, 4: 287; 4, 2: 311.
///
/// How windows of Width x Height samples of type T are selected from registers alone, where rows can be read 16 bytes
/// at a time.
template <class T, int Width, int Height>
struct strip_policy {
  static constexpr bool available = has_register_window<T> && Width >= 2 && Width <= 5 && Height >= 2 && Height <= 5;
  static constexpr bool few = Width * Height <= 9;
  static constexpr int bytes = sizeof(T);
  static constexpr int rows = few ? (bytes == 4 ? 8 : 4) : (bytes == 1 ? 2 : 4);  ///< of a thread
  static constexpr int blocks_per_sm = few ? (bytes == 4 || Height > 3 ? 3 : bytes == 2 ? 5 : 4) : (bytes == 2 ? 2 : 3);
};

/// Odd square windows for which the functions of run-time size hold compiled engines, by their greatest side.
template <std::size_t KeyBytes>
inline constexpr int max_compiled_side = KeyBytes == 8 ? 9 : 17;

}  // namespace gpuimg::filter
