/// @file
/// Kernels that make prefix images: the range of a picture's samples, and the prefix sums of its rows.
#pragma once

#include <cstdint>
#include <cstring>

#include "gpuimg/core/config.hpp"
#include "gpuimg/core/image_view.hpp"
#include "gpuimg/segment/region_sums.hpp"
#include "gpuimg/segment/sample_encoding.hpp"
#include "gpuimg/simt/atomic.hpp"
#include "gpuimg/simt/bits.hpp"
#include "gpuimg/simt/group.hpp"

namespace gpuimg {

/// A sample_range of f32 samples that threads may lower at once. All bits set: no sample yet.
struct range_keys {
  std::uint32_t low;   ///< key of the least sample
  std::uint32_t high;  ///< complement of the key of the greatest

  /// An integer that is ordered as the finite f32 are.
  GPUIMG_FUNCTION static std::uint32_t key(float v) noexcept {
    std::uint32_t bits = 0;
    memcpy(&bits, &v, sizeof bits);
    return (bits & 0x80000000u) != 0 ? ~bits : bits | 0x80000000u;
  }
  GPUIMG_FUNCTION static float value(std::uint32_t k) noexcept {
    const std::uint32_t bits = (k & 0x80000000u) != 0 ? k ^ 0x80000000u : ~k;
    float v = 0;
    memcpy(&v, &bits, sizeof v);
    return v;
  }

  GPUIMG_FUNCTION sample_range range() const noexcept {
    if (low == 0xFFFFFFFFu && high == 0xFFFFFFFFu) { return {}; }
    return {value(low), value(~high)};
  }
};

namespace detail {

/// Whether the mask leaves pixel (x, y) in.
GPUIMG_FUNCTION inline bool in_mask(const image_view<const std::uint8_t>& mask, std::int64_t x,
                                    std::int64_t y) noexcept {
  return mask.data == nullptr || mask(x, y) != 0;
}

}  // namespace detail

/// Lowers `keys` to the range of the f32 samples that `Model` knows. Any grid along x: blocks take rows in turn.
template <noise_model Model>
struct sample_range_kernel {
  static constexpr int threads = 256;
  struct shared_storage {};

  image_view<const float> picture;
  image_view<const std::uint8_t> mask;
  range_keys* keys;

  template <simt::block_group Block>
  GPUIMG_FUNCTION void operator()(Block& block, shared_storage&) const {
    range_keys mine{0xFFFFFFFFu, 0xFFFFFFFFu};
    for (auto y = block.index().x; y < picture.height; y += block.grid().x) {
      for (std::int64_t x = block.rank(); x < picture.width; x += threads) {
        const float v = picture(x, y);
        if (!detail::in_mask(mask, x, y) || !is_valid_sample<Model>(v)) { continue; }
        const std::uint32_t key = range_keys::key(v);
        mine = {simt::minimum{}(mine.low, key), simt::minimum{}(mine.high, ~key)};
      }
    }
    mine = {block.reduce(mine.low, simt::minimum{}), block.reduce(mine.high, simt::minimum{})};
    if (block.rank() == 0) {
      simt::atomic_min(keys->low, mine.low);
      simt::atomic_min(keys->high, mine.high);
    }
  }
};

/// Writes the prefix sums of rows, each by a warp in one pass. Grid: one block for `rows_per_block` rows, along x.
template <noise_model Model, snake_sample T, class Cell>
struct prefix_rows_kernel {
  static constexpr int threads = 128;
  static constexpr int rows_per_block = threads / simt::warp_size;
  struct shared_storage {};

  image_view<const T> picture;
  image_view<const std::uint8_t> mask;
  prefix_view<Cell> prefix;
  const range_keys* keys;  ///< read when needs_range<Model, T>

  template <simt::block_group Block>
  GPUIMG_FUNCTION void operator()(Block& block, shared_storage&) const {
    const std::int64_t y = block.index().x * rows_per_block + block.warp_rank();
    if (y >= picture.height) { return; }
    sample_range range;
    if constexpr (needs_range<Model, T>) { range = keys->range(); }
    const auto encoding = make_encoding<Model, T>(range, picture.size());
    auto warp = block.warp();
    const T* samples = picture.row(y);
    Cell* cells = prefix.row(y);
    region_sums before;
    constexpr int unrolled = 4;
    for (std::int64_t first = 0; first < picture.width; first += unrolled * simt::warp_size) {
      region_sums pixels[unrolled];
      GPUIMG_UNROLL
      for (int k = 0; k < unrolled; ++k) {
        const std::int64_t x = first + k * simt::warp_size + warp.rank();
        if (x < picture.width) { pixels[k] = pixel_sums<Model>(encoding, samples[x], detail::in_mask(mask, x, y)); }
      }
      GPUIMG_UNROLL
      for (int k = 0; k < unrolled; ++k) {
        const std::int64_t x = first + k * simt::warp_size + warp.rank();
        region_sums total;
        const region_sums left = before + scan(warp, pixels[k], total);
        if (x < picture.width) { cells[x] = Cell::make(left); }
        before += total;
      }
    }
    if (warp.rank() == 0) { cells[picture.width] = Cell::make(before); }
  }

 private:
  struct pair {
    std::int64_t first;
    std::int64_t second;
    GPUIMG_FUNCTION friend pair operator+(const pair& a, const pair& b) noexcept {
      return {a.first + b.first, a.second + b.second};
    }
  };

  /// Sums of the lanes below; of all lanes through `total`.
  template <simt::warp_group Warp>
  GPUIMG_FUNCTION static region_sums scan(Warp& warp, const region_sums& s, region_sums& total) {
    if constexpr (sizeof(Cell) == sizeof(std::uint64_t)) {
      // 32 bytes: their sum and the sum of their squares fit into halves of one word.
      std::uint64_t all = 0;
      const std::uint64_t packed = static_cast<std::uint64_t>(s.sum) << 32 | static_cast<std::uint64_t>(s.square);
      const std::uint64_t below = warp.exclusive_scan(packed, simt::plus{}, all);
      const auto unpack = [](std::uint64_t v) {
        return region_sums{0, static_cast<std::int64_t>(v >> 32), static_cast<std::int64_t>(v & 0xFFFFFFFFu)};
      };
      total = unpack(all);
      return unpack(below);
    } else {
      pair all{};
      const pair below = warp.exclusive_scan(pair{s.sum, s.square}, simt::plus{}, all);
      region_sums result{0, below.first, below.second};
      total = {0, all.first, all.second};
      if constexpr (Cell::has_count) {
        const std::uint32_t valid = warp.ballot(s.count != 0);
        result.count = simt::popcount(valid & simt::lanes_below(warp.rank()));
        total.count = simt::popcount(valid);
      }
      return result;
    }
  }
};

}  // namespace gpuimg
