/// @file
/// Streams and copies of the pipelines that move cubes through a device slab by slab.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cuda_runtime_api.h>
#include <utility>

#include "gpuimg/codec/lce/cube_transfer.hpp"
#include "gpuimg/core/execution.hpp"
#include "gpuimg/simt/cuda_memory.cuh"
#include "gpuimg/simt/detail/target_namespace.cuh"

namespace gpuimg::lce {
inline namespace GPUIMG_TARGET_NAMESPACE {

/// A stream that begins after the work that another one has been given so far.
class branch_stream {
 public:
  /// @throws error device
  explicit branch_stream(const cuda& execution) : execution_(execution) {
    const simt::device_guard guard(execution.device);
    cudaStream_t stream = nullptr;
    simt::check_cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "lce: stream");
    execution_.stream = stream;
    simt::check_cuda(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "lce: event");
  }
  branch_stream(const branch_stream&) = delete;
  branch_stream& operator=(const branch_stream&) = delete;
  ~branch_stream() {
    static_cast<void>(cudaStreamSynchronize(execution_.stream));
    static_cast<void>(cudaEventDestroy(event_));
    static_cast<void>(cudaStreamDestroy(execution_.stream));
  }

  const cuda& execution() const noexcept { return execution_; }

  /// Lets the stream wait for what `trunk` has been given so far.
  void follow(cudaStream_t trunk) {
    const simt::device_guard guard(execution_.device);  // the default stream is the current device's
    simt::check_cuda(cudaEventRecord(event_, trunk), "lce: event");
    simt::check_cuda(cudaStreamWaitEvent(execution_.stream, event_, 0), "lce: wait");
  }
  /// Waits for all work of the stream.
  void wait() const { simt::check_cuda(cudaStreamSynchronize(execution_.stream), "lce: stream"); }

 private:
  cuda execution_;
  cudaEvent_t event_ = nullptr;
};

/// A value in pinned memory, which kernels can write and copies fill without waiting.
template <class T>
class pinned_value {
 public:
  /// @throws error out_of_memory or device
  explicit pinned_value(const cuda& execution) : stream_(execution.stream) {
    const simt::device_guard guard(execution.device);
    simt::check_cuda(cudaHostAlloc(reinterpret_cast<void**>(&value_), sizeof *value_, cudaHostAllocPortable),
                     "lce: result");
  }
  pinned_value(const pinned_value&) = delete;
  pinned_value& operator=(const pinned_value&) = delete;
  /// Waits for the stream, which may yet write there.
  ~pinned_value() {
    static_cast<void>(cudaStreamSynchronize(stream_));
    static_cast<void>(cudaFreeHost(value_));
  }

  T* get() const noexcept { return value_; }

 private:
  cudaStream_t stream_;
  T* value_ = nullptr;
};

/// Waits, at the end of a scope, for every stream: whatever ends a pipeline's call, the caller's memory is its own
/// again.
template <class Lanes>
class drain {
 public:
  explicit drain(const Lanes& lanes) noexcept : lanes_(lanes) {}
  drain(const drain&) = delete;
  drain& operator=(const drain&) = delete;
  ~drain() {
    for (const auto& lane : lanes_) { static_cast<void>(cudaStreamSynchronize(lane->stream.execution().stream)); }
  }

 private:
  const Lanes& lanes_;
};

/// Whether kernels can read `pointer`.
inline bool on_device(const void* pointer) {
  cudaPointerAttributes attributes{};
  if (cudaPointerGetAttributes(&attributes, pointer) != cudaSuccess) {
    static_cast<void>(cudaGetLastError());
    return false;
  }
  return attributes.type == cudaMemoryTypeDevice || attributes.type == cudaMemoryTypeManaged;
}

/// Copies between a cube and its packed form, in stream order; asynchronous where host memory is pinned.
/// @param to_packed  the direction
inline void copy_cube(const cube_transfer& transfer, std::byte* cube, std::byte* packed, bool to_packed,
                      cudaStream_t stream) {
  for (std::int64_t i = 0; i < transfer.count; ++i) {
    std::byte* const far = packed + i * transfer.run * transfer.rows;
    std::byte* const near = cube + i * transfer.pitch;
    const auto run = static_cast<std::size_t>(transfer.run);
    const auto rows = static_cast<std::size_t>(transfer.rows);
    if (rows == 1) {
      simt::check_cuda(cudaMemcpyAsync(to_packed ? far : near, to_packed ? near : far, run, cudaMemcpyDefault, stream),
                       "lce: copy");
      continue;
    }
    const auto pitch = static_cast<std::size_t>(transfer.row_pitch);
    simt::check_cuda(to_packed ? cudaMemcpy2DAsync(far, run, near, pitch, run, rows, cudaMemcpyDefault, stream)
                               : cudaMemcpy2DAsync(near, pitch, far, run, run, rows, cudaMemcpyDefault, stream),
                     "lce: copy");
  }
}

}  // namespace GPUIMG_TARGET_NAMESPACE
}  // namespace gpuimg::lce
