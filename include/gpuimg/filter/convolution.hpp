/// @file
/// Correlation and convolution on the host: any rectangle of coefficients, and products of a row and a column.
///
/// @code
/// const float sharpen[] = {0, -1, 0, -1, 5, -1, 0, -1, 0};
/// filter::correlate(host{}, source, destination, filter::kernel_view(sharpen, 3, 3), {.mode = filter::border::wrap});
/// @endcode
/// Kernels and anchors: convolution_kernel.hpp. Types of sums, their order, rounding and saturation:
/// convolution_arithmetic.hpp. Borders: border.hpp. Types and sizes of samples may differ between source and
/// destination; channels are filtered each by itself, planar or interleaved. A result depends on the samples under its
/// window alone: a NaN does not spread beyond it. Convolution on CUDA devices: convolution.cuh, with the same results,
/// bit for bit.
#pragma once

#include <type_traits>

#include "gpuimg/core/execution.hpp"
#include "gpuimg/core/image_view.hpp"
#include "gpuimg/filter/border.hpp"
#include "gpuimg/filter/convolution_arithmetic.hpp"
#include "gpuimg/filter/convolution_kernel.hpp"
#include "gpuimg/filter/detail/convolution_checks.hpp"
#include "gpuimg/filter/detail/convolution_host.hpp"
#include "gpuimg/filter/detail/convolution_run.hpp"
#include "gpuimg/filter/detail/host_isa.hpp"
#include "gpuimg/filter/kernel_splitting.hpp"

namespace gpuimg::filter {

namespace detail {

/// Computes on the host.
struct host_engine {
  host execution;
  host_isa isa = best_isa();

  template <class S, class D, class A, class Store>
  void convolve(const tap_source<S>& source, const cube_view<D>& destination, const prepared_kernel<A>& kernel,
                const Store& store) const {
    convolve_on_host(execution, source, destination, kernel, store, isa);
  }
  template <int, int, class S, class D, class A, class Store>
  void convolve_fixed(const tap_source<S>& source, const cube_view<D>& destination, const prepared_kernel<A>& kernel,
                      const Store& store) const {
    convolve_on_host(execution, source, destination, kernel, store, isa);
  }
  template <class S, class D, class A, class Store>
  void convolve_separably(const tap_source<S>& source, const cube_view<D>& destination, const prepared_kernel<A>& row,
                          const prepared_kernel<A>& column, const Store& store) const {
    convolve_separably_on_host(execution, source, destination, row, column, store, isa);
  }
};

template <class K>
struct kernel_type : std::false_type {};
template <class C>
struct kernel_type<kernel_view<C> > : std::true_type {};
template <class C>
struct kernel_type<separable_kernel<C> > : std::true_type {};
template <class C, int Width, int Height>
struct kernel_type<static_kernel<C, Width, Height> > : std::true_type {};

}  // namespace detail

/// kernel_view, static_kernel or separable_kernel.
template <class K>
concept convolution_kernel = detail::kernel_type<K>::value;

/// Lays the kernel over each sample of the source as it is.
///
/// @tparam Sum  type of the sums, or automatic_sum for the rules of convolution_arithmetic.hpp
/// @throws error invalid_argument (shapes differ, strides are no multiples of the sample's size, a kernel without
///   coefficients, an anchor outside of it, a divisor below 1 or without exact sums, a NaN border of integer samples),
///   aliased (source and destination overlap), unsupported (exact sums beyond 64 bits)
template <class Sum = automatic_sum, picture Source, writable_picture Destination, convolution_kernel Kernel>
void correlate(const host& execution, const Source& source, const Destination& destination, const Kernel& kernel,
               const convolution_options& options = {}) {
  const cube_view<typename Destination::value_type> to = destination;
  detail::run<Sum>(detail::host_engine{execution}, detail::readable(source), to, kernel, false, options);
}

/// As correlate(), with the kernel turned by half a turn.
template <class Sum = automatic_sum, picture Source, writable_picture Destination, convolution_kernel Kernel>
void convolve(const host& execution, const Source& source, const Destination& destination, const Kernel& kernel,
              const convolution_options& options = {}) {
  const cube_view<typename Destination::value_type> to = destination;
  detail::run<Sum>(detail::host_engine{execution}, detail::readable(source), to, kernel, true, options);
}

}  // namespace gpuimg::filter
