/// @file
/// Tests of medians that every execution has to pass.
///
/// A backend has `run(source, destination, body)`: it calls body(execution, source_view, destination_view) with
/// views of two host pictures where the execution can reach them, and brings the destination back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <doctest/doctest.h>
#include <limits>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "tests/oracle/median.hpp"

#include "gpuimg/core/image_view.hpp"
#include "gpuimg/filter/median.hpp"

namespace median_tests {

using namespace gpuimg;
using filter::binary16;
using filter::border;
using filter::nan_policy;
using oracle::picture;

inline constexpr border modes[] = {border::constant, border::replicate, border::reflect, border::reflect101,
                                   border::wrap};

/// A sample from random bits: all values of small types, few distinct ones every other picture, and for floats the
/// special ones now and then.
template <class T>
T make_sample(std::mt19937& random, bool few, bool special) {
  const auto bits = static_cast<std::uint32_t>(few ? random() % 5 : random());
  if constexpr (std::is_same_v<T, binary16>) {
    const auto half = static_cast<std::uint16_t>(few ? 0x3C00 + bits : bits);
    const bool nan = (half & 0x7FFF) > 0x7C00;
    return {nan && !special ? std::uint16_t{0x8000} : half};
  } else if constexpr (std::is_floating_point_v<T>) {
    if (special && random() % 24 == 0) { return std::numeric_limits<T>::quiet_NaN(); }
    if (random() % 16 == 0) { return random() % 2 == 0 ? T{0} : -T{0}; }
    if (random() % 32 == 0) { return std::numeric_limits<T>::infinity(); }
    if (random() % 32 == 0) { return std::numeric_limits<T>::denorm_min() * static_cast<T>(random() % 9); }
    return static_cast<T>(static_cast<std::int32_t>(bits)) / 65536;
  } else {
    return static_cast<T>(bits);
  }
}

template <class T>
picture<T> make_picture(std::int64_t width, std::int64_t height, unsigned seed, bool special = false) {
  std::mt19937 random(seed);
  picture<T> result{width, height, std::vector<T>(static_cast<std::size_t>(width * height))};
  for (T& sample : result.samples) { sample = make_sample<T>(random, seed % 2 == 1, special); }
  return result;
}

template <class T>
T border_value() {
  if constexpr (std::is_same_v<T, binary16>) {
    return {0x3C01};
  } else {
    return static_cast<T>(17.7);
  }
}

/// The first pixel that is not the oracle's, or "" if all are.
template <class T>
std::string difference(const picture<T>& source, const picture<T>& actual, const oracle::window& shape, int rank,
                       border mode, nan_policy policy = nan_policy::propagate) {
  for (std::int64_t y = 0; y < source.height; ++y) {
    for (std::int64_t x = 0; x < source.width; ++x) {
      const T expected = oracle::window_rank(source, shape, rank, mode, border_value<T>(), policy, x, y);
      if (!oracle::same(actual.at(x, y), expected)) {
        return "(" + std::to_string(x) + ", " + std::to_string(y) + ") of " + std::to_string(source.width) + "x" +
               std::to_string(source.height) + ", border " + std::to_string(static_cast<int>(mode));
      }
    }
  }
  return "";
}

template <class T>
picture<T> unwritten(const picture<T>& like) {
  picture<T> result{like.width, like.height, std::vector<T>(like.samples.size())};
  if (!result.samples.empty()) { std::memset(result.samples.data(), 0x5A, result.samples.size() * sizeof(T)); }
  return result;
}

/// A window that the compiler knows, on a picture of some size, with every border.
template <class T, int Width, int Height, class Backend>
void compiled_window(Backend& backend, std::int64_t width, std::int64_t height) {
  constexpr int rank = filter::median_rank(Width * Height);
  for (const border mode : modes) {
    const auto seed = static_cast<unsigned>(width * 31 + height + static_cast<int>(mode));
    const auto source = make_picture<T>(width, height, seed);
    auto result = unwritten(source);
    filter::median_options<T> options;
    options.border_value = border_value<T>();
    backend.run(source, result, [&](const auto& execution, const auto& from, const auto& to) {
      filter::median<Width, Height>(execution, from, to, mode, options);
    });
    CHECK(difference(source, result, {Width, Height, {}}, rank, mode) == "");
  }
}

/// A rank of a window of run-time size.
template <class T, class Backend>
void any_window(Backend& backend, std::int64_t width, std::int64_t height, int window_width, int window_height,
                int rank, border mode) {
  const auto source = make_picture<T>(width, height, static_cast<unsigned>(window_width * 7 + rank));
  auto result = unwritten(source);
  filter::median_options<T> options;
  options.border_value = border_value<T>();
  backend.run(source, result, [&](const auto& execution, const auto& from, const auto& to) {
    filter::rank(execution, from, to, filter::window_size{window_width, window_height}, rank, mode, options);
  });
  CHECK(difference(source, result, {window_width, window_height, {}}, rank, mode) == "");
}

/// The median of run-time size, which finds the compiled engines of odd squares. Costly to compile.
template <class T, class Backend>
void square_window(Backend& backend, std::int64_t width, std::int64_t height, int side) {
  const auto source = make_picture<T>(width, height, static_cast<unsigned>(side));
  auto result = unwritten(source);
  backend.run(source, result, [&](const auto& execution, const auto& from, const auto& to) {
    filter::median(execution, from, to, filter::window_size(side));
  });
  CHECK(difference(source, result, {side, side, {}}, filter::median_rank(side * side), border::reflect) == "");
}

/// NaN here and there, with every policy.
template <class T, int Side, class Backend>
void not_a_number(Backend& backend, std::int64_t width, std::int64_t height) {
  constexpr nan_policy policies[] = {nan_policy::propagate, nan_policy::ignore, nan_policy::preserve};
  constexpr border two_modes[] = {border::constant, border::reflect};
  const auto source = make_picture<T>(width, height, Side, true);
  for (const nan_policy policy : policies) {
    for (const border mode : two_modes) {
      auto result = unwritten(source);
      filter::median_options<T> options;
      options.border_value = border_value<T>();
      options.nan = policy;
      backend.run(source, result, [&](const auto& execution, const auto& from, const auto& to) {
        filter::median<Side>(execution, from, to, mode, options);
      });
      CHECK(difference(source, result, {Side, Side, {}}, Side * Side / 2, mode, policy) == "");
    }
  }
}

/// Applied three times: equal to three calls.
template <class Backend>
void iterations(Backend& backend) {
  const auto source = make_picture<std::uint16_t>(37, 21, 4);
  auto once = source;
  for (int i = 0; i < 3; ++i) {
    const auto from = once;
    backend.run(from, once, [&](const auto& execution, const auto& a, const auto& b) {
      filter::median<5>(execution, a, b, border::replicate);
    });
  }
  auto result = unwritten(source);
  filter::median_options<std::uint16_t> options;
  options.iterations = 3;
  backend.run(source, result, [&](const auto& execution, const auto& a, const auto& b) {
    filter::median<5>(execution, a, b, border::replicate, options);
  });
  CHECK(result.samples == once.samples);
}

/// opencv/opencv#29592: more bands than four. Planes and interleaved samples give what each band alone gives; the
/// execution reads host memory.
template <class T, class Execution>
void bands_one_by_one(const Execution& execution) {
  for (const int bands : {2, 4, 5, 9}) {
    std::vector<T> samples(static_cast<std::size_t>(17 * 19 * bands));
    for (std::size_t i = 0; i < samples.size(); ++i) { samples[i] = static_cast<T>(i % 256); }
    for (const int side : {3, 5, 7, 9}) {
      const int rank = side * side / 2;
      std::vector<T> mixed(samples.size());
      std::vector<T> planar(samples.size());
      const cube_view<const T> from(samples.data(), 17, 19, bands, interleave::bip);
      const cube_view<T> to(mixed.data(), 17, 19, bands, interleave::bip);
      const planar_view<T> planes(planar.data(), 17, 19, bands);
      filter::rank(execution, from, to, filter::window_size(side), rank);
      filter::rank(execution, from, planes, filter::window_size(side), rank);
      for (int band = 0; band < bands; ++band) {
        picture<T> plane{17, 19, {}};
        picture<T> first{17, 19, {}};
        picture<T> second{17, 19, {}};
        for (int y = 0; y < 19; ++y) {
          for (int x = 0; x < 17; ++x) {
            plane.samples.push_back(from(x, y, band));
            first.samples.push_back(to(x, y, band));
            second.samples.push_back(planes.plane(band)(x, y));
          }
        }
        CHECK(difference(plane, first, {side, side, {}}, rank, border::reflect) == "");
        CHECK(first.samples == second.samples);
      }
    }
  }
}

/// Errors, and empty pictures, for which nothing runs.
template <class Execution>
void refusals(const Execution& execution) {
  const auto code_of = [](const auto& body) {
    try {
      body();
    } catch (const error& e) { return e.code(); }
    FAIL("nothing was thrown");
    return errc::io;
  };
  std::vector<std::uint8_t> memory(64 * 64);
  const image_view<std::uint8_t> all(memory.data(), 64, 64);
  const auto left = all.crop(0, 0, 20, 64);
  const auto middle = all.crop(19, 0, 20, 64);
  const auto right = all.crop(20, 0, 20, 64);
  CHECK(code_of([&] { filter::median<5>(execution, all, all); }) == errc::aliased);
  CHECK(code_of([&] { filter::median<5>(execution, left, middle); }) == errc::aliased);
  CHECK_FALSE(filter::detail::overlap(filter::detail::bands_of(left), cube_view<std::uint8_t>(right)));
  CHECK(code_of([&] { filter::median<3>(execution, left, all); }) == errc::invalid_argument);
  CHECK(code_of([&] { filter::median(execution, left, right, {0, 3}); }) == errc::invalid_argument);
  CHECK(code_of([&] { filter::median(execution, left, right, {3, 1024}); }) == errc::invalid_argument);
  CHECK(code_of([&] { filter::rank(execution, left, right, filter::window_size{3, 3}, 9); }) == errc::invalid_argument);
  CHECK(code_of([&] { filter::rank(execution, left, right, filter::window_mask{}, 0); }) == errc::invalid_argument);
  filter::median_options<std::uint8_t> none;
  none.iterations = 0;
  CHECK(code_of([&] { filter::median<3>(execution, left, right, border::reflect, none); }) == errc::invalid_argument);
  const image_view<std::uint16_t> odd(reinterpret_cast<std::uint16_t*>(memory.data()), 8, 8, 17);
  CHECK(code_of([&] { filter::median<3>(execution, odd, odd); }) == errc::invalid_argument);
  const std::int64_t sizes[3][2] = {{0, 5}, {5, 0}, {0, 0}};
  for (const auto& [w, h] : sizes) {
    filter::median<7>(execution, image_view<std::uint8_t>(nullptr, w, h), image_view<std::uint8_t>(nullptr, w, h));
    filter::median<31>(execution, image_view<float>(nullptr, w, h), image_view<float>(nullptr, w, h));
  }
}

}  // namespace median_tests
