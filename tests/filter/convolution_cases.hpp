/// @file
/// What convolution must do wherever it runs. Each case is a template over a place: correlate<Sum>(source, destination,
/// kernel, turned, options) of pictures in the place's memory, made from test_picture by upload() and read by values().
#pragma once

#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

#include "tests/oracle/convolution.hpp"

#include "gpuimg/core/image_view.hpp"
#include "gpuimg/filter/convolution.hpp"
#include "gpuimg/filter/smoothing.hpp"

namespace filter_tests {

using namespace gpuimg;
using filter::border;
using filter::convolution_options;

inline constexpr border all_borders[] = {border::constant, border::replicate, border::reflect, border::reflect101,
                                         border::wrap};

/// How a picture lies in a buffer; strides in samples.
struct placement {
  std::int64_t width = 0;
  std::int64_t height = 0;
  std::int64_t bands = 1;
  std::int64_t x_step = 1;
  std::int64_t y_step = 0;
  std::int64_t band_step = 0;
  std::int64_t first = 0;  ///< number of the sample (0, 0, 0)

  std::size_t size() const {
    if (width == 0 || height == 0 || bands == 0) { return 0; }
    return static_cast<std::size_t>(first + (width - 1) * x_step + (height - 1) * y_step + (bands - 1) * band_step + 1);
  }
  template <class T>
  cube_view<T> view(T* data) const {
    constexpr auto one = static_cast<std::int64_t>(sizeof(T));
    return {data + (size() == 0 ? 0 : first), width, height, bands, x_step * one, y_step * one, band_step * one};
  }
};

inline placement packed(std::int64_t w, std::int64_t h) { return {w, h, 1, 1, w, w * h, 0}; }
inline placement pitched(std::int64_t w, std::int64_t h, std::int64_t pitch, std::int64_t first) {
  return {w, h, 1, 1, pitch, pitch * h, first};
}
inline placement planar(std::int64_t w, std::int64_t h, std::int64_t bands) {
  return {w, h, bands, 1, w + 3, (w + 3) * h, 0};
}
inline placement interleaved(std::int64_t w, std::int64_t h, std::int64_t bands) {
  return {w, h, bands, bands, w * bands, 1, 0};
}

/// Values of a wide range, or of -1..1 for fractions; some extremes.
template <class T>
std::vector<T> random_values(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<T> values(count);
  for (T& v : values) {
    if constexpr (std::is_floating_point_v<T>) {
      v = static_cast<T>(static_cast<double>(random()) / 2147483648.0 - 1.0);
    } else {
      v = static_cast<T>(random());
      if (random() % 8 == 0) { v = random() % 2 == 0 ? std::numeric_limits<T>::min() : std::numeric_limits<T>::max(); }
    }
  }
  return values;
}

template <class T>
bool same(T a, T b) {
  return a == b || (a != a && b != b);
}

/// Filters by a kernel in the type A of the sums and compares every sample, and that nothing else is written.
template <class Sum, class A, class S, class D, class C, class Place, class Kernel>
void check_kernel(const Place& place, const placement& from, const placement& to, const std::vector<S>& samples,
                  const Kernel& kernel, const filter::kernel_view<C>& view, bool turned,
                  const convolution_options& options) {
  auto source = place.upload(samples);
  const std::vector<D> before = random_values<D>(to.size(), 99);
  auto destination = place.upload(before);
  place.template run<Sum>(from.view(static_cast<const S*>(source.data())), to.view(destination.data()), kernel, turned,
                          options);
  std::vector<D> expected = before;
  oracle::kernel<A> k{{}, view.width, view.height, view.anchor_x, view.anchor_y};
  for (std::size_t i = 0; i < view.size(); ++i) { k.values.push_back(static_cast<A>(view.data[i])); }
  const auto sums =
      oracle::sums<A, S>(from.view(samples.data()), k, turned, options.mode, oracle::rounded<S>(options.value));
  std::size_t n = 0;
  const auto cells = to.view(expected.data());
  for (std::int64_t b = 0; b < to.bands; ++b) {
    for (std::int64_t y = 0; y < to.height; ++y) {
      for (std::int64_t x = 0; x < to.width; ++x) {
        if constexpr (std::is_integral_v<A> && std::is_integral_v<D>) {
          cells(x, y, b) = oracle::rounded<D>(oracle::quotient(static_cast<std::int64_t>(sums[n++]), options.divisor));
        } else {
          cells(x, y, b) = oracle::rounded<D>(sums[n++]);
        }
      }
    }
  }
  const std::vector<D> actual = destination.values();
  std::size_t wrong = 0;
  std::size_t first = 0;
  for (std::size_t i = actual.size(); i-- > 0;) {
    if (!same(actual[i], expected[i])) {
      ++wrong;
      first = i;
    }
  }
  CAPTURE(first);
  CAPTURE(from.width);
  CAPTURE(from.height);
  CAPTURE(static_cast<int>(options.mode));
  CHECK(wrong == 0);
}

/// The type that an exact or floating-point sum has in the oracle.
template <class S, class C>
using oracle_sum = std::conditional_t<std::is_integral_v<S> && std::is_integral_v<C>, std::int64_t,
                                      filter::detail::floating_sum<S, C>>;

template <class S, class D, class C, class Place>
void check_size(const Place& place, const placement& from, const placement& to, int width, int height, bool turned,
                const convolution_options& options, int anchor_x = -1, int anchor_y = -1) {
  std::mt19937 random(static_cast<unsigned>(width * 131 + height));
  std::vector<C> coefficients(static_cast<std::size_t>(width * height));
  for (C& c : coefficients) {
    const int value = static_cast<int>(random() % 15) - 7;
    c = std::is_integral_v<C> ? static_cast<C>(value) : static_cast<C>(value) / static_cast<C>(width * height);
  }
  const filter::kernel_view<C> kernel(coefficients.data(), width, height, anchor_x < 0 ? width / 2 : anchor_x,
                                      anchor_y < 0 ? height / 2 : anchor_y);
  CAPTURE(width);
  CAPTURE(height);
  check_kernel<filter::automatic_sum, oracle_sum<S, C>, S, D>(place, from, to, random_values<S>(from.size(), 7), kernel,
                                                              kernel, turned, options);
}

// The cases.

// Kernels read aligned groups where rows start at whole multiples of 8 or 16 bytes, and all else another way: widths
// and pitches of either kind are among the cases.

template <class Place>
void check_sizes(const Place& place) {
  const auto picture = packed(148, 37);
  for (const int side : {1, 2, 3, 4, 5, 7, 9, 15, 17}) {
    check_size<float, float, float>(place, picture, picture, side, side, side % 2 == 0, {});
  }
  check_size<float, float, float>(place, picture, picture, 40, 33, false, {.mode = border::wrap});
  check_size<float, float, float>(place, picture, picture, 3, 1, false, {});
  check_size<float, float, float>(place, picture, picture, 1, 19, true, {});
  check_size<float, float, float>(place, picture, picture, 5, 5, false, {}, 0, 4);
  check_size<float, float, float>(place, picture, picture, 3, 3, true, {}, 2, 0);
  for (const int side : {3, 5, 7, 9, 11, 13, 15}) {
    const auto bytes = packed(304, 25);
    check_size<std::uint8_t, std::uint8_t, float>(place, bytes, bytes, side, side, false, {});
    check_size<std::uint8_t, std::int16_t, std::int32_t>(place, bytes, bytes, side, side, true, {.mode = border::wrap});
    const auto anywhere = pitched(150, 26, 153, 1);
    check_size<std::uint8_t, std::uint8_t, float>(place, anywhere, anywhere, side, side, false, {});
    check_size<float, float, float>(place, packed(150, 26), anywhere, side, side, true, {});
  }
}

template <class Place>
void check_borders(const Place& place) {
  for (const border mode : all_borders) {
    const convolution_options options{.mode = mode, .value = 0.75};
    for (const auto& picture :
         {packed(1, 1), packed(2, 1), packed(1, 3), packed(7, 5), packed(33, 9), packed(141, 20), packed(144, 21)}) {
      check_size<float, float, float>(place, picture, picture, 5, 5, false, options);
      check_size<float, float, float>(place, picture, picture, 6, 3, true, options);
    }
    for (const auto& picture : {packed(300, 18), packed(304, 18)}) {
      check_size<std::uint8_t, std::uint8_t, std::int32_t>(place, picture, picture, 3, 3, false, options);
    }
  }
}

template <class Place>
void check_layouts(const Place& place) {
  const auto each = [&](const placement& from, const placement& to) {
    check_size<std::uint8_t, std::uint8_t, float>(place, from, to, 3, 3, false, {});
    check_size<float, float, float>(place, from, to, 5, 3, false, {});
    check_size<float, float, float>(place, from, to, 3, 3, true, {});
  };
  each(pitched(270, 12, 288, 0), packed(270, 12));
  each(pitched(270, 12, 288, 5), pitched(270, 12, 304, 3));
  each(pitched(140, 9, 149, 1), pitched(140, 9, 151, 2));
  each(planar(140, 9, 3), interleaved(140, 9, 3));
  each(interleaved(61, 9, 4), planar(61, 9, 4));
  each(interleaved(17, 19, 9), interleaved(17, 19, 9));
  for (const auto& [w, h] : {std::pair{0, 5}, {5, 0}, {0, 0}}) { each(packed(w, h), packed(w, h)); }
}

/// A kernel of a static size with small coefficients.
template <class C, int Width, int Height>
filter::static_kernel<C, Width, Height> make_kernel() {
  filter::static_kernel<C, Width, Height> kernel;
  for (int i = 0; i < Width * Height; ++i) {
    const int value = (7 * i + 3) % 13 - 5;
    kernel.coefficients[i] =
        std::is_integral_v<C> ? static_cast<C>(value) : static_cast<C>(value) / static_cast<C>(Width * Height);
  }
  return kernel;
}

template <class S, class D, class C, int Width, int Height, class Place>
void check_static_size(const Place& place, const placement& picture, bool turned, const convolution_options& options) {
  const auto kernel = make_kernel<C, Width, Height>();
  check_kernel<filter::automatic_sum, oracle_sum<S, C>, S, D>(
      place, picture, picture, random_values<S>(picture.size(), 7), kernel, kernel.view(), turned, options);
}

template <class S, class C, class Place>
void check_destinations(const Place& place) {
  const auto from = packed(272, 11);
  check_static_size<S, std::uint8_t, C, 3, 3>(place, from, false, {});
  check_static_size<S, std::int16_t, C, 5, 4>(place, from, true, {.mode = border::wrap});
  check_static_size<S, std::int32_t, C, 3, 3>(place, from, false, {.mode = border::constant, .value = 3});
  check_static_size<S, double, C, 3, 3>(place, from, false, {.mode = border::reflect101});
}

template <class Place>
void check_types(const Place& place) {
  check_destinations<std::uint8_t, std::int32_t>(place);
  check_destinations<std::uint8_t, float>(place);
  check_destinations<std::int8_t, float>(place);
  check_destinations<std::uint16_t, float>(place);
  check_destinations<std::int16_t, std::int32_t>(place);
  check_destinations<std::int32_t, float>(place);
  check_destinations<std::int32_t, std::int32_t>(place);
  check_destinations<float, double>(place);
  check_destinations<double, double>(place);
}

/// Sums of u8 beyond 2^24 and of i32 in 64 bits, with divisors.
template <class Place>
void check_exact_sums(const Place& place) {
  const auto picture = packed(150, 9);
  const auto each = [&]<class S, class D>(S, D, std::int32_t factor, std::int64_t divisor) {
    filter::static_kernel<std::int32_t, 3, 5> kernel;
    for (int i = 0; i < 15; ++i) { kernel.coefficients[i] = (i * 5 % 7 - 2) * factor; }
    check_kernel<filter::automatic_sum, std::int64_t, S, D>(place, picture, picture,
                                                            random_values<S>(picture.size(), 3), kernel, kernel.view(),
                                                            false, {.divisor = divisor});
  };
  each(std::uint8_t{}, std::uint8_t{}, 1, 16);
  each(std::uint8_t{}, std::uint8_t{}, 1, 7);
  each(std::uint8_t{}, std::int16_t{}, 100000, 70000);
  each(std::int16_t{}, std::int16_t{}, 1, 2);
  each(std::int16_t{}, std::int32_t{}, 30000, 11);
  each(std::int32_t{}, std::int32_t{}, 1, 6);
  each(std::int32_t{}, std::int16_t{}, 1000000, 1000000007);
}

/// A float product over a picture, in the order of operations that is documented.
template <class Place>
void check_product(const Place& place, const placement& picture, int side, border mode) {
  const std::vector<float> samples = random_values<float>(picture.size(), 5);
  auto source = place.upload(samples);
  auto destination = place.upload(std::vector<float>(samples.size()));
  std::vector<float> along_x(static_cast<std::size_t>(side));
  std::vector<float> along_y(static_cast<std::size_t>(side == 21 ? 4 : side));
  for (std::size_t i = 0; i < along_x.size(); ++i) { along_x[i] = static_cast<float>(i % 5) / 8 - 0.2f; }
  for (std::size_t i = 0; i < along_y.size(); ++i) { along_y[i] = static_cast<float>(i % 4) / 9 - 0.1f; }
  const filter::separable_kernel<float> kernel(along_x, along_y);
  const convolution_options options{.mode = mode, .value = 0.5};
  place.template run<filter::automatic_sum>(picture.view(static_cast<const float*>(source.data())),
                                            picture.view(destination.data()), kernel, false, options);
  // By rows, over enough rows above and below that columns need no border of their own.
  const auto width = picture.width;
  const int rows = kernel.height();
  std::vector<float> expected;
  for (std::int64_t y = 0; y < picture.height; ++y) {
    for (std::int64_t x = 0; x < width; ++x) {
      float sum = 0;
      for (int j = 0; j < rows; ++j) {
        const auto line = oracle::continued(mode, y + j - kernel.anchor_y, picture.height);
        float filtered = 0;
        for (int i = 0; i < kernel.width(); ++i) {
          const auto column = oracle::continued(mode, x + i - kernel.anchor_x, width);
          const float v = line < 0 || column < 0 ? 0.5f : samples[static_cast<std::size_t>(line * width + column)];
          filtered = std::fma(along_x[static_cast<std::size_t>(i)], v, filtered);
        }
        sum = std::fma(along_y[static_cast<std::size_t>(j)], filtered, sum);
      }
      expected.push_back(sum);
    }
  }
  CAPTURE(side);
  CAPTURE(width);
  CHECK(destination.values() == expected);
}

template <class Place>
void check_products(const Place& place) {
  for (const int side : {3, 5, 7, 9, 11, 13, 15, 21, 34}) {
    for (const border mode : {border::constant, border::reflect, border::wrap}) {
      check_product(place, packed(150, 23), side, mode);
      const int height = side < 7 ? 41 : 91;  // the longer ones take blocks of rows
      check_product(place, packed(148, height), side, mode);
      check_product(place, packed(149, height), side, mode);
    }
    // An exact product is the whole kernel's sum, in any order.
    filter::separable_kernel<std::int32_t> kernel(std::vector<std::int32_t>(static_cast<std::size_t>(side), 1),
                                                  std::vector<std::int32_t>(static_cast<std::size_t>(side), -1));
    kernel.row[0] = 3;
    kernel.column[1] = 2;
    std::vector<std::int32_t> whole;
    for (const std::int32_t c : kernel.column) {
      for (const std::int32_t r : kernel.row) { whole.push_back(c * r); }
    }
    const auto picture = packed(304, side < 7 ? 37 : 79);
    check_kernel<filter::automatic_sum, std::int64_t, std::uint8_t, std::int16_t>(
        place, picture, picture, random_values<std::uint8_t>(picture.size(), 3), kernel,
        filter::kernel_view<std::int32_t>(whole.data(), side, side), false, {.divisor = side});
  }
}

/// A NaN, an infinity: seen by the windows over them and by no others (scipy/scipy#7818).
template <class Place>
void check_nan_stays(const Place& place) {
  const int width = 148;
  const auto picture = packed(width, 51);
  std::vector<float> samples(picture.size(), 1.0f);
  samples[20 * width + 130] = std::numeric_limits<float>::quiet_NaN();
  const auto check = [&](const auto& kernel, int reach) {
    auto source = place.upload(samples);
    auto destination = place.upload(std::vector<float>(samples.size()));
    place.template run<filter::automatic_sum>(picture.view(static_cast<const float*>(source.data())),
                                              picture.view(destination.data()), kernel, false, {});
    const auto values = destination.values();
    int wrong = 0;
    for (int y = 0; y < 51; ++y) {
      for (int x = 0; x < width; ++x) {
        const bool near = std::abs(x - 130) <= reach && std::abs(y - 20) <= reach;
        const float v = values[static_cast<std::size_t>(y * width + x)];
        wrong += (v != v) == near ? 0 : 1;
      }
    }
    CHECK(wrong == 0);
  };
  for (const int side : {5, 9, 13, 17, 33}) {
    CAPTURE(side);
    const auto length = static_cast<std::size_t>(side);
    const std::vector<float> ones(length * length, 1.0f);
    check(filter::kernel_view<float>(ones.data(), side, side), side / 2);
    check(filter::separable_kernel<float>(std::vector<float>(length, 1.0f), std::vector<float>(length, 1.0f)),
          side / 2);
  }
}

/// Rounding and saturation (cupy's and SciPy's cases): 255s times nine ones, zeros times -1, halves.
template <class Place>
void check_rounding(const Place& place) {
  const auto picture = packed(40, 8);
  const auto each = [&]<class S, class D, class C, int Count>(S sample, D expected, C coefficient,
                                                              std::integral_constant<int, Count>) {
    filter::static_kernel<C, Count, 1> kernel;
    for (C& c : kernel.coefficients) { c = coefficient; }
    auto source = place.upload(std::vector<S>(picture.size(), sample));
    auto destination = place.upload(std::vector<D>(picture.size()));
    place.template run<filter::automatic_sum>(picture.view(static_cast<const S*>(source.data())),
                                              picture.view(destination.data()), kernel, false, {});
    CHECK(destination.values() == std::vector<D>(picture.size(), expected));
  };
  each(std::uint8_t{255}, std::uint8_t{255}, std::int32_t{1}, std::integral_constant<int, 9>{});
  each(std::uint8_t{255}, std::uint8_t{255}, 1.0f, std::integral_constant<int, 9>{});
  each(std::uint8_t{1}, std::uint8_t{0}, -1.0f, std::integral_constant<int, 1>{});
  each(std::uint8_t{1}, std::uint8_t{0}, std::int32_t{-1}, std::integral_constant<int, 3>{});
  for (const auto& [value, rounded] :
       {std::pair{0.5f, 0}, {1.5f, 2}, {2.5f, 2}, {-0.5f, 0}, {254.5f, 254}, {300.0f, 255}}) {
    each(value, static_cast<std::uint8_t>(rounded), 1.0f, std::integral_constant<int, 1>{});
  }
  each(-2.5f, std::int16_t{-2}, 1.0f, std::integral_constant<int, 1>{});
  each(-1e30f, std::int16_t{-32768}, 1.0f, std::integral_constant<int, 1>{});
  each(std::numeric_limits<float>::quiet_NaN(), std::int16_t{0}, 1.0f, std::integral_constant<int, 1>{});
  each(std::numeric_limits<float>::quiet_NaN(), std::uint8_t{0}, 1.0f, std::integral_constant<int, 1>{});
  each(3e9, std::int32_t{2147483647}, 1.0, std::integral_constant<int, 1>{});
}

template <class Place>
void check_static_kernels(const Place& place) {
  const auto picture = packed(149, 21);
  const auto samples = random_values<float>(picture.size(), 11);
  const auto each = [&](const auto& kernel) {
    check_kernel<filter::automatic_sum, float, float, float>(place, picture, picture, samples, kernel, kernel.view(),
                                                             false, {});
    check_kernel<double, double, float, float>(place, picture, picture, samples, kernel, kernel.view(), true, {});
  };
  each(filter::static_kernel<float, 3, 1>{{-0.5f, 0.0f, 0.5f}});
  each(filter::static_kernel<float, 2, 4>{{1, 2, 3, 4, 5, 6, 7, 8}});
  each(filter::static_kernel<float, 7, 2>{{1, -2, 3, -4, 5, -6, 7, 7, -6, 5, -4, 3, -2, 1}});
  const auto tall = packed(148, 90);  // a loop over rows
  const auto column = make_kernel<float, 3, 17>();
  check_kernel<filter::automatic_sum, float, float, float>(place, tall, tall, random_values<float>(tall.size(), 12),
                                                           column, column.view(), false, {});
}

}  // namespace filter_tests
