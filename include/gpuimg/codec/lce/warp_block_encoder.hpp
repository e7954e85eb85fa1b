/// @file
/// Codes one block by one warp, eight samples of a band a lane; the same strings as host_block_encoder.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpuimg/codec/bit_stream.hpp"
#include "gpuimg/codec/golomb.hpp"
#include "gpuimg/codec/lce/coding_rules.hpp"
#include "gpuimg/codec/lce/cube.hpp"
#include "gpuimg/codec/lce/warp_block.hpp"
#include "gpuimg/codec/linear_prediction.hpp"
#include "gpuimg/codec/windowed_sum.hpp"
#include "gpuimg/simt/group.hpp"

namespace gpuimg::lce {

/// A warp's encoder; `T` is the sample type in memory without its sign (uint8 or uint16).
template <class T>
class warp_block_encoder {
  static constexpr int most_band_words = (31 + 9 + block_samples * 16 + 31) / 32;

 public:
  /// Shared memory of the warp.
  struct shared_storage {
    std::uint32_t string[most_band_words + 1];  ///< the band at hand, after the bits that its word begins with
    std::uint32_t values[block_samples];        ///< restart bands: samples, then mapped indices
    std::uint16_t decoded[block_samples];
  };

  GPUIMG_FUNCTION warp_block_encoder(const coding_rules& rules, shared_storage& shared) noexcept
      : rules_(rules), shared_(shared) {}

  /// Codes a block into `slot`. @param group_bits  of the block, or null
  /// @returns the words of the string. A collective.
  template <class Warp>
  GPUIMG_FUNCTION std::int64_t encode(Warp& warp, const any_cube& cube, const block_area& area, std::uint32_t* slot,
                                      std::uint16_t* group_bits) {
    const std::byte* base = cube.at(area.x, area.y, 0);
    const lane_place place(area, warp.rank(), cube.x_stride, cube.y_stride, cube.band_stride, base, sizeof(T));
    count_ = area.samples();
    by_count_ = codec::exact_divider(static_cast<std::uint32_t>(count_));
    for (int i = warp.rank(); i < most_band_words + 1; i += simt::warp_size) { shared_.string[i] = 0; }
    warp.sync();

    std::int64_t group_start = 0;
    packed_samples next = place.load<T>(base);
    for (std::int32_t b = 0; b < rules_.bands; ++b) {
      const packed_samples samples = next;
      if (b + 1 < rules_.bands) { next = place.load<T>(base + (b + 1) * cube.band_stride); }
      GPUIMG_UNROLL
      for (int i = 0; i < lane_samples; ++i) { x_[i] = static_cast<std::int32_t>(samples.get(i) ^ flip(place, i)); }
      const std::uint32_t bits = rules_.is_restart(b) ? code_restart(warp, area, place) : code_predicted(warp, place);
      move_words(warp, bits, slot);
      if (group_bits != nullptr && ((b + 1) % rules_.band_group == 0 || b + 1 == rules_.bands)) {
        const std::int64_t end = words_ * 32 + static_cast<std::int64_t>(fill_);
        if (warp.rank() == 0) { *group_bits = static_cast<std::uint16_t>(end - group_start); }
        ++group_bits;
        group_start = end;
      }
    }
    if (fill_ != 0 && warp.rank() == 0) { slot[words_] = shared_.string[0]; }
    warp.sync();  // lanes read what others have written
    return words_ + (fill_ != 0 ? 1 : 0);
  }

 private:
  GPUIMG_FUNCTION std::uint32_t flip(const lane_place& place, int i) const noexcept {
    return i < place.count() ? rules_.flip : 0;
  }

  template <class Warp>
  GPUIMG_FUNCTION std::uint32_t code_restart(Warp& warp, const block_area& area, const lane_place& place) {
    GPUIMG_UNROLL
    for (int i = 0; i < lane_samples; ++i) {
      if (i < place.count()) { shared_.values[place.first() + i] = static_cast<std::uint32_t>(x_[i]); }
    }
    warp.sync();
    const std::uint32_t first = shared_.values[0];
    warp.sync();
    if (warp.rank() == 0) {
      shared_.decoded[0] = static_cast<std::uint16_t>(first);
      shared_.values[0] = 0;
    }
    warp.sync();
    decode_diagonals(warp, shared_.decoded, area.width, area.height, [this](int j, std::int32_t prediction) {
      const std::int32_t q = rules_.first.index(static_cast<std::int32_t>(shared_.values[j]) - prediction);
      shared_.values[j] = codec::map_signed(q);
      return rules_.rebuild(prediction, q, rules_.first);
    });
    GPUIMG_UNROLL
    for (int i = 0; i < lane_samples; ++i) {
      const bool exists = i < place.count();
      mapped_[i] = exists ? shared_.values[place.first() + i] : 0;
      p_[i] = exists ? shared_.decoded[place.first() + i] : 0;
    }
    band_code code{0, 1, first, rules_.depth, true, false};
    const std::uint32_t bits = measure(warp, place, code);
    if (static_cast<std::int32_t>(bits) > 1 + rules_.raw_bits(count_)) { return put_raw(warp, place, 1, 1); }
    put_codes(warp, place, code);
    return bits;
  }

