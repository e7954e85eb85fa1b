/// @file
/// The Golomb codes of a block-band as a warp makes them: eight samples a lane, each four of them one string in
/// registers (docs/lce-format.md, section 4).
///
/// Free of branches: which codes are long differs from lane to lane, and eight samples go side by side.
#pragma once

#include <cstdint>

#include "gpuimg/codec/bit_stream.hpp"
#include "gpuimg/codec/golomb.hpp"
#include "gpuimg/codec/lce/warp_block.hpp"
#include "gpuimg/codec/windowed_sum.hpp"
#include "gpuimg/core/config.hpp"
#include "gpuimg/simt/bits.hpp"
#include "gpuimg/simt/group.hpp"

namespace gpuimg::lce {

/// The greatest mapped index of which no code is capped, whatever its parameter.
inline constexpr std::uint32_t small_mapped = codec::golomb_cap - 1;

/// The codes of four samples, or of as many as there are.
struct quad_codes {
  std::uint64_t bits;  ///< of a string of up to 64 bits
  int length;          ///< of the string, however long
  bool exists;
  bool zero;  ///< all indices are

  /// The length with a zero flag.
  GPUIMG_FUNCTION constexpr int grouped_length() const noexcept { return (exists ? 1 : 0) + (zero ? 0 : length); }
  /// Puts the zero flag in.
  GPUIMG_FUNCTION constexpr void group() noexcept {
    length = grouped_length();
    bits = zero ? (exists ? 1 : 0) : bits << 1;
  }
};

struct two_quads {
  quad_codes quads[2];
  GPUIMG_FUNCTION quad_codes& operator[](int i) noexcept { return quads[i]; }
};

/// Appends up to 64 bits.
GPUIMG_FUNCTION inline void put_wide(codec::merging_bit_writer& writer, std::uint64_t bits, int length) {
  writer.put(static_cast<std::uint32_t>(bits), length < 32 ? length : 32);
  if (length > 32) { writer.put(static_cast<std::uint32_t>(bits >> 32), length - 32); }
}

/// What a lane needs to know of its place to make codes. @tparam Whole  every lane has eight samples
template <bool Whole>
class lane_codes {
 public:
  /// @param first  the lane's first sample, @param count  its samples
  GPUIMG_FUNCTION lane_codes(int first, int count) noexcept : count_(count) {
    GPUIMG_UNROLL
    for (int i = 0; i < lane_samples; ++i) {
      const int before = first + i < codec::golomb_window ? first + i : codec::golomb_window;
      reciprocal_[i] = before == 0 ? 0 : 0x80000000u / static_cast<std::uint32_t>(before) + 1;
    }
  }

  /// Whether the lane has a sample i.
  GPUIMG_FUNCTION bool has(int i) const noexcept { return Whole || i < count_; }

  /// The plain form of the codes. A collective.
  /// @tparam Small   no index is above small_mapped
  /// @param restart  the block's first sample has no code
  template <bool Small, class Warp>
  GPUIMG_FUNCTION two_quads join(Warp& warp, const std::uint32_t (&mapped)[lane_samples], bool first_lane,
                                 bool restart) const {
    int parameters[lane_samples];
    choose<Small>(warp, mapped, parameters);
    two_quads result;
    GPUIMG_UNROLL
    for (int h = 0; h < 2; ++h) {
      pair low = make_pair<Small>(mapped, parameters, 4 * h, first_lane, restart);
      const pair high = make_pair<Small>(mapped, parameters, 4 * h + 2, first_lane, restart);
      low.bits |= high.bits << (Small ? low.length : low.length & 63);  // behind the 64th bit nothing counts
      const std::uint32_t any = mapped[4 * h] | mapped[4 * h + 1] | mapped[4 * h + 2] | mapped[4 * h + 3];
      result[h] = {low.bits, low.length + high.length, has(4 * h), any == 0};
    }
    return result;
  }

