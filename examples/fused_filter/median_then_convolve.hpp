/// @file
/// A kernel of one's own from the library's blocks: a 3x3 median and, on its results while they are in registers, a 5x5
/// correlation. The picture between the two is never stored.
#pragma once

#include <cstdint>

#include "gpuimg/core/config.hpp"
#include "gpuimg/core/image_view.hpp"
#include "gpuimg/filter/border.hpp"
#include "gpuimg/filter/compare_exchange.hpp"
#include "gpuimg/filter/convolution_arithmetic.hpp"
#include "gpuimg/filter/register_window.hpp"
#include "gpuimg/simt/group.hpp"

namespace gpuimg::examples {

/// A thread walks down a strip of 8 x 32 outputs. It keeps three rows of the source, two samples to a word, takes the
/// medians of a row from their sorted columns, and takes these into the sums of the five output rows around. Nothing is
/// computed twice but what strips side by side and one above the other share.
///
/// With a border that mirrors or repeats the picture (reflect, reflect101, wrap) the result is that of median<3, 3> and
/// correlate, bit for bit: medians of a mirrored picture are mirrored medians. With the others, what is beyond the edge
/// is the median of a continued picture, not a continued median.
struct median_then_convolve_kernel {
  static constexpr int threads = 128;
  static constexpr int min_blocks_per_sm = 4;
  static constexpr int outputs = 8;
  static constexpr int rows = 32;
  static constexpr int block_width = simt::warp_size * outputs;
  static constexpr int block_height = threads / simt::warp_size * rows;
  struct shared_storage {};

  filter::bordered_image<std::uint8_t> source;
  image_view<std::uint8_t> destination;
  float coefficients[25];

  simt::grid_extent grid() const noexcept {
    return {(destination.width + block_width - 1) / block_width,
            (destination.height + block_height - 1) / block_height};
  }

  template <simt::block_group Block>
  GPUIMG_FUNCTION void operator()(Block& block, shared_storage&) const {
    const std::int64_t x = block.index().x * block_width + block.rank() % simt::warp_size * outputs;
    const std::int64_t y = block.index().y * block_height + block.warp_rank() * rows;
    if (x >= destination.width || y >= destination.height) { return; }
    const std::int64_t left = destination.height - y;
    const int height = left < rows ? static_cast<int>(left) : rows;
    const bool wide =
        source.mode != filter::border::constant && starts_words(source.image) && x >= 4 && x + 12 <= source.image.width;
    word lines[3][columns];
    float sums[5][outputs] = {};  // [i]: of the output row that i more rows of medians follow
    sixteen_samples next = load(x - 4, y - 3, wide);
    const int count = height + 6;
    GPUIMG_NO_UNROLL
    for (int first = 0; first < count; first += 3) {
      GPUIMG_UNROLL
      for (int s = 0; s < 3; ++s) {
        const int r = first + s;
        if (r >= count) { return; }
        spread(next, lines[s]);
        next = load(x - 4, y - 2 + r, wide);
        if (r < 2) { continue; }
        float medians[outputs + 4];
        take_medians(lines, medians);
        float whole[outputs] = {};
        take_row(medians, sums, whole);
        if (r >= 6) { store(whole, x, y + r - 6); }
      }
    }
  }

 private:
  using word = filter::u16x2;         ///< samples c and c + 4 of a row, each in both bytes of its half
  static constexpr int columns = 10;  ///< words of a row: from c = x - 3 on
  struct alignas(4) sixteen_samples {
    std::uint32_t words[4];
  };

  /// Whether every row starts at a whole word.
  template <class T>
  GPUIMG_FUNCTION static bool starts_words(const image_view<T>& image) {
    return reinterpret_cast<std::uintptr_t>(image.row(0)) % 4 == 0 && (image.row(1) - image.row(0)) % 4 == 0;
  }

