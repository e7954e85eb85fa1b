/// @file
/// Bit strings: fields of any length one after another, least significant bit first (docs/paco-format.md, preface).
///
/// A warp or a block packs one variable-length code a thread, by a prefix sum of the lengths:
/// @code
/// // shared.words is zeroed; `at` is where the string ends so far
/// at += gpuimg::codec::pack_bits(warp, code, length, shared.words, at);
/// @endcode
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gpuimg/core/config.hpp"
#include "gpuimg/simt/atomic.hpp"
#include "gpuimg/simt/group.hpp"

namespace gpuimg::codec {

/// The low `n` bits set, n in 0 .. 32.
GPUIMG_FUNCTION constexpr std::uint32_t low_bits(int n) noexcept {
  return n >= 32 ? ~std::uint32_t{0} : (std::uint32_t{1} << n) - 1;
}

/// Number of 16-bit words that hold `bits` bits.
GPUIMG_FUNCTION constexpr std::uint64_t words_of_bits(std::uint64_t bits) noexcept { return (bits + 15) / 16; }

/// ORs the low `length` (0 .. 32) bits of `value` into the string at bit `at`. The bits must have been 0. Safe among
/// threads.
GPUIMG_FUNCTION inline void deposit_bits(std::uint32_t* words, std::uint64_t at, std::uint32_t value, int length) {
  if (length == 0) { return; }
  const std::uint64_t bits = std::uint64_t{value & low_bits(length)} << (at % 32);
  std::uint32_t* word = words + at / 32;
  simt::atomic_or(*word, static_cast<std::uint32_t>(bits));
  if ((bits >> 32) != 0) { simt::atomic_or(word[1], static_cast<std::uint32_t>(bits >> 32)); }
}

/// Every thread of the group appends the low `length` (0 .. 32) bits of `value`, in rank order, to the string in
/// `words` (zeroed, in shared or global memory) from bit `at` on. A collective. @returns the number of bits appended by
/// the group.
template <class Group>
GPUIMG_FUNCTION std::uint32_t pack_bits(Group& group, std::uint32_t value, int length, std::uint32_t* words,
                                        std::uint64_t at) {
  const auto n = static_cast<std::uint32_t>(length);
  const std::uint32_t before = group.exclusive_scan(n, simt::plus{});
  deposit_bits(words, at + before, value, length);
  return group.reduce(n, simt::plus{});
}

/// Reads `length` (0 .. 32) bits from bit `at` of a string of 16-bit words of which `count` exist; bits beyond read as
/// 0.
GPUIMG_FUNCTION inline std::uint32_t read_bits(const std::uint16_t* words, std::uint64_t count, std::uint64_t at,
                                               int length) {
  std::uint64_t bits = 0;
  const std::uint64_t first = at / 16;
  for (std::uint64_t i = 0; i < 3; ++i) {
    if (first + i < count) { bits |= std::uint64_t{words[first + i]} << (16 * i); }
  }
  return static_cast<std::uint32_t>(bits >> (at % 16)) & low_bits(length);
}

/// The bits of `value` where `mask` has ones, moved together at the low end (BMI2's pext). O(set bits of mask).
GPUIMG_FUNCTION inline std::uint32_t gather_bits(std::uint32_t value, std::uint32_t mask) noexcept {
  std::uint32_t out = 0;
  for (std::uint32_t place = 1; mask != 0; place <<= 1, mask &= mask - 1) {
    if ((value & mask & (0 - mask)) != 0) { out |= place; }
  }
  return out;
}

/// The inverse: the low bits of `value` moved to where `mask` has ones (BMI2's pdep). O(set bits of mask).
GPUIMG_FUNCTION inline std::uint32_t scatter_bits(std::uint32_t value, std::uint32_t mask) noexcept {
  std::uint32_t out = 0;
  for (; mask != 0; mask &= mask - 1, value >>= 1) {
    if ((value & 1u) != 0) { out |= mask & (0 - mask); }
  }
  return out;
}

/// Appends fields to a vector of words, one thread.
class bit_writer {
 public:
  /// Appends to `words`, starting a new word.
  explicit bit_writer(std::vector<std::uint16_t>& words) : words_(words) {}

  /// The low `length` (0 .. 32) bits of `value`.
  void put(std::uint32_t value, int length) {
    pending_ |= std::uint64_t{value & low_bits(length)} << pending_bits_;
    pending_bits_ += length;
    bits_ += static_cast<std::uint64_t>(length);
    while (pending_bits_ >= 16) {
      words_.push_back(static_cast<std::uint16_t>(pending_));
      pending_ >>= 16;
      pending_bits_ -= 16;
    }
  }
  /// Pads the last word with zero bits.
  void finish() {
    if (pending_bits_ > 0) { words_.push_back(static_cast<std::uint16_t>(pending_)); }
    pending_ = 0;
    pending_bits_ = 0;
  }
  /// Bits put so far.
  std::uint64_t bits() const noexcept { return bits_; }

 private:
  std::vector<std::uint16_t>& words_;
  std::uint64_t pending_ = 0;
  std::uint64_t bits_ = 0;
  int pending_bits_ = 0;
};

}  // namespace gpuimg::codec
