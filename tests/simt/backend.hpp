/// @file
/// Common ground of the tests of this folder. Each body is a template over a backend, so that the emulator and a device
/// run the same kernels and meet the same expectations.
///
/// A backend has one member, `run<T>(grid, count, make_kernel)`: it calls make_kernel with the address of `count` zeros
/// that the kernel can write, runs the kernel, and returns what they have become as a std::vector<T>.
#pragma once

#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <type_traits>
#include <vector>

#include "gpuimg/simt/group.hpp"

namespace simt_tests {

using gpuimg::simt::block_group;
using gpuimg::simt::grid_extent;
using gpuimg::simt::warp_size;

/// A number that looks random, from its index; the same on every target.
GPUIMG_FUNCTION constexpr std::uint32_t scramble(std::uint32_t i) noexcept {
  i = (i ^ (i >> 16)) * 0x7FEB352Du;
  i = (i ^ (i >> 15)) * 0x846CA68Bu;
  return i ^ (i >> 16);
}

/// A small integer of any type from a number; of both signs if the type has two.
template <class T>
GPUIMG_FUNCTION constexpr T sample(std::uint32_t i) noexcept {
  return static_cast<T>(static_cast<int>(scramble(i) % 251) - (std::is_signed_v<T> ? 125 : 0));
}

/// An operand of the largest size.
struct wide {
  std::uint64_t low;
  std::uint64_t high;

  GPUIMG_FUNCTION constexpr explicit wide(std::uint32_t i) noexcept : low(i), high(~std::uint64_t{i}) {}
  constexpr wide() = default;
  friend constexpr bool operator==(const wide&, const wide&) = default;
};

/// An operand of an odd size.
struct narrow {
  std::uint8_t bytes[3];

  GPUIMG_FUNCTION constexpr explicit narrow(std::uint32_t i) noexcept
      : bytes{static_cast<std::uint8_t>(i), static_cast<std::uint8_t>(i >> 8), static_cast<std::uint8_t>(i + 7)} {}
  constexpr narrow() = default;
  friend constexpr bool operator==(const narrow&, const narrow&) = default;
};

struct no_storage {};

/// The index of the first result that is not as expected, or their number if all are.
template <class T>
std::size_t first_difference(const std::vector<T>& actual, const std::vector<T>& expected) {
  REQUIRE(actual.size() == expected.size());
  std::size_t i = 0;
  while (i < actual.size() && actual[i] == expected[i]) { ++i; }
  return i;
}

}  // namespace simt_tests
