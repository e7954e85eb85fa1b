/// @file
/// How rows of a cube travel between memories: as few rectangles as its order allows, packed at the far end.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "gpuimg/codec/lce/cube.hpp"
#include "gpuimg/core/error.hpp"

namespace gpuimg::lce {

/// A cube in memory as `count` rectangles of `rows` runs of `run` bytes, and the packed cube that they become.
struct cube_transfer {
  std::int64_t run = 0;  ///< bytes without a gap
  std::int64_t rows = 0;
  std::int64_t row_pitch = 0;  ///< bytes from run to run, in the cube
  std::int64_t count = 0;
  std::int64_t pitch = 0;     ///< bytes from rectangle to rectangle, in the cube
  std::int64_t x_stride = 0;  ///< strides of the packed cube
  std::int64_t y_stride = 0;
  std::int64_t band_stride = 0;

  std::int64_t bytes() const noexcept { return run * rows * count; }

  /// @throws error unsupported, when no axis has adjacent samples
  template <class Byte>
  explicit cube_transfer(const basic_cube<Byte>& cube) {
    struct axis {
      std::int64_t extent;
      std::int64_t stride;
      std::int64_t* packed;
    };
    const std::int64_t sample = bytes_of(cube.type);
    std::array<axis, 3> axes{{{cube.width, cube.x_stride, &x_stride},
                              {cube.height, cube.y_stride, &y_stride},
                              {cube.bands, cube.band_stride, &band_stride}}};
    // Axes of one sample may have any stride: they go outside.
    std::stable_sort(axes.begin(), axes.end(), [](const axis& a, const axis& b) {
      return std::pair(a.extent == 1, a.stride) < std::pair(b.extent == 1, b.stride);
    });
    if (axes[0].stride != sample && axes[2].extent == 1) {  // runs of one sample
      std::rotate(axes.begin(), axes.begin() + 2, axes.end());
    }
    if (axes[0].extent > 1 && axes[0].stride != sample) {
      throw error(errc::unsupported, "lce: adjacent samples of the cube are " + std::to_string(axes[0].stride) +
                                         " bytes apart; copying it to or from a device needs " +
                                         std::to_string(sample));
    }
    *axes[0].packed = sample;
    *axes[1].packed = sample * axes[0].extent;
    *axes[2].packed = sample * axes[0].extent * axes[1].extent;
    run = sample * axes[0].extent;
    rows = axes[1].extent;
    row_pitch = axes[1].stride;
    count = axes[2].extent;
    pitch = axes[2].stride;
    if (rows == 1 || row_pitch == run) {  // rectangles without gaps are runs
      run *= rows;
      rows = std::exchange(count, 1);
      row_pitch = std::exchange(pitch, 0);
    }
    if (count == 1 && (rows == 1 || row_pitch == run)) {
      run *= rows;
      rows = 1;
    }
  }

  /// The packed cube at `data`.
  template <class Byte, class Other>
  basic_cube<Byte> packed(const basic_cube<Other>& cube, Byte* data) const noexcept {
    basic_cube<Byte> result;
    result.data = data;
    result.width = cube.width;
    result.height = cube.height;
    result.bands = cube.bands;
    result.x_stride = x_stride;
    result.y_stride = y_stride;
    result.band_stride = band_stride;
    result.type = cube.type;
    return result;
  }
};

/// Rows of a slab of about 16 MiB: enough work for a device, and small enough that copies and kernels of several
/// slabs overlap and the working memory stays small.
constexpr std::int64_t recommended_slab_rows(std::int64_t width, std::int64_t bands, sample_type type) noexcept {
  constexpr std::int64_t bytes = 16 << 20;
  const std::int64_t row = std::max<std::int64_t>(width * bands * bytes_of(type), 1);
  return std::max<std::int64_t>(bytes / row / block_edge, 1) * block_edge;
}

}  // namespace gpuimg::lce
