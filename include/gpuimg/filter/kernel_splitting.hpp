/// @file
/// Finds the column and the row of a kernel that is their product.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "gpuimg/filter/convolution_kernel.hpp"

namespace gpuimg::filter {

/// The column and the row whose product is `kernel`, or nothing when there are none.
///
/// Of integer kernels the product is exact. Of others no coefficient differs by more than `tolerance` times the largest
/// magnitude; a filter by row and column then rounds otherwise than one by the whole kernel. O(width * height).
template <coefficient C>
std::optional<separable_kernel<C>> split_kernel(const kernel_view<C>& kernel, double tolerance = -1) {
  check_kernel_shape(kernel.width, kernel.height, kernel.anchor_x, kernel.anchor_y);
  int px = 0;
  int py = 0;
  for (int y = 0; y < kernel.height; ++y) {
    for (int x = 0; x < kernel.width; ++x) {
      if (std::abs(static_cast<double>(kernel(x, y))) > std::abs(static_cast<double>(kernel(px, py)))) {
        px = x;
        py = y;
      }
    }
  }
  separable_kernel<C> result(std::vector<C>(static_cast<std::size_t>(kernel.width)),
                             std::vector<C>(static_cast<std::size_t>(kernel.height)));
  result.anchor_x = kernel.anchor_x;
  result.anchor_y = kernel.anchor_y;
  const C pivot = kernel(px, py);
  if (pivot == C{0} || !std::isfinite(static_cast<double>(pivot))) { return std::nullopt; }
  if constexpr (std::is_integral_v<C>) {
    // The row without its common divisor is the least of all integer rows, so that columns are integers too.
    std::int64_t divisor = 0;
    for (int x = 0; x < kernel.width; ++x) { divisor = std::gcd(divisor, std::int64_t{kernel(x, py)}); }
    const std::int64_t step = kernel(px, py) / divisor;
    for (int x = 0; x < kernel.width; ++x) {
      result.row[static_cast<std::size_t>(x)] = static_cast<C>(kernel(x, py) / divisor);
    }
    for (int y = 0; y < kernel.height; ++y) {
      const std::int64_t factor = kernel(px, y) / step;
      result.column[static_cast<std::size_t>(y)] = static_cast<C>(factor);
      for (int x = 0; x < kernel.width; ++x) {
        if (factor * result.row[static_cast<std::size_t>(x)] != kernel(x, y)) { return std::nullopt; }
      }
    }
  } else {
    const double most = std::abs(static_cast<double>(pivot));
    const double allowed =
        most * (tolerance < 0 ? 4 * static_cast<double>(std::numeric_limits<C>::epsilon()) : tolerance);
    for (int x = 0; x < kernel.width; ++x) { result.row[static_cast<std::size_t>(x)] = kernel(x, py); }
    for (int y = 0; y < kernel.height; ++y) {
      const double factor = static_cast<double>(kernel(px, y)) / static_cast<double>(pivot);
      result.column[static_cast<std::size_t>(y)] = static_cast<C>(factor);
      for (int x = 0; x < kernel.width; ++x) {
        const double product = factor * static_cast<double>(kernel(x, py));
        if (!(std::abs(product - static_cast<double>(kernel(x, y))) <= allowed)) { return std::nullopt; }
      }
    }
  }
  return result;
}

}  // namespace gpuimg::filter