  /// Writes the codes one by one, however long they are. A collective.
  template <class Warp>
  GPUIMG_FUNCTION void write(Warp& warp, const std::uint32_t (&mapped)[lane_samples], bool first_lane, bool restart,
                             bool with_flags, codec::merging_bit_writer& writer) const {
    int parameters[lane_samples];
    choose<false>(warp, mapped, parameters);
    bool zero = false;
    GPUIMG_UNROLL
    for (int i = 0; i < lane_samples; ++i) {
      if (with_flags && i % 4 == 0) {
        zero = (mapped[i] | mapped[i + 1] | mapped[i + 2] | mapped[i + 3]) == 0;
        if (has(i)) { writer.put(zero ? 1u : 0u, 1); }
      }
      const codec::wide_codeword word = code<false>(mapped[i], parameters[i], i == 0 && first_lane, restart);
      if (has(i) && !zero) { put_wide(writer, word.bits, word.length); }
    }
    writer.finish();
  }

 private:
  /// Two codes, or one.
  struct pair {
    std::uint64_t bits;
    int length;
  };

  template <bool Small, class Warp>
  GPUIMG_FUNCTION void choose(Warp& warp, const std::uint32_t (&mapped)[lane_samples],
                              int (&parameters)[lane_samples]) const {
    std::uint32_t magnitudes[lane_samples];
    std::uint32_t sums[lane_samples];
    GPUIMG_UNROLL
    for (int i = 0; i < lane_samples; ++i) { magnitudes[i] = codec::mapped_magnitude(mapped[i]); }
    if constexpr (Small) {
      codec::small_windowed_sums(warp, magnitudes, sums);
    } else {
      codec::windowed_sums(warp, magnitudes, sums);
    }
    GPUIMG_UNROLL
    for (int i = 0; i < lane_samples; ++i) { parameters[i] = parameter(i, sums[i]); }
  }

  /// codec::golomb_parameter(sum, samples before) as the bits of floor((sum - 1) / samples before): that is the least k
  /// with 2^k >= ceil(sum / samples before). Exact, because 2^31 is more than any sum times 32.
  GPUIMG_FUNCTION int parameter(int i, std::uint32_t sum) const noexcept {
    const std::uint32_t twice = 2 * (sum > 1 ? sum : 1) - 2;
    return simt::bit_width(static_cast<std::uint32_t>((std::uint64_t{twice} * reciprocal_[i]) >> 32));
  }

  template <bool Small>
  GPUIMG_FUNCTION pair make_pair(const std::uint32_t (&mapped)[lane_samples], const int (&parameters)[lane_samples],
                                 int i, bool first_lane, bool restart) const {
    codec::wide_codeword a = code<Small>(mapped[i], parameters[i], i == 0 && first_lane, restart);
    codec::wide_codeword b = code<Small>(mapped[i + 1], parameters[i + 1], false, false);
    if (!has(i)) { a = {0, 0}; }
    if (!has(i + 1)) { b = {0, 0}; }
    if constexpr (Small) {  // at most 30 bits
      return {static_cast<std::uint32_t>(a.bits) | static_cast<std::uint32_t>(b.bits) << a.length, a.length + b.length};
    } else {
      return {a.bits | b.bits << a.length, a.length + b.length};
    }
  }

  template <bool Small>
  GPUIMG_FUNCTION static codec::wide_codeword code(std::uint32_t value, int k, bool first, bool restart) noexcept {
    const std::uint32_t unary = value >> k;
    const std::uint32_t tail = (2 * value + 1) & ~(~std::uint32_t{1} << k);
    codec::wide_codeword word;
    if constexpr (Small) {
      word = {tail << unary, static_cast<int>(unary) + 1 + k};
    } else {
      const bool plain = unary >= codec::golomb_cap;
      const std::uint32_t zeros = plain ? codec::golomb_cap : unary;
      word = {plain ? value << codec::golomb_cap : tail << zeros,
              plain ? codec::golomb_cap + codec::golomb_plain_bits : static_cast<int>(zeros) + 1 + k};
    }
    const auto wide = codec::exp_golomb_codeword(value);
    if (first) { word = restart ? codec::wide_codeword{0, 0} : wide; }
    return word;
  }

  int count_;
  std::uint32_t reciprocal_[lane_samples];  // 2^31 / the samples that choose a parameter
};

}  // namespace gpuimg::lce
