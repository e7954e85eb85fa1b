/// @file
/// What coding a block depends on, in a form that kernels take as a parameter.
#pragma once

#include <cstdint>

#include "gpuimg/codec/golomb.hpp"
#include "gpuimg/codec/lce/format.hpp"
#include "gpuimg/codec/linear_prediction.hpp"
#include "gpuimg/codec/residual_quantizer.hpp"

namespace gpuimg::lce {

/// Rules of a stream, derived from its header.
struct coding_rules {
  std::int32_t bands;
  std::int32_t restart;             ///< 0: only band 0 is coded alone
  std::int32_t band_group;          ///< 0: no group index
  std::int32_t depth;               ///< 8 or 16
  std::int32_t greatest;            ///< 2^depth - 1
  std::uint32_t flip;               ///< what a stored sample is combined with by exclusive or
  std::uint64_t skip_level;         ///< lossy: gamma delta^2
  codec::residual_quantizer first;  ///< of restart bands
  codec::residual_quantizer other;
  bool modular;  ///< residuals wrap round: step 1
  bool lossy;
  bool zero_flags;

  explicit coding_rules(const stream_header& h) noexcept
      : bands(static_cast<std::int32_t>(h.bands)),
        restart(h.options.restart),
        band_group(h.options.band_group),
        depth(h.depth()),
        greatest((1 << h.depth()) - 1),
        flip(h.type == sample_type::i16 ? 0x8000u : 0u),
        skip_level(std::uint64_t{h.options.gamma} * h.options.delta * h.options.delta),
        modular(h.options.delta == 1 && h.options.uniform()),
        lossy(h.options.mode == coding_mode::lossy),
        zero_flags(h.options.zero_flags != zero_flag_use::off) {
    const auto limit = static_cast<std::uint32_t>(modular ? greatest : greatest / 2);
    first = codec::residual_quantizer::uniform(h.options.delta, limit);
    other = codec::residual_quantizer(h.options.delta, h.options.threshold, h.options.offset, limit);
  }

  /// Whether band b is coded without the band before it.
  GPUIMG_FUNCTION bool is_restart(std::int32_t b) const noexcept {
    return b == 0 || (restart != 0 && b % restart == 0);
  }

  /// The sample that index q makes of a prediction.
  GPUIMG_FUNCTION std::int32_t rebuild(std::int32_t prediction, std::int32_t q,
                                       const codec::residual_quantizer& quantizer) const noexcept {
    if (modular) { return (prediction + q) & greatest; }
    return codec::clamp_to(prediction + quantizer.residual(q), greatest);
  }

  /// Whether a block-band of `count` samples drops residuals of this energy.
  GPUIMG_FUNCTION bool drops(std::uint64_t energy, int count) const noexcept {
    return lossy && 256 * energy < skip_level * static_cast<std::uint64_t>(count);
  }

  /// The greatest value that map_signed() gives for an index.
  GPUIMG_FUNCTION std::uint32_t mapped_limit() const noexcept { return 2 * other.limit(); }

  GPUIMG_FUNCTION std::int32_t raw_bits(int count) const noexcept { return count * depth; }
};

/// Prediction inside of a restart band: `left` and `above` are decoded neighbours in the block.
GPUIMG_FUNCTION constexpr std::int32_t predict_in_band(std::int32_t left, std::int32_t above, bool first_row,
                                                       bool first_column) noexcept {
  return first_row ? left : first_column ? above : (left + above) >> 1;
}

}  // namespace gpuimg::lce
