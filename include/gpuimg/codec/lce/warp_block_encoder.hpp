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
#include "gpuimg/codec/lce/warp_codes.hpp"
#include "gpuimg/codec/linear_prediction.hpp"
#include "gpuimg/codec/windowed_sum.hpp"
#include "gpuimg/simt/group.hpp"

namespace gpuimg::lce {

/// A warp's encoder; `T` is the sample type in memory without its sign (uint8 or uint16).
template <class T>
class warp_block_encoder {
  static constexpr int most_band_words = (9 + block_samples * 16 + 31) / 32;
  /// The string is moved to memory when so many of its words are complete: a step for every lane.
  static constexpr std::uint32_t moved_words = simt::warp_size;
  static constexpr int string_words = moved_words + most_band_words + 2;

 public:
  /// Shared memory of the warp.
  struct shared_storage {
    std::uint32_t string[string_words];   ///< what is not yet in the slot, up to the band at hand
    std::uint32_t values[block_samples];  ///< restart bands: samples, then mapped indices
    std::uint16_t decoded[block_samples];
    packed_samples bands[joined_bands][simt::warp_size];  ///< those that were read together
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
    for (int i = warp.rank(); i < string_words; i += simt::warp_size) { shared_.string[i] = 0; }
    warp.sync();
    if (count_ == block_samples) {
      encode_bands<true>(warp, cube, area, place, base, slot, group_bits);
    } else {
      encode_bands<false>(warp, cube, area, place, base, slot, group_bits);
    }
    move_words(warp, slot, (fill_ + 31) / 32);
    warp.sync();  // lanes read what others have written
    return words_;
  }

 private:
  /// Where codes take the sample type's place: how a residual becomes an index.
  enum class quantization { none, plain, any };

  /// @tparam Whole  the block has all its samples
  template <bool Whole, class Warp>
  GPUIMG_FUNCTION void encode_bands(Warp& warp, const any_cube& cube, const block_area& area, const lane_place& place,
                                    const std::byte* base, std::uint32_t* slot, std::uint16_t* group_bits) {
    const lane_codes<Whole> codes(place.first(), place.count());
    const quantization way = rules_.modular         ? quantization::none
                             : rules_.other.plain() ? quantization::plain
                                                    : quantization::any;
    std::int64_t group_start = 0;
    std::int32_t group_left = rules_.band_group;
    const std::int32_t joined = place.joins_bands() ? rules_.bands / joined_bands * joined_bands : 0;
    joined_samples<T> pixels[lane_samples] = {};
    if (joined != 0) { place.load_bands<T>(base, pixels); }
    packed_samples next = joined != 0 ? packed_samples{} : place.load<T>(base);
    for (std::int32_t b = 0; b < rules_.bands; ++b) {
      packed_samples samples = next;
      if (b < joined) {
        if (b % joined_bands == 0) {
          stage(warp, pixels);
          if (b + joined_bands < joined) { place.load_bands<T>(base + (b + joined_bands) * cube.band_stride, pixels); }
        }
        samples = shared_.bands[b % joined_bands][warp.rank()];
      }
      if (b + 1 >= joined && b + 1 < rules_.bands) { next = place.load<T>(base + (b + 1) * cube.band_stride); }
      GPUIMG_UNROLL
      for (int i = 0; i < lane_samples; i += 2) {
        samples.words[i / 2] ^= (codes.has(i) ? rules_.flip : 0u) | (codes.has(i + 1) ? rules_.flip : 0u) << 16;
        x_[i] = static_cast<std::int32_t>(samples.get(i));
        x_[i + 1] = static_cast<std::int32_t>(samples.get(i + 1));
      }
      // Each way makes indices and what leads them; the long rest is there once.
      const bool restart = rules_.is_restart(b);
      band_lead lead;
      if (restart) {
        lead = quantize_restart(warp, area, codes);
      } else if (way == quantization::none) {
        lead = quantize_predicted<quantization::none>(warp, codes);
      } else if (way == quantization::plain) {
        lead = quantize_predicted<quantization::plain>(warp, codes);
      } else {
        lead = quantize_predicted<quantization::any>(warp, codes);
      }
      if (!append(warp, codes, lead)) { put_raw(warp, codes, lead.restart ? 1 : 255u << 1, lead.restart ? 1 : 9); }
      if (fill_ >= 32 * moved_words) { move_words(warp, slot, fill_ / 32); }
      if (group_bits != nullptr && (--group_left == 0 || b + 1 == rules_.bands)) {
        const std::int64_t end = words_ * 32 + static_cast<std::int64_t>(fill_);
        if (warp.rank() == 0) { *group_bits = static_cast<std::uint16_t>(end - group_start); }
        ++group_bits;
        group_start = end;
        group_left = rules_.band_group;
      }
    }
  }

  /// Sorts pixels of joined_bands bands by band. Each lane reads only what it has written.
  template <class Warp>
  GPUIMG_FUNCTION void stage(const Warp& warp, const joined_samples<T> (&pixels)[lane_samples]) {
    GPUIMG_UNROLL
    for (int b = 0; b < joined_bands; ++b) {
      packed_samples samples{};
      GPUIMG_UNROLL
      for (int i = 0; i < lane_samples; ++i) { samples.set(i, static_cast<std::uint32_t>(pixels[i].bands[b])); }
      shared_.bands[b][warp.rank()] = samples;
    }
  }

