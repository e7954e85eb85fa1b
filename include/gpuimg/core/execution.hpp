/// @file
/// Where an operation runs: the first argument of every operation.
#pragma once

#include <algorithm>
#include <cstddef>
#include <thread>

struct CUstream_st;  // what cudaStream_t points to; named here so that host compilers can carry it

namespace gpuimg {

/// Runs on the calling computer's processor.
struct host {
  unsigned threads = 0;  ///< how many threads work; 0 means one a core

  /// The number of threads that an operation will use.
  unsigned thread_count() const noexcept {
    return threads != 0 ? threads : std::max(1u, std::thread::hardware_concurrency());
  }
};

/// Source of device memory, ordered by stream. Replace it to draw from a pool of your own; it must outlive
/// every object that was given it.
class device_memory {
 public:
  virtual ~device_memory() = default;

  /// `bytes` bytes, aligned to 256, usable by work submitted to `stream` from now on.
  /// @throws error out_of_memory
  virtual void* allocate(std::size_t bytes, CUstream_st* stream) = 0;

  /// Gives memory back once the work submitted to `stream` so far is done. Does not throw.
  virtual void deallocate(void* pointer, std::size_t bytes, CUstream_st* stream) noexcept = 0;

 protected:
  device_memory() = default;
  device_memory(const device_memory&) = default;
  device_memory& operator=(const device_memory&) = default;
};

/// Runs on a CUDA device, in order with the other work of `stream`.
struct cuda {
  CUstream_st* stream = nullptr;    ///< a cudaStream_t of `device`; null is the default stream
  int device = 0;                   ///< ordinal of the device
  device_memory* memory = nullptr;  ///< null draws from the device's own stream-ordered pool
};

}  // namespace gpuimg