  GPUIMG_FUNCTION sixteen_samples load(std::int64_t x, std::int64_t y, bool wide) const {
    if (wide) {
      const std::int64_t line = filter::map_coordinate(source.mode, y, source.image.height);
      return *reinterpret_cast<const sixteen_samples*>(source.image.row(line) + x);
    }
    std::uint64_t low = 0;
    std::uint64_t high = 0;
    GPUIMG_NO_UNROLL
    for (int i = 0; i < 16; ++i) {
      low = low >> 8 | high << 56;
      high = high >> 8 | std::uint64_t{source(x + i, y)} << 56;
    }
    return {{static_cast<std::uint32_t>(low), static_cast<std::uint32_t>(low >> 32), static_cast<std::uint32_t>(high),
             static_cast<std::uint32_t>(high >> 32)}};
  }

  GPUIMG_FUNCTION static void spread(const sixteen_samples& row, word (&line)[columns]) {
    GPUIMG_UNROLL
    for (int i = 0; i < columns; ++i) {
      const unsigned at = static_cast<unsigned>(i + 1) % 4;
      line[i] = {filter::select_bytes(row.words[(i + 1) / 4], row.words[(i + 1) / 4 + 1], at * 0x1111u + 0x4400u)};
    }
  }

  /// The middle one of three.
  GPUIMG_FUNCTION static word middle(word a, word b, word c) {
    filter::compare_exchange(a, b);
    return filter::maximum(a, filter::minimum(b, c));
  }

  /// Of nine values in three sorted columns: the middle one of the largest minimum, the middle middle and the least
  /// maximum.
  GPUIMG_FUNCTION static void take_medians(const word (&lines)[3][columns], float (&medians)[outputs + 4]) {
    word low[columns];
    word mid[columns];
    word high[columns];
    GPUIMG_UNROLL
    for (int i = 0; i < columns; ++i) {
      low[i] = lines[0][i];
      mid[i] = lines[1][i];
      high[i] = lines[2][i];
      filter::compare_exchange(low[i], mid[i]);
      filter::compare_exchange(mid[i], high[i]);
      filter::compare_exchange(low[i], mid[i]);
    }
    GPUIMG_UNROLL
    for (int i = 0; i < outputs; ++i) {
      const word l = filter::maximum(filter::maximum(low[i], low[i + 1]), low[i + 2]);
      const word m = middle(mid[i], mid[i + 1], mid[i + 2]);
      const word h = filter::minimum(filter::minimum(high[i], high[i + 1]), high[i + 2]);
      const word median = middle(l, m, h);
      medians[i] = static_cast<float>(median.bits & 0xFFu);
      if (i >= 4) { medians[i + 4] = static_cast<float>(median.bits >> 24); }
    }
  }

  /// Takes a row of medians in: each sum moves on to the row above, the last one to `whole`.
  GPUIMG_FUNCTION void take_row(const float (&medians)[outputs + 4], float (&sums)[5][outputs],
                                float (&whole)[outputs]) const {
    GPUIMG_UNROLL
    for (int i = 0; i < 5; ++i) {
      float next[outputs];
      GPUIMG_UNROLL
      for (int o = 0; o < outputs; ++o) { next[o] = sums[i][o]; }
      filter::accumulate_row<5>(coefficients + 5 * (4 - i), medians, next);
      GPUIMG_UNROLL
      for (int o = 0; o < outputs; ++o) { (i == 0 ? whole : sums[i == 0 ? 0 : i - 1])[o] = next[o]; }
    }
  }

  GPUIMG_FUNCTION void store(const float (&whole)[outputs], std::int64_t x, std::int64_t y) const {
    std::uint32_t words[2];
    GPUIMG_UNROLL
    for (int i = 0; i < 2; ++i) {
      words[i] = 0;
      GPUIMG_UNROLL
      for (int b = 0; b < 4; ++b) {
        words[i] |= std::uint32_t{filter::saturate_round<std::uint8_t>(whole[4 * i + b])} << (8 * b);
      }
    }
    if (starts_words(destination) && x + outputs <= destination.width) {
      auto* to = reinterpret_cast<std::uint32_t*>(destination.row(y) + x);
      to[0] = words[0];
      to[1] = words[1];
      return;
    }
    GPUIMG_UNROLL
    for (int i = 0; i < outputs; ++i) {
      if (x + i < destination.width) {
        destination(x + i, y) = static_cast<std::uint8_t>(words[i / 4] >> (8 * (i % 4)));
      }
    }
  }
};

}  // namespace gpuimg::examples
