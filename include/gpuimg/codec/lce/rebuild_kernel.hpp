/// @file
/// The decoder's second half: a warp makes a block's samples from its residuals, band after band
/// (docs/lce-format.md, section 3).
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpuimg/codec/lce/decode_kernels.hpp"
#include "gpuimg/codec/lce/warp_block.hpp"
#include "gpuimg/codec/linear_prediction.hpp"
#include "gpuimg/simt/group.hpp"

namespace gpuimg::lce {

/// Rebuilds the window's blocks. `T` is the sample type without its sign. Grid: job.blocks().
template <class T>
struct rebuild_kernel {
  static constexpr int threads = simt::warp_size;
  static constexpr int min_blocks_per_sm = 12;  // 168 registers: the compiler's own choice spills
  struct shared_storage {
    std::int32_t indices[block_samples];  ///< restart bands
    std::uint16_t decoded[block_samples];
  };

  decode_job job;
  any_mutable_cube destination;  ///< the window
  std::int64_t x;                ///< where it is in the slab
  std::int64_t y;

  template <simt::block_group Block>
  GPUIMG_FUNCTION void operator()(Block& block, shared_storage& shared) const {
    if (job.result->fault != slab_fault::none) { return; }
    auto warp = block.warp();
    const std::int64_t i = block.index().x;
    const std::int64_t own = job.block(i);
    const block_area area = job.grid.at(own);
    const int count = area.samples();
    const std::uint32_t outcome = job.outcomes[own];
    const auto usable = static_cast<std::int32_t>(outcome / 2);
    if (warp.rank() == 0 && outcome != outcome_of(job.rules.bands, true)) {
      simt::atomic_add(job.result->damaged_blocks, 1u);
    }

    const bool whole = area.x >= x && area.y >= y && area.x + area.width <= x + destination.width &&
                       area.y + area.height <= y + destination.height;
    std::byte* const base = destination.at(area.x - x, area.y - y, 0);
    const lane_place place(area, warp.rank(), destination.x_stride, destination.y_stride, destination.band_stride, base,
                           sizeof(T));
    const T* const residuals = job.template residuals_of<T>(own) + place.first();
    const std::uint32_t* const heads = job.heads_of(i) - job.parse_from;
    const block_way at{area, place, residuals, heads, base, usable, whole};
    // What nearly all blocks are has loops of its own.
    if (count == block_samples && job.rules.modular) {
      rebuild<true, rebuilding::modular>(warp, shared, at);
    } else if (count == block_samples && job.rules.other.plain()) {
      rebuild<true, rebuilding::plain>(warp, shared, at);
    } else {
      rebuild<false, rebuilding::any>(warp, shared, at);
    }
  }

 private:
  /// How an index becomes a residual.
  enum class rebuilding { modular, plain, any };

  /// A block, where it comes from and where it goes.
  struct block_way {
    const block_area& area;
    const lane_place& place;
    const T* residuals;
    const std::uint32_t* heads;
    std::byte* base;
    std::int32_t usable;  ///< bands
    bool whole;           ///< in the window
  };

  /// @tparam Full  the block has all its samples
  template <bool Full, rebuilding Way, class Warp>
  GPUIMG_FUNCTION void rebuild(Warp& warp, shared_storage& shared, const block_way& at) const {
    const lane_place& place = at.place;
    const int count = Full ? block_samples : at.area.samples();
    const codec::exact_divider by_count(static_cast<std::uint32_t>(count));
    // Bands leave together where that makes long accesses of short ones; groups of bands_ahead then must not straddle.
    const bool joins = at.whole && place.joins_bands() && (job.first_band - job.rebuild_from) % joined_bands == 0;

    std::int32_t p[lane_samples] = {};
    packed_samples done[bands_ahead];
    packed_samples ahead[bands_ahead];
    std::uint32_t heads_ahead[bands_ahead];
    GPUIMG_UNROLL
    for (int k = 0; k < bands_ahead; ++k) {
      ahead[k] = load(at, job.rebuild_from + k, count);
      heads_ahead[k] = load_head(at, job.rebuild_from + k);
    }
    for (std::int32_t base_band = job.rebuild_from; base_band < job.last_band; base_band += bands_ahead) {
      GPUIMG_UNROLL
      for (int k = 0; k < bands_ahead; ++k) {
        const std::int32_t b = base_band + k;
        if (b < job.last_band) {
          const packed_samples residual = ahead[k];
          const band_head head = band_head::unpack(heads_ahead[k]);
          ahead[k] = load(at, b + bands_ahead, count);
          heads_ahead[k] = load_head(at, b + bands_ahead);
          if (b >= at.usable) {
            GPUIMG_UNROLL
            for (int s = 0; s < lane_samples; ++s) { p[s] = 0; }
          } else if (head.has_samples()) {
            rebuild_alone(warp, head, residual, at.area, place, shared, p);
          } else {
            rebuild_predicted<Full, Way>(warp, head, residual, count, place, by_count, p);
          }
          if (b >= job.first_band) {
            done[k] = pack(p);
            if (!joins || base_band + bands_ahead > job.last_band) {
              store(place, at.area, at.base, b - job.first_band, at.whole, done[k]);
            } else if (k + 1 == bands_ahead) {
              place.store_bands<T>(at.base + (base_band - job.first_band) * destination.band_stride, done);
            }
          }
        }
      }
    }
  }

