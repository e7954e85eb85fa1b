/// @file
/// Reading bit strings, one a thread, through shared memory: for threads of a warp that read strings of their own.
#pragma once

#include <cstdint>

#include "gpuimg/core/config.hpp"

namespace gpuimg::codec {

/// Reads a string of 32-bit words, least significant bit first, through a ring of words in shared memory.
///
/// A warp waits for a register that a load of *any* of its threads fills. Threads at places of their own need a new
/// word at different times, so a reader that loads word by word waits for memory at almost every code. This one loads
/// ahead for all threads at once, in reserve(), and the loads have until the next reserve() to arrive.
template <int Threads>
class ring_bit_reader {
  static constexpr int ring_words = 64;
  static constexpr int loaded_words = 8;  // ahead, in registers

 public:
  static constexpr bool selects = true;
  /// Words from the present place on that a call of reserve() provides.
  static constexpr int reserved_words = 40;

  /// Of a block's threads; a column each, so that no two threads share a bank.
  struct storage {
    std::uint32_t rows[ring_words + 1][Threads];  // the last one repeats the first
  };

  /// @param thread  its rank in the block
  /// @param words   of the string, @param count  how many; zeros follow, @param at  the first bit to read
  GPUIMG_FUNCTION ring_bit_reader(storage& shared, int thread, const std::uint32_t* words, std::int64_t count,
                                  std::int64_t at)
      : shared_(shared),
        thread_(thread),
        words_(words),
        count_(count),
        first_(at / 32),
        bit_(static_cast<std::uint32_t>(at % 32)) {
    while (filled_ < ring_words) {
      load();
      store();
    }
  }

  /// Makes room for reading reserved_words words.
  GPUIMG_FUNCTION void reserve() {
    if (loaded_) { store(); }
    while (filled_ < static_cast<std::int32_t>(bit_ >> 5) + reserved_words) {
      load();
      store();
    }
    // Places stay small, and keep their rows.
    const std::uint32_t passed = bit_ >> 5 & ~std::uint32_t{ring_words - 1};
    first_ += passed;
    bit_ -= passed * 32;
    filled_ -= static_cast<std::int32_t>(passed);
    loaded_ = static_cast<std::int32_t>(bit_ >> 5) + ring_words - filled_ >= loaded_words;
    if (loaded_) { load(); }
  }

  /// At least 33 bits from the present place on.
  GPUIMG_FUNCTION std::uint64_t peek() const noexcept {
    const std::uint32_t row = bit_ >> 5 & (ring_words - 1);
    const std::uint64_t low = shared_.rows[row][thread_];
    return (low | std::uint64_t{shared_.rows[row + 1][thread_]} << 32) >> (bit_ & 31);
  }
  GPUIMG_FUNCTION std::uint64_t peek_word() const noexcept { return peek(); }
  GPUIMG_FUNCTION void skip(int bits) noexcept { bit_ += static_cast<std::uint32_t>(bits); }
  /// The present place, in bits from the start of the string.
  GPUIMG_FUNCTION std::int64_t position() const noexcept { return first_ * 32 + bit_; }

 private:
  GPUIMG_FUNCTION void load() noexcept {
    const std::int64_t next = first_ + filled_;  // of an empty string it is no place to point at
    const std::int64_t all = count_ - next;
    const auto left = static_cast<std::int32_t>(all < loaded_words ? all : loaded_words);
    GPUIMG_UNROLL
    for (int i = 0; i < loaded_words; ++i) { ahead_[i] = i < left ? words_[next + i] : 0; }
  }
  /// The rows are neighbours, because loaded_words divides ring_words.
  GPUIMG_FUNCTION void store() noexcept {
    const int row = filled_ & (ring_words - 1);
    GPUIMG_UNROLL
    for (int i = 0; i < loaded_words; ++i) { shared_.rows[row + i][thread_] = ahead_[i]; }
    if (row == 0) { shared_.rows[ring_words][thread_] = ahead_[0]; }
    filled_ += loaded_words;
  }

  storage& shared_;
  int thread_;
  const std::uint32_t* words_;
  std::int64_t count_;
  std::int64_t first_;       // word of the string that the following count from
  std::uint32_t bit_;        // the present place
  std::int32_t filled_ = 0;  // the end of what is in the ring
  std::uint32_t ahead_[loaded_words];
  bool loaded_ = false;  // whether ahead_ is to be stored
};

}  // namespace gpuimg::codec
