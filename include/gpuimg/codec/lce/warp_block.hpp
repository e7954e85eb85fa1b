/// @file
/// How a warp holds a block-band: eight consecutive samples a lane, and how it loads, stores and sums them.
#pragma once

#include <cstdint>
#include <cstring>

#include "gpuimg/codec/lce/block_grid.hpp"
#include "gpuimg/codec/lce/coding_rules.hpp"
#include "gpuimg/core/config.hpp"
#include "gpuimg/simt/group.hpp"

namespace gpuimg::lce {

/// Samples of a block-band that one lane holds.
inline constexpr int lane_samples = block_samples / simt::warp_size;

/// Eight samples in four words, the first one lowest.
struct alignas(16) packed_samples {
  std::uint32_t words[4];

  GPUIMG_FUNCTION constexpr std::uint32_t get(int i) const noexcept {
    return (words[i / 2] >> (16 * (i % 2))) & 0xFFFFu;
  }
  GPUIMG_FUNCTION constexpr void set(int i, std::uint32_t sample) noexcept { words[i / 2] |= sample << (16 * (i % 2)); }
};

/// Bands whose samples of a pixel are read or written at once where they are neighbours in memory (BIP).
inline constexpr int joined_bands = 4;

/// Samples of one pixel in neighbouring bands.
template <class T>
struct alignas(joined_bands * sizeof(T)) joined_samples {
  T bands[joined_bands];
};

/// Which samples of a block a lane holds, and where they are in a cube.
class lane_place {
 public:
  /// @param base     address of the block's first sample in band 0
  GPUIMG_FUNCTION lane_place(const block_area& area, int lane, std::int64_t x_stride, std::int64_t y_stride,
                             std::int64_t band_stride, const std::byte* base, int sample_bytes) noexcept
      : x_stride_(x_stride), y_stride_(y_stride), width_(area.width), first_(lane * lane_samples) {
    row_ = first_ / width_;
    column_ = first_ % width_;
    const int left = area.samples() - first_;
    count_ = left < 0 ? 0 : left > lane_samples ? lane_samples : left;
    offset_ = row_ * y_stride + column_ * x_stride;
    const auto everything = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(base)) |
                            static_cast<std::uint64_t>(y_stride) | static_cast<std::uint64_t>(band_stride);
    const bool in_row = x_stride == sample_bytes && sample_bytes == 2 && width_ == block_edge;
    alignment_ = !in_row ? 2 : everything % 16 == 0 ? 16 : everything % 4 == 0 ? 4 : 2;
    const std::uint64_t pixels = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(base)) |
                                 static_cast<std::uint64_t>(y_stride) | static_cast<std::uint64_t>(x_stride);
    joins_bands_ = band_stride == sample_bytes && pixels % static_cast<std::uint64_t>(joined_bands * sample_bytes) == 0;
  }

  /// The lane's first sample in raster order of the block.
  GPUIMG_FUNCTION int first() const noexcept { return first_; }
  /// The lane's samples: 0 .. 8.
  GPUIMG_FUNCTION int count() const noexcept { return count_; }

  /// Whether load_bands() and store_bands() may be used, for bands that are multiples of joined_bands.
  GPUIMG_FUNCTION bool joins_bands() const noexcept { return joins_bands_; }

  /// The lane's samples of the band that starts at `base`; zeros beyond its count.
  template <class T>
  GPUIMG_FUNCTION packed_samples load(const std::byte* base) const noexcept {
    packed_samples result{};
    if (count_ == 0) { return result; }
    if (sizeof(T) == 2 && alignment_ == 16) { return *reinterpret_cast<const packed_samples*>(base + offset_); }
    if (sizeof(T) == 2 && alignment_ == 4) {
      const auto* words = reinterpret_cast<const std::uint32_t*>(base + offset_);
      GPUIMG_UNROLL
      for (int i = 0; i < 4; ++i) {
        if (2 * i < count_) { result.words[i] = words[i]; }
      }
      return result;
    }
    const std::byte* from = base + offset_;
    int column = column_;
    GPUIMG_UNROLL
    for (int i = 0; i < lane_samples; ++i) {
      if (i < count_) {
        result.set(i, static_cast<std::uint32_t>(*reinterpret_cast<const T*>(from)));
        advance(from, column);
      }
    }
    return result;
  }

  /// Stores the lane's samples to the band that starts at `base`.
  template <class T>
  GPUIMG_FUNCTION void store(std::byte* base, const packed_samples& samples) const noexcept {
    if (count_ == 0) { return; }
    if (sizeof(T) == 2 && alignment_ == 16) {
      *reinterpret_cast<packed_samples*>(base + offset_) = samples;
      return;
    }
    if (sizeof(T) == 2 && alignment_ == 4) {
      auto* words = reinterpret_cast<std::uint32_t*>(base + offset_);
      GPUIMG_UNROLL
      for (int i = 0; i < 4; ++i) {
        if (2 * i < count_) { words[i] = samples.words[i]; }
      }
      return;
    }
    std::byte* to = base + offset_;
    int column = column_;
    GPUIMG_UNROLL
    for (int i = 0; i < lane_samples; ++i) {
      if (i < count_) {
        *reinterpret_cast<T*>(to) = static_cast<T>(samples.get(i));
        advance(to, column);
      }
    }
  }

  /// The lane's samples of joined_bands bands from the one on that starts at `base`, a pixel each.
  template <class T>
  GPUIMG_FUNCTION void load_bands(const std::byte* base, joined_samples<T> (&pixels)[lane_samples]) const noexcept {
    const std::byte* from = base + offset_;
    int column = column_;
    GPUIMG_UNROLL
    for (int i = 0; i < lane_samples; ++i) {
      if (i < count_) {
        pixels[i] = *reinterpret_cast<const joined_samples<T>*>(from);
        advance(from, column);
      }
    }
  }

  /// Stores the lane's samples of joined_bands bands from the one on that starts at `base`.
  template <class T>
  GPUIMG_FUNCTION void store_bands(std::byte* base, const packed_samples (&bands)[joined_bands]) const noexcept {
    std::byte* to = base + offset_;
    int column = column_;
    GPUIMG_UNROLL
    for (int i = 0; i < lane_samples; ++i) {
      if (i < count_) {
        joined_samples<T> pixel;
        GPUIMG_UNROLL
        for (int b = 0; b < joined_bands; ++b) { pixel.bands[b] = static_cast<T>(bands[b].get(i)); }
        *reinterpret_cast<joined_samples<T>*>(to) = pixel;
        advance(to, column);
      }
    }
  }

  /// Calls body(i, column, row) for each of the lane's samples.
  template <class Body>
  GPUIMG_FUNCTION void for_each(Body body) const {
    int column = column_;
    int row = row_;
    GPUIMG_UNROLL
    for (int i = 0; i < lane_samples; ++i) {
      if (i < count_) { body(i, column, row); }
      if (++column == width_) {
        column = 0;
        ++row;
      }
    }
  }

 private:
  template <class Pointer>
  GPUIMG_FUNCTION void advance(Pointer& pointer, int& column) const noexcept {
    pointer += x_stride_;
    if (++column == width_) {
      column = 0;
      pointer += y_stride_ - width_ * x_stride_;
    }
  }

  std::int64_t x_stride_;
  std::int64_t y_stride_;
  std::int64_t offset_;
  int width_;
  int first_;
  int row_;
  int column_;
  int count_;
  bool joins_bands_;
  int alignment_;  // of every row in bytes, when the lane's samples are one after the other in memory
};

