/// @file
/// A device for tests. gpu_tests ends before its first test where there is none.
#pragma once

#include <cstddef>
#include <cuda_runtime_api.h>
#include <vector>

#include "gpuimg/core/execution.hpp"
#include "gpuimg/simt/cuda_memory.cuh"

namespace gpu_tests {

/// A stream of its own on device 0.
class device_fixture {
 public:
  device_fixture() {
    cudaStream_t stream = nullptr;
    gpuimg::simt::check_cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream");
    execution_.stream = stream;
  }
  device_fixture(const device_fixture&) = delete;
  device_fixture& operator=(const device_fixture&) = delete;
  ~device_fixture() { static_cast<void>(cudaStreamDestroy(execution_.stream)); }

  const gpuimg::cuda& execution() const noexcept { return execution_; }

  /// Waits for all work of the stream; throws what it failed with.
  void wait() const { gpuimg::simt::check_cuda(cudaStreamSynchronize(execution_.stream), "kernel"); }

  /// A copy of `values` on the device.
  template <class T>
  gpuimg::simt::device_buffer upload(const std::vector<T>& values) const {
    gpuimg::simt::device_buffer buffer(execution_, values.size() * sizeof(T));
    if (values.empty()) { return buffer; }
    gpuimg::simt::check_cuda(
        cudaMemcpyAsync(buffer.data(), values.data(), values.size() * sizeof(T), cudaMemcpyDefault, execution_.stream),
        "upload");
    return buffer;
  }

  /// The first `count` values of a buffer, when all work of the stream is done.
  template <class T>
  std::vector<T> download(const gpuimg::simt::device_buffer& buffer, std::size_t count) const {
    std::vector<T> values(count);
    if (count != 0) {
      gpuimg::simt::check_cuda(
          cudaMemcpyAsync(values.data(), buffer.data(), count * sizeof(T), cudaMemcpyDefault, execution_.stream),
          "download");
    }
    wait();
    return values;
  }

 private:
  gpuimg::cuda execution_;
};

}  // namespace gpu_tests
