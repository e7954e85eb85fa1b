/// @file
/// Where the kernels of this folder's tests run.
///
/// A backend has `upload(values)`, which returns an array that kernels may use, with data() and values(), and
/// `run(grid, kernel)`. The bodies are templates over it, so that the emulator and a device meet the same expectations.
#pragma once

#include <vector>

#include "gpuimg/simt/group.hpp"

#if defined(__CUDACC__)
#include "tests/gpu/device_fixture.hpp"

#include "gpuimg/simt/launch.cuh"
#else
#include <doctest/doctest.h>

#include "gpuimg/simt/emulate.hpp"
#endif

namespace codec_tests {

#if defined(__CUDACC__)

template <class T>
class device_array {
 public:
  device_array(const gpu_tests::device_fixture& device, const std::vector<T>& values)
      : device_(&device), size_(values.size()), buffer_(device.upload(values)) {}
  T* data() const noexcept { return buffer_.template data<T>(); }
  std::vector<T> values() const { return device_->template download<T>(buffer_, size_); }

 private:
  const gpu_tests::device_fixture* device_;
  std::size_t size_;
  gpuimg::simt::device_buffer buffer_;
};

class device_backend : public gpu_tests::device_fixture {
 public:
  template <class T>
  device_array<T> upload(const std::vector<T>& values) const {
    return {*this, values};
  }
  template <class Kernel>
  void run(const gpuimg::simt::grid_extent& grid, const Kernel& kernel) const {
    gpuimg::simt::launch(execution(), grid, kernel);
  }
};

#else

/// Memory of exactly the size asked for, so that a sanitizer sees an access beyond.
template <class T>
class emulator_array {
 public:
  explicit emulator_array(const std::vector<T>& values) : values_(values) {}
  T* data() noexcept { return values_.data(); }
  const std::vector<T>& values() const noexcept { return values_; }

 private:
  std::vector<T> values_;
};

class emulator_backend {
 public:
  explicit emulator_backend(const gpuimg::simt::emulation& options) : options_(options) {}
  template <class T>
  emulator_array<T> upload(const std::vector<T>& values) const {
    return emulator_array<T>(values);
  }
  template <class Kernel>
  void run(const gpuimg::simt::grid_extent& grid, const Kernel& kernel) const {
    gpuimg::simt::emulate(grid, kernel, options_);
  }

 private:
  gpuimg::simt::emulation options_;
};

/// In two orders, over two fills of the shared memory.
template <class Body>
void in_all_ways(const Body& body) {
  for (const bool descending : {false, true}) {
    for (const int fill : {0x00, 0xFF}) {
      CAPTURE(descending);
      CAPTURE(fill);
      body(emulator_backend({.shared_fill = static_cast<unsigned char>(fill), .descending = descending}));
    }
  }
}

#endif

}  // namespace codec_tests
