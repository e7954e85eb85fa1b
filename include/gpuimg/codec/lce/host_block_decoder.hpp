/// @file
/// Decodes one block on the host (docs/lce-format.md, sections 3 to 6).
#pragma once

#include <cstdint>
#include <cstring>
#include <span>

#include "gpuimg/codec/bit_stream.hpp"
#include "gpuimg/codec/exact_division.hpp"
#include "gpuimg/codec/golomb.hpp"
#include "gpuimg/codec/lce/band_syntax.hpp"
#include "gpuimg/codec/lce/coding_rules.hpp"
#include "gpuimg/codec/linear_prediction.hpp"

namespace gpuimg::lce {

/// Bands first .. last - 1.
struct band_range {
  std::int32_t first;
  std::int32_t last;
};

/// How far the string of a block can be used.
struct block_outcome {
  std::int64_t bits = 0;    ///< read
  std::int32_t usable = 0;  ///< bands from this one on are lost
  bool damaged = false;
};

/// Decodes blocks one after the other; a thread has its own.
class host_block_decoder {
 public:
  explicit host_block_decoder(const coding_rules& rules) noexcept : rules_(rules) {}

  /// Decodes the bands of `range` and calls store(band, samples) for each, in order; lost ones are zeros.
  /// @param words       the string; may go on after the block when `alone` is false
  /// @param group_bits  of the block, one a group; empty when there is no group index
  template <class Store>
  block_outcome decode(const void* words, std::int64_t count, std::span<const std::uint16_t> group_bits,
                       const block_area& area, band_range range, bool alone, Store&& store) {
    count_ = area.samples();
    width_ = area.width;
    by_count_ = codec::exact_divider(static_cast<std::uint32_t>(count_));
    const std::int32_t rebuilt_from = restart_before(range.first);
    const start_point start = parse_start(group_bits, rebuilt_from);
    codec::memory_bit_reader reader(words, count, start.bit);
    std::int64_t group_start = start.bit;

    block_outcome outcome{start.bit, rules_.bands, false};
    for (std::int32_t b = start.band; b < range.last; ++b) {
      const bool restart = rules_.is_restart(b);
      const band_head head = read_band(reader, restart);
      if (head.form == band_form::damaged || reader.position() > count * 32) {
        outcome.usable = b;
        break;
      }
      if (b >= rebuilt_from) {
        rebuild(head);
        if (b >= range.first) { store(b, static_cast<const std::uint16_t*>(p_)); }
      }
      const bool group_ends = rules_.band_group != 0 && ((b + 1) % rules_.band_group == 0 || b + 1 == rules_.bands);
      if (group_ends && !group_bits.empty()) {
        const auto bits = group_bits[static_cast<std::size_t>(b / rules_.band_group)];
        if (reader.position() - group_start != bits) {
          outcome.usable = b + 1;
          outcome.damaged = true;
          break;
        }
        group_start = reader.position();
      }
    }
    outcome.bits = reader.position();
    if (outcome.usable < rules_.bands) { outcome.damaged = true; }
    if (!outcome.damaged && alone && range.last == rules_.bands) { outcome.damaged = !ends(reader, count); }
    std::memset(p_, 0, sizeof p_);
    for (std::int32_t b = std::max(outcome.usable, range.first); b < range.last; ++b) {
      store(b, static_cast<const std::uint16_t*>(p_));
    }
    return outcome;
  }

 private:
  /// Where a parser's values go. A function object, since parsers are compiled for devices too.
  struct value_store {
    std::uint32_t* values;
    GPUIMG_FUNCTION void operator()(int base, int i, std::uint32_t value) const noexcept { values[base + i] = value; }
  };

  struct start_point {
    std::int32_t band;
    std::int64_t bit;
  };

  std::int32_t restart_before(std::int32_t band) const noexcept {
    return rules_.restart == 0 ? 0 : band / rules_.restart * rules_.restart;
  }

