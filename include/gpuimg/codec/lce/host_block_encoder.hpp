/// @file
/// Codes one block on the host (docs/lce-format.md, sections 3, 4 and 7).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "gpuimg/codec/bit_stream.hpp"
#include "gpuimg/codec/exact_division.hpp"
#include "gpuimg/codec/golomb.hpp"
#include "gpuimg/codec/lce/block_grid.hpp"
#include "gpuimg/codec/lce/coding_rules.hpp"
#include "gpuimg/codec/lce/cube.hpp"
#include "gpuimg/codec/linear_prediction.hpp"

namespace gpuimg::lce {

/// Codes blocks one after the other; a thread has its own. Holds memory for the longest string of a block.
class host_block_encoder {
 public:
  explicit host_block_encoder(const coding_rules& rules) : rules_(rules) {}

  /// Codes the samples of one block in all bands. @param group_bits  receives the bits of each group of bands, if any
  /// @returns the string, valid until the next call
  std::span<const std::uint32_t> encode(const any_cube& cube, const block_area& area, std::uint16_t* group_bits) {
    count_ = area.samples();
    width_ = area.width;
    by_count_ = codec::exact_divider(static_cast<std::uint32_t>(count_));
    // One band may be coded beyond its bound before it is taken back, and the writer stores a word ahead.
    constexpr int band_words = (block_samples * 32 + 64) / 32;
    words_.resize(static_cast<std::size_t>(most_words(count_, rules_.bands, rules_.depth) + band_words + 2));
    writer_ = codec::word_bit_writer(words_.data());
    std::int64_t group_start = 0;
    for (std::int32_t b = 0; b < rules_.bands; ++b) {
      load_block_band(cube, area, b, x_.data());
      if (rules_.is_restart(b)) {
        encode_restart();
      } else if (rules_.modular) {
        encode_predicted<true>();
      } else {
        encode_predicted<false>();
      }
      if (rules_.band_group != 0 && ((b + 1) % rules_.band_group == 0 || b + 1 == rules_.bands)) {
        *group_bits++ = static_cast<std::uint16_t>(writer_.bits() - group_start);
        group_start = writer_.bits();
      }
    }
    return {words_.data(), static_cast<std::size_t>(writer_.words())};
  }

 private:
  void encode_restart() {
    const auto before = writer_;
    writer_.put(0, 1);
    writer_.put(x_[0], rules_.depth);
    p_[0] = x_[0];
    mapped_[0] = 0;
    for (int j = 1, column = 1; j < count_; ++j, ++column) {
      if (column == width_) { column = 0; }
      const std::int32_t prediction =
          predict_in_band(p_[j - 1], j < width_ ? 0 : p_[j - width_], j < width_, column == 0);
      const std::int32_t q = rules_.first.index(x_[j] - prediction);
      mapped_[j] = codec::map_signed(q);
      p_[j] = static_cast<std::uint16_t>(rules_.rebuild(prediction, q, rules_.first));
    }
    put_codes();
    if (writer_.bits() - before.bits() > 1 + rules_.raw_bits(count_)) {
      writer_ = before;
      writer_.put(1, 1);
      put_samples();
    }
    sum_decoded();
  }

  template <bool Modular>
  void encode_predicted() {
    codec::prediction_sums sums = decoded_sums_;
    sums.x = 0;
    sums.px = 0;
    for (int j = 0; j < count_; ++j) {
      sums.x += x_[j];
      sums.px += static_cast<std::uint32_t>(p_[j]) * x_[j];
    }
    const auto n = static_cast<std::uint32_t>(count_);
    const std::int32_t mp = codec::rounded_mean(sums.p, n, by_count_);
    const std::int32_t mx = codec::rounded_mean(sums.x, n, by_count_);
    const auto gain = static_cast<std::int32_t>(codec::least_squares_gain(sums, n, mx, mp));

    const codec::gain_predictor predict(mp, mx, gain);
    std::uint32_t any = 0;
    std::uint64_t energy = 0;
    for (int j = 0; j < count_; ++j) {
      const std::int32_t prediction = codec::clamp_to(predict(p_[j]), rules_.greatest);
      const std::int32_t e = x_[j] - prediction;
      predicted_[j] = static_cast<std::uint16_t>(prediction);
      mapped_[j] = codec::map_signed(Modular ? e : rules_.other.index(e));
      any |= mapped_[j];
    }
    if (rules_.lossy) { energy = residual_energy(); }

    const auto before = writer_;
    const bool skip = any == 0 || rules_.drops(energy, count_);
    writer_.put((skip ? 1u : 0u) | static_cast<std::uint32_t>(gain) << 1, 9);
    const auto mean = codec::exp_golomb_codeword(codec::map_signed(mx - mp));
    writer_.put_wide(mean.bits, mean.length);
    if (!skip) { rules_.zero_flags ? put_shorter_form() : put_first_and_codes(); }
    if (writer_.bits() - before.bits() > 9 + rules_.raw_bits(count_)) {
      writer_ = before;
      writer_.put(255u << 1, 9);
      put_samples();
    } else if (skip) {
      p_ = predicted_;
    } else if (Modular) {
      p_ = x_;
    } else {
      for (int j = 0; j < count_; ++j) {
        p_[j] =
            static_cast<std::uint16_t>(rules_.rebuild(predicted_[j], codec::unmap_signed(mapped_[j]), rules_.other));
      }
    }
    sum_decoded();
  }

