/// @file
/// ballot, any, all, match_any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include "tests/simt/backend.hpp"

namespace simt_tests {

struct vote_kernel {
  static constexpr int threads = 96;
  static constexpr int rounds = 34;   // no lane votes, each one alone, all of them
  static constexpr int results = 10;  // for each thread and round
  using shared_storage = no_storage;

  std::uint32_t* output;

  /// Whether a thread of warp 1 votes for; the threads of the other warps never do.
  GPUIMG_FUNCTION static constexpr bool votes(int thread, int round) noexcept {
    return thread / warp_size == 1 && (round == 33 || round == thread % warp_size + 1);
  }

  template <block_group Block>
  GPUIMG_FUNCTION void operator()(Block& block, shared_storage&) const {
    auto warp = block.warp();
    for (int round = 0; round < rounds; ++round) {
      std::uint32_t* out = output + (round * threads + block.rank()) * results;
      const bool p = votes(block.rank(), round);
      const auto pick = scramble(static_cast<std::uint32_t>(block.rank() * rounds + round));
      out[0] = warp.ballot(p);
      out[1] = warp.any(p);
      out[2] = warp.all(p);
      out[3] = warp.all(!p);
      out[4] = block.any(p);
      out[5] = block.all(!p);
      out[6] = block.all(true);
      out[7] = warp.match_any(pick % 5);
      out[8] = warp.match_any(static_cast<std::uint8_t>(pick % 3));
      out[9] = warp.match_any(static_cast<double>(pick % 7) / 8 - 0.5);
    }
  }
};

template <class Backend>
void check_votes(Backend& backend) {
  using kernel = vote_kernel;
  const auto actual = backend.template run<std::uint32_t>({}, kernel::threads * kernel::rounds * kernel::results,
                                                          [](std::uint32_t* output) { return kernel{output}; });
  const auto pick = [](int thread, int round) {
    return scramble(static_cast<std::uint32_t>(thread * kernel::rounds + round));
  };
  std::vector<std::uint32_t> expected;
  for (int round = 0; round < kernel::rounds; ++round) {
    for (int thread = 0; thread < kernel::threads; ++thread) {
      std::uint32_t votes = 0;
      std::uint32_t equal[3] = {};
      for (int lane = 0; lane < warp_size; ++lane) {
        const int other = thread / warp_size * warp_size + lane;
        const auto bit = std::uint32_t{1} << lane;
        if (kernel::votes(other, round)) { votes |= bit; }
        std::size_t k = 0;
        for (const std::uint32_t kinds : {5u, 3u, 7u}) {
          if (pick(other, round) % kinds == pick(thread, round) % kinds) { equal[k] |= bit; }
          ++k;
        }
      }
      expected.push_back(votes);
      expected.push_back(votes != 0);
      expected.push_back(votes == 0xFFFFFFFFu);
      expected.push_back(votes == 0);
      expected.push_back(round != 0);
      expected.push_back(round == 0);
      expected.push_back(1);
      expected.insert(expected.end(), equal, equal + 3);
    }
  }
  CHECK(first_difference(actual, expected) == expected.size());
}

}  // namespace simt_tests
