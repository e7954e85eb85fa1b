/// @file
/// Convolution by tables: SciPy's tests of ndimage.correlate and ndimage.convolve as facts, and what users of other
/// libraries reported. Over a place as convolution_cases.hpp has it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <limits>
#include <vector>

#include "tests/filter/convolution_cases.hpp"

namespace filter_tests {

/// A kernel over a picture, and the samples that come of it.
template <class T, class Kernel, class Place>
std::vector<T> result_of(const Place& place, const placement& picture, const std::vector<T>& samples,
                         const Kernel& kernel, bool turned, const convolution_options& options = {}) {
  auto source = place.upload(samples);
  auto destination = place.upload(std::vector<T>(samples.size()));
  place.template run<filter::automatic_sum>(picture.view(static_cast<const T*>(source.data())),
                                            picture.view(destination.data()), kernel, turned, options);
  return destination.values();
}

/// A line of the table: what SciPy gives for a picture of `width` samples to a row. SciPy's `origin` is added to the
/// anchor of the middle.
struct scipy_fact {
  std::vector<std::int32_t> in;
  int width;
  std::vector<std::int32_t> kernel;
  int kernel_width;
  std::vector<std::int32_t> correlated;
  std::vector<std::int32_t> convolved;
  border mode = border::reflect;
  int origin_x = 0;
  int origin_y = 0;
};

template <class T, class C, class Place>
void check_scipy_facts_in(const Place& place) {
  const std::vector<std::int32_t> two_by_three{1, 2, 3, 4, 5, 6};
  const std::vector<std::int32_t> doubled{1, 2, 3, 2, 4, 6};
  const scipy_fact facts[] = {
      {{1, 2}, 2, {2}, 1, {2, 4}, {2, 4}},
      {{1, 2, 3}, 3, {1}, 1, {1, 2, 3}, {1, 2, 3}},
      {{1}, 1, {1, 1}, 2, {2}, {2}},
      {{1, 2}, 2, {1, 1}, 2, {2, 3}, {3, 4}},
      {{1, 2, 3}, 3, {1, 1}, 2, {2, 3, 5}, {3, 5, 6}},
      {{1, 2, 3}, 3, {1, 2, 3}, 3, {9, 14, 17}, {7, 10, 15}},
      {{1, 2, 3}, 3, {1, 2, 1}, 3, {5, 8, 11}, {5, 8, 11}},
      {{1, 2, 3}, 3, {1, 2, -1}, 3, {1, 2, 5}, {3, 6, 7}},
      {two_by_three, 3, {1, 1, 1, 1}, 2, {4, 6, 10, 10, 12, 16}, {12, 16, 18, 18, 22, 24}},
      {two_by_three, 3, {1, 0, 0, 1}, 2, {2, 3, 5, 5, 6, 8}, {6, 8, 9, 9, 11, 12}},
      {two_by_three, 3, {1, 0, 0, 1}, 2, {6, 8, 9, 9, 11, 12}, {2, 3, 5, 5, 6, 8}, border::replicate, -1, -1},
      {two_by_three, 3, {1, 0, 0, 1}, 2, {5, 6, 8, 8, 9, 11}, {3, 5, 6, 6, 8, 9}, border::replicate, 0, -1},
      {doubled, 3, {1, 2, 1}, 1, {5, 10, 15, 7, 14, 21}, {5, 10, 15, 7, 14, 21}},
      {doubled, 3, {1, 2, 1}, 1, {7, 14, 21, 8, 16, 24}, {4, 8, 12, 5, 10, 15}, border::replicate, 0, -1},
  };
  for (const auto& fact : facts) {
    const std::vector<T> in(fact.in.begin(), fact.in.end());
    const std::vector<C> coefficients(fact.kernel.begin(), fact.kernel.end());
    const auto picture = packed(fact.width, static_cast<std::int64_t>(in.size()) / fact.width);
    const int height = static_cast<int>(coefficients.size()) / fact.kernel_width;
    const filter::kernel_view<C> kernel(coefficients.data(), fact.kernel_width, height,
                                        fact.kernel_width / 2 + fact.origin_x, height / 2 + fact.origin_y);
    CAPTURE(fact.in);
    CAPTURE(fact.kernel);
    const convolution_options options{.mode = fact.mode};
    CHECK(result_of(place, picture, in, kernel, false, options) ==
          std::vector<T>(fact.correlated.begin(), fact.correlated.end()));
    CHECK(result_of(place, picture, in, kernel, true, options) ==
          std::vector<T>(fact.convolved.begin(), fact.convolved.end()));
  }
}

template <class Place>
void check_scipy_facts(const Place& place) {
  check_scipy_facts_in<std::int32_t, std::int32_t>(place);
  check_scipy_facts_in<std::int16_t, float>(place);
  check_scipy_facts_in<float, float>(place);
  check_scipy_facts_in<double, double>(place);
}

/// A point shows the kernel as it is written when convolved, turned when correlated (kornia/kornia#2263).
template <class Place>
void check_turning(const Place& place) {
  const std::vector<float> ramp{1, 2, 3, 4, 5, 6, 7, 8, 9};
  const filter::kernel_view<float> kernel(ramp.data(), 3, 3);
  for (const int side : {5, 64}) {  // of 64, a thread's strip sees the point
    const auto length = static_cast<std::size_t>(side);
    const std::size_t middle = length / 2 * length + length / 2;
    std::vector<float> delta(length * length, 0.0f);
    delta[middle] = 1;
    for (const bool turned : {false, true}) {
      const auto out = result_of(place, packed(side, side), delta, kernel, turned);
      for (std::size_t i = 0; i < 9; ++i) {
        CHECK(out[middle + i / 3 * length + i % 3 - length - 1] == ramp[turned ? i : 8 - i]);
      }
    }
  }
}

/// The value of a constant border, in samples that can hold it and in others (scipy/scipy#10527).
template <class Place>
void check_border_values(const Place& place) {
  const std::vector<float> ones(3, 1.0f);
  const filter::kernel_view<float> kernel(ones.data(), 3, 1);
  const auto row = packed(5, 1);
  const std::vector<float> in{1, 2, 3, 2, 1};
  CHECK(result_of(place, row, in, kernel, false, {.mode = border::constant, .value = 0.1}) ==
        std::vector<float>{3.1f, 6, 7, 6, 3.1f});
  const auto nan = std::numeric_limits<double>::quiet_NaN();
  const auto open = result_of(place, row, in, kernel, false, {.mode = border::constant, .value = nan});
  CHECK(open[0] != open[0]);
  CHECK(std::vector<float>(open.begin() + 1, open.begin() + 4) == std::vector<float>{6, 7, 6});
  CHECK(open[4] != open[4]);
  const std::vector<std::int32_t> counts(3, 1);
  const filter::kernel_view<std::int32_t> whole(counts.data(), 3, 1);
  CHECK(result_of<std::int32_t>(place, row, {1, 2, 3, 2, 1}, whole, false, {.mode = border::constant, .value = 0.1}) ==
        std::vector<std::int32_t>{3, 6, 7, 6, 3});
  CHECK_THROWS_AS(
      result_of<std::int32_t>(place, row, {1, 2, 3, 2, 1}, whole, false, {.mode = border::constant, .value = nan}),
      error);
}

/// Full HD in rows of 2048 samples: the padding of the output stays as it was (CVCUDA/CV-CUDA#218, #159).
template <class Place>
void check_padding(const Place& place) {
  const auto picture = pitched(1920, 1080, 2048, 0);
  std::vector<std::uint8_t> samples = random_values<std::uint8_t>(picture.size(), 8);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (i % 2048 >= 1920) { samples[i] = 0xA5; }
  }
  const auto kernel = make_kernel<float, 3, 3>();
  check_kernel<filter::automatic_sum, float, std::uint8_t, std::uint8_t>(place, picture, picture, samples, kernel,
                                                                         kernel.view(), false, {});
}

/// Narrow pictures higher than a grid of 65535 rows of blocks (opencv/opencv_contrib#4153).
template <class Place>
void check_tall_pictures(const Place& place) {
  const filter::static_kernel<float, 3, 1> along_x{{-1, 0, 1}};
  const filter::static_kernel<float, 1, 3> along_y{{-1, 0, 1}};
  for (const std::int64_t height : {524280, 524288, 524289, 700000}) {
    const placement tall = packed(3, height);
    const auto samples = random_values<float>(tall.size(), 2);
    check_kernel<filter::automatic_sum, float, float, float>(place, tall, tall, samples, along_x, along_x.view(), false,
                                                             {});
    check_kernel<filter::automatic_sum, float, float, float>(place, tall, tall, samples, along_y, along_y.view(), true,
                                                             {});
  }
}

}  // namespace filter_tests