  /// What stands before the codes of a band, up to the zero flags' bit.
  struct band_lead {
    std::uint64_t bits;
    int length;              ///< at most 42
    std::uint32_t greatest;  ///< mapped index; 0: nothing follows
    bool restart;
  };

  template <bool Whole, class Warp>
  GPUIMG_FUNCTION band_lead quantize_restart(Warp& warp, const block_area& area, const lane_codes<Whole>& codes) {
    const int begin = warp.rank() * lane_samples;
    GPUIMG_UNROLL
    for (int i = 0; i < lane_samples; ++i) {
      if (codes.has(i)) { shared_.values[begin + i] = static_cast<std::uint32_t>(x_[i]); }
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
      mapped_[i] = codes.has(i) ? shared_.values[begin + i] : 0;
      p_[i] = codes.has(i) ? shared_.decoded[begin + i] : 0;
    }
    return {std::uint64_t{first} << 1, 1 + rules_.depth, ~std::uint32_t{0}, true};
  }

  template <quantization Way, bool Whole, class Warp>
  GPUIMG_FUNCTION band_lead quantize_predicted(Warp& warp, const lane_codes<Whole>& codes) {
    const codec::prediction_sums sums = sum(warp);
    const auto n = static_cast<std::uint32_t>(count_);
    const std::int32_t mp = codec::rounded_mean(sums.p, n, by_count_);
    const std::int32_t mx = codec::rounded_mean(sums.x, n, by_count_);
    const auto gain = static_cast<std::int32_t>(codec::least_squares_gain(sums, n, mx, mp));
    const codec::gain_predictor predict(mp, mx, gain);

    std::uint32_t greatest = 0;
    std::int32_t predicted[lane_samples];
    GPUIMG_UNROLL
    for (int i = 0; i < lane_samples; ++i) {
      predicted[i] = codes.has(i) ? codec::clamp_to(predict(p_[i]), rules_.greatest) : 0;
      const std::int32_t residual = x_[i] - predicted[i];
      if constexpr (Way == quantization::none) {
        mapped_[i] = codec::map_signed(residual);
        p_[i] = x_[i];
      } else {
        const std::int32_t sign = residual >> 31;
        const auto size = static_cast<std::uint32_t>((residual ^ sign) - sign);
        const std::uint32_t q = Way == quantization::plain ? rules_.other.round(size) : rules_.other.magnitude(size);
        const std::uint32_t value = Way == quantization::plain ? q * rules_.other.delta() : rules_.other.value(q);
        mapped_[i] = codec::map_magnitude(q, sign);
        p_[i] = codec::clamp_to(predicted[i] + (sign | 1) * static_cast<std::int32_t>(value), rules_.greatest);
      }
      greatest = mapped_[i] > greatest ? mapped_[i] : greatest;
    }
    greatest = warp.reduce(greatest, simt::maximum{});
    if (rules_.lossy) {
      std::uint64_t energy = 0;
      GPUIMG_UNROLL
      for (int i = 0; i < lane_samples; ++i) {
        const std::int64_t residual = x_[i] - predicted[i];
        energy += static_cast<std::uint64_t>(residual * residual);
      }
      if (rules_.drops(wide_sum(warp, energy), count_)) {
        greatest = 0;
        GPUIMG_UNROLL
        for (int i = 0; i < lane_samples; ++i) { p_[i] = predicted[i]; }
      }
    }

    const auto mean = codec::exp_golomb_codeword(codec::map_signed(mx - mp));
    const std::uint32_t skip = greatest == 0 ? 1 : 0;
    return {skip | static_cast<std::uint32_t>(gain) << 1 | mean.bits << 9, 9 + mean.length, greatest, false};
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
      px += std::uint64_t{own_p} * own_x;
      pp += std::uint64_t{own_p} * own_p;
    }
    return {warp.reduce(x, simt::plus{}), wide_sum(warp, px), warp.reduce(p, simt::plus{}), wide_sum(warp, pp)};
  }

  /// Appends a band in its shortest form. @returns false, when plain samples are shorter: nothing is appended then
  template <bool Whole, class Warp>
  GPUIMG_FUNCTION bool append(Warp& warp, const lane_codes<Whole>& codes, const band_lead& lead) {
    const auto most = static_cast<std::uint32_t>((lead.restart ? 1 : 9) + rules_.raw_bits(count_));
    if (lead.greatest != 0) {
      return lead.greatest <= small_mapped ? put<true>(warp, codes, lead, most) : put<false>(warp, codes, lead, most);
    }
    if (static_cast<std::uint32_t>(lead.length) > most) { return false; }
    if (warp.rank() == 0) { codec::merge_bits(shared_.string, fill_, lead.bits); }
    fill_ += static_cast<std::uint32_t>(lead.length);
    return true;
  }

