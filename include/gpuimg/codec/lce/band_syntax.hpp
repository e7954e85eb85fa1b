/// @file
/// Reading the code of one block-band from a bit string: for the host and for a thread of a kernel
/// (docs/lce-format.md, sections 3 and 4).
///
/// `Reader` is codec::memory_bit_reader, codec::register_bit_reader or codec::ring_bit_reader.
#pragma once

#include <cstdint>

#include "gpuimg/codec/golomb.hpp"
#include "gpuimg/codec/lce/block_grid.hpp"
#include "gpuimg/codec/lce/coding_rules.hpp"
#include "gpuimg/core/config.hpp"

namespace gpuimg::lce {

/// Form of a block-band.
enum class band_form : std::uint32_t {
  coded,        ///< predicted from the band before, with indices
  skipped,      ///< the prediction alone
  raw,          ///< plain samples
  restart,      ///< predicted inside of the band; the first sample is plain
  damaged = 7,  ///< nothing that can be used, from here to the end of the block
};

/// What stands before the indices of a block-band. Fits in a word.
struct band_head {
  band_form form;
  std::uint32_t gain;     ///< coded and skipped bands
  std::uint32_t mean;     ///< the same: map of the difference of the means
  std::uint32_t grouped;  ///< 1: zero flags are present

  GPUIMG_FUNCTION constexpr std::uint32_t pack() const noexcept {
    return static_cast<std::uint32_t>(form) | gain << 3 | mean << 11;
  }
  GPUIMG_FUNCTION static constexpr band_head unpack(std::uint32_t word) noexcept {
    return {static_cast<band_form>(word & 7), (word >> 3) & 255, word >> 11, 0};
  }
  GPUIMG_FUNCTION constexpr bool has_samples() const noexcept {
    return form == band_form::raw || form == band_form::restart;
  }
};

/// Reads `bits` (1 .. 32) plain bits.
template <class Reader>
GPUIMG_FUNCTION std::uint32_t read_plain(Reader& reader, int bits) {
  const auto value = static_cast<std::uint32_t>(reader.peek_word()) & (~std::uint32_t{0} >> (32 - bits));
  reader.skip(bits);
  return value;
}

/// Reads a value of an exponential Golomb code; above codec::golomb_limit it is damage.
template <class Reader>
GPUIMG_FUNCTION std::uint32_t read_exp_golomb(Reader& reader) {
  const auto read = codec::read_exp_golomb(reader.peek());
  reader.skip(read.length);
  return read.value;
}

/// Reads what stands before the indices.
template <class Reader>
GPUIMG_FUNCTION band_head read_band_head(Reader& reader, const coding_rules& rules, bool restart) {
  const bool first_bit = read_plain(reader, 1) != 0;
  if (restart) { return {first_bit ? band_form::raw : band_form::restart, 0, 0, 0}; }
  const std::uint32_t gain = read_plain(reader, 8);
  if (!first_bit && gain == 255) { return {band_form::raw, 0, 0, 0}; }
  const std::uint32_t mean = read_exp_golomb(reader);
  if (mean > codec::golomb_limit) { return {band_form::damaged, 0, 0, 0}; }
  if (first_bit) { return {band_form::skipped, gain, mean, 0}; }
  return {band_form::coded, gain, mean, rules.zero_flags ? read_plain(reader, 1) : 0u};
}

/// Reads values of one block-band in raster order.
///
/// The window of magnitudes is in an array that a loop of 32 steps indexes by constants once it is unrolled: on a
/// device it lives in registers.
class value_parser {
 public:
  /// Whether a value of the band was beyond its limit.
  GPUIMG_FUNCTION bool beyond(std::uint32_t limit) const noexcept { return greatest_ > limit; }

  /// Reads the codes of `count` values and calls sink(base, i, value) for value base + i, where i is a constant
  /// once the loop is unrolled and base a multiple of 32; for restart bands those from 1 on, with a value of 0
  /// for the first. With a Reader that selects, zeros follow up to a multiple of 32.
  template <class Reader, class Sink>
  GPUIMG_FUNCTION void read_codes(Reader& reader, int count, bool restart, bool grouped, Sink&& sink) {
    read_window<true>(reader, 0, count, restart, grouped, sink);
    for (int base = codec::golomb_window; base < count; base += codec::golomb_window) {
      read_window<false>(reader, base, count, false, grouped, sink);
    }
  }

 private:
  template <bool First, class Reader, class Sink>
  GPUIMG_FUNCTION void read_window(Reader& reader, int base, int count, bool restart, bool grouped, Sink& sink) {
    reader.reserve();
    GPUIMG_UNROLL
    for (int i = 0; i < codec::golomb_window; ++i) {
      std::uint32_t value = 0;
      if constexpr (Reader::selects) {
        value = select_value<First>(reader, i, base + i < count, restart, grouped);
      } else {
        if (base + i >= count) { break; }
        value = read_value<First>(reader, i, restart, grouped);
      }
      greatest_ = value > greatest_ ? value : greatest_;
      const std::uint32_t magnitude = codec::mapped_magnitude(value);
      sum_ += magnitude - (First ? 0 : window_[i]);
      window_[i] = magnitude;
      sink(base, i, value);
    }
  }

  template <bool First>
  GPUIMG_FUNCTION int parameter(int i) const noexcept {
    return First ? codec::golomb_parameter(sum_, static_cast<std::uint32_t>(i)) : codec::golomb_window_parameter(sum_);
  }

  /// The value number i of a window: for processors, which like branches that are often right.
  template <bool First, class Reader>
  GPUIMG_FUNCTION std::uint32_t read_value(Reader& reader, int i, bool restart, bool grouped) {
    if (grouped && i % 4 == 0) { zero_ = read_plain(reader, 1) != 0; }
    if (First && i == 0) { return restart || zero_ ? 0 : read_exp_golomb(reader); }
    if (zero_) { return 0; }
    const auto read = codec::read_golomb(reader.peek_word(), parameter<First>(i));
    reader.skip(read.length);
    return read.value;
  }

  /// The same without branches, and 0 without reading when there is no such value: for threads that go together.
  template <bool First, class Reader>
  GPUIMG_FUNCTION std::uint32_t select_value(Reader& reader, int i, bool exists, bool restart, bool grouped) {
    std::uint64_t window = reader.peek();
    int flag = 0;
    if (i % 4 == 0) {
      flag = grouped && exists ? 1 : 0;
      zero_ = grouped && (window & 1) != 0;
      window >>= flag;
    }
    codec::decoded_value read{};
    if (First && i == 0) {
      reader.skip(flag);
      flag = 0;
      read = codec::read_exp_golomb(reader.peek());
      exists = exists && !restart;
    } else {
      read = codec::read_golomb(window, parameter<First>(i));
    }
    exists = exists && !zero_;
    reader.skip(flag + (exists ? read.length : 0));
    return exists ? read.value : 0;
  }

  std::uint32_t window_[codec::golomb_window];
  std::uint32_t sum_ = 0;
  std::uint32_t greatest_ = 0;
  bool zero_ = false;
};

}  // namespace gpuimg::lce
