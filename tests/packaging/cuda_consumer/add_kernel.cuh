#pragma once

#include <cstddef>
#include <cstdint>

#include "gpuimg/core/image_view.hpp"
#include "gpuimg/simt/cuda_memory.cuh"
#include "gpuimg/simt/launch.cuh"

/// Adds a value to every sample; the kernel that both libraries use.
template <class T>
struct add_kernel {
  static constexpr int threads = 64;
  struct shared_storage {};

  gpuimg::image_view<T> image;
  T addend;

  template <gpuimg::simt::block_group Block>
  GPUIMG_FUNCTION void operator()(Block& block, shared_storage&) const {
    for (std::int64_t x = block.rank(); x < image.width; x += threads) {
      image(x, block.index().y) = static_cast<T>(image(x, block.index().y) + addend);
    }
  }
};

/// Adds a value to every sample of a packed picture in host memory, on the device. Static: it is code of the library
/// that includes it, which the other library must not call in place of its own.
static void add_on_device(gpuimg::image_view<int> image, int addend) {
  using gpuimg::simt::check_cuda;
  const gpuimg::cuda execution;
  const auto bytes = static_cast<std::size_t>(image.size()) * sizeof(int);
  const gpuimg::simt::device_buffer memory(execution, bytes);
  const gpuimg::image_view<int> copy(memory.data<int>(), image.width, image.height);
  check_cuda(cudaMemcpyAsync(copy.data, image.data, bytes, cudaMemcpyHostToDevice, execution.stream), "copy");
  gpuimg::simt::launch(execution, {.x = 1, .y = image.height, .z = 1}, add_kernel<int>{copy, addend});
  check_cuda(cudaMemcpyAsync(image.data, copy.data, bytes, cudaMemcpyDeviceToHost, execution.stream), "copy");
  check_cuda(cudaStreamSynchronize(execution.stream), "the kernel");
}
