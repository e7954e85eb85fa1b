/// @file
/// Reading and writing bit strings of 32-bit words, least significant bit first, by one thread. bit_packing.hpp has
/// what a whole warp or block does.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

#include "gpuimg/core/config.hpp"
#include "gpuimg/simt/atomic.hpp"

namespace gpuimg::codec {

static_assert(std::endian::native == std::endian::little, "bit strings are written as the machine's words");

/// Appends fields to words in memory, without a bound: the caller provides for the longest string and one word more.
class word_bit_writer {
 public:
  word_bit_writer() = default;
  explicit word_bit_writer(std::uint32_t* words) noexcept : begin_(words), next_(words) {}

  /// `bits` has nothing above its low `length` (0 .. 32) bits.
  void put(std::uint32_t bits, int length) noexcept {
    pending_ |= std::uint64_t{bits} << count_;
    count_ += length;
    std::memcpy(next_, &pending_, sizeof pending_);  // two words; the second is written again
    const int full = count_ >> 5;
    next_ += full;
    pending_ >>= 32 * full;
    count_ &= 31;
  }
  /// The same for 33 .. 64 bits.
  void put_wide(std::uint64_t bits, int length) noexcept {
    if (length > 32) {
      put(static_cast<std::uint32_t>(bits), 32);
      bits >>= 32;
      length -= 32;
    }
    put(static_cast<std::uint32_t>(bits), length);
  }

  std::int64_t bits() const noexcept { return (next_ - begin_) * 32 + count_; }

  /// Words of the string, the last one padded with zeros.
  std::int64_t words() const noexcept { return (bits() + 31) / 32; }

 private:
  std::uint32_t* begin_ = nullptr;
  std::uint32_t* next_ = nullptr;
  std::uint64_t pending_ = 0;
  int count_ = 0;  // of pending_, below 32 between calls
};

/// Appends a thread's fields to a string that neighbouring threads write too, from a bit on that a prefix sum has given
/// it. Merges whole words, so that the threads may work at once; all bits must have been 0.
class merging_bit_writer {
 public:
  GPUIMG_FUNCTION merging_bit_writer(std::uint32_t* words, std::uint32_t at) noexcept
      : next_(words + at / 32), count_(static_cast<int>(at % 32)) {}

  /// `bits` has nothing above its low `length` (0 .. 32) bits.
  GPUIMG_FUNCTION void put(std::uint32_t bits, int length) {
    pending_ |= std::uint64_t{bits} << count_;
    count_ += length;
    if (count_ >= 32) {
      simt::atomic_or(*next_, static_cast<std::uint32_t>(pending_));
      ++next_;
      pending_ >>= 32;
      count_ -= 32;
    }
  }
  /// Must be the last call.
  GPUIMG_FUNCTION void finish() {
    if (pending_ != 0) { simt::atomic_or(*next_, static_cast<std::uint32_t>(pending_)); }
  }

 private:
  std::uint32_t* next_;
  std::uint64_t pending_ = 0;
  int count_;
};

/// Merges up to 64 bits into such a string from bit `at` on; `bits` has nothing above them. The word after the one that
/// `at` is in must exist.
GPUIMG_FUNCTION inline void merge_bits(std::uint32_t* words, std::uint32_t at, std::uint64_t bits) {
  std::uint32_t* const first = words + at / 32;
  const auto shift = static_cast<int>(at % 32);
  const std::uint64_t low = bits << shift;
  const auto second = static_cast<std::uint32_t>(low >> 32);
  const auto third = static_cast<std::uint32_t>((bits >> 32) >> (32 - shift));
  simt::atomic_or(*first, static_cast<std::uint32_t>(low));
  simt::atomic_or(first[1], second);  // hardly ever 0: not worth a branch
  if (third != 0) { simt::atomic_or(first[2], third); }
}

/// Reads a string of words in memory from any bit on, by unaligned loads: for processors. Zeros follow its end.
class memory_bit_reader {
 public:
  /// Whether its user goes together with others and had better not branch.
  static constexpr bool selects = false;

  GPUIMG_FUNCTION memory_bit_reader(const void* words, std::int64_t count, std::int64_t at = 0) noexcept
      : bytes_(static_cast<const unsigned char*>(words)), size_(count * 4), at_(at) {}

  /// For readers that need it.
  GPUIMG_FUNCTION void reserve() const noexcept {}
  /// At least 57 bits from the present place on.
  GPUIMG_FUNCTION std::uint64_t peek() const noexcept {
    const std::int64_t byte = at_ >> 3;
    std::uint64_t window = 0;
    if (byte + 8 <= size_) {
      memcpy(&window, bytes_ + byte, 8);
    } else if (byte < size_) {
      memcpy(&window, bytes_ + byte, static_cast<std::size_t>(size_ - byte));
    }
    return window >> (at_ & 7);
  }
  GPUIMG_FUNCTION std::uint64_t peek_word() const noexcept { return peek(); }
  GPUIMG_FUNCTION void skip(int bits) noexcept { at_ += bits; }
  GPUIMG_FUNCTION std::int64_t position() const noexcept { return at_; }

 private:
  const unsigned char* bytes_;
  std::int64_t size_;
  std::int64_t at_;
};

/// The same through registers and aligned loads of words: for threads of a device.
class register_bit_reader {
 public:
  static constexpr bool selects = false;

  GPUIMG_FUNCTION register_bit_reader(const std::uint32_t* words, std::int64_t count, std::int64_t at = 0) noexcept
      : words_(words), count_(count), next_(at >> 5), ahead_(load()) {
    refill();
    skip(static_cast<int>(at & 31));
  }

  GPUIMG_FUNCTION void reserve() const noexcept {}
  /// At least 33 bits from the present place on.
  GPUIMG_FUNCTION std::uint64_t peek() noexcept {
    refill();
    refill();
    return window_;
  }
  /// The same with at least 32 bits.
  GPUIMG_FUNCTION std::uint64_t peek_word() noexcept {
    refill();
    return window_;
  }
  GPUIMG_FUNCTION void skip(int bits) noexcept {
    window_ >>= bits;
    valid_ -= bits;
  }
  GPUIMG_FUNCTION std::int64_t position() const noexcept { return next_ * 32 - valid_; }

 private:
  GPUIMG_FUNCTION std::uint32_t load() const noexcept { return next_ < count_ ? words_[next_] : 0; }
  GPUIMG_FUNCTION void refill() noexcept {
    if (valid_ > 32) { return; }
    window_ |= std::uint64_t{ahead_} << valid_;
    valid_ += 32;
    ++next_;
    ahead_ = load();  // early, so that the next refill does not wait for memory
  }

  const std::uint32_t* words_;
  std::int64_t count_;
  std::int64_t next_;  // the word in ahead_
  std::uint32_t ahead_;
  std::uint64_t window_ = 0;
  int valid_ = 0;
};

}  // namespace gpuimg::codec
