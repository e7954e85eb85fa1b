/// @file
/// The arithmetic coder with fixed-length codewords, 32 lanes (docs/paco-format.md, section 5.3).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "tests/oracle/bit_string.hpp"

namespace gpuimg::oracle {

inline constexpr int lane_count = 32;

/// What one lane codes in an event. A decoder fills in the symbol.
struct decision {
  int lane = 0;
  int symbol = 0;
  std::uint32_t probability = 0;  ///< of symbol 0, 1 .. 2^P - 1
};

/// Decisions of different lanes, made at the same moment.
using event = std::vector<decision>;

/// Bits of a codeword (1 .. 16) and of a probability.
struct precision {
  int codeword = 16;
  int probability = 8;
};

/// What a lane knows of its codeword: it is one of low .. low + size. Size 0 means that none is open.
struct lane_interval {
  std::uint64_t low = 0;
  std::uint64_t size = 0;
  std::size_t place = 0;  ///< of the word in the block

  bool open() const { return size != 0; }

  /// floor(log2(size + 1)): how many freely chosen bits the open codeword can still carry.
  int free_bits() const { return bits_of(size + 1) - 1; }
};

/// One side of the coder. An event goes through code(), whatever the side.
class event_coder {
 public:
  explicit event_coder(precision bits) : bits_(bits) {}
  virtual ~event_coder() = default;

  void code(event& decisions);

  const lane_interval& lane(int number) const { return lanes_.at(static_cast<std::size_t>(number)); }

  /// Words that have been reserved.
  std::size_t reserved() const { return reserved_; }

 protected:
  event_coder(const event_coder&) = default;
  event_coder& operator=(const event_coder&) = default;

 private:
  virtual void reserve(std::size_t place) = 0;
  virtual int choose(const lane_interval& lane, std::uint64_t threshold, int symbol) = 0;
  virtual void close(const lane_interval& lane) = 0;

  precision bits_;
  std::array<lane_interval, lane_count> lanes_;
  std::size_t reserved_ = 0;
};

/// Writes the words of a block. Those of open lanes stay 0 until set_word().
class arithmetic_encoder : public event_coder {
 public:
  using event_coder::event_coder;

  void set_word(std::size_t place, std::uint64_t word) { words_.at(place) = static_cast<std::uint16_t>(word); }

  const word_list& words() const { return words_; }

 private:
  void reserve(std::size_t place) override;
  int choose(const lane_interval& lane, std::uint64_t threshold, int symbol) override;
  void close(const lane_interval& lane) override;

  word_list words_;
};

/// Reads the words of a block. Throws errc::corrupt when an event needs a word beyond the last.
class arithmetic_decoder : public event_coder {
 public:
  arithmetic_decoder(precision bits, word_list words) : event_coder(bits), words_(std::move(words)) {}

  std::uint16_t word(std::size_t place) const { return words_.at(place); }

 private:
  void reserve(std::size_t place) override;
  int choose(const lane_interval& lane, std::uint64_t threshold, int symbol) override;
  void close(const lane_interval& lane) override;

  word_list words_;
};

}  // namespace gpuimg::oracle