  template <class Warp>
  GPUIMG_FUNCTION std::uint32_t code_predicted(Warp& warp, const lane_place& place) {
    const codec::prediction_sums sums = sum(warp);
    const auto n = static_cast<std::uint32_t>(count_);
    const std::int32_t mp = codec::rounded_mean(sums.p, n, by_count_);
    const std::int32_t mx = codec::rounded_mean(sums.x, n, by_count_);
    const auto gain = static_cast<std::int32_t>(codec::least_squares_gain(sums, n, mx, mp));

    std::int32_t predicted[lane_samples];
    std::int32_t residual[lane_samples];
    GPUIMG_UNROLL
    for (int i = 0; i < lane_samples; ++i) {
      predicted[i] = codec::clamp_to(codec::predict(p_[i], mp, mx, gain), rules_.greatest);
      residual[i] = i < place.count() ? x_[i] - predicted[i] : 0;
    }
    // One branch for all samples, so that they go side by side.
    if (rules_.modular) {
      GPUIMG_UNROLL
      for (int i = 0; i < lane_samples; ++i) { mapped_[i] = codec::map_signed(residual[i]); }
    } else {
      GPUIMG_UNROLL
      for (int i = 0; i < lane_samples; ++i) { mapped_[i] = codec::map_signed(rules_.other.index(residual[i])); }
    }
    bool skip = !warp.any((four(0) | four(4)) != 0);
    if (rules_.lossy) {
      std::uint64_t energy = 0;
      GPUIMG_UNROLL
      for (int i = 0; i < lane_samples; ++i) {
        energy += static_cast<std::uint64_t>(std::int64_t{residual[i]} * residual[i]);
      }
      skip = rules_.drops(wide_sum(warp, energy), count_) || skip;
    }

    const auto mean = codec::exp_golomb_codeword(codec::map_signed(mx - mp));
    band_code code{(skip ? 1u : 0u) | static_cast<std::uint32_t>(gain) << 1, 9, mean.bits, mean.length, false, false};
    const auto most = static_cast<std::uint32_t>(9 + rules_.raw_bits(count_));
    std::uint32_t bits = static_cast<std::uint32_t>(9 + mean.length);
    if (!skip) { bits = measure(warp, place, code); }
    if (bits > most) { return put_raw(warp, place, 255u << 1, 9); }
    if (skip) {
      GPUIMG_UNROLL
      for (int i = 0; i < lane_samples; ++i) { p_[i] = predicted[i]; }
      put_head(warp, code);
    } else if (rules_.modular) {
      GPUIMG_UNROLL
      for (int i = 0; i < lane_samples; ++i) { p_[i] = x_[i]; }
      put_codes(warp, place, code);
    } else {
      GPUIMG_UNROLL
      for (int i = 0; i < lane_samples; ++i) {
        const std::int32_t decoded = predicted[i] + rules_.other.residual(codec::unmap_signed(mapped_[i]));
        p_[i] = codec::clamp_to(decoded, rules_.greatest);
      }
      put_codes(warp, place, code);
    }
    GPUIMG_UNROLL
    for (int i = 0; i < lane_samples; ++i) { p_[i] = i < place.count() ? p_[i] : 0; }
    return bits;
  }

  /// All sums of a band in one round.
  template <class Warp>
  GPUIMG_FUNCTION codec::prediction_sums sum(Warp& warp) const {
    std::uint32_t x = 0;
    std::uint32_t p = 0;
    std::uint64_t px = 0;
    std::uint64_t pp = 0;
    GPUIMG_UNROLL
    for (int i = 0; i < lane_samples; ++i) {
      const auto own_x = static_cast<std::uint32_t>(x_[i]);
      const auto own_p = static_cast<std::uint32_t>(p_[i]);
      x += own_x;
      p += own_p;
      px += own_p * own_x;  // below 2^32 each
      pp += own_p * own_p;
    }
    return {warp.reduce(x, simt::plus{}), wide_sum(warp, px), warp.reduce(p, simt::plus{}), wide_sum(warp, pp)};
  }

  /// What stands before the codes of a band, in lane 0, and the form of the codes.
  struct band_code {
    std::uint32_t head;
    int head_bits;
    std::uint64_t field;  ///< difference of means, or first sample
    int field_bits;
    bool restart;
    bool grouped;
  };

