/// @file
/// Kernel of medians by sorted columns: a thread for each tile, a block for TilesX x TilesY of them.
#pragma once

#include <cstdint>
#include <type_traits>

#include "gpuimg/core/config.hpp"
#include "gpuimg/core/image_view.hpp"
#include "gpuimg/filter/border.hpp"
#include "gpuimg/filter/compare_exchange.hpp"
#include "gpuimg/filter/detail/median_window.hpp"
#include "gpuimg/filter/detail/median_words.hpp"
#include "gpuimg/filter/median_key.hpp"
#include "gpuimg/filter/nan_policy.hpp"
#include "gpuimg/filter/sorted_columns.hpp"
#include "gpuimg/simt/group.hpp"

namespace gpuimg::filter::detail {

/// Order statistics of all windows of a picture; the grid's z is the band. Lane l of a word is for the tile l * TilesX
/// tiles to the right.
template <ordered_sample T, class Shape, int Rank, int TilesX, int TilesY, int BlocksPerSm, bool Keep>
struct median_tile_kernel {
  using order = sample_order<T>;
  using words = device_word<typename order::key_type>;
  using word = typename words::type;
  using selection = tile_selection<Shape, Rank, Keep>;

  static constexpr int threads = TilesX * TilesY;
  static constexpr int min_blocks_per_sm = BlocksPerSm;
  static constexpr int lane_pitch = TilesX * Shape::tile_width;  ///< pixels from a lane to the next
  static constexpr int block_width = words::lanes * lane_pitch;
  static constexpr int block_height = TilesY * Shape::tile_height;
  static constexpr int columns = lane_pitch + Shape::width - 1;
  static constexpr int rows = block_height + Shape::height - 1;

  // Column x is stored at (x mod tile_width) * class_pitch + x / tile_width: threads side by side read words side by
  // side, and the classes of one row fall into different banks.
  static constexpr int class_size = (columns + Shape::tile_width - 1) / Shape::tile_width;
  static constexpr int class_bank = 32 / Shape::tile_width;
  static constexpr int class_pitch =
      Shape::tile_width == 1 ? class_size : class_size + (class_bank + 32 - class_size % 32) % 32;
  static constexpr int row_pitch = Shape::tile_width * class_pitch;

  struct shared_storage {
    word pixels[rows * row_pitch];
    word sorted[TilesY * Shape::core_rows * row_pitch];
    word kept[selection::kept_words == 0 ? 1 : selection::kept_words * threads];
  };

  bordered_bands<T> source;
  cube_view<T> destination;
  window_frame frame;
  nan_policy policy = nan_policy::propagate;

  template <simt::block_group Block>
  GPUIMG_FUNCTION void operator()(Block& block, shared_storage& shared) const {
    const std::int64_t left = block.index().x * block_width;
    const std::int64_t top = block.index().y * block_height;
    const bool has_nan = fill(block, shared, left - frame.left, top - frame.top);
    if constexpr (order::has_nan) {
      if (block.any(has_nan)) {
        by_windows(block.rank(), left, top, block.index().z);
        return;
      }
    } else {
      block.sync();
    }
    sort_columns(block.rank(), shared);
    block.sync();
    thread_tile<typename std::remove_reference_t<decltype(block)>> tile{*this, block, shared};
    const int tile_x = block.rank() % TilesX;
    const int tile_y = block.rank() / TilesX;
    tile.pixels = shared.pixels + tile_y * Shape::tile_height * row_pitch + tile_x;
    tile.sorted = shared.sorted + tile_y * Shape::core_rows * row_pitch + tile_x;
    tile.left = left + tile_x * Shape::tile_width;
    tile.top = top + tile_y * Shape::tile_height;
    tile.band = block.index().z;
    selection::template run<word>(tile);
  }

 private:
  /// A thread's tile, as tile_selection sees it.
  template <class Block>
  struct thread_tile {
    const median_tile_kernel& kernel;
    Block& block;
    shared_storage& shared;
    const word* pixels = nullptr;
    const word* sorted = nullptr;
    std::int64_t left = 0;
    std::int64_t top = 0;
    std::int64_t band = 0;

    GPUIMG_FUNCTION word pixel(int x, int y) const { return pixels[y * row_pitch + place(x)]; }
    GPUIMG_FUNCTION word sorted_column(int x, int i) const { return sorted[i * row_pitch + place(x)]; }
    GPUIMG_FUNCTION void keep(int i, word value) { shared.kept[i * threads + block.rank()] = value; }
    GPUIMG_FUNCTION word kept(int i) const { return shared.kept[i * threads + block.rank()]; }
    GPUIMG_FUNCTION void settle() { block.warp().sync(); }
    GPUIMG_FUNCTION void emit(int x, int y, word result) const {
      if (top + y >= kernel.destination.height) { return; }
      GPUIMG_UNROLL
      for (int lane = 0; lane < words::lanes; ++lane) {
        const std::int64_t column = left + x + lane * lane_pitch;
        if (column < kernel.destination.width) {
          kernel.destination(column, top + y, band) = order::sample(words::lane(result, lane));
        }
      }
    }
  };

