/// @file
/// Packing of one variable-length code a thread by a warp or a block: an example, and its tests on every target.
#pragma once

#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <random>
#include <vector>

#include "tests/oracle/bit_string.hpp"

#include "gpuimg/codec/bit_packing.hpp"
#include "gpuimg/simt/group.hpp"

namespace codec_tests {

/// A code of a thread.
struct bit_field {
  std::uint32_t value;  ///< bits beyond the length are not zero
  std::int32_t length;  ///< 0 .. 32
};

/// Each group packs `rounds` fields a thread into a string of its own, from bit `start` on.
template <int Threads, bool OfBlock>
struct pack_kernel {
  static constexpr int threads = Threads;
  static constexpr int group_size = OfBlock ? Threads : gpuimg::simt::warp_size;
  struct shared_storage {};

  const bit_field* fields;  ///< [group][round][rank]
  std::uint32_t* words;     ///< [group][words_per_group], zero
  std::uint64_t* ends;      ///< of each thread's view of its string
  int rounds;
  int words_per_group;
  std::uint64_t start;

  template <class Group>
  GPUIMG_FUNCTION std::uint64_t pack(Group group, int number) const {
    std::uint64_t at = start;
    for (int round = 0; round < rounds; ++round) {
      const bit_field& own = fields[(number * rounds + round) * group_size + group.rank()];
      at += gpuimg::codec::pack_bits(group, own.value, own.length, words + number * words_per_group, at);
    }
    return at;
  }

  template <gpuimg::simt::block_group Block>
  GPUIMG_FUNCTION void operator()(Block& block, shared_storage&) const {
    if constexpr (OfBlock) {
      ends[block.rank()] = pack(block, 0);
    } else {
      ends[block.rank()] = pack(block.warp(), block.warp_rank());
    }
  }
};

/// The words of a string, two of 16 bits in each.
inline std::vector<std::uint32_t> wide_words(const gpuimg::oracle::word_list& words) {
  std::vector<std::uint32_t> wide((words.size() + 1) / 2);
  for (std::size_t i = 0; i < words.size(); ++i) { wide[i / 2] |= std::uint32_t{words[i]} << (16 * (i % 2)); }
  return wide;
}

/// Lengths are up to `longest` bits.
template <int Threads, bool OfBlock, class Backend>
void check_packing(const Backend& backend, int longest, int rounds, std::uint64_t start) {
  using kernel = pack_kernel<Threads, OfBlock>;
  constexpr std::size_t groups = Threads / kernel::group_size;
  std::mt19937 random(static_cast<unsigned>(Threads + longest + rounds));
  std::vector<bit_field> fields;
  std::vector<std::uint64_t> expected_ends;
  std::vector<std::vector<std::uint32_t>> expected;
  std::size_t most = 0;
  for (std::size_t group = 0; group < groups; ++group) {
    gpuimg::oracle::bit_string string;
    for (std::uint64_t i = 0; i < start; ++i) { string.put_bit(false); }
    for (int i = 0; i < rounds * kernel::group_size; ++i) {
      const auto length = random() % 3 == 0 ? longest : static_cast<int>(random() % static_cast<unsigned>(longest + 1));
      fields.push_back({static_cast<std::uint32_t>(random()), length});
      string.put(fields.back().value, length);
    }
    for (int i = 0; i < kernel::group_size; ++i) { expected_ends.push_back(string.size()); }
    expected.push_back(wide_words(string.words()));
    most = std::max(most, expected.back().size());
  }
  std::vector<std::uint32_t> all;
  for (auto& string : expected) {
    string.resize(most);
    all.insert(all.end(), string.begin(), string.end());
  }
  auto input = backend.upload(fields);
  auto words = backend.upload(std::vector<std::uint32_t>(all.size()));
  auto ends = backend.upload(std::vector<std::uint64_t>(Threads));
  backend.run({}, kernel{input.data(), words.data(), ends.data(), rounds, static_cast<int>(most), start});
  CHECK(words.values() == all);
  CHECK(ends.values() == expected_ends);
}

template <int Threads, bool OfBlock, class Backend>
void check_packings(const Backend& backend) {
  for (const int longest : {0, 1, 7, 16, 31, 32}) {
    for (const std::uint64_t start : {0u, 1u, 31u, 32u, 77u}) {
      CAPTURE(longest);
      CAPTURE(start);
      check_packing<Threads, OfBlock>(backend, longest, 3, start);
    }
  }
}

}  // namespace codec_tests
