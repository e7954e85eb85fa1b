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
#include "gpuimg/simt/group.hpp"

namespace gpuimg::examples {

/// A warp walks down a strip of 120 x 18 outputs, a lane for four columns; its first and last lane only serve their
/// neighbours. A lane keeps three rows of its columns, sorts these, takes the medians of a row from them and those of
/// the lanes beside it, and takes these into the sums of the five output rows around. No sample is read twice by a
/// warp, and nothing is computed twice but what strips share.
///
/// With a border that mirrors or repeats the picture (reflect, reflect101, wrap) the result is that of median<3, 3> and
/// correlate, bit for bit: medians of a mirrored picture are mirrored medians. With the others, what is beyond the edge
/// is the median of a continued picture, not a continued median.
struct median_then_convolve_kernel {
  static constexpr int threads = 128;
  static constexpr int outputs = 4;  ///< columns of a lane
  static constexpr int rows = 18;
  static constexpr int block_width = (simt::warp_size - 2) * outputs;
  static constexpr int block_height = threads / simt::warp_size * rows;
  struct shared_storage {};

  filter::bordered_image<float> source;
  image_view<float> destination;
  float coefficients[25];

  simt::grid_extent grid() const noexcept {
    return {(destination.width + block_width - 1) / block_width,
            (destination.height + block_height - 1) / block_height};
  }

  template <simt::block_group Block>
  GPUIMG_FUNCTION void operator()(Block& block, shared_storage&) const {
    auto&& warp = block.warp();
    const std::int64_t left = block.index().x * block_width - outputs;
    const std::int64_t x = left + warp.rank() * outputs;
    const std::int64_t y = block.index().y * block_height + block.warp_rank() * rows;
    if (y >= destination.height) { return; }
    const auto& image = source.image;
    const bool inner =
        left >= 0 && left + simt::warp_size * outputs <= image.width && y >= 3 && y + rows + 3 <= image.height;
    if (inner && in_fours(image)) {
      const float* from = image.row(y - 3) + x;
      walk(warp, x, y, [&](int) {
        const auto samples = *reinterpret_cast<const four_samples*>(from);
        from = gpuimg::detail::advance_bytes(from, image.pitch);
        return samples;
      });
    } else {
      std::int64_t mapped[outputs];
      GPUIMG_UNROLL
      for (int i = 0; i < outputs; ++i) { mapped[i] = filter::map_coordinate(source.mode, x + i, image.width); }
      walk(warp, x, y, [&](int r) {
        const std::int64_t line = filter::map_coordinate(source.mode, y - 3 + r, image.height);
        four_samples samples;
        GPUIMG_UNROLL
        for (int i = 0; i < outputs; ++i) {
          samples.values[i] = line < 0 || mapped[i] < 0 ? source.value : image(mapped[i], line);
        }
        return samples;
      });
    }
  }

 private:
  using word = filter::float_word;  ///< compares as filters do, with NaN
  struct alignas(16) four_samples {
    float values[outputs];
  };

  /// Whether four samples can be read or written at once at every fourth one of a row.
  template <class T>
  GPUIMG_FUNCTION static bool in_fours(const image_view<T>& image) {
    return reinterpret_cast<std::uintptr_t>(image.data) % 16 == 0 && image.pitch % 16 == 0;
  }

  /// The strip from (x, y) on; load(r) returns the lane's samples of row y - 3 + r of the source.
  template <class Warp, class Load>
  GPUIMG_FUNCTION void walk(Warp& warp, std::int64_t x, std::int64_t y, const Load& load) const {
    constexpr int count = rows + 6;  // rows of the source
    static_assert(count % 3 == 0);
    word lines[3][outputs];
    float sums[5][outputs] = {};  // [i]: of the output row that i more rows of medians follow
    four_samples next = load(0);
    GPUIMG_NO_UNROLL
    for (int first = 0; first < count; first += 3) {
      GPUIMG_UNROLL
      for (int s = 0; s < 3; ++s) {
        const int r = first + s;
        GPUIMG_UNROLL
        for (int c = 0; c < outputs; ++c) { lines[s][c] = {next.values[c]}; }
        if (r + 1 < count) { next = load(r + 1); }
        if (r < 2) { continue; }
        float medians[outputs + 4];
        take_medians(warp, lines, medians);
        float whole[outputs] = {};
        take_row(medians, sums, whole);
        if (r >= 6) { store(warp, whole, x, y + r - 6); }
      }
    }
  }

  /// What the lane to the left, or to the right, has.
  template <class Warp>
  GPUIMG_FUNCTION static word left_of(Warp& warp, word own) {
    return {warp.shuffle_up(own.value, 1)};
  }
  template <class Warp>
  GPUIMG_FUNCTION static word right_of(Warp& warp, word own) {
    return {warp.shuffle_down(own.value, 1)};
  }

  /// Of nine values in three sorted columns: the middle one of the largest minimum, the middle middle and the least
  /// maximum. Those of a lane's columns and of two more on each side.
  template <class Warp>
  GPUIMG_FUNCTION static void take_medians(Warp& warp, const word (&lines)[3][outputs], float (&medians)[outputs + 4]) {
    word low[outputs + 2];  // column c of the lane is at c + 1
    word mid[outputs + 2];
    word high[outputs + 2];
    GPUIMG_UNROLL
    for (int c = 0; c < outputs; ++c) {
      low[c + 1] = lines[0][c];
      mid[c + 1] = lines[1][c];
      high[c + 1] = lines[2][c];
      filter::compare_exchange(low[c + 1], mid[c + 1]);
      filter::compare_exchange(mid[c + 1], high[c + 1]);
      filter::compare_exchange(low[c + 1], mid[c + 1]);
    }
    for (word* part : {low, mid, high}) {
      part[0] = left_of(warp, part[outputs]);
      part[outputs + 1] = right_of(warp, part[1]);
    }
    word own[outputs];
    GPUIMG_UNROLL
    for (int c = 0; c < outputs; ++c) {
      own[c] = filter::middle(filter::maximum(low[c], low[c + 1], low[c + 2]),
                              filter::middle(mid[c], mid[c + 1], mid[c + 2]),
                              filter::minimum(high[c], high[c + 1], high[c + 2]));
      medians[c + 2] = own[c].value;
    }
    GPUIMG_UNROLL
    for (int i = 0; i < 2; ++i) {
      medians[i] = left_of(warp, own[outputs - 2 + i]).value;
      medians[outputs + 2 + i] = right_of(warp, own[i]).value;
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

  template <class Warp>
  GPUIMG_FUNCTION void store(const Warp& warp, const float (&whole)[outputs], std::int64_t x, std::int64_t y) const {
    const bool serves = warp.rank() == 0 || warp.rank() == simt::warp_size - 1;
    if (serves || y >= destination.height) { return; }
    if (in_fours(destination) && x + outputs <= destination.width) {
      *reinterpret_cast<four_samples*>(destination.row(y) + x) = {{whole[0], whole[1], whole[2], whole[3]}};
      return;
    }
    GPUIMG_UNROLL
    for (int i = 0; i < outputs; ++i) {
      if (x + i < destination.width) { destination(x + i, y) = whole[i]; }
    }
  }
};

}  // namespace gpuimg::examples