  /// Chooses parameters and form, and where each lane begins. @returns the bits of the band
  template <class Warp>
  GPUIMG_FUNCTION std::uint32_t measure(Warp& warp, const lane_place& place, band_code& code) {
    std::uint32_t magnitudes[lane_samples];
    std::uint32_t sums[lane_samples];
    GPUIMG_UNROLL
    for (int i = 0; i < lane_samples; ++i) { magnitudes[i] = codec::mapped_magnitude(mapped_[i]); }
    codec::windowed_sums(warp, magnitudes, sums);

    const bool flags = rules_.zero_flags && !code.restart;
    std::uint32_t plain = 0;
    std::uint32_t grouped = 0;
    std::uint32_t half = 0;  // of plain, and of grouped above 16 bits
    parameters_ = 0;
    GPUIMG_UNROLL
    for (int i = 0; i < lane_samples; ++i) {
      if (i == lane_samples / 2) { half = plain | grouped << 16; }
      if (i < place.count()) {
        const int j = place.first() + i;
        int length = 0;
        if (j == 0) {
          length = code.restart ? 0 : codec::exp_golomb_length(mapped_[0]);
        } else {
          const int k = j < codec::golomb_window ? codec::golomb_parameter(sums[i], static_cast<std::uint32_t>(j))
                                                 : codec::golomb_window_parameter(sums[i]);
          parameters_ |= std::uint64_t(static_cast<unsigned>(k)) << (8 * i);
          length = codec::golomb_length(mapped_[i], k);
        }
        plain += static_cast<std::uint32_t>(length);
        grouped += (i % 4 == 0 ? 1u : 0u) + (four(i / 4 * 4) == 0 ? 0u : static_cast<std::uint32_t>(length));
      }
    }
    const bool first_lane = warp.rank() == 0;
    const auto head = static_cast<std::uint32_t>(code.head_bits + code.field_bits + (flags ? 1 : 0));
    if (first_lane) {
      plain += head;
      grouped += head;
      half += head | head << 16;
    }
    // Both sums at once: neither exceeds 2^16.
    std::uint32_t total = 0;
    const std::uint32_t before = warp.exclusive_scan(plain | grouped << 16, simt::plus{}, total);
    code.grouped = flags && total >> 16 < (total & 0xFFFFu);
    before_ = code.grouped ? before >> 16 : before & 0xFFFFu;
    own_ = code.grouped ? grouped : plain;
    own_half_ = code.grouped ? half >> 16 : half & 0xFFFFu;
    if (flags) {
      code.field |= std::uint64_t{code.grouped ? 1u : 0u} << code.field_bits;
      ++code.field_bits;
    }
    return code.grouped ? total >> 16 : total & 0xFFFFu;
  }

  /// 0 when all values of the lane's four from i on are.
  GPUIMG_FUNCTION std::uint32_t four(int i) const noexcept {
    return mapped_[i] | mapped_[i + 1] | mapped_[i + 2] | mapped_[i + 3];
  }

  GPUIMG_FUNCTION static void put_head(codec::merging_bit_writer& writer, const band_code& code) {
    writer.put(code.head, code.head_bits);
    writer.put(static_cast<std::uint32_t>(code.field), code.field_bits < 32 ? code.field_bits : 32);
    if (code.field_bits > 32) { writer.put(static_cast<std::uint32_t>(code.field >> 32), code.field_bits - 32); }
  }

  template <class Warp>
  GPUIMG_FUNCTION void put_head(Warp& warp, const band_code& code) {
    if (warp.rank() != 0) { return; }
    codec::merging_bit_writer writer(shared_.string, fill_);
    put_head(writer, code);
    writer.finish();
  }

  template <class Warp>
  GPUIMG_FUNCTION void put_codes(Warp& warp, const lane_place& place, const band_code& code) {
    constexpr int half = lane_samples / 2;
    const bool first_lane = warp.rank() == 0;
    if (warp.all(own_ <= 64)) {
      codec::merge_bits(shared_.string, fill_ + before_, join_codes<0, lane_samples>(first_lane, place, code));
      return;
    }
    if (warp.all(own_half_ <= 64 && own_ - own_half_ <= 64)) {
      codec::merge_bits(shared_.string, fill_ + before_, join_codes<0, half>(first_lane, place, code));
      codec::merge_bits(shared_.string, fill_ + before_ + own_half_,
                        join_codes<half, lane_samples>(first_lane, place, code));
      return;
    }
    codec::merging_bit_writer writer(shared_.string, fill_ + before_);
    if (warp.rank() == 0) { put_head(writer, code); }
    GPUIMG_UNROLL
    for (int i = 0; i < lane_samples; ++i) {
      if (i < place.count()) {
        const bool zero = code.grouped && four(i / 4 * 4) == 0;
        if (code.grouped && i % 4 == 0) { writer.put(zero ? 1u : 0u, 1); }
        if (place.first() + i == 0) {
          // A restart band has its first sample in the head.
          if (!zero && !code.restart) {
            const auto word = codec::exp_golomb_codeword(mapped_[0]);
            writer.put(static_cast<std::uint32_t>(word.bits), word.length < 32 ? word.length : 32);
            if (word.length > 32) { writer.put(static_cast<std::uint32_t>(word.bits >> 32), word.length - 32); }
          }
        } else if (!zero) {
          const auto word = codec::golomb_codeword(mapped_[i], static_cast<int>(parameters_ >> (8 * i)) & 255);
          writer.put(word.bits, word.length);
        }
      }
    }
    writer.finish();
  }