  start_point parse_start(std::span<const std::uint16_t> group_bits, std::int32_t band) const noexcept {
    if (group_bits.empty()) { return {0, 0}; }
    const std::int32_t group = band / rules_.band_group;
    std::int64_t bit = 0;
    for (std::int32_t g = 0; g < group; ++g) { bit += group_bits[static_cast<std::size_t>(g)]; }
    return {group * rules_.band_group, bit};
  }

  /// Whether less than a word of zeros is left.
  static bool ends(const codec::memory_bit_reader& reader, std::int64_t count) noexcept {
    const std::int64_t left = count * 32 - reader.position();
    return left < 32 && (left == 0 || static_cast<std::uint32_t>(reader.peek()) == 0);
  }

  /// Reads one band into mapped_; plain samples go into mapped_ too, and so does the first of a restart band.
  band_head read_band(codec::memory_bit_reader& reader, bool restart) {
    band_head head = read_band_head(reader, rules_, restart);
    if (head.form == band_form::raw) {
      for (int j = 0; j < count_; ++j) { mapped_[j] = read_plain(reader, rules_.depth); }
    } else if (head.form == band_form::restart || head.form == band_form::coded) {
      const std::uint32_t first = restart ? read_plain(reader, rules_.depth) : 0;
      value_parser parser;
      codec::memory_bit_reader local = reader;  // in registers
      parser.read_codes(local, count_, restart, head.grouped != 0, value_store{mapped_});
      reader = local;
      if (restart) { mapped_[0] = first; }
      if (parser.beyond(rules_.mapped_limit())) { head.form = band_form::damaged; }
    }
    return head;
  }

  /// Makes p_, the decoded band, of mapped_ and the band before.
  void rebuild(const band_head& head) {
    switch (head.form) {
      case band_form::raw:
        for (int j = 0; j < count_; ++j) { p_[j] = static_cast<std::uint16_t>(mapped_[j]); }
        break;
      case band_form::restart: rebuild_restart(); break;
      default:
        if (head.form == band_form::skipped) { std::memset(mapped_, 0, sizeof mapped_); }
        rules_.modular ? rebuild_predicted<true>(head) : rebuild_predicted<false>(head);
    }
    sum_ = 0;
    for (int j = 0; j < count_; ++j) { sum_ += p_[j]; }
  }

  void rebuild_restart() {
    p_[0] = static_cast<std::uint16_t>(mapped_[0]);
    for (int j = 1, column = 1; j < count_; ++j, ++column) {
      if (column == width_) { column = 0; }
      const std::int32_t prediction =
          predict_in_band(p_[j - 1], j < width_ ? 0 : p_[j - width_], j < width_, column == 0);
      p_[j] = static_cast<std::uint16_t>(rules_.rebuild(prediction, codec::unmap_signed(mapped_[j]), rules_.first));
    }
  }

  template <bool Modular>
  void rebuild_predicted(const band_head& head) {
    const std::int32_t mp = codec::rounded_mean(sum_, static_cast<std::uint32_t>(count_), by_count_);
    const std::int32_t mx = codec::clamp_to(mp + codec::unmap_signed(head.mean), rules_.greatest);
    const codec::gain_predictor predict(mp, mx, static_cast<std::int32_t>(head.gain));
    const std::int32_t greatest = rules_.greatest;
    const codec::residual_quantizer quantizer = rules_.other;
    for (int j = 0; j < count_; ++j) {
      const std::int32_t prediction = codec::clamp_to(predict(p_[j]), greatest);
      const std::int32_t q = codec::unmap_signed(mapped_[j]);
      p_[j] = static_cast<std::uint16_t>(Modular ? (prediction + q) & greatest
                                                 : codec::clamp_to(prediction + quantizer.residual(q), greatest));
    }
  }

  coding_rules rules_;
  int count_ = 0;
  int width_ = 0;
  codec::exact_divider by_count_{1};
  std::uint64_t sum_ = 0;  // of p_
  std::uint16_t p_[block_samples] = {};
  std::uint32_t mapped_[block_samples];
};

}  // namespace gpuimg::lce
