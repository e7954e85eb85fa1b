/// @file
/// Kernels of a convolution: coefficients on the host, with an anchor.
///
/// `correlate` lays the kernel over the picture as it is written, `convolve` turns it by half a turn first:
/// @code
///   correlate: out(x, y) = sum over i, j of k(i, j) * in(x + i - anchor_x, y + j - anchor_y)
///   convolve:  out(x, y) = sum over i, j of k(i, j) * in(x - i + anchor_x, y - j + anchor_y)
/// @endcode
/// The anchor is the tap that lies on the output sample: (width / 2, height / 2) unless told otherwise, which of an
/// even side is the later of the two middle taps. SciPy (`correlate`, `convolve`, origin 0) has the same rule; filter2D
/// of OpenCV is a correlation; NPP's filters are convolutions with the anchor given by the caller.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "gpuimg/core/config.hpp"
#include "gpuimg/core/error.hpp"

namespace gpuimg::filter {

/// A type of coefficients. Integer kernels on integer samples are computed exactly.
template <class C>
concept coefficient = std::is_same_v<C, std::int32_t> || std::is_same_v<C, float> || std::is_same_v<C, double>;

/// A kernel whose size is known at run time: `width` x `height` coefficients in host memory, row by row. Not owning.
template <coefficient C>
struct kernel_view {
  const C* data = nullptr;
  int width = 0;
  int height = 0;
  int anchor_x = 0;  ///< 0..width-1
  int anchor_y = 0;  ///< 0..height-1

  constexpr kernel_view() = default;
  /// With the anchor in the middle.
  constexpr kernel_view(const C* coefficients, int w, int h) noexcept : kernel_view(coefficients, w, h, w / 2, h / 2) {}
  constexpr kernel_view(const C* coefficients, int w, int h, int x, int y) noexcept
      : data(coefficients), width(w), height(h), anchor_x(x), anchor_y(y) {}

  constexpr C operator()(int x, int y) const noexcept {
    return data[static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x)];
  }
  constexpr std::size_t size() const noexcept {
    return static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
  }
};

/// A kernel whose size is known at compile time; an aggregate, row by row:
/// @code
/// constexpr gpuimg::filter::static_kernel<float, 3, 1> derivative{{-0.5f, 0.0f, 0.5f}};
/// @endcode
template <coefficient C, int Width, int Height>
struct static_kernel {
  static_assert(Width > 0 && Height > 0);

  C coefficients[static_cast<std::size_t>(Width) * static_cast<std::size_t>(Height)] = {};
  int anchor_x = Width / 2;
  int anchor_y = Height / 2;

  static constexpr int width() noexcept { return Width; }
  static constexpr int height() noexcept { return Height; }
  constexpr C operator()(int x, int y) const noexcept { return coefficients[y * Width + x]; }

  constexpr kernel_view<C> view() const noexcept { return {coefficients, Width, Height, anchor_x, anchor_y}; }
};

/// A kernel that is a column times a row: two filters of one dimension, the row first. Owning.
template <coefficient C>
struct separable_kernel {
  std::vector<C> row;
  std::vector<C> column;
  int anchor_x = 0;
  int anchor_y = 0;

  separable_kernel() = default;
  /// With the anchor in the middle.
  separable_kernel(std::vector<C> along_x, std::vector<C> along_y)
      : row(std::move(along_x)),
        column(std::move(along_y)),
        anchor_x(static_cast<int>(row.size() / 2)),
        anchor_y(static_cast<int>(column.size() / 2)) {}

  int width() const noexcept { return static_cast<int>(row.size()); }
  int height() const noexcept { return static_cast<int>(column.size()); }
};

/// @throws error invalid_argument, when there are no coefficients or the anchor is not one of the taps
inline void check_kernel_shape(int width, int height, int anchor_x, int anchor_y) {
  if (width < 1 || height < 1) {
    throw error(errc::invalid_argument,
                "kernel: " + std::to_string(width) + "x" + std::to_string(height) + " has no coefficients");
  }
  if (anchor_x < 0 || anchor_x >= width || anchor_y < 0 || anchor_y >= height) {
    throw error(errc::invalid_argument, "kernel: anchor (" + std::to_string(anchor_x) + ", " +
                                            std::to_string(anchor_y) + ") is outside of the " + std::to_string(width) +
                                            "x" + std::to_string(height) + " kernel");
  }
}

namespace detail {

/// A correlation's kernel in the type of the sum, as the engines take it.
template <class A>
struct prepared_kernel {
  std::vector<A> coefficients;
  int width = 0;
  int height = 0;
  int anchor_x = 0;
  int anchor_y = 0;
};

/// @param turned  for a convolution: by half a turn, so that a correlation with the result is one
template <class A, class C>
prepared_kernel<A> prepare_kernel(const kernel_view<C>& kernel, bool turned) {
  check_kernel_shape(kernel.width, kernel.height, kernel.anchor_x, kernel.anchor_y);
  prepared_kernel<A> result{{}, kernel.width, kernel.height, kernel.anchor_x, kernel.anchor_y};
  result.coefficients.reserve(kernel.size());
  for (const C c : std::span(kernel.data, kernel.size())) { result.coefficients.push_back(static_cast<A>(c)); }
  if (turned) {
    result.coefficients = std::vector<A>(result.coefficients.rbegin(), result.coefficients.rend());
    result.anchor_x = kernel.width - 1 - kernel.anchor_x;
    result.anchor_y = kernel.height - 1 - kernel.anchor_y;
  }
  return result;
}

}  // namespace detail
}  // namespace gpuimg::filter