  /// Bands whose residuals are under way while one is rebuilt: memory takes longer than a band.
  static constexpr int bands_ahead = joined_bands;

  /// Residuals of a band that has them.
  GPUIMG_FUNCTION packed_samples load(const block_way& at, std::int32_t b, int count) const {
    packed_samples result{};
    if (at.place.count() == 0 || b >= job.last_band || b >= at.usable) { return result; }
    const T* from = at.residuals + (b - job.parse_from) * padded_samples(count);
    if constexpr (sizeof(T) == 2) {
      result = *reinterpret_cast<const packed_samples*>(from);
    } else {
      GPUIMG_UNROLL
      for (int k = 0; k < lane_samples; ++k) { result.set(k, from[k]); }
    }
    return result;
  }

  GPUIMG_FUNCTION std::uint32_t load_head(const block_way& at, std::int32_t b) const {
    return b < at.usable && b < job.last_band ? at.heads[b] : 0;
  }

  /// A residual as a signed index: the store has the low bits of one that fits, or that wraps round.
  GPUIMG_FUNCTION static std::int32_t index_of(std::uint32_t stored) noexcept {
    return sizeof(T) == 2 ? static_cast<std::int32_t>(static_cast<std::int16_t>(stored))
                          : static_cast<std::int32_t>(static_cast<std::int8_t>(stored));
  }

  template <bool Full, rebuilding Way, class Warp>
  GPUIMG_FUNCTION void rebuild_predicted(Warp& warp, const band_head& head, const packed_samples& residual, int count,
                                         const lane_place& place, codec::exact_divider by_count,
                                         std::int32_t (&p)[lane_samples]) const {
    std::uint32_t sum = 0;
    GPUIMG_UNROLL
    for (int k = 0; k < lane_samples; ++k) { sum += static_cast<std::uint32_t>(p[k]); }
    const std::int32_t mp =
        codec::rounded_mean(warp.reduce(sum, simt::plus{}), static_cast<std::uint32_t>(count), by_count);
    const std::int32_t mx = codec::clamp_to(mp + codec::unmap_signed(head.mean), job.rules.greatest);
    const codec::gain_predictor predict(mp, mx, static_cast<std::int32_t>(head.gain));
    GPUIMG_UNROLL
    for (int k = 0; k < lane_samples; ++k) {
      const std::int32_t q = index_of(residual.get(k));
      const std::int32_t prediction = codec::clamp_to(predict(p[k]), job.rules.greatest);
      std::int32_t decoded = 0;
      if constexpr (Way == rebuilding::modular) {
        decoded = (prediction + q) & job.rules.greatest;
      } else if constexpr (Way == rebuilding::plain) {
        const auto delta = static_cast<std::int32_t>(job.rules.other.delta());
        decoded = codec::clamp_to(prediction + q * delta, job.rules.greatest);
      } else {
        decoded = job.rules.rebuild(prediction, q, job.rules.other);
      }
      p[k] = Full || k < place.count() ? decoded : 0;
    }
  }

  template <class Warp>
  GPUIMG_FUNCTION void rebuild_alone(Warp& warp, const band_head& head, const packed_samples& residual,
                                     const block_area& area, const lane_place& place, shared_storage& shared,
                                     std::int32_t (&p)[lane_samples]) const {
    if (head.form == band_form::raw) {
      GPUIMG_UNROLL
      for (int k = 0; k < lane_samples; ++k) {
        p[k] = k < place.count() ? static_cast<std::int32_t>(residual.get(k)) : 0;
      }
      return;
    }
    GPUIMG_UNROLL
    for (int k = 0; k < lane_samples; ++k) {
      if (k < place.count()) { shared.indices[place.first() + k] = index_of(residual.get(k)); }
    }
    if (warp.rank() == 0) { shared.decoded[0] = static_cast<std::uint16_t>(residual.get(0)); }
    warp.sync();
    decode_diagonals(warp, shared.decoded, area.width, area.height, [&](int j, std::int32_t prediction) {
      return job.rules.rebuild(prediction, shared.indices[j], job.rules.first);
    });
    GPUIMG_UNROLL
    for (int k = 0; k < lane_samples; ++k) { p[k] = k < place.count() ? shared.decoded[place.first() + k] : 0; }
    warp.sync();  // before the next restart band writes there
  }

  GPUIMG_FUNCTION packed_samples pack(const std::int32_t (&p)[lane_samples]) const noexcept {
    packed_samples samples{};
    GPUIMG_UNROLL
    for (int k = 0; k < lane_samples; ++k) { samples.set(k, static_cast<std::uint32_t>(p[k]) ^ job.rules.flip); }
    return samples;
  }

  GPUIMG_FUNCTION void store(const lane_place& place, const block_area& area, std::byte* base, std::int32_t band,
                             bool whole, const packed_samples& samples) const {
    if (whole) { return place.store<T>(base + band * destination.band_stride, samples); }
    place.for_each([&](int k, int column, int row) {
      const std::int64_t to_x = area.x + column - x;
      const std::int64_t to_y = area.y + row - y;
      if (to_x >= 0 && to_x < destination.width && to_y >= 0 && to_y < destination.height) {
        *reinterpret_cast<T*>(destination.at(to_x, to_y, band)) = static_cast<T>(samples.get(k));
      }
    });
  }
};

}  // namespace gpuimg::lce
