// Convolution on a device: the same cases as on the host and in the emulator, bit for bit, and pictures of its own
// size; that of more than 2^31 samples for those who set GPUIMG_LARGE (4 GB of device memory).
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <doctest/doctest.h>
#include <vector>

#include "tests/filter/convolution_cases.hpp"
#include "tests/filter/convolution_tables.hpp"
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

  TEST_CASE_FIXTURE(device_place, "results of SciPy's tests") { check_scipy_facts(*this); }
  TEST_CASE_FIXTURE(device_place, "convolution turns the kernel, correlation does not") { check_turning(*this); }
  TEST_CASE_FIXTURE(device_place, "the value of a constant border") { check_border_values(*this); }
  TEST_CASE_FIXTURE(device_place, "padding of rows") { check_padding(*this); }
  TEST_CASE_FIXTURE(device_place, "tall pictures") { check_tall_pictures(*this); }

  TEST_CASE_FIXTURE(device_place, "more than 2^31 samples, cropped out of longer rows" *
                                      doctest::skip(std::getenv("GPUIMG_LARGE") == nullptr)) {
    const placement large = pitched(32763, 65600, 32800, 13);
    const auto sample = [](std::int64_t x, std::int64_t y) {
      return static_cast<std::uint8_t>((static_cast<std::uint64_t>(x * 40503 + y * 30011) * 2654435761u) >> 24);
    };
    const simt::device_buffer from(execution(), large.size());
    const simt::device_buffer to(execution(), large.size());
    const image_view<std::uint8_t> in{from.data<std::uint8_t>() + large.first, large.width, large.height, large.y_step};
    const image_view<std::uint8_t> out{to.data<std::uint8_t>() + large.first, large.width, large.height, large.y_step};
    std::vector<std::uint8_t> rows;
    constexpr std::int64_t batch = 1600;
    for (std::int64_t y = 0; y < large.height; y += batch) {
      rows.assign(static_cast<std::size_t>(batch * large.y_step), 0);
      for (std::int64_t i = 0; i < batch; ++i) {
        for (std::int64_t x = 0; x < large.width; ++x) {
          rows[static_cast<std::size_t>(i * large.y_step + x)] = sample(x, y + i);
        }
      }
      simt::check_cuda(cudaMemcpy2D(in.row(y), 32800, rows.data(), 32800, 32763, batch, cudaMemcpyHostToDevice),
                       "fill");
    }
    const auto kernel = make_kernel<std::int32_t, 3, 3>();
    filter::correlate(execution(), image_view<const std::uint8_t>(in), out, kernel);
    wait();
    // The first and last rows, and those around 2^31 samples.
    for (const std::int64_t first : {std::int64_t{1}, std::int64_t{65460}, std::int64_t{65535}, large.height - 65}) {
      const std::int64_t count = 64;
      rows.assign(static_cast<std::size_t>(count * large.width), 0);
      simt::check_cuda(cudaMemcpy2D(rows.data(), 32763, out.row(first), 32800, 32763, count, cudaMemcpyDeviceToHost),
                       "download");
      std::size_t wrong = 0;
      for (std::int64_t y = 0; y < count; ++y) {
        for (std::int64_t x = 1; x + 1 < large.width; ++x) {
          int sum = 0;
          for (int k = 0; k < 9; ++k) { sum += kernel(k % 3, k / 3) * sample(x + k % 3 - 1, first + y + k / 3 - 1); }
          const int expected = sum < 0 ? 0 : sum > 255 ? 255 : sum;
          wrong += rows[static_cast<std::size_t>(y * large.width + x)] == expected ? 0 : 1;
        }
      }
      CAPTURE(first);
      CHECK(wrong == 0);
    }
  }
}
