/// @file
/// The places of a region in the order of their samples: a stable radix sort by a block.
#pragma once

#include <cstdint>

#include "gpuimg/core/config.hpp"
#include "gpuimg/simt/atomic.hpp"
#include "gpuimg/simt/bits.hpp"
#include "gpuimg/simt/group.hpp"

namespace gpuimg::filter::detail {

/// Sorts places by keys that stay where they are, eight bits at a time. Bits that all keys share cost nothing. Each
/// warp has a part of the places, and counters of its own. O(count * varying bits).
///
/// @tparam Threads  of the block: 64, 128, 256 or 512
template <int Threads, class Places, class Key>
struct region_order {
  static_assert(Threads == 64 || Threads == 128 || Threads == 256 || Threads == 512);
  using place_type = typename Places::type;

  static constexpr int digit_bits = 8;
  static constexpr int digits = 1 << digit_bits;
  static constexpr int warps = Threads / simt::warp_size;
  static constexpr int counter_words = warps * digits;

  const Key* keys;  ///< rows of `pitch`
  int pitch;
  int count;                ///< places
  place_type* list;         ///< the places, before and after
  place_type* spare;        ///< as many
  std::uint32_t* counters;  ///< counter_words

  /// @param varying  the bits that differ among the keys; the same for all threads
  template <simt::block_group Block>
  GPUIMG_FUNCTION void sort(Block& block, Key varying) {
    int shift = 0;
    while (varying != 0 && (varying & 1) == 0) {
      varying = static_cast<Key>(varying >> 1);
      ++shift;
    }
    GPUIMG_NO_UNROLL
    for (; varying != 0; shift += digit_bits) {
      pass(block, shift);
      place_type* const sorted = spare;
      spare = list;
      list = sorted;
      varying = static_cast<Key>(std::uint64_t{varying} >> digit_bits);
    }
  }

 private:
  static constexpr int together = 4;  ///< places of a thread whose loads overlap

  GPUIMG_FUNCTION int digit(place_type place, int shift) const {
    return static_cast<int>(keys[Places::y(place) * pitch + Places::x(place)] >> shift & (digits - 1));
  }

  template <class Block>
  GPUIMG_FUNCTION void pass(Block& block, int shift) {
    const int lane = block.rank() % simt::warp_size;
    const int part = (count + Threads - 1) / Threads * simt::warp_size;
    const int first = block.warp_rank() * part;
    const int end = first + part < count ? first + part : count;
    std::uint32_t* const own = counters + block.warp_rank() * digits;
    for (int i = lane; i < digits; i += simt::warp_size) { own[i] = 0; }
    block.warp().sync();
    for (int i = first + lane; i < end; i += simt::warp_size) { simt::atomic_add(own[digit(list[i], shift)], 1u); }
    block.sync();
    to_offsets(block);
    move(block, shift, own, first, end);
    block.sync();
  }

  /// Counters to the places where each warp's digits begin.
  template <class Block>
  GPUIMG_FUNCTION void to_offsets(Block& block) {
    constexpr int each = Threads < digits ? digits / Threads : 1;
    const bool takes_part = block.rank() * each < digits;
    std::uint32_t* const mine = counters + block.rank() * each;
    std::uint32_t total = 0;
    if (takes_part) {
      GPUIMG_UNROLL
      for (int i = 0; i < each; ++i) {
        GPUIMG_UNROLL
        for (int w = 0; w < warps; ++w) { total += mine[w * digits + i]; }
      }
    }
    std::uint32_t offset = block.exclusive_scan(total, simt::plus{});
    if (takes_part) {
      GPUIMG_UNROLL
      for (int i = 0; i < each; ++i) {
        GPUIMG_UNROLL
        for (int w = 0; w < warps; ++w) {
          const std::uint32_t number = mine[w * digits + i];
          mine[w * digits + i] = offset;
          offset += number;
        }
      }
    }
    block.sync();
  }

  template <class Block>
  GPUIMG_FUNCTION void move(Block& block, int shift, std::uint32_t* own, int first, int end) {
    auto&& warp = block.warp();
    const int lane = block.rank() % simt::warp_size;
    const std::uint32_t lower = (1u << lane) - 1;
    GPUIMG_NO_UNROLL
    for (int at = first; at < end; at += together * simt::warp_size) {
      place_type places[together];
      int digit_of[together];
      std::uint32_t peers[together];
      GPUIMG_UNROLL
      for (int j = 0; j < together; ++j) {
        const int i = at + j * simt::warp_size + lane;
        places[j] = i < end ? list[i] : place_type{};
        digit_of[j] = i < end ? digit(places[j], shift) : 0;
        peers[j] = warp.ballot(i < end);
        GPUIMG_UNROLL
        for (int bit = 0; bit < digit_bits; ++bit) {
          const bool one = (digit_of[j] >> bit & 1) != 0;
          const std::uint32_t ones = warp.ballot(one);
          peers[j] &= one ? ones : ~ones;
        }
      }
      GPUIMG_UNROLL
      for (int j = 0; j < together; ++j) {
        const bool here = at + j * simt::warp_size + lane < end;
        const std::uint32_t offset = here ? own[digit_of[j]] : 0;
        warp.sync();
        const std::uint32_t before = peers[j] & lower;
        if (here) {
          spare[offset + static_cast<std::uint32_t>(simt::popcount(before))] = places[j];
          if (before == 0) { own[digit_of[j]] = offset + static_cast<std::uint32_t>(simt::popcount(peers[j])); }
        }
        warp.sync();
      }
    }
  }
};

}  // namespace gpuimg::filter::detail
