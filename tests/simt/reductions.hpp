/// @file
/// Reductions and scans of warps and blocks.
#pragma once

#include <cstdint>
#include <type_traits>
#include <vector>

#include "tests/simt/backend.hpp"

namespace simt_tests {

/// Composition of affine maps x -> a x + b modulo 2^32: associative, not commutative.
struct affine {
  std::uint32_t a;
  std::uint32_t b;

  constexpr affine() = default;
  GPUIMG_FUNCTION constexpr affine(std::uint32_t factor, std::uint32_t term) noexcept : a(factor), b(term) {}
  friend constexpr bool operator==(const affine&, const affine&) = default;
};
struct then {
  GPUIMG_FUNCTION constexpr affine operator()(affine f, affine g) const noexcept {
    return {g.a * f.a, g.a * f.b + g.b};
  }
};

template <class T>
struct input_of {
  GPUIMG_FUNCTION static constexpr T at(std::uint32_t i) noexcept { return sample<T>(i); }
};
template <>
struct input_of<affine> {
  GPUIMG_FUNCTION static constexpr affine at(std::uint32_t i) noexcept { return {scramble(i) | 1, scramble(~i)}; }
};

/// Which group works, and whether its operator commutes.
template <int Threads, bool OfBlock, class T, class Operator, bool Commutes = true>
struct reduction_kernel {
  static constexpr int threads = Threads;
  static constexpr int group_size = OfBlock ? Threads : warp_size;
  static constexpr int rounds = 3;   // one after the other, so that scratch memory is used again
  static constexpr int results = 5;  // for each thread and round
  static constexpr bool commutes = Commutes;
  using shared_storage = no_storage;

  T* output;

  template <class Group>
  GPUIMG_FUNCTION void run(Group group, int thread) const {
    for (int round = 0; round < rounds; ++round) {
      const T value = input_of<T>::at(static_cast<std::uint32_t>(round * Threads + thread));
      T* out = output + (round * Threads + thread) * results;
      if constexpr (Commutes) { out[0] = group.reduce(value, Operator{}); }
      out[1] = group.inclusive_scan(value, Operator{});
      out[2] = group.exclusive_scan(value, Operator{});
      out[3] = group.exclusive_scan(value, Operator{}, out[4]);
    }
  }

  template <block_group Block>
  GPUIMG_FUNCTION void operator()(Block& block, shared_storage&) const {
    if constexpr (OfBlock) {
      run(block, block.rank());
    } else {
      run(block.warp(), block.rank());
    }
  }
};

template <class Kernel, class T, class Operator, class Backend>
void check_reduction(Backend& backend) {
  const Operator op;
  const auto actual = backend.template run<T>({}, Kernel::threads * Kernel::rounds * Kernel::results,
                                              [](T* output) { return Kernel{output}; });
  std::vector<T> expected;
  for (int round = 0; round < Kernel::rounds; ++round) {
    for (int first = 0; first < Kernel::threads; first += Kernel::group_size) {
      const auto value = [&](int rank) {
        return input_of<T>::at(static_cast<std::uint32_t>(round * Kernel::threads + first + rank));
      };
      T total = value(0);
      for (int rank = 1; rank < Kernel::group_size; ++rank) { total = op(total, value(rank)); }
      T inclusive = value(0);
      T exclusive{};
      for (int rank = 0; rank < Kernel::group_size; ++rank) {
        if (rank != 0) { inclusive = op(inclusive, value(rank)); }
        expected.push_back(Kernel::commutes ? total : T{});
        expected.push_back(inclusive);
        expected.push_back(exclusive);
        expected.push_back(exclusive);
        expected.push_back(total);
        exclusive = op(exclusive, value(rank));
      }
    }
  }
  CHECK(first_difference(actual, expected) == expected.size());
}

template <int Threads, bool OfBlock, class Backend>
void check_reductions(Backend& backend) {
  using gpuimg::simt::bit_or;
  using gpuimg::simt::maximum;
  using gpuimg::simt::minimum;
  using gpuimg::simt::plus;
  const auto check = [&]<class T, class Operator, bool Commutes>(T, Operator, std::bool_constant<Commutes>) {
    check_reduction<reduction_kernel<Threads, OfBlock, T, Operator, Commutes>, T, Operator>(backend);
  };
  check(std::uint8_t{}, plus{}, std::true_type{});
  check(std::int16_t{}, maximum{}, std::true_type{});
  check(std::uint32_t{}, plus{}, std::true_type{});
  check(std::uint32_t{}, bit_or{}, std::true_type{});
  check(std::int32_t{}, minimum{}, std::true_type{});
  check(std::int32_t{}, maximum{}, std::true_type{});
  check(std::uint64_t{}, plus{}, std::true_type{});
  check(float{}, plus{}, std::true_type{});  // small integers: exact in any order
  check(affine{}, then{}, std::false_type{});
}

}  // namespace simt_tests
