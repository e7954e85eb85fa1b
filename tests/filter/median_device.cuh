/// @file
/// Where the tests of medians run on a device.
#pragma once

#include <cstddef>
#include <cuda_runtime_api.h>

#include "tests/filter/median_backends.hpp"
#include "tests/filter/median_cases.hpp"
#include "tests/gpu/device_fixture.hpp"

#include "gpuimg/filter/median.cuh"

namespace median_tests {

class device_backend {
 public:
  explicit device_backend(bool wide = false) : wide_(wide) {}

  const gpuimg::cuda& execution() const { return device_.execution(); }

  gpuimg::simt::device_buffer mask(const std::vector<std::uint8_t>& bytes) const { return device_.upload(bytes); }

  template <class T, class Body>
  void run(const picture<T>& source, picture<T>& destination, const Body& body) const {
    with_framed(source, destination, wide_, [&](auto& from, auto& to) {
      const auto read = device_.upload(from.memory());
      const auto written = device_.upload(to.memory());
      body(device_.execution(), from.view(static_cast<const T*>(read.template data<T>())),
           to.view(written.template data<T>()));
      to.memory() = device_.template download<T>(written, to.memory().size());
    });
  }

 private:
  gpu_tests::device_fixture device_;
  bool wide_;
};

}  // namespace median_tests
