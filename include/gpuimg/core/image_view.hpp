/// @file
/// Non-owning views of pictures and cubes: image_view, planar_view, cube_view.
///
/// Sizes are 64-bit, pitches are in bytes and may be negative (a picture stored bottom-up). `const` is in the
/// sample type. Views are trivially copyable and work in kernels.
///
/// Their conversions to read-only views are templates, because nvcc warns of a conversion to the type itself, which a
/// plain one would become when T is const.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include "gpuimg/core/config.hpp"
#include "gpuimg/core/error.hpp"

namespace gpuimg {

namespace detail {

template <class T>
using byte_of = std::conditional_t<std::is_const_v<T>, const std::byte, std::byte>;

/// `base` moved by `bytes`; keeps the constness of T.
template <class T>
GPUIMG_FUNCTION constexpr T* advance_bytes(T* base, std::int64_t bytes) noexcept {
  return reinterpret_cast<T*>(reinterpret_cast<byte_of<T>*>(base) + bytes);
}

inline void check_window(std::int64_t x, std::int64_t y, std::int64_t width, std::int64_t height,
                         std::int64_t outer_width, std::int64_t outer_height) {
  if (x < 0 || y < 0 || width < 0 || height < 0 || x > outer_width || y > outer_height || width > outer_width - x ||
      height > outer_height - y) {
    throw error(errc::invalid_argument, "crop: window " + std::to_string(width) + "x" + std::to_string(height) +
                                            " at (" + std::to_string(x) + ", " + std::to_string(y) +
                                            ") is outside of the " + std::to_string(outer_width) + "x" +
                                            std::to_string(outer_height) + " picture");
  }
}

inline void check_index(const char* what, std::int64_t index, std::int64_t count) {
  if (index < 0 || index >= count) {
    throw error(errc::invalid_argument,
                std::string(what) + ": " + std::to_string(index) + " is outside of 0.." + std::to_string(count - 1));
  }
}

}  // namespace detail

/// One plane of samples: rows of `width` adjacent samples, `pitch` bytes from row to row.
template <class T>
struct image_view {
  using value_type = std::remove_const_t<T>;

  T* data = nullptr;
  std::int64_t width = 0;
  std::int64_t height = 0;
  std::int64_t pitch = 0;  ///< bytes from a sample to the one below

  constexpr image_view() = default;

  /// A view with a pitch; the pitch may exceed a row, or be negative.
  GPUIMG_FUNCTION constexpr image_view(T* samples, std::int64_t w, std::int64_t h, std::int64_t pitch_bytes) noexcept
      : data(samples), width(w), height(h), pitch(pitch_bytes) {}

  /// A packed view: rows follow one another.
  GPUIMG_FUNCTION constexpr image_view(T* samples, std::int64_t w, std::int64_t h) noexcept
      : image_view(samples, w, h, w * static_cast<std::int64_t>(sizeof(T))) {}

  GPUIMG_FUNCTION constexpr bool empty() const noexcept { return width == 0 || height == 0; }
  GPUIMG_FUNCTION constexpr std::int64_t size() const noexcept { return width * height; }

  GPUIMG_FUNCTION constexpr T* row(std::int64_t y) const noexcept { return detail::advance_bytes(data, y * pitch); }
  GPUIMG_FUNCTION constexpr T& operator()(std::int64_t x, std::int64_t y) const noexcept { return row(y)[x]; }

  /// The window of `w` x `h` samples whose first is (x, y).
  /// @throws error invalid_argument when the window leaves the picture.
  image_view crop(std::int64_t x, std::int64_t y, std::int64_t w, std::int64_t h) const {
    detail::check_window(x, y, w, h, width, height);
    return {detail::advance_bytes(data, y * pitch + x * static_cast<std::int64_t>(sizeof(T))), w, h, pitch};
  }

  /// The same samples, read-only.
  template <std::same_as<const T> ReadOnly>
  GPUIMG_FUNCTION constexpr operator image_view<ReadOnly>() const noexcept requires(!std::is_const_v<T>) {
    return {data, width, height, pitch};
  }
};

/// Several planes of one size, `plane_pitch` bytes apart.
template <class T>
struct planar_view {
  using value_type = std::remove_const_t<T>;

  T* data = nullptr;
  std::int64_t width = 0;
  std::int64_t height = 0;
  std::int64_t planes = 0;
  std::int64_t pitch = 0;        ///< bytes from row to row
  std::int64_t plane_pitch = 0;  ///< bytes from plane to plane

  constexpr planar_view() = default;

  GPUIMG_FUNCTION constexpr planar_view(T* samples, std::int64_t w, std::int64_t h, std::int64_t plane_count,
                                        std::int64_t pitch_bytes, std::int64_t plane_pitch_bytes) noexcept
      : data(samples), width(w), height(h), planes(plane_count), pitch(pitch_bytes), plane_pitch(plane_pitch_bytes) {}

  /// Packed planes.
  GPUIMG_FUNCTION constexpr planar_view(T* samples, std::int64_t w, std::int64_t h, std::int64_t plane_count) noexcept
      : planar_view(samples, w, h, plane_count, w * static_cast<std::int64_t>(sizeof(T)),
                    w * h * static_cast<std::int64_t>(sizeof(T))) {}

