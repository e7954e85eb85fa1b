/// @file
/// Bit strings of the PaCo stream: fields least significant bit first, packed into 16-bit words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tests/oracle/grid.hpp"

#include "gpuimg/core/error.hpp"

namespace gpuimg::oracle {

using word_list = std::vector<std::uint16_t>;
using byte_list = std::vector<std::uint8_t>;

/// Bits in the order in which they are stored.
class bit_string {
 public:
  void put_bit(bool bit) { bits_.push_back(bit ? 1 : 0); }

  void put(std::uint64_t value, int width) {
    for (int i = 0; i < width; ++i) {
      put_bit(value % 2 == 1);
      value = value / 2;
    }
  }

  void append(const bit_string& other) { bits_.insert(bits_.end(), other.bits_.begin(), other.bits_.end()); }

  std::size_t size() const { return bits_.size(); }

  /// The string in words, the last one filled up with zero bits.
  word_list words() const {
    word_list result((bits_.size() + 15) / 16, 0);
    for (std::size_t i = 0; i < bits_.size(); ++i) {
      if (bits_[i] == 1) result[i / 16] = static_cast<std::uint16_t>(result[i / 16] + (1U << (i % 16)));
    }
    return result;
  }

 private:
  std::vector<int> bits_;
};

/// Reads the fields of a bit string; a read behind its last word throws errc::corrupt.
class bit_reader {
 public:
  explicit bit_reader(word_list words) : words_(std::move(words)) {}

  bool get_bit() {
    if (position_ / 16 >= words_.size()) {
      throw error(errc::corrupt, "bit string: bit " + std::to_string(position_) + " of a string of " +
                                     std::to_string(words_.size()) + " words");
    }
    const bool bit = (words_[position_ / 16] >> (position_ % 16)) % 2 == 1;
    ++position_;
    return bit;
  }

  std::uint64_t get(int width) {
    std::uint64_t value = 0;
    for (int i = 0; i < width; ++i) {
      if (get_bit()) value += std::uint64_t{1} << i;
    }
    return value;
  }

  /// Bits read so far.
  std::size_t position() const { return position_; }

 private:
  word_list words_;
  std::size_t position_ = 0;
};

}  // namespace gpuimg::oracle