  /// The codes of the lane's samples First .. Last - 1, after the band's head if it is here; at most 64 bits. Without
  /// branches: where a word ends and which four are zero differs from lane to lane.
  template <int First, int Last>
  GPUIMG_FUNCTION std::uint64_t join_codes(bool first_lane, const lane_place& place, const band_code& code) const {
    const bool with_head = First == 0 && first_lane;
    std::uint64_t string = with_head ? code.head | code.field << code.head_bits : 0;
    int at = with_head ? code.head_bits + code.field_bits : 0;
    GPUIMG_UNROLL
    for (int i = First; i < Last; ++i) {
      const bool zero = code.grouped && four(i / 4 * 4) == 0;
      if (i % 4 == 0) {
        string |= std::uint64_t{zero && i < place.count() ? 1u : 0u} << (at & 63);
        at += code.grouped && i < place.count() ? 1 : 0;
      }
      const auto narrow = codec::golomb_codeword(mapped_[i], static_cast<int>(parameters_ >> (8 * i)) & 255);
      codec::wide_codeword word{narrow.bits, narrow.length};
      if (i == 0 && first_lane) {
        word = code.restart ? codec::wide_codeword{0, 0} : codec::exp_golomb_codeword(mapped_[0]);
      }
      const bool coded = i < place.count() && !zero;
      string |= (coded ? word.bits : 0) << (at & 63);  // behind the 64th bit only zeros are added
      at += coded ? word.length : 0;
    }
    return string;
  }

  /// Plain samples behind a head. @returns the bits of the band
  template <class Warp>
  GPUIMG_FUNCTION std::uint32_t put_raw(Warp& warp, const lane_place& place, std::uint32_t head, int head_bits) {
    const bool first_lane = warp.rank() == 0;
    const std::uint32_t at =
        fill_ + (first_lane ? 0u : static_cast<std::uint32_t>(head_bits + place.first() * rules_.depth));
    if (place.count() != 0) {
      codec::merging_bit_writer writer(shared_.string, at);
      if (first_lane) { writer.put(head, head_bits); }
      GPUIMG_UNROLL
      for (int i = 0; i < lane_samples; ++i) {
        if (i < place.count()) { writer.put(static_cast<std::uint32_t>(x_[i]), rules_.depth); }
        p_[i] = x_[i];
      }
      writer.finish();
    }
    return static_cast<std::uint32_t>(head_bits + rules_.raw_bits(count_));
  }

  /// Moves the whole words of the staged string to the slot, and keeps the bits of the last one.
  template <class Warp>
  GPUIMG_FUNCTION void move_words(Warp& warp, std::uint32_t bits, std::uint32_t* slot) {
    warp.sync();
    const std::uint32_t end = fill_ + bits;
    const std::uint32_t full = end / 32;
    for (auto i = static_cast<std::uint32_t>(warp.rank()); i < full; i += simt::warp_size) {
      slot[words_ + i] = shared_.string[i];
      shared_.string[i] = 0;
    }
    const std::uint32_t last = shared_.string[full];
    warp.sync();
    if (warp.rank() == 0 && full != 0) {
      shared_.string[full] = 0;
      shared_.string[0] = last;
    }
    warp.sync();
    words_ += full;
    fill_ = end % 32;
  }

  const coding_rules& rules_;
  shared_storage& shared_;
  int count_ = 0;
  codec::exact_divider by_count_{1};
  std::int32_t x_[lane_samples];       // the band at hand; zeros beyond the lane's count
  std::int32_t p_[lane_samples] = {};  // decoded samples of the band before, then of this one; likewise
  std::uint32_t mapped_[lane_samples];
  std::uint64_t parameters_ = 0;  // a byte for each sample
  std::uint32_t before_ = 0;      // bits of the band in the lanes before
  std::uint32_t own_ = 0;         // and in this one,
  std::uint32_t own_half_ = 0;    // of which in its first four samples
  std::int64_t words_ = 0;        // in the slot
  std::uint32_t fill_ = 0;        // bits of the word that follows them
};

}  // namespace gpuimg::lce
