/// @file
/// Shuffles of operands of 1 to 16 bytes.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <vector>

#include "tests/simt/backend.hpp"

namespace simt_tests {

template <class T>
struct shuffle_kernel {
  static constexpr int threads = 64;
  using shared_storage = no_storage;
  static constexpr int results = 5 * 4;  // for each thread

  T* output;

  template <block_group Block>
  GPUIMG_FUNCTION void operator()(Block& block, shared_storage&) const {
    auto warp = block.warp();
    const auto value = T(static_cast<std::uint32_t>(block.rank()));
    T* out = output + block.rank() * results;
    for (const int n : {0, 1, 5, 16, 31}) {
      *out++ = warp.shuffle(value, warp.rank() * 3 + n);
      *out++ = warp.shuffle_up(value, n);
      *out++ = warp.shuffle_down(value, n);
      *out++ = warp.shuffle_xor(value, n);
    }
  }
};

template <class T, class Backend>
void check_shuffles(Backend& backend) {
  using kernel = shuffle_kernel<T>;
  const auto actual =
      backend.template run<T>({}, kernel::threads * kernel::results, [](T* output) { return kernel{output}; });
  std::vector<T> expected;
  for (int thread = 0; thread < kernel::threads; ++thread) {
    const int lane = thread % warp_size;
    const auto expect_lane = [&](int source) {
      expected.push_back(T(static_cast<std::uint32_t>(thread - lane + source)));
    };
    for (const int n : {0, 1, 5, 16, 31}) {
      expect_lane((lane * 3 + n) % warp_size);
      expect_lane(lane < n ? lane : lane - n);
      expect_lane(lane + n < warp_size ? lane + n : lane);
      expect_lane(lane ^ n);
    }
  }
  CHECK(first_difference(actual, expected) == expected.size());
}

}  // namespace simt_tests