  GPUIMG_FUNCTION static constexpr int place(int x) noexcept {
    return x % Shape::tile_width * class_pitch + x / Shape::tile_width;
  }

  GPUIMG_FUNCTION static constexpr word make_word(const typename order::key_type (&keys)[words::lanes]) noexcept {
    if constexpr (words::lanes == 2) {
      return pack(keys[0], keys[1]);
    } else {
      return keys[0];
    }
  }

  /// Loads the block's pixels; column 0, row 0 is pixel (left, top). @returns whether the thread met a NaN
  template <class Block>
  GPUIMG_FUNCTION bool fill(Block& block, shared_storage& shared, std::int64_t left, std::int64_t top) const {
    const auto& image = source.cube;
    const std::int64_t band = block.index().z;
    const bool inside =
        left >= 0 && top >= 0 && left + block_width + Shape::width - 1 <= image.width && top + rows <= image.height;
    const int lane = block.rank() % simt::warp_size;
    bool has_nan = false;
    for (int y = block.warp_rank(); y < rows; y += threads / simt::warp_size) {
      word* const target = shared.pixels + y * row_pitch;
      if (inside) {
        const T* const from = &image(left, top + y, band);
        GPUIMG_UNROLL
        for (int first = 0; first < columns; first += simt::warp_size) {
          const int x = first + lane;
          if (x < columns) {
            typename order::key_type keys[words::lanes];
            GPUIMG_UNROLL
            for (int l = 0; l < words::lanes; ++l) {
              keys[l] =
                  checked_key(*gpuimg::detail::advance_bytes(from, (x + l * lane_pitch) * image.x_stride), has_nan);
            }
            target[place(x)] = make_word(keys);
          }
        }
      } else {
        const std::int64_t line = map_coordinate(source.mode, top + y, image.height);
        for (int x = lane; x < columns; x += simt::warp_size) {
          typename order::key_type keys[words::lanes];
          for (int l = 0; l < words::lanes; ++l) {
            const std::int64_t column = map_coordinate(source.mode, left + x + l * lane_pitch, image.width);
            keys[l] = checked_key(line < 0 || column < 0 ? source.value : image(column, line, band), has_nan);
          }
          target[place(x)] = make_word(keys);
        }
      }
    }
    return has_nan;
  }

  GPUIMG_FUNCTION static typename order::key_type checked_key(T sample, [[maybe_unused]] bool& has_nan) {
    const auto key = order::key(sample);
    if constexpr (order::has_nan) { has_nan |= key == order::nan_key; }
    return key;
  }

  GPUIMG_FUNCTION static void sort_columns(int rank, shared_storage& shared) {
    constexpr int core = Shape::core_rows;
    constexpr int warps = threads / simt::warp_size;
    // A warp takes 32 columns of a tile row at a time.
    constexpr int groups = (columns + simt::warp_size - 1) / simt::warp_size;
    GPUIMG_NO_UNROLL
    for (int group = rank / simt::warp_size; group < groups * TilesY; group += warps) {
      const int x = group % groups * simt::warp_size + rank % simt::warp_size;
      const int tile_y = group / groups;
      if (x >= columns) { continue; }
      const word* const from =
          shared.pixels + (tile_y * Shape::tile_height + Shape::tile_height - 1) * row_pitch + place(x);
      word* const to = shared.sorted + tile_y * core * row_pitch + place(x);
      word keys[static_cast<std::size_t>(core)];
      GPUIMG_UNROLL
      for (int i = 0; i < core; ++i) { keys[i] = from[i * row_pitch]; }
      sort<core>(keys);
      GPUIMG_UNROLL
      for (int i = 0; i < core; ++i) { to[i * row_pitch] = keys[i]; }
    }
  }

  /// The block's pixels one by one: NaN in a window change which rank is wanted.
  GPUIMG_FUNCTION GPUIMG_COLD void by_windows(int rank, std::int64_t left, std::int64_t top, std::int64_t band) const {
    for (int i = rank; i < block_width * block_height; i += threads) {
      const std::int64_t x = left + i % block_width;
      const std::int64_t y = top + i / block_width;
      if (x < destination.width && y < destination.height) {
        destination(x, y, band) = window_rank(source, frame, Rank, policy, x, y, band);
      }
    }
  }
};

}  // namespace gpuimg::filter::detail
