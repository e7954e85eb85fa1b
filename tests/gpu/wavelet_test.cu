#include <cstddef>
#include <cstdint>
#include <cuda_runtime.h>
#include <doctest/doctest.h>
#include <vector>

#include "tests/codec/pictures.hpp"
#include "tests/codec/samples.hpp"
#include "tests/codec/wavelet.hpp"

#include "gpuimg/codec/sample_kernels.hpp"
#include "gpuimg/codec/wavelet_kernels.hpp"
#include "gpuimg/simt/cuda_memory.cuh"
#include "gpuimg/simt/launch.cuh"

using namespace gpuimg;
using codec_tests::padded_planes;

namespace {

/// A copy of host memory on the device.
template <class T>
class device_copy {
 public:
  explicit device_copy(const std::vector<T>& source)
      : bytes_(source.size() * sizeof(T)), buffer_(gpuimg::cuda{}, bytes_ + sizeof(T)) {
    simt::check_cuda(cudaMemcpy(data(), source.data(), bytes_, cudaMemcpyHostToDevice), "copy to the device");
  }
  T* data() const { return buffer_.template data<T>(); }
  void read(std::vector<T>& destination) const {
    simt::check_cuda(cudaMemcpy(destination.data(), data(), bytes_, cudaMemcpyDeviceToHost), "copy from the device");
  }

 private:
  std::size_t bytes_;
  simt::device_buffer buffer_;
};

/// Copies the low-pass rectangle of each plane, on the device.
template <class T>
void copy(const planar_view<T>& from, const planar_view<T>& to) {
  if (from.empty()) { return; }
  for (std::int64_t p = 0; p < from.planes; ++p) {
    simt::check_cuda(
        cudaMemcpy2D(to.plane(p).data, static_cast<std::size_t>(to.pitch), from.plane(p).data,
                     static_cast<std::size_t>(from.pitch), static_cast<std::size_t>(from.width) * sizeof(T),
                     static_cast<std::size_t>(from.height), cudaMemcpyDeviceToDevice),
        "copy of planes");
  }
}

auto runner() {
  return [](const auto& grid, const auto& kernel) { simt::launch(gpuimg::cuda{}, grid, kernel); };
}

/// The kernels on device 0.
struct device {
  template <class T>
  void forward(padded_planes<T>& picture, int levels) const {
    const device_copy<T> memory(picture.samples());
    const device_copy<T> workspace = make_workspace(picture.view());
    const codec::wavelet_planes<T> planes(picture.view(memory.data()), workspace.data(), levels);
    if (levels > 0) { copy(planes.coefficients(), planes.low_pass(0)); }
    codec::forward_cdf_5_3(planes, runner());
    memory.read(picture.samples());
  }
  template <class T>
  void inverse(padded_planes<T>& picture, int levels, int undone) const {
    const device_copy<T> memory(picture.samples());
    const device_copy<T> workspace = make_workspace(picture.view());
    const codec::wavelet_planes<T> planes(picture.view(memory.data()), workspace.data(), levels);
    codec::inverse_cdf_5_3(planes, undone, runner());
    if (undone > 0) { copy(planes.low_pass(levels - undone), planes.coefficients()); }
    memory.read(picture.samples());
  }
  template <class S, class T>
  void load(const cube_view<const S>& cube, const codec::sample_format& format, padded_planes<T>& planes) const {
    const std::vector<S> samples(cube.data, cube.data + cube.size());
    const device_copy<S> source(samples);
    const device_copy<T> memory(planes.samples());
    auto on_device = cube;
    on_device.data = source.data();
    runner()(codec::sample_grid(cube.width, cube.height, cube.bands),
             codec::load_samples_kernel<S, T>{on_device, format, planes.view(memory.data())});
    memory.read(planes.samples());
  }
  template <class S, class T>
  void store(padded_planes<T>& planes, const codec::sample_format& format, const cube_view<S>& cube) const {
    std::vector<S> samples(cube.data, cube.data + cube.size());
    const device_copy<S> destination(samples);
    const device_copy<T> memory(planes.samples());
    auto on_device = cube;
    on_device.data = destination.data();
    runner()(codec::sample_grid(cube.width, cube.height, cube.bands),
             codec::store_samples_kernel<T, S>{planes.view(memory.data()), format, on_device});
    destination.read(samples);
    for (std::size_t i = 0; i < samples.size(); ++i) { cube.data[i] = samples[i]; }
  }

 private:
  template <class T>
  static device_copy<T> make_workspace(const planar_view<T>& view) {
    return device_copy<T>(std::vector<T>(
        static_cast<std::size_t>(codec::wavelet_planes<T>::workspace_size(view.width, view.height, view.planes))));
  }
};

}  // namespace

TEST_CASE_TEMPLATE("the wavelet kernels compute what the host does", T, std::int16_t, std::int32_t) {
  codec_tests::check_wavelet_cases<T>(device{});
  codec_tests::check_wavelet<T>(device{}, {.width = 1921, .height = 1083, .levels = 6, .planes = 3});
}

TEST_CASE("more rows of tiles than a CUDA grid has along y") {
  codec_tests::check_wavelet<std::int16_t>(device{}, {.width = 3, .height = 32 * 65536 + 5, .levels = 2});
}

TEST_CASE_TEMPLATE("the sample kernels compute what the oracle does", S, std::uint8_t, std::int8_t, std::uint16_t,
                   std::int16_t) {
  for (const auto& test : codec_tests::sample_cases<S>()) {
    CAPTURE(test.depth);
    CAPTURE(test.bands);
    codec_tests::check_samples_round_trip<S, std::int32_t>(device{}, test);
    if (test.depth <= 12) { codec_tests::check_samples_round_trip<S, std::int16_t>(device{}, test); }
  }
}