/// Sum over the lanes of values below 2^40, by two sums of 32 bits, which devices have an instruction for.
template <class Warp>
GPUIMG_FUNCTION std::uint64_t wide_sum(Warp& warp, std::uint64_t value) {
  const std::uint32_t low = warp.reduce(static_cast<std::uint32_t>(value) & 0xFFFFFu, simt::plus{});
  const std::uint32_t high = warp.reduce(static_cast<std::uint32_t>(value >> 20), simt::plus{});
  return (std::uint64_t{high} << 20) + low;
}

/// Decodes a restart band along anti-diagonals, one row a lane. decoded[0] is there; calls
/// step(j, prediction) for every other sample of the block, which returns the decoded sample. A collective.
template <class Warp, class Step>
GPUIMG_FUNCTION void decode_diagonals(Warp& warp, std::uint16_t* decoded, int width, int height, Step step) {
  const int row = warp.rank();
  for (int diagonal = 1; diagonal < width + height - 1; ++diagonal) {
    const int column = diagonal - row;
    if (row < height && column >= 0 && column < width) {
      const int j = row * width + column;
      const std::int32_t left = column > 0 ? decoded[j - 1] : 0;
      const std::int32_t above = row > 0 ? decoded[j - width] : 0;
      decoded[j] = static_cast<std::uint16_t>(step(j, predict_in_band(left, above, row == 0, column == 0)));
    }
    warp.sync();
  }
}

}  // namespace gpuimg::lce
