/// @file
/// Samples to coefficients and back, against the oracle; the same body for the host, the emulator and a device.
///
/// A backend has load(cube, format, planes), whose planes it writes, and store(planes, format, cube), whose cube it
/// writes. Views are of host memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <type_traits>
#include <vector>

#include "tests/codec/pictures.hpp"
#include "tests/oracle/color.hpp"

#include "gpuimg/codec/sample_transform.hpp"

namespace codec_tests {

struct sample_case {
  std::int64_t width = 0;
  std::int64_t height = 0;
  std::int64_t bands = 1;
  int depth = 8;
  bool color_transform = false;
  std::array<int, 3> color = {0, 1, 2};
  gpuimg::interleave order = gpuimg::interleave::bip;
};

/// Sizes from nothing up, one to many bands, every order and depth, colour on any components.
template <class S>
std::vector<sample_case> sample_cases() {
  using gpuimg::interleave;
  std::vector<sample_case> cases = {
      {.width = 0, .height = 5, .bands = 3, .color_transform = true},
      {.width = 5, .height = 0, .bands = 1},
      {.width = 1, .height = 1, .bands = 1},
      {.width = 65, .height = 17, .bands = 3, .color_transform = true},
      {.width = 33, .height = 40, .bands = 3, .order = interleave::bsq},
      {.width = 129, .height = 3, .bands = 4, .color_transform = true, .color = {3, 0, 2}, .order = interleave::bil},
      {.width = 7, .height = 19, .bands = 37, .color_transform = true, .color = {36, 2, 17}, .order = interleave::bsq},
      {.width = 3, .height = 2, .bands = 70, .order = interleave::bip},
  };
  constexpr int most = 8 * static_cast<int>(sizeof(S));
  for (auto& test : cases) { test.depth = most; }
  for (int depth = 1; depth <= most; ++depth) {
    cases.push_back({.width = 13, .height = 4, .bands = 3, .depth = depth, .color_transform = depth % 2 == 0});
  }
  return cases;
}

/// What load_samples() does, the slow way.
template <class S>
std::int64_t expected_coefficient(const gpuimg::cube_view<const S>& cube, const sample_case& test, std::int64_t x,
                                  std::int64_t y, std::int64_t band) {
  const auto shifted = [&](std::int64_t b) {
    return cube(x, y, b) - gpuimg::oracle::level_shift(test.depth, std::is_signed_v<S>);
  };
  for (std::size_t i = 0; test.color_transform && i < 3; ++i) {
    if (test.color[i] != band) { continue; }
    return gpuimg::oracle::forward_color({shifted(test.color[0]), shifted(test.color[1]), shifted(test.color[2])})[i];
  }
  return shifted(band);
}

/// T holds all coefficients of the case.
template <class S, class T, class Backend>
void check_samples_round_trip(const Backend& backend, const sample_case& test) {
  using namespace gpuimg;
  number_source numbers(static_cast<std::uint64_t>(test.width + 31 * test.bands + 1009 * test.depth));
  const auto range = oracle::range_of(test.depth, std::is_signed_v<S>);
  std::vector<S> samples(static_cast<std::size_t>(test.width * test.height * test.bands));
  for (S& sample : samples) {
    const std::int64_t offset = numbers.next() % (std::uint32_t{1} << test.depth);
    sample = static_cast<S>(range.low + offset);
  }
  const cube_view<const S> cube(samples.data(), test.width, test.height, test.bands, test.order);
  const codec::sample_format format{.depth = test.depth,
                                    .color_transform = test.color_transform,
                                    .color_components = {test.color[0], test.color[1], test.color[2]}};
  padded_planes<T> coefficients(test.width, test.height, test.bands, 2);
  backend.load(cube, format, coefficients);
  std::size_t wrong = 0;
  for (std::int64_t band = 0; band < test.bands; ++band) {
    for (std::int64_t y = 0; y < test.height; ++y) {
      for (std::int64_t x = 0; x < test.width; ++x) {
        wrong += coefficients.plane(band)(x, y) != expected_coefficient(cube, test, x, y, band);
      }
    }
  }
  CHECK(wrong == 0);
  CHECK(coefficients.padding_is_intact());
  std::vector<S> back(samples.size());
  backend.store(coefficients, format, cube_view<S>(back.data(), test.width, test.height, test.bands, test.order));
  CHECK(back == samples);
}

struct host_samples {
  unsigned threads = 1;

  template <class S, class T>
  void load(const gpuimg::cube_view<const S>& cube, const gpuimg::codec::sample_format& format,
            padded_planes<T>& planes) const {
    gpuimg::codec::load_samples(gpuimg::host{threads}, cube, format, planes.view());
  }
  template <class S, class T>
  void store(padded_planes<T>& planes, const gpuimg::codec::sample_format& format,
             const gpuimg::cube_view<S>& cube) const {
    gpuimg::codec::store_samples(gpuimg::host{threads}, planes.view(), format, cube);
  }
};

}  // namespace codec_tests
