// Convolution on a device: the same cases as on the host and in the emulator, bit for bit, and pictures of its own
// size.
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <vector>

#include "tests/filter/convolution_cases.hpp"
#include "tests/gpu/device_fixture.hpp"

#include "gpuimg/filter/convolution.cuh"

using namespace filter_tests;

namespace {

template <class T>
struct device_values {
  const gpu_tests::device_fixture* device;
  std::size_t count;
  simt::device_buffer buffer;

  T* data() const noexcept { return buffer.template data<T>(); }
  std::vector<T> values() const { return device->download<T>(buffer, count); }
};

struct device_place : gpu_tests::device_fixture {
  template <class T>
  device_values<T> upload(const std::vector<T>& values) const {
    return {this, values.size(), gpu_tests::device_fixture::upload(values)};
  }
  template <class Sum, class S, class D, class Kernel>
  void run(const cube_view<const S>& source, const cube_view<D>& destination, const Kernel& kernel, bool turned,
           const convolution_options& options) const {
    if (turned) {
      filter::convolve<Sum>(execution(), source, destination, kernel, options);
    } else {
      filter::correlate<Sum>(execution(), source, destination, kernel, options);
    }
  }
};

}  // namespace

TEST_SUITE("convolution") {
  TEST_CASE_FIXTURE(device_place, "sizes, even and odd, and anchors") { check_sizes(*this); }
  TEST_CASE_FIXTURE(device_place, "borders, of pictures smaller than the window too") { check_borders(*this); }
  TEST_CASE_FIXTURE(device_place, "pitches, crops, planes, interleaved channels, empty pictures") {
    check_layouts(*this);
  }
  TEST_CASE_FIXTURE(device_place, "types of samples and coefficients") { check_types(*this); }
  TEST_CASE_FIXTURE(device_place, "integer sums are exact at any size, and divided") { check_exact_sums(*this); }
  TEST_CASE_FIXTURE(device_place, "a row and a column") { check_products(*this); }
  TEST_CASE_FIXTURE(device_place, "NaN stays within the window") { check_nan_stays(*this); }
  TEST_CASE_FIXTURE(device_place, "rounding and saturation") { check_rounding(*this); }
  TEST_CASE_FIXTURE(device_place, "kernels of a static size, sums of a chosen type") { check_static_kernels(*this); }
  TEST_CASE_FIXTURE(device_place, "kernels up to 127 x 127") {
    check_size<float, float, float>(*this, packed(70, 65), packed(70, 65), 127, 127, false, {});
  }

  TEST_CASE_FIXTURE(device_place, "tall pictures") {
    const placement tall = packed(3, 700000);
    const filter::static_kernel<float, 3, 1> along_x{{-1, 0, 1}};
    const filter::static_kernel<float, 1, 3> along_y{{-1, 0, 1}};
    const auto samples = random_values<float>(tall.size(), 2);
    check_kernel<filter::automatic_sum, float, float, float>(*this, tall, tall, samples, along_x, along_x.view(), false,
                                                             {});
    check_kernel<filter::automatic_sum, float, float, float>(*this, tall, tall, samples, along_y, along_y.view(), true,
                                                             {});
  }

  TEST_CASE_FIXTURE(device_place, "large: more than 2^31 samples" * doctest::skip(true)) {
    const placement large = packed(32768, 65600);
    const simt::device_buffer from(execution(), large.size());
    const simt::device_buffer to(execution(), large.size());
    simt::check_cuda(cudaMemsetAsync(from.data(), 7, large.size(), execution().stream), "fill");
    const filter::static_kernel<float, 3, 3> kernel{{1, 1, 1, 1, 1, 1, 1, 1, 1}};
    filter::correlate(execution(), large.view(static_cast<const std::uint8_t*>(from.data<std::uint8_t>())),
                      large.view(to.data<std::uint8_t>()), kernel);
    const auto values = download<std::uint8_t>(to, large.size());
    std::size_t wrong = 0;
    for (const std::uint8_t v : values) { wrong += v == 63 ? 0 : 1; }
    CHECK(wrong == 0);
  }
}
