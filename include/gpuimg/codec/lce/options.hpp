/// @file
/// What a user asks an LCE-style encoder for.
#pragma once

#include <cstdint>

namespace gpuimg::lce {

/// What becomes of the samples.
enum class coding_mode : std::uint8_t {
  lossless,       ///< every sample comes back
  near_lossless,  ///< every sample comes back within a bound
  lossy,          ///< predictable blocks drop their residual; no bound
};

/// Whether streams have flags for groups of four samples that are all predicted well enough.
enum class zero_flag_use : std::uint8_t {
  off,
  on,              ///< each block-band takes them where they make it shorter, and says so by a bit
  where_they_pay,  ///< encode() tries a few blocks and takes `on` or `off`; everything else takes it as `on`
};

/// Lets make_header() choose the bands of an index group: 8 for whole blocks, more for cubes of small ones, so that the
/// index costs at most 1/128 bit a sample (or what groups of 15 cost).
inline constexpr int automatic_group = -1;

/// Parameters of a stream. Make them with lossless(), near_lossless() or lossy(), then change what you like.
struct coding_options {
  coding_mode mode = coding_mode::lossless;
  std::uint32_t delta = 1;           ///< step of the quantiser, 1 .. 65535; 1 for lossless
  std::uint32_t threshold = 1;       ///< residuals below it in magnitude become 0; 1 .. 65535
  std::uint32_t offset = 0;          ///< of the reconstructed value in its cell; 0 .. delta - 1
  std::uint32_t gamma = 0;           ///< lossy: a block is dropped below gamma/256 delta^2 of squared error a sample
  int restart = 0;                   ///< bands from one that is coded alone to the next, 0 .. 65535; 0: the first only
  int band_group = automatic_group;  ///< bands of a group that is parsed alone, 1 .. 15; 0: no group index
  zero_flag_use zero_flags = zero_flag_use::off;  ///< pay when most residuals are 0
  bool block_index = true;                        ///< write the length of each block
  bool checksums = false;                         ///< write a CRC-32 for each block
  std::int64_t slab_rows = 0;                     ///< rows that are coded together, a multiple of 16; 0: all

  static constexpr coding_options lossless() noexcept { return {}; }

  /// The decoded samples differ by at most `max_error` (0 .. 32767) from the original ones.
  static constexpr coding_options near_lossless(std::uint32_t max_error) noexcept {
    coding_options options;
    if (max_error == 0) { return options; }
    options.mode = coding_mode::near_lossless;
    options.set_uniform(2 * max_error + 1);
    options.zero_flags = zero_flag_use::where_they_pay;
    return options;
  }

  /// Quantiser step `delta`; drops the residual of block-bands whose mean squared error stays below gamma/256 delta^2.
  static constexpr coding_options lossy(std::uint32_t delta, std::uint32_t gamma = 77) noexcept {
    coding_options options;
    options.mode = coding_mode::lossy;
    options.set_uniform(delta);
    options.gamma = gamma;
    return options;
  }

  /// The uniform quantiser of step `delta`.
  constexpr void set_uniform(std::uint32_t step) noexcept {
    delta = step;
    threshold = step - step / 2;
    offset = step / 2;
  }

  constexpr bool uniform() const noexcept { return threshold == delta - delta / 2 && offset == delta / 2; }
};

}  // namespace gpuimg::lce
