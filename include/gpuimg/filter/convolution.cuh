/// @file
/// Correlation and convolution on CUDA devices: as convolution.hpp, of pictures in device memory, bit for bit the same.
///
/// Work is submitted to the execution's stream and not waited for. Kernels of a size known at compile time
/// up to 31 x 24, and odd squares from 3 x 3 to 15 x 15 of kernel_view, are computed in registers; products of odd rows
/// and columns of the same length likewise, both passes in one. All others take widths up to 128 and any height
/// (separable: 128), through shared memory. Coefficients are parameters of the launch; more than 961 of them are copied
/// to device memory that the call takes from the execution and gives back in stream order.
#pragma once

#if !defined(__CUDACC__)
#error "gpuimg/filter/convolution.cuh needs a CUDA compiler"
#else

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cuda_runtime_api.h>
#include <string>

#include "gpuimg/core/error.hpp"
#include "gpuimg/core/execution.hpp"
#include "gpuimg/filter/convolution.hpp"
#include "gpuimg/filter/detail/convolution_plans.hpp"
#include "gpuimg/filter/smoothing.hpp"
#include "gpuimg/simt/cuda_memory.cuh"
#include "gpuimg/simt/launch.cuh"

namespace gpuimg::filter {

namespace detail {

/// Launches on a device.
struct cuda_launcher {
  cuda execution;

  template <class Kernel>
  void operator()(const simt::grid_extent& grid, const Kernel& kernel) const {
    simt::launch(execution, grid, kernel);
  }

  /// Calls use(memory) with a copy of `coefficients` on the device.
  template <class A, class Use>
  void with_copy(const std::vector<A>& coefficients, const Use& use) const {
    const simt::device_guard guard(execution.device);
    const std::size_t bytes = coefficients.size() * sizeof(A);
    const simt::device_buffer buffer(execution, bytes);
    simt::check_cuda(
        cudaMemcpyAsync(buffer.data(), coefficients.data(), bytes, cudaMemcpyHostToDevice, execution.stream),
        "copy of a kernel's coefficients");
    use(buffer.template data<A>());
  }
};

}  // namespace detail

/// As correlate() on the host; source and destination are in device memory.
/// @throws error as there, unsupported for kernels beyond the sizes above, out_of_memory, device
template <class Sum = automatic_sum, picture Source, writable_picture Destination, convolution_kernel Kernel>
void correlate(const cuda& execution, const Source& source, const Destination& destination, const Kernel& kernel,
               const convolution_options& options = {}) {
  const cube_view<typename Destination::value_type> to = destination;
  detail::run<Sum>(detail::kernel_engine<detail::cuda_launcher>{{execution}}, detail::readable(source), to, kernel,
                   false, options);
}

/// As correlate(), with the kernel turned by half a turn.
template <class Sum = automatic_sum, picture Source, writable_picture Destination, convolution_kernel Kernel>
void convolve(const cuda& execution, const Source& source, const Destination& destination, const Kernel& kernel,
              const convolution_options& options = {}) {
  const cube_view<typename Destination::value_type> to = destination;
  detail::run<Sum>(detail::kernel_engine<detail::cuda_launcher>{{execution}}, detail::readable(source), to, kernel,
                   true, options);
}

}  // namespace gpuimg::filter

#endif