  GPUIMG_FUNCTION constexpr bool empty() const noexcept { return width == 0 || height == 0 || planes == 0; }

  /// Plane `index`.
  /// @throws error invalid_argument when there is no such plane.
  image_view<T> plane(std::int64_t index) const {
    detail::check_index("plane", index, planes);
    return {detail::advance_bytes(data, index * plane_pitch), width, height, pitch};
  }

  /// The same window of every plane.
  /// @throws error invalid_argument when the window leaves the picture.
  planar_view crop(std::int64_t x, std::int64_t y, std::int64_t w, std::int64_t h) const {
    detail::check_window(x, y, w, h, width, height);
    return {detail::advance_bytes(data, y * pitch + x * static_cast<std::int64_t>(sizeof(T))),
            w,
            h,
            planes,
            pitch,
            plane_pitch};
  }

  template <std::same_as<const T> ReadOnly>
  GPUIMG_FUNCTION constexpr operator planar_view<ReadOnly>() const noexcept requires(!std::is_const_v<T>) {
    return {data, width, height, planes, pitch, plane_pitch};
  }
};

/// Order of the samples of a cube in memory.
enum class interleave : std::uint8_t {
  bsq,  ///< band sequential: one plane after another
  bil,  ///< band interleaved by line
  bip,  ///< band interleaved by pixel: RGBRGB...
};

/// Samples with three coordinates (x, y, band) and a stride for each: planar and interleaved pictures and
/// hyperspectral cubes alike.
template <class T>
struct cube_view {
  using value_type = std::remove_const_t<T>;

  T* data = nullptr;
  std::int64_t width = 0;
  std::int64_t height = 0;
  std::int64_t bands = 0;
  std::int64_t x_stride = 0;     ///< bytes from a sample to its right neighbour
  std::int64_t y_stride = 0;     ///< bytes from a sample to the one below
  std::int64_t band_stride = 0;  ///< bytes from a sample to the same one in the next band

  constexpr cube_view() = default;

  GPUIMG_FUNCTION constexpr cube_view(T* samples, std::int64_t w, std::int64_t h, std::int64_t band_count,
                                      std::int64_t x_bytes, std::int64_t y_bytes, std::int64_t band_bytes) noexcept
      : data(samples),
        width(w),
        height(h),
        bands(band_count),
        x_stride(x_bytes),
        y_stride(y_bytes),
        band_stride(band_bytes) {}

  /// A packed cube in the given order.
  GPUIMG_FUNCTION constexpr cube_view(T* samples, std::int64_t w, std::int64_t h, std::int64_t band_count,
                                      interleave order) noexcept
      : data(samples), width(w), height(h), bands(band_count) {
    constexpr auto one = static_cast<std::int64_t>(sizeof(T));
    x_stride = order == interleave::bip ? one * band_count : one;
    y_stride = order == interleave::bsq ? one * w : one * w * band_count;
    band_stride = order == interleave::bsq ? one * w * h : order == interleave::bil ? one * w : one;
  }

  /// A picture of one band.
  GPUIMG_FUNCTION constexpr cube_view(const image_view<T>& image) noexcept
      : cube_view(image.data, image.width, image.height, 1, sizeof(T), image.pitch, 0) {}

  /// Planes as bands.
  GPUIMG_FUNCTION constexpr cube_view(const planar_view<T>& image) noexcept
      : cube_view(image.data, image.width, image.height, image.planes, sizeof(T), image.pitch, image.plane_pitch) {}

  GPUIMG_FUNCTION constexpr bool empty() const noexcept { return width == 0 || height == 0 || bands == 0; }
  GPUIMG_FUNCTION constexpr std::int64_t size() const noexcept { return width * height * bands; }

  GPUIMG_FUNCTION constexpr T& operator()(std::int64_t x, std::int64_t y, std::int64_t band) const noexcept {
    return *detail::advance_bytes(data, x * x_stride + y * y_stride + band * band_stride);
  }

  /// Band `index` as a picture.
  /// @throws error invalid_argument when there is no such band, unsupported when its samples are not adjacent.
  image_view<T> band(std::int64_t index) const {
    detail::check_index("band", index, bands);
    if (x_stride != static_cast<std::int64_t>(sizeof(T))) {
      throw error(errc::unsupported, "band: samples of a row are " + std::to_string(x_stride) +
                                         " bytes apart; a picture view needs " + std::to_string(sizeof(T)));
    }
    return {detail::advance_bytes(data, index * band_stride), width, height, y_stride};
  }

  /// The same window of every band.
  /// @throws error invalid_argument when the window leaves the picture.
  cube_view crop(std::int64_t x, std::int64_t y, std::int64_t w, std::int64_t h) const {
    detail::check_window(x, y, w, h, width, height);
    return {detail::advance_bytes(data, x * x_stride + y * y_stride), w, h, bands, x_stride, y_stride, band_stride};
  }

  template <std::same_as<const T> ReadOnly>
  GPUIMG_FUNCTION constexpr operator cube_view<ReadOnly>() const noexcept requires(!std::is_const_v<T>) {
    return {data, width, height, bands, x_stride, y_stride, band_stride};
  }
};

}  // namespace gpuimg