  std::uint64_t residual_energy() const {
    std::uint64_t energy = 0;
    for (int j = 0; j < count_; ++j) {
      const std::int64_t e = x_[j] - predicted_[j];
      energy += static_cast<std::uint64_t>(e * e);
    }
    return energy;
  }

  void sum_decoded() {
    std::uint64_t p = 0;
    std::uint64_t pp = 0;
    for (int j = 0; j < count_; ++j) {
      p += p_[j];
      pp += static_cast<std::uint32_t>(p_[j]) * p_[j];
    }
    decoded_sums_.p = p;
    decoded_sums_.pp = pp;
  }

  void put_samples() {
    for (int j = 0; j < count_; ++j) {
      writer_.put(x_[j], rules_.depth);
      p_[j] = x_[j];
    }
  }

  void put_first_and_codes() {
    const auto first = codec::exp_golomb_codeword(mapped_[0]);
    writer_.put_wide(first.bits, first.length);
    put_codes();
  }

  /// Golomb codes of all values but the first.
  void put_codes() {
    codec::word_bit_writer writer = writer_;  // in registers
    std::uint32_t sum = 0;
    const int head = std::min(count_, codec::golomb_window + 1);
    for (int j = 1; j < head; ++j) {
      sum += codec::mapped_magnitude(mapped_[j - 1]);
      const auto word = codec::golomb_codeword(mapped_[j], codec::golomb_parameter(sum, static_cast<std::uint32_t>(j)));
      writer.put(word.bits, word.length);
    }
    for (int j = head; j < count_; ++j) {
      sum += codec::mapped_magnitude(mapped_[j - 1]) - codec::mapped_magnitude(mapped_[j - 1 - codec::golomb_window]);
      const auto word = codec::golomb_codeword(mapped_[j], codec::golomb_window_parameter(sum));
      writer.put(word.bits, word.length);
    }
    writer_ = writer;
  }

  /// The codes with zero flags or without, whichever is shorter, after the bit that says so.
  void put_shorter_form() {
    std::array<std::uint8_t, block_samples> parameters;
    std::int64_t plain = codec::exp_golomb_length(mapped_[0]);
    std::int64_t grouped = mapped_group(0) == 0 ? 1 : 1 + plain;
    std::uint32_t sum = 0;
    for (int j = 1; j < count_; ++j) {
      sum += codec::mapped_magnitude(mapped_[j - 1]);
      if (j > codec::golomb_window) { sum -= codec::mapped_magnitude(mapped_[j - 1 - codec::golomb_window]); }
      const int k =
          codec::golomb_parameter(sum, static_cast<std::uint32_t>(j < codec::golomb_window ? j : codec::golomb_window));
      parameters[static_cast<std::size_t>(j)] = static_cast<std::uint8_t>(k);
      const int length = codec::golomb_length(mapped_[j], k);
      plain += length;
      if (j % 4 == 0) { ++grouped; }
      if (mapped_group(j / 4 * 4) != 0) { grouped += length; }
    }
    if (grouped >= plain) {
      writer_.put(0, 1);
      put_first_and_codes();
      return;
    }
    writer_.put(1, 1);
    for (int j = 0; j < count_; ++j) {
      const bool zero = mapped_group(j / 4 * 4) == 0;
      if (j % 4 == 0) { writer_.put(zero ? 1u : 0u, 1); }
      if (zero) { continue; }
      if (j == 0) {
        const auto first = codec::exp_golomb_codeword(mapped_[0]);
        writer_.put_wide(first.bits, first.length);
      } else {
        const auto word = codec::golomb_codeword(mapped_[j], parameters[static_cast<std::size_t>(j)]);
        writer_.put(word.bits, word.length);
      }
    }
  }

  /// 0 when all values of the four from j on are.
  std::uint32_t mapped_group(int j) const {
    std::uint32_t any = 0;
    for (int i = j; i < j + 4 && i < count_; ++i) { any |= mapped_[i]; }
    return any;
  }

  /// An array that is indexed by int.
  template <class T>
  struct samples_of {
    T values[block_samples];
    T& operator[](int j) noexcept { return values[j]; }
    const T& operator[](int j) const noexcept { return values[j]; }
    T* data() noexcept { return values; }
  };

  coding_rules rules_;
  int count_ = 0;
  int width_ = 0;
  codec::exact_divider by_count_{1};
  codec::prediction_sums decoded_sums_{};
  codec::word_bit_writer writer_;
  samples_of<std::uint16_t> x_{};  // the band at hand
  samples_of<std::uint16_t> p_{};  // decoded samples of the band before, then of this one
  samples_of<std::uint16_t> predicted_{};
  samples_of<std::uint32_t> mapped_{};
  std::vector<std::uint32_t> words_;
};

}  // namespace gpuimg::lce
