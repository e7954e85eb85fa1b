/// @file
/// Binary arithmetic coder with fixed-length codewords, for one lane and for a warp of 32 that share one stream.
/// Source: Auli-Llinas, "Context-adaptive binary arithmetic coding with fixed-length codewords" (2015), as restated in
/// docs/paco-format.md section 5.3. No renormalisation and no carry: a codeword is emitted when its interval has shrunk
/// to one value, and its place in the stream is reserved when it is opened, which is when a decoder needs it.
///
/// In a kernel of your own, one warp:
/// @code
/// gpuimg::codec::warp_arithmetic_encoder<> encoder(words, capacity);
/// for (int i = 0; i < n; ++i) { encoder.encode(warp, active(i), bit(i), probability_of_zero(i)); }
/// encoder.flush();
/// const std::uint32_t words_used = encoder.words();
/// // ... and back:
/// gpuimg::codec::warp_arithmetic_decoder<> decoder(words, words_used);
/// for (int i = 0; i < n; ++i) { const bool bit = decoder.decode(warp, active(i), probability_of_zero(i)); }
/// @endcode
#pragma once

#include <cstdint>

#include "gpuimg/core/config.hpp"
#include "gpuimg/simt/bits.hpp"
#include "gpuimg/simt/group.hpp"

namespace gpuimg::codec {

/// The interval of one open codeword of W bits, with probabilities of P bits. Plain state, no I/O.
template <int W = 16, int P = 8>
struct codeword_interval {
  static_assert(W >= 2 && W <= 16 && P >= 1 && W + P <= 32, "a codeword is a 16-bit word; products fit 32 bits");
  static constexpr std::uint32_t full = (std::uint32_t{1} << W) - 1;

  std::uint32_t low = 0;
  std::uint32_t size = 0;  ///< number of values left, less one; 0 when no codeword is open

  GPUIMG_FUNCTION constexpr bool open() const noexcept { return size != 0; }
  GPUIMG_FUNCTION constexpr void start() noexcept {
    low = 0;
    size = full;
  }
  /// Values of the interval below the returned bound belong to symbol 0. p in 1 .. 2^P-1.
  GPUIMG_FUNCTION constexpr std::uint32_t split(std::uint32_t p) const noexcept { return ((size * p) >> P) + 1; }
  /// Narrows the interval to `bit`; afterwards !open() means that the codeword is exactly `low`.
  GPUIMG_FUNCTION constexpr void narrow(bool bit, std::uint32_t t) noexcept {
    low += bit ? t : 0;
    size = bit ? size - t : t - 1;
  }
  /// Bits of payload that the open interval can still carry: floor(log2(size + 1)).
  GPUIMG_FUNCTION int spare_bits() const noexcept { return simt::bit_width(size + 1) - 1; }
};

/// Encoder of a warp. Every lane holds one; words() is the same in all lanes.
template <int W = 16, int P = 8>
class warp_arithmetic_encoder {
 public:
  /// Writes words into `words[0 .. capacity-1]`; words beyond are counted but not stored.
  GPUIMG_FUNCTION warp_arithmetic_encoder(std::uint16_t* words, std::uint32_t capacity) noexcept
      : words_(words), capacity_(capacity) {}

  /// One event, reached by the full warp: lanes with `active` code `bit`, whose probability of being 0 is p / 2^P.
  template <simt::warp_group Warp>
  GPUIMG_FUNCTION void encode(Warp& warp, bool active, bool bit, std::uint32_t p) {
    const bool opens = active && !interval_.open();
    const std::uint32_t opening = warp.ballot(opens);
    if (opens) {
      interval_.start();
      slot_ = count_ + static_cast<std::uint32_t>(simt::popcount(opening & simt::lanes_below(warp.rank())));
    }
    count_ += static_cast<std::uint32_t>(simt::popcount(opening));
    if (active) {
      interval_.narrow(bit, interval_.split(p));
      if (!interval_.open()) { store(interval_.low); }
    }
  }

  /// Bits that flush(payload) can hide in this lane's open codeword.
  GPUIMG_FUNCTION int spare_bits() const noexcept { return interval_.open() ? interval_.spare_bits() : 0; }

  /// Ends the stream: stores the open codeword with `payload` (< 2^spare_bits()) inside. No collective.
  GPUIMG_FUNCTION void flush(std::uint32_t payload = 0) {
    if (interval_.open()) { store(interval_.low + payload); }
  }

  /// Words reserved so far.
  GPUIMG_FUNCTION std::uint32_t words() const noexcept { return count_; }

 private:
  GPUIMG_FUNCTION void store(std::uint32_t word) {
    if (slot_ < capacity_) { words_[slot_] = static_cast<std::uint16_t>(word); }
  }

  std::uint16_t* words_;
  std::uint32_t capacity_;
  codeword_interval<W, P> interval_;
  std::uint32_t slot_ = 0;
  std::uint32_t count_ = 0;
};

/// Decoder of a warp. Every lane holds one.
template <int W = 16, int P = 8>
class warp_arithmetic_decoder {
 public:
  /// Reads `words[0 .. count-1]` and nothing else; words beyond read as 0 and set exhausted().
  GPUIMG_FUNCTION warp_arithmetic_decoder(const std::uint16_t* words, std::uint32_t count) noexcept
      : words_(words), available_(count) {}

  /// One event, reached by the full warp. @returns the symbol of an active lane, false otherwise.
  template <simt::warp_group Warp>
  GPUIMG_FUNCTION bool decode(Warp& warp, bool active, std::uint32_t p) {
    const bool opens = active && !interval_.open();
    const std::uint32_t opening = warp.ballot(opens);
    if (opens) {
      const std::uint32_t slot =
          next_ + static_cast<std::uint32_t>(simt::popcount(opening & simt::lanes_below(warp.rank())));
      interval_.start();
      word_ = slot < available_ ? words_[slot] & codeword_interval<W, P>::full : 0;
    }
    next_ += static_cast<std::uint32_t>(simt::popcount(opening));
    bool bit = false;
    if (active) {
      const std::uint32_t t = interval_.split(p);
      bit = word_ - interval_.low >= t;
      interval_.narrow(bit, t);
    }
    return bit;
  }

  /// Bits of payload in this lane's open codeword, and the payload.
  GPUIMG_FUNCTION int spare_bits() const noexcept { return interval_.open() ? interval_.spare_bits() : 0; }
  GPUIMG_FUNCTION std::uint32_t payload() const noexcept { return interval_.open() ? word_ - interval_.low : 0; }

  /// Words consumed so far; the same in all lanes.
  GPUIMG_FUNCTION std::uint32_t words() const noexcept { return next_; }
  /// The stream asked for more words than there are: what was decoded since is not data.
  GPUIMG_FUNCTION bool exhausted() const noexcept { return next_ > available_; }

 private:
  const std::uint16_t* words_;
  std::uint32_t available_;
  codeword_interval<W, P> interval_;
  std::uint32_t word_ = 0;
  std::uint32_t next_ = 0;
};

}  // namespace gpuimg::codec
