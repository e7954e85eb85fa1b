/// @file
/// The wavelet kernels against the host's transform; the same body for the emulator and a device.
///
/// A backend has forward(planes, levels) and inverse(planes, levels, undone), which transform padded_planes in place as
/// the host's functions do each plane; what inverse leaves outside of the resolution it reaches is not looked at.
#pragma once

#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>

#include "tests/codec/pictures.hpp"

#include "gpuimg/codec/subband.hpp"
#include "gpuimg/codec/wavelet_transform.hpp"

namespace codec_tests {

struct wavelet_case {
  std::int64_t width = 0;
  std::int64_t height = 0;
  int levels = 1;
  std::int64_t planes = 1;
};

/// Samples of the first `width` x `height` of each plane that differ.
template <class T>
std::size_t plane_differences(padded_planes<T>& a, padded_planes<T>& b, std::int64_t width, std::int64_t height) {
  std::size_t count = 0;
  for (std::int64_t p = 0; p < a.view().planes; ++p) {
    for (std::int64_t y = 0; y < height; ++y) {
      for (std::int64_t x = 0; x < width; ++x) { count += a.plane(p)(x, y) != b.plane(p)(x, y); }
    }
  }
  return count;
}

/// Forward, then back by some levels and by all, on samples of any size that T holds: wrapping is the same too.
template <class T, class Backend>
void check_wavelet(const Backend& backend, const wavelet_case& test) {
  using namespace gpuimg;
  CAPTURE(test.width);
  CAPTURE(test.height);
  CAPTURE(test.levels);
  number_source numbers(static_cast<std::uint64_t>(test.width * 77 + test.height));
  padded_planes<T> picture(test.width, test.height, test.planes, 3);
  picture.fill(numbers);
  auto expected = picture;
  for (std::int64_t p = 0; p < test.planes; ++p) { codec::forward_cdf_5_3(host{1}, expected.plane(p), test.levels); }
  auto actual = picture;
  backend.forward(actual, test.levels);
  REQUIRE(plane_differences(actual, expected, test.width, test.height) == 0);
  REQUIRE(actual.padding_is_intact());

  for (const int undone : {test.levels, test.levels / 2}) {
    CAPTURE(undone);
    auto back = expected;
    for (std::int64_t p = 0; p < test.planes; ++p) {
      codec::inverse_cdf_5_3(host{1}, back.plane(p), test.levels, undone);
    }
    actual = expected;
    backend.inverse(actual, test.levels, undone);
    const int left = test.levels - undone;
    REQUIRE(plane_differences(actual, back, codec::low_size(test.width, left), codec::low_size(test.height, left)) ==
            0);
    REQUIRE(actual.padding_is_intact());
  }
}

/// Every parity and border of one tile and of a few (a tile has 128 x 32 samples).
template <class T, class Backend>
void check_wavelet_cases(const Backend& backend) {
  const wavelet_case cases[] = {
      {0, 5, 2},   {5, 0, 2},       {1, 1, 3},       {1, 2, 1},      {2, 1, 1},    {2, 2, 2},    {3, 3, 2},
      {1, 33, 6},  {33, 1, 6},      {4, 3, 1},       {5, 4, 3},      {7, 17, 4},   {8, 16, 0},   {16, 31, 3},
      {17, 32, 2}, {33, 33, 6},     {127, 31, 2, 2}, {128, 32, 3},   {129, 33, 3}, {130, 34, 2}, {131, 3, 1},
      {3, 67, 2},  {257, 65, 4, 3}, {258, 64, 5},    {131, 101, 32},
  };
  for (const auto& test : cases) { check_wavelet<T>(backend, test); }
}

}  // namespace codec_tests
