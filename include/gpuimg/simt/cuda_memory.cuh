/// @file
/// Calls of the CUDA runtime with this library's errors, and device memory with an owner.
#pragma once

#if !defined(__CUDACC__)
#error "gpuimg/simt/cuda_memory.cuh needs a CUDA compiler"
#else

#include <cstddef>
#include <cuda_runtime_api.h>
#include <string>
#include <utility>

#include "gpuimg/core/error.hpp"
#include "gpuimg/core/execution.hpp"

namespace gpuimg::simt {

/// Throws when a call of the CUDA runtime has failed; `what` says what was tried.
/// @throws error out_of_memory or device
inline void check_cuda(cudaError_t status, const std::string& what) {
  if (status == cudaSuccess) { return; }
  static_cast<void>(cudaGetLastError());  // the failure is told here; the next call must not find it again
  throw error(status == cudaErrorMemoryAllocation ? errc::out_of_memory : errc::device,
              what + ": " + cudaGetErrorString(status) + " (" + cudaGetErrorName(status) + ")");
}

/// Makes a device the calling thread's current one for a while.
class device_guard {
 public:
  /// @throws error device
  explicit device_guard(int device) {
    check_cuda(cudaGetDevice(&previous_), "current device");
    if (device != previous_) { check_cuda(cudaSetDevice(device), "device " + std::to_string(device)); }
    current_ = device;
  }
  device_guard(const device_guard&) = delete;
  device_guard& operator=(const device_guard&) = delete;
  ~device_guard() {
    if (current_ != previous_) { static_cast<void>(cudaSetDevice(previous_)); }
  }

 private:
  int previous_ = 0;
  int current_ = 0;
};

/// The stream-ordered pool that CUDA keeps for a device: where memory comes from unless the caller says otherwise.
class async_pool_memory final : public device_memory {
 public:
  explicit async_pool_memory(int device = 0) noexcept : device_(device) {}

  void* allocate(std::size_t bytes, cudaStream_t stream) override {
    const device_guard guard(device_);
    void* pointer = nullptr;
    check_cuda(cudaMallocAsync(&pointer, bytes, stream),
               "allocation of " + std::to_string(bytes) + " bytes on device " + std::to_string(device_));
    return pointer;
  }

  void deallocate(void* pointer, std::size_t, cudaStream_t stream) noexcept override {
    static_cast<void>(cudaFreeAsync(pointer, stream));
  }

 private:
  int device_;
};

/// Device memory with one owner, for the work of one stream.
///
/// Grows on demand and never shrinks, so that a workspace is allocated once. Memory is given back in stream order;
/// the stream and the memory resource must outlive the buffer.
class device_buffer {
 public:
  /// Empty.
  explicit device_buffer(const cuda& execution) noexcept : execution_(execution) {}

  /// @throws error out_of_memory or device
  device_buffer(const cuda& execution, std::size_t bytes) : execution_(execution) { reserve(bytes); }

  device_buffer(device_buffer&& other) noexcept
      : execution_(other.execution_),
        data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)) {}
  device_buffer& operator=(device_buffer&& other) noexcept {
    if (this != &other) {
      release();
      execution_ = other.execution_;
      data_ = std::exchange(other.data_, nullptr);
      size_ = std::exchange(other.size_, 0);
    }
    return *this;
  }
  ~device_buffer() { release(); }

  /// Makes room for `bytes` bytes. What the buffer held is lost when it has to grow.
  /// @throws error out_of_memory or device; the buffer is empty then.
  void reserve(std::size_t bytes) {
    if (bytes <= size_) { return; }
    release();
    async_pool_memory pool(execution_.device);
    data_ = memory(pool).allocate(bytes, execution_.stream);
    size_ = bytes;
  }

  std::size_t size() const noexcept { return size_; }

  /// The buffer's start, aligned to 256 bytes; null while it is empty.
  template <class T = std::byte>
  T* data() const noexcept {
    return static_cast<T*>(data_);
  }

 private:
  device_memory& memory(async_pool_memory& pool) const noexcept {
    if (execution_.memory != nullptr) { return *execution_.memory; }
    return pool;
  }

  void release() noexcept {
    if (data_ == nullptr) { return; }
    async_pool_memory pool(execution_.device);
    memory(pool).deallocate(std::exchange(data_, nullptr), std::exchange(size_, 0), execution_.stream);
  }

  cuda execution_;
  void* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace gpuimg::simt

#endif
