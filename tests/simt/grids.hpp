/// @file
/// Blocks and their place in the grid.
#pragma once

#include "tests/simt/backend.hpp"

#include "gpuimg/simt/atomic.hpp"

namespace simt_tests {

/// Each block adds to its own cell, so that a block that runs twice or nowhere shows.
struct grid_kernel {
  static constexpr int threads = 32;
  using shared_storage = no_storage;

  std::uint32_t* output;

  template <block_group Block>
  GPUIMG_FUNCTION void operator()(Block& block, shared_storage&) const {
    if (block.rank() != 0) { return; }
    const auto at = block.index();
    const auto grid = block.grid();
    const auto cell = (at.z * grid.y + at.y) * grid.x + at.x;
    gpuimg::simt::atomic_add(output[cell], static_cast<std::uint32_t>(cell * 3 + 1));
  }
};

template <class Backend>
void check_grid(Backend& backend, const grid_extent& grid) {
  const auto actual = backend.template run<std::uint32_t>(grid, static_cast<std::size_t>(grid.size()),
                                                          [](std::uint32_t* output) { return grid_kernel{output}; });
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < actual.size(); ++i) { wrong += actual[i] != static_cast<std::uint32_t>(i * 3 + 1); }
  CHECK(wrong == 0);
}

template <class Backend>
void check_grids(Backend& backend) {
  check_grid(backend, {});
  check_grid(backend, {.x = 1000});
  check_grid(backend, {.x = 7, .y = 5, .z = 3});
  check_grid(backend, {.x = 0, .y = 4});
  check_grid(backend, {.x = 1, .y = 0, .z = 2});
  check_grid(backend, {.x = 2, .y = 70000});
  check_grid(backend, {.x = 1, .y = 1, .z = 65537});
}

}  // namespace simt_tests
