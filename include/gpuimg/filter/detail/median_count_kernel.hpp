/// @file
/// Kernel of rank filters of any sample and any large window, by bisection of the keys' range in shared memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpuimg/core/config.hpp"
#include "gpuimg/core/image_view.hpp"
#include "gpuimg/filter/border.hpp"
#include "gpuimg/filter/detail/median_window.hpp"
#include "gpuimg/filter/median_key.hpp"
#include "gpuimg/filter/nan_policy.hpp"
#include "gpuimg/simt/group.hpp"

namespace gpuimg::filter::detail {

/// A block has 32 x 32 pixels, and the keys of all their windows in shared memory. A thread bisects for four pixels one
/// above the other: each key it reads is compared for all four. The bits that all keys of the block share are
/// known beforehand. O(bits * width * height) operations a pixel.
template <ordered_sample T, std::size_t Bytes>
struct window_count_kernel {
  using order = sample_order<T>;
  using key_type = typename order::key_type;

  static constexpr int threads = 256;
  static constexpr int pixels = 4;  ///< of a thread
  static constexpr int block_width = simt::warp_size;
  static constexpr int block_height = threads / simt::warp_size * pixels;
  static constexpr std::int64_t capacity = static_cast<std::int64_t>(Bytes / sizeof(key_type));  ///< keys

  struct shared_storage {
    key_type keys[static_cast<std::size_t>(capacity)];
  };

  bordered_bands<T> source;
  cube_view<T> destination;
  window_frame frame;
  std::int32_t rank = 0;
  nan_policy policy = nan_policy::propagate;

  /// Whether the kernel can take a window.
  static constexpr bool fits(const window_frame& frame) noexcept {
    return frame.mask == nullptr && frame.height >= pixels &&
           std::int64_t{block_width + frame.width - 1} * (block_height + frame.height - 1) <= capacity;
  }

  template <simt::block_group Block>
  GPUIMG_FUNCTION void operator()(Block& block, shared_storage& shared) const {
    const std::int64_t left = block.index().x * block_width;
    const std::int64_t top = block.index().y * block_height;
    const std::int64_t band = block.index().z;
    const int columns = block_width + frame.width - 1;
    const int rows = block_height + frame.height - 1;
    const int lane = block.rank() % simt::warp_size;
    std::uint64_t ones = 0;   // bits that are set in some key
    std::uint64_t zeros = 0;  // bits that are not
    bool has_nan = false;
    for (int y = block.warp_rank(); y < rows; y += threads / simt::warp_size) {
      const std::int64_t line = map_coordinate(source.mode, top - frame.top + y, source.cube.height);
      for (int x = lane; x < columns; x += simt::warp_size) {
        const std::int64_t column = map_coordinate(source.mode, left - frame.left + x, source.cube.width);
        const key_type key = order::key(line < 0 || column < 0 ? source.value : source.cube(column, line, band));
        if constexpr (order::has_nan) { has_nan |= key == order::nan_key; }
        ones |= key;
        zeros |= static_cast<key_type>(~key);
        shared.keys[y * columns + x] = key;
      }
    }
    const auto varying =
        static_cast<key_type>(block.reduce(ones, simt::bit_or{}) & block.reduce(zeros, simt::bit_or{}));
    const std::int64_t x = left + lane;
    const std::int64_t first = top + block.warp_rank() * std::int64_t{pixels};
    if constexpr (order::has_nan) {
      if (block.any(has_nan)) {
        by_windows(x, first, band);
        return;
      }
    }
    key_type found[pixels];
    bisect(shared.keys + block.warp_rank() * pixels * columns + lane, columns, varying, found);
    GPUIMG_UNROLL
    for (int p = 0; p < pixels; ++p) {
      if (x < destination.width && first + p < destination.height) {
        destination(x, first + p, band) = order::sample(found[p]);
      }
    }
  }

 private:
  /// The thread's pixels one by one: NaN in a window change which rank is wanted.
  GPUIMG_FUNCTION GPUIMG_COLD void by_windows(std::int64_t x, std::int64_t first, std::int64_t band) const {
    for (std::int64_t y = first; y < first + pixels; ++y) {
      if (x < destination.width && y < destination.height) {
        destination(x, y, band) = window_rank(source, frame, rank, policy, x, y, band);
      }
    }
  }

  GPUIMG_FUNCTION void bisect(const key_type* keys, int pitch, key_type varying, key_type (&found)[pixels]) const {
    constexpr int bits = 8 * static_cast<int>(sizeof(key_type));
    int top = bits;  // bits above are the same in all keys
    while (top > 0 && (varying >> (top - 1)) == 0) { --top; }
    const auto common = static_cast<key_type>(top == bits ? 0 : keys[0] >> top << top);
    GPUIMG_UNROLL
    for (auto& key : found) { key = common; }
    GPUIMG_NO_UNROLL
    for (int bit = top - 1; bit >= 0; --bit) {
      key_type tried[pixels];
      std::int32_t below[pixels] = {};
      GPUIMG_UNROLL
      for (int p = 0; p < pixels; ++p) { tried[p] = static_cast<key_type>(found[p] | (key_type{1} << bit)); }
      GPUIMG_NO_UNROLL
      for (int column = 0; column < frame.width; ++column) {
        const key_type* at = keys + column;
        GPUIMG_UNROLL
        for (int row = 0; row < pixels - 1; ++row, at += pitch) {  // rows of the upper windows alone
          GPUIMG_UNROLL
          for (int p = 0; p <= row; ++p) { below[p] += *at < tried[p] ? 1 : 0; }
        }
        for (int row = pixels - 1; row < frame.height; ++row, at += pitch) {
          GPUIMG_UNROLL
          for (int p = 0; p < pixels; ++p) { below[p] += *at < tried[p] ? 1 : 0; }
        }
        GPUIMG_UNROLL
        for (int row = 1; row < pixels; ++row, at += pitch) {  // and of the lower ones
          GPUIMG_UNROLL
          for (int p = row; p < pixels; ++p) { below[p] += *at < tried[p] ? 1 : 0; }
        }
      }
      GPUIMG_UNROLL
      for (int p = 0; p < pixels; ++p) { found[p] = below[p] <= rank ? tried[p] : found[p]; }
    }
  }
};

}  // namespace gpuimg::filter::detail
