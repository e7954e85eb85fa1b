/// @file
/// Which kernel computes a convolution, on whatever runs kernels: a device, or the emulator.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "gpuimg/core/error.hpp"
#include "gpuimg/core/image_view.hpp"
#include "gpuimg/filter/convolution_arithmetic.hpp"
#include "gpuimg/filter/convolution_kernel.hpp"
#include "gpuimg/filter/detail/convolution_direct_kernel.hpp"
#include "gpuimg/filter/detail/convolution_general_kernel.hpp"
#include "gpuimg/filter/detail/convolution_separable_kernel.hpp"
#include "gpuimg/filter/detail/convolution_tile.hpp"
#include "gpuimg/simt/group.hpp"

namespace gpuimg::filter::detail {

inline constexpr int small_taps = 32;  ///< sizes of the general kernels' shared memory
inline constexpr int most_taps = 128;
inline constexpr int widest_direct = 31;  ///< what registers hold of a kernel of a static size
inline constexpr int tallest_direct = 24;

inline void check_side(int side, const char* what) {
  if (side > most_taps) {
    throw error(errc::unsupported, std::string("convolution by kernels: a ") + what + " of " + std::to_string(side) +
                                       " taps; at most " + std::to_string(most_taps));
  }
}

/// Computes by launcher(grid, kernel). A launcher also has with_copy(coefficients, use), which lends memory that its
/// kernels can read.
template <class Launcher>
struct kernel_engine {
  Launcher launch;

  template <class S, class D, class A, class Store>
  void convolve(const tap_source<S>& source, const cube_view<D>& destination, const prepared_kernel<A>& kernel,
                const Store& store) const {
    // 64-bit sums are for the general kernel alone: they are rare, and registers are few.
    if constexpr (!std::is_same_v<A, std::int64_t>) {
      if (kernel.width == kernel.height) {
        switch (kernel.width) {
          case 3: return convolve_fixed<3, 3>(source, destination, kernel, store);
          case 5: return convolve_fixed<5, 5>(source, destination, kernel, store);
          case 7: return convolve_fixed<7, 7>(source, destination, kernel, store);
          case 9: return convolve_fixed<9, 9>(source, destination, kernel, store);
          case 11: return convolve_fixed<11, 11>(source, destination, kernel, store);
          case 13: return convolve_fixed<13, 13>(source, destination, kernel, store);
          case 15: return convolve_fixed<15, 15>(source, destination, kernel, store);
          default: break;
        }
      }
    }
    check_side(kernel.width, "row");
    if (kernel.width <= small_taps) {
      convolve_generally<small_taps>(source, destination, kernel, store);
    } else {
      convolve_generally<most_taps>(source, destination, kernel, store);
    }
  }

  template <int Width, int Height, class S, class D, class A, class Store>
  void convolve_fixed(const tap_source<S>& source, const cube_view<D>& destination, const prepared_kernel<A>& kernel,
                      const Store& store) const {
    if constexpr (Width <= widest_direct && Height <= tallest_direct) {
      using aligned = direct_policy<S, A, Width, Height>;
      using loose = loose_policy<S, A, Width, Height>;
      if (convolve_directly<Width, Height, aligned>(source, destination, kernel, store)) { return; }
      if (convolve_directly<Width, Height, loose>(source, destination, kernel, store)) { return; }
    }
    check_side(Width, "row");
    convolve_generally<(Width <= small_taps ? small_taps : most_taps)>(source, destination, kernel, store);
  }

  template <class S, class D, class A, class Store>
  void convolve_separably(const tap_source<S>& source, const cube_view<D>& destination, const prepared_kernel<A>& row,
                          const prepared_kernel<A>& column, const Store& store) const {
    if constexpr (!std::is_same_v<A, std::int64_t>) {
      if (row.width == column.height) {
        switch (row.width) {
          case 3: return convolve_product<3>(source, destination, row, column, store);
          case 5: return convolve_product<5>(source, destination, row, column, store);
          case 7: return convolve_product<7>(source, destination, row, column, store);
          case 9: return convolve_product<9>(source, destination, row, column, store);
          case 11: return convolve_product<11>(source, destination, row, column, store);
          case 13: return convolve_product<13>(source, destination, row, column, store);
          case 15: return convolve_product<15>(source, destination, row, column, store);
          default: break;
        }
      }
    }
    check_side(row.width, "row");
    check_side(column.height, "column");
    if (std::max(row.width, column.height) <= small_taps) {
      convolve_product_generally<small_taps>(source, destination, row, column, store);
    } else {
      convolve_product_generally<most_taps>(source, destination, row, column, store);
    }
  }

