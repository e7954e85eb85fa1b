#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <vector>

#include "tests/codec/pictures.hpp"
#include "tests/codec/samples.hpp"
#include "tests/codec/wavelet.hpp"

#include "gpuimg/codec/sample_kernels.hpp"
#include "gpuimg/codec/wavelet_kernels.hpp"
#include "gpuimg/simt/emulate.hpp"

using namespace gpuimg;
using codec_tests::padded_planes;

namespace {

/// Copies the low-pass rectangle of each plane.
template <class T>
void copy(const planar_view<T>& from, const planar_view<T>& to) {
  for (std::int64_t p = 0; p < from.planes; ++p) {
    for (std::int64_t y = 0; y < from.height; ++y) {
      std::copy_n(from.plane(p).row(y), from.width, to.plane(p).row(y));
    }
  }
}

template <class T>
std::vector<T> make_workspace(const planar_view<T>& view) {
  const auto size = codec::wavelet_planes<T>::workspace_size(view.width, view.height, view.planes);
  return std::vector<T>(static_cast<std::size_t>(size));
}

/// The kernels in the emulator.
struct emulator {
  simt::emulation options;

  auto runner() const {
    return [this](const auto& grid, const auto& kernel) { simt::emulate(grid, kernel, options); };
  }

  template <class T>
  void forward(padded_planes<T>& picture, int levels) const {
    std::vector<T> workspace = make_workspace(picture.view());
    const codec::wavelet_planes<T> planes(picture.view(), workspace.data(), levels);
    copy(picture.view(), planes.low_pass(0));
    codec::forward_cdf_5_3(planes, runner());
  }
  template <class T>
  void inverse(padded_planes<T>& picture, int levels, int undone) const {
    std::vector<T> workspace = make_workspace(picture.view());
    const codec::wavelet_planes<T> planes(picture.view(), workspace.data(), levels);
    codec::inverse_cdf_5_3(planes, undone, runner());
    copy(planes.low_pass(levels - undone), picture.view());
  }
  template <class S, class T>
  void load(const cube_view<const S>& cube, const codec::sample_format& format, padded_planes<T>& planes) const {
    runner()(codec::sample_grid(cube.width, cube.height, cube.bands),
             codec::load_samples_kernel<S, T>{cube, format, planes.view()});
  }
  template <class S, class T>
  void store(padded_planes<T>& planes, const codec::sample_format& format, const cube_view<S>& cube) const {
    runner()(codec::sample_grid(cube.width, cube.height, cube.bands),
             codec::store_samples_kernel<T, S>{planes.view(), format, cube});
  }
};

}  // namespace

TEST_CASE_TEMPLATE("the wavelet kernels compute what the host does", T, std::int16_t, std::int32_t) {
  codec_tests::check_wavelet_cases<T>(emulator{});
}

TEST_CASE("their result depends neither on the order of threads nor on what shared memory held") {
  const codec_tests::wavelet_case test{.width = 131, .height = 37, .levels = 2};
  codec_tests::check_wavelet<std::int16_t>(emulator{{.shared_fill = 0x35, .descending = true}}, test);
}

TEST_CASE("the two workspaces take a plane and a quarter") {
  using planes = codec::wavelet_planes<std::int16_t>;
  CHECK(planes::workspace_size(4096, 2160, 3) == 4096 * 2160 * 3 * 5 / 4);
  CHECK(planes::workspace_size(1, 1, 1) == 2);
  CHECK(planes::workspace_size(0, 7, 4) == 0);
}

TEST_CASE_TEMPLATE("the sample kernels compute what the oracle does", S, std::uint8_t, std::int8_t, std::uint16_t,
                   std::int16_t) {
  for (const auto& test : codec_tests::sample_cases<S>()) {
    CAPTURE(test.depth);
    CAPTURE(test.bands);
    codec_tests::check_samples_round_trip<S, std::int32_t>(emulator{}, test);
    if (test.depth <= 12) { codec_tests::check_samples_round_trip<S, std::int16_t>(emulator{}, test); }
  }
}

TEST_CASE("the kernel that loads samples reports those beyond the depth") {
  std::vector<std::uint16_t> samples(70 * 20, 1023);
  std::vector<std::int16_t> coefficients(samples.size());
  const cube_view<const std::uint16_t> cube(samples.data(), 70, 20, 1, interleave::bsq);
  const planar_view<std::int16_t> planes(coefficients.data(), 70, 20, 1);
  const auto misfit = [&](int depth) {
    std::uint32_t flag = 0;
    simt::emulate(codec::sample_grid(70, 20, 1),
                  codec::load_samples_kernel<std::uint16_t, std::int16_t>{cube, {.depth = depth}, planes, &flag});
    return flag;
  };
  CHECK(misfit(10) == 0);
  samples.back() = 1024;
  CHECK(misfit(10) == 1);
  CHECK(misfit(11) == 0);
}