  /// Appends lead and codes with zero flags or without. @tparam Small  no mapped index is above small_mapped
  template <bool Small, bool Whole, class Warp>
  GPUIMG_FUNCTION bool put(Warp& warp, const lane_codes<Whole>& codes, const band_lead& lead, std::uint32_t most) {
    const bool first_lane = warp.rank() == 0;
    const bool flags = rules_.zero_flags && !lead.restart;
    auto quads = codes.template join<Small>(warp, mapped_, first_lane, lead.restart);
    const int lead_length = first_lane ? lead.length + (flags ? 1 : 0) : 0;
    // Both forms are added up at once: neither exceeds 2^16 bits.
    const auto plain = static_cast<std::uint32_t>(quads[0].length + quads[1].length + lead_length);
    const auto grouped =
        static_cast<std::uint32_t>(quads[0].grouped_length() + quads[1].grouped_length() + lead_length);
    const std::uint32_t both = plain | grouped << 16;
    const std::uint32_t up_to = warp.inclusive_scan(both, simt::plus{});
    const std::uint32_t total = warp.shuffle(up_to, simt::warp_size - 1);
    const bool with_flags = flags && total >> 16 < (total & 0xFFFFu);
    const std::uint32_t bits = with_flags ? total >> 16 : total & 0xFFFFu;
    if (bits > most) { return false; }
    const std::uint32_t before = up_to - both;
    const std::uint32_t at = fill_ + (with_flags ? before >> 16 : before & 0xFFFFu);
    fill_ += bits;
    if (with_flags) {
      quads[0].group();
      quads[1].group();
    }
    const std::uint64_t lead_bits = lead.bits | std::uint64_t{with_flags ? 1u : 0u} << lead.length;
    const int first_length = quads[0].length + lead_length;
    const std::uint64_t first = first_lane ? lead_bits | quads[0].bits << lead_length : quads[0].bits;
    const std::uint32_t second_at = at + static_cast<std::uint32_t>(first_length);
    if (warp.all(first_length + quads[1].length <= 64)) {
      codec::merge_bits(shared_.string, at, first | quads[1].bits << (first_length & 63));
    } else if (warp.all(first_length <= 64 && quads[1].length <= 64)) {
      codec::merge_bits(shared_.string, at, first);
      codec::merge_bits(shared_.string, second_at, quads[1].bits);
    } else if (Small || warp.all(quads[0].length <= 64 && quads[1].length <= 64)) {
      if (first_lane) { codec::merge_bits(shared_.string, at, lead_bits); }
      codec::merge_bits(shared_.string, at + static_cast<std::uint32_t>(lead_length), quads[0].bits);
      codec::merge_bits(shared_.string, second_at, quads[1].bits);
    } else {
      codec::merging_bit_writer writer(shared_.string, at);
      if (first_lane) { put_wide(writer, lead_bits, lead_length); }
      codes.write(warp, mapped_, first_lane, lead.restart, with_flags, writer);
    }
    return true;
  }

  /// Appends plain samples behind a head.
  template <bool Whole, class Warp>
  GPUIMG_FUNCTION void put_raw(Warp& warp, const lane_codes<Whole>& codes, std::uint32_t head, int head_bits) {
    const bool first_lane = warp.rank() == 0;
    const int before = first_lane ? 0 : head_bits + warp.rank() * lane_samples * rules_.depth;
    codec::merging_bit_writer writer(shared_.string, codes.has(0) ? fill_ + static_cast<std::uint32_t>(before) : 0);
    if (first_lane) { writer.put(head, head_bits); }
    GPUIMG_UNROLL
    for (int i = 0; i < lane_samples; ++i) {
      if (codes.has(i)) { writer.put(static_cast<std::uint32_t>(x_[i]), rules_.depth); }
      p_[i] = x_[i];
    }
    writer.finish();
    fill_ += static_cast<std::uint32_t>(head_bits + rules_.raw_bits(count_));
  }

  /// Moves the first `full` words of the staged string to the slot.
  template <class Warp>
  GPUIMG_FUNCTION void move_words(Warp& warp, std::uint32_t* slot, std::uint32_t full) {
    warp.sync();
    for (auto i = static_cast<std::uint32_t>(warp.rank()); i < full; i += simt::warp_size) {
      slot[words_ + i] = shared_.string[i];
      shared_.string[i] = 0;
    }
    const std::uint32_t last = shared_.string[full];
    warp.sync();
    if (warp.rank() == 0) {
      shared_.string[full] = 0;
      shared_.string[0] = last;
    }
    warp.sync();
    words_ += full;
    fill_ -= full * 32 < fill_ ? full * 32 : fill_;
  }

  const coding_rules& rules_;
  shared_storage& shared_;
  int count_ = 0;
  codec::exact_divider by_count_{1};
  std::int32_t x_[lane_samples];        // the band at hand; zeros beyond the lane's count
  std::int32_t p_[lane_samples] = {};   // decoded samples of the band before, then of this one; likewise
  std::uint32_t mapped_[lane_samples];  // its indices
  std::int64_t words_ = 0;              // in the slot
  std::uint32_t fill_ = 0;              // bits of the string that follows them
};

}  // namespace gpuimg::lce