 private:
  /// The grid of a kernel that covers the picture with blocks.
  template <class Kernel, class D>
  static simt::grid_extent cover(const cube_view<D>& destination) {
    return {(destination.width + Kernel::block_width - 1) / Kernel::block_width,
            (destination.height + Kernel::block_height - 1) / Kernel::block_height, destination.bands};
  }

  /// @returns whether the picture has an inner part for this policy; nothing but frame would be slow
  template <int Width, int Height, class Policy, class S, class D, class A, class Store>
  bool convolve_directly(const tap_source<S>& source, const cube_view<D>& destination, const prepared_kernel<A>& kernel,
                         const Store& store) const {
    using kernel_type = direct_convolution_kernel<S, D, A, Width, Height, Store, Policy>;
    kernel_type k;
    const auto grid = plan_strips<kernel_type>(source, destination, k.problem);
    if (k.problem.inner.columns == 0) { return false; }
    k.store = store;
    std::copy_n(kernel.coefficients.data(), Width * Height, k.coefficients);
    launch(grid, k);
    return true;
  }

  template <int MaxWidth, class S, class D, class A, class Store>
  void convolve_generally(const tap_source<S>& source, const cube_view<D>& destination,
                          const prepared_kernel<A>& kernel, const Store& store) const {
    using kernel_type = general_convolution_kernel<S, D, A, Store, MaxWidth>;
    kernel_type k;
    k.source = source;
    k.destination = destination;
    k.write_groups = can_write_groups<kernel_type::outputs>(destination, 0);
    k.store = store;
    k.width = kernel.width;
    k.height = kernel.height;
    if (kernel.coefficients.size() <= static_cast<std::size_t>(k.coefficients.capacity)) {
      std::copy(kernel.coefficients.begin(), kernel.coefficients.end(), k.coefficients.values);
      launch(cover<kernel_type>(destination), k);
      return;
    }
    launch.with_copy(kernel.coefficients, [&](const A* memory) {
      k.coefficients.memory = memory;
      launch(cover<kernel_type>(destination), k);
    });
  }

  template <int Taps, class S, class D, class A, class Store>
  void convolve_product(const tap_source<S>& source, const cube_view<D>& destination, const prepared_kernel<A>& row,
                        const prepared_kernel<A>& column, const Store& store) const {
    using aligned = separable_policy<S, A, Taps>;
    using loose = loose_separable_policy<S, A, Taps>;
    if (convolve_product_directly<Taps, aligned>(source, destination, row, column, store)) { return; }
    if (convolve_product_directly<Taps, loose>(source, destination, row, column, store)) { return; }
    convolve_product_generally<small_taps>(source, destination, row, column, store);
  }

  /// As convolve_directly.
  template <int Taps, class Policy, class S, class D, class A, class Store>
  bool convolve_product_directly(const tap_source<S>& source, const cube_view<D>& destination,
                                 const prepared_kernel<A>& row, const prepared_kernel<A>& column,
                                 const Store& store) const {
    using kernel_type = separable_convolution_kernel<S, D, A, Taps, Taps, Store, Policy>;
    kernel_type k;
    const auto grid = plan_strips<kernel_type>(source, destination, k.problem);
    if (k.problem.inner.columns == 0) { return false; }
    k.store = store;
    std::copy_n(row.coefficients.data(), Taps, k.row);
    std::copy_n(column.coefficients.data(), Taps, k.column);
    launch(grid, k);
    return true;
  }

  template <int MaxTaps, class S, class D, class A, class Store>
  void convolve_product_generally(const tap_source<S>& source, const cube_view<D>& destination,
                                  const prepared_kernel<A>& row, const prepared_kernel<A>& column,
                                  const Store& store) const {
    using kernel_type = general_separable_kernel<S, D, A, Store, MaxTaps>;
    kernel_type k;
    k.source = source;
    k.destination = destination;
    k.write_groups = can_write_groups<kernel_type::outputs>(destination, 0);
    k.store = store;
    k.width = row.width;
    k.height = column.height;
    std::copy(row.coefficients.begin(), row.coefficients.end(), k.row);
    std::copy(column.coefficients.begin(), column.coefficients.end(), k.column);
    launch(cover<kernel_type>(destination), k);
  }
};

}  // namespace gpuimg::filter::detail
