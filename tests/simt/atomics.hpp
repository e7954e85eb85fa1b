/// @file
/// Atomic operations on global and shared memory.
#pragma once

#include <algorithm>

#include "tests/simt/backend.hpp"

#include "gpuimg/simt/atomic.hpp"

namespace simt_tests {

template <class T>
struct atomic_kernel {
  static constexpr int threads = 128;
  static constexpr int results = 7;
  struct shared_storage {
    T sum;
  };

  T* output;  ///< sum, or, maximum, minimum, sum by compare_exchange, sum of block sums, failures

  GPUIMG_FUNCTION static constexpr T value(std::uint32_t i) noexcept { return static_cast<T>(scramble(i)); }

  template <block_group Block>
  GPUIMG_FUNCTION void operator()(Block& block, shared_storage& shared) const {
    namespace simt = gpuimg::simt;
    const auto thread =
        static_cast<std::uint32_t>(block.index().x) * threads + static_cast<std::uint32_t>(block.rank());
    const T mine = value(thread);
    simt::atomic_add(output[0], mine);
    simt::atomic_or(output[1], static_cast<T>(T{1} << (thread % 20)));
    simt::atomic_max(output[2], mine);
    simt::atomic_min(output[3], mine);

    T seen = output[4];
    for (T expected = seen;; expected = seen) {
      seen = simt::atomic_compare_exchange(output[4], expected, static_cast<T>(expected + 3));
      if (seen == expected) { break; }
    }

    if (block.rank() == 0) { shared.sum = 0; }
    block.sync();
    const T before = simt::atomic_add(shared.sum, T{2});
    if (before % 2 != 0 || before >= 2 * threads) { simt::atomic_add(output[6], T{1}); }
    block.sync();
    if (block.rank() == 0) { simt::atomic_add(output[5], shared.sum); }
  }
};

template <class T, class Backend>
void check_atomics(Backend& backend) {
  using kernel = atomic_kernel<T>;
  constexpr std::uint32_t blocks = 40;
  const auto actual =
      backend.template run<T>(grid_extent{.x = blocks}, kernel::results, [](T* output) { return kernel{output}; });
  std::uint64_t sum = 0;
  T greatest = 0;
  T least = 0;
  for (std::uint32_t i = 0; i < blocks * kernel::threads; ++i) {
    const T value = kernel::value(i);
    sum += static_cast<std::uint64_t>(value);
    greatest = std::max(greatest, value);
    least = std::min(least, value);
  }
  CHECK(actual[0] == static_cast<T>(sum));
  CHECK(actual[1] == (1 << 20) - 1);
  CHECK(actual[2] == greatest);
  CHECK(actual[3] == least);
  CHECK(actual[4] == T{blocks * kernel::threads * 3});
  CHECK(actual[5] == T{blocks * kernel::threads * 2});
  CHECK(actual[6] == 0);
}

}  // namespace simt_tests
