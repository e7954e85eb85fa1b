/// @file
/// How a slab is cut into blocks of 16 x 16 pixels, and where blocks are in memory that holds one after the other.
#pragma once

#include <cstdint>

#include "gpuimg/core/config.hpp"

namespace gpuimg::lce {

/// Pixels along an edge of a whole block.
inline constexpr int block_edge = 16;
/// Samples of a block in one band, at most.
inline constexpr int block_samples = block_edge * block_edge;

/// A block of a slab.
struct block_area {
  std::int64_t x;
  std::int64_t y;
  int width;
  int height;

  GPUIMG_FUNCTION constexpr int samples() const noexcept { return width * height; }
};

/// Words of the longest string of a block (docs/lce-format.md, section 7).
GPUIMG_FUNCTION constexpr std::int64_t most_words(int samples, std::int64_t bands, int depth) noexcept {
  return (bands * (9 + samples * depth) + 31) / 32;
}

/// Samples of a block-band in a store of residuals: whole groups of eight.
GPUIMG_FUNCTION constexpr std::int64_t padded_samples(int samples) noexcept { return (samples + 7) / 8 * 8; }

/// Blocks in raster order.
struct block_grid {
  std::int64_t width = 0;
  std::int64_t height = 0;

  GPUIMG_FUNCTION constexpr std::int64_t columns() const noexcept { return (width + block_edge - 1) / block_edge; }
  GPUIMG_FUNCTION constexpr std::int64_t rows() const noexcept { return (height + block_edge - 1) / block_edge; }
  GPUIMG_FUNCTION constexpr std::int64_t count() const noexcept { return columns() * rows(); }

  GPUIMG_FUNCTION constexpr block_area at(std::int64_t block) const noexcept {
    const std::int64_t x = block % columns() * block_edge;
    const std::int64_t y = block / columns() * block_edge;
    return {x, y, extent(width, x), extent(height, y)};
  }

  /// Sum of size(samples) over the blocks before `block`, 0 .. count(), in constant time.
  template <class Size>
  GPUIMG_FUNCTION constexpr std::int64_t sum_before(std::int64_t block, Size size) const noexcept {
    const std::int64_t row = block / columns();
    const std::int64_t column = block % columns();
    const int last = extent(width, (columns() - 1) * block_edge);
    const int high = row < rows() ? extent(height, row * block_edge) : 0;
    // Every block row before this one that is whole, and the last one, which may not be, when the block is the end.
    const std::int64_t whole = row < rows() ? row : row - 1;
    std::int64_t sum = whole * row_sum(block_edge, last, size);
    if (row == rows()) { return sum + row_sum(extent(height, whole * block_edge), last, size); }
    return sum + column * size(block_edge * high);
  }

  /// Words before a block when each has room for its longest string.
  GPUIMG_FUNCTION constexpr std::int64_t words_before(std::int64_t block, std::int64_t bands,
                                                      int depth) const noexcept {
    return sum_before(block, [=](int samples) { return most_words(samples, bands, depth); });
  }

  /// Samples before a block in one band of a store of residuals.
  GPUIMG_FUNCTION constexpr std::int64_t samples_before(std::int64_t block) const noexcept {
    return sum_before(block, [](int samples) { return padded_samples(samples); });
  }

 private:
  GPUIMG_FUNCTION static constexpr int extent(std::int64_t whole, std::int64_t from) noexcept {
    return whole - from < block_edge ? static_cast<int>(whole - from) : block_edge;
  }
  template <class Size>
  GPUIMG_FUNCTION constexpr std::int64_t row_sum(int high, int last, Size size) const noexcept {
    return (columns() - 1) * size(block_edge * high) + size(last * high);
  }
};

}  // namespace gpuimg::lce
