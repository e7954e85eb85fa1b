/// @file
/// Shared memory, barriers, and more of it than a kernel has without asking.
#pragma once

#include "tests/simt/backend.hpp"

namespace simt_tests {

/// Each block writes `Bytes` bytes of shared memory in one order and reads them in another.
template <int Threads, int Bytes>
struct transpose_kernel {
  static constexpr int threads = Threads;
  static constexpr std::uint32_t words = Bytes / 4;
  struct shared_storage {
    std::uint32_t cells[words];
  };

  std::uint32_t* output;

  template <block_group Block>
  GPUIMG_FUNCTION void operator()(Block& block, shared_storage& shared) const {
    const auto seed = static_cast<std::uint32_t>(block.index().x) * words;
    const auto first = static_cast<std::uint32_t>(block.rank());
    for (auto i = first; i < words; i += threads) { shared.cells[i] = scramble(seed + i); }
    block.sync();
    for (auto i = first; i < words; i += threads) { output[seed + i] = shared.cells[words - 1 - i]; }
  }
};

/// The barrier in a loop: threads pass a value from neighbour to neighbour.
struct relay_kernel {
  static constexpr int threads = 256;
  static constexpr int min_blocks_per_sm = 2;
  struct shared_storage {
    std::uint32_t cells[threads];
  };

  std::uint32_t* output;

  template <block_group Block>
  GPUIMG_FUNCTION void operator()(Block& block, shared_storage& shared) const {
    auto value = scramble(static_cast<std::uint32_t>(block.rank()));
    for (int round = 0; round < 10; ++round) {
      shared.cells[block.rank()] = value;
      block.sync();
      value = shared.cells[(block.rank() + 37) % threads];
      block.sync();
    }
    output[block.rank()] = value;
  }
};

template <class Kernel, class Backend>
void check_transpose(Backend& backend, std::uint32_t blocks) {
  constexpr std::uint32_t words = Kernel::words;
  const auto actual = backend.template run<std::uint32_t>(grid_extent{.x = blocks}, blocks * words,
                                                          [](std::uint32_t* output) { return Kernel{output}; });
  std::size_t wrong = 0;
  for (std::uint32_t i = 0; i < blocks * words; ++i) {
    wrong += actual[i] != scramble(i / words * words + words - 1 - i % words);
  }
  CHECK(wrong == 0);
}

template <class Backend>
void check_shared_memory(Backend& backend) {
  check_transpose<transpose_kernel<64, 4096>>(backend, 9);
  check_transpose<transpose_kernel<256, 48 * 1024>>(backend, 3);
  check_transpose<transpose_kernel<1024, 60 * 1024>>(backend, 3);

  const auto actual = backend.template run<std::uint32_t>({}, relay_kernel::threads,
                                                          [](std::uint32_t* output) { return relay_kernel{output}; });
  for (std::uint32_t i = 0; i < relay_kernel::threads; ++i) {
    CHECK(actual[i] == scramble((i + 370) % relay_kernel::threads));
  }
}

/// More than many devices have.
template <class Backend>
void check_large_shared_memory(Backend& backend) {
  check_transpose<transpose_kernel<256, 100 * 1024>>(backend, 3);
}

}  // namespace simt_tests
