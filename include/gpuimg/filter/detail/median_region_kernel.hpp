/// @file
/// Kernels of rank filters of any sample and large windows, by the order of all samples of a region.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpuimg/core/config.hpp"
#include "gpuimg/core/image_view.hpp"
#include "gpuimg/filter/border.hpp"
#include "gpuimg/filter/detail/median_window.hpp"
#include "gpuimg/filter/detail/region_order.hpp"
#include "gpuimg/filter/detail/region_places.hpp"
#include "gpuimg/filter/detail/region_walker.hpp"
#include "gpuimg/filter/median_key.hpp"
#include "gpuimg/filter/nan_policy.hpp"
#include "gpuimg/simt/group.hpp"

namespace gpuimg::filter::detail {

/// A block has tiles of 32 * Wide x Rows * Runs pixels. It sorts the places of all samples that a tile's windows cover;
/// then a thread goes down Rows pixels with a region_walker.
///
/// O(width) operations a pixel and, for windows of unrelated samples, O(region / sqrt(width * height)) more; no more
/// for wide samples than for narrow ones, but for the sort, which is O(bits * region / pixels).
template <ordered_sample T, class Places, int Wide, int Runs, int Rows>
struct region_filter {
  using order = sample_order<T>;
  using key_type = typename order::key_type;
  using place_type = typename Places::type;

  static constexpr int threads = Wide * Runs * simt::warp_size;
  static constexpr int block_width = Wide * simt::warp_size;
  static constexpr int block_height = Runs * Rows;
  static constexpr int cell_bytes = sizeof(key_type) + 2 * sizeof(place_type);
  using sorter = region_order<threads, Places, key_type>;

  bordered_bands<T> source;
  cube_view<T> destination;
  window_frame frame;
  std::int32_t rank = 0;
  nan_policy policy = nan_policy::propagate;

  /// What the windows of a tile cover.
  struct region_shape {
    int columns;
    int rows;
    int pitch;  ///< even: two classes a word

    GPUIMG_FUNCTION constexpr explicit region_shape(const window_frame& frame) noexcept
        : columns(block_width + frame.width - 1), rows(block_height + frame.height - 1), pitch((columns + 1) / 2 * 2) {}
    GPUIMG_FUNCTION constexpr int cells() const noexcept { return (pitch * rows + 7) / 8 * 8; }
  };

  /// Whether a region of `cells` cells has room for a window.
  static constexpr bool fits(const window_frame& frame, std::int64_t cells) noexcept {
    const region_shape region(frame);
    return frame.mask == nullptr && frame.width >= 2 && region.columns <= Places::limit &&
           region.rows <= Places::limit && region.cells() <= cells &&
           region.columns * region.rows <= ordered_region<Places>::max_count &&
           (frame.width + simt::warp_size) / 2 <= sorter::digits;
  }

  /// @param memory    cell_bytes for each cell
  /// @param counters  sorter::counter_words
  template <simt::block_group Block>
  GPUIMG_FUNCTION void filter_tile(Block& block, unsigned char* memory, std::uint32_t* counters, std::int64_t left,
                                   std::int64_t top, std::int64_t band) const {
    const region_shape shape(frame);
    key_type* const keys = reinterpret_cast<key_type*>(memory);
    auto* const places =
        reinterpret_cast<place_type*>(memory + static_cast<std::size_t>(shape.cells()) * sizeof(key_type));
    sorter sorted{keys, shape.pitch, shape.columns * shape.rows, places, places + shape.cells(), counters};
    int numbers = sorted.count;  // that are no NaN
    sorted.sort(block, load(block, shape, left - frame.left, top - frame.top, band, keys, places, numbers));
    auto* const classes = reinterpret_cast<std::uint16_t*>(sorted.spare);
    classify(block.rank(), shape, sorted, numbers, classes);
    block.sync();
    const int column = block.warp_rank() % Wide * simt::warp_size;
    const int row = block.warp_rank() / Wide * Rows;
    if (left + column >= destination.width || top + row >= destination.height) { return; }
    const ordered_region<Places> region{reinterpret_cast<const std::uint32_t*>(classes),
                                        reinterpret_cast<const typename Places::four*>(sorted.list), shape.pitch / 2,
                                        (numbers + 3) / 4};
    const int lane = block.rank() % simt::warp_size;
    auto&& warp = block.warp();
    const bool with_nan = numbers != sorted.count;
    region_walker<Places> walker(region, column, row, lane, frame.width, frame.height);
    walker.start(warp, counters + block.warp_rank() * sorter::digits, rank, with_nan);
    const bool inside = left + column + lane < destination.width;
    const std::int64_t below = destination.height - top - row;
    T* result = &destination(left + column + (inside ? lane : 0), top + row, band);
    const key_type* centre = keys + (row + frame.top) * shape.pitch + column + lane + frame.left;
    GPUIMG_NO_UNROLL
    for (int left_over = below < Rows ? static_cast<int>(below) : Rows;;) {
      key_type key = order_nan_key();
      std::int32_t wanted = rank;
      if (!with_nan || has_result(walker.numbers(), *centre, wanted)) {
        const place_type found = sorted.list[walker.find(wanted)];
        key = keys[Places::y(found) * shape.pitch + Places::x(found)];
      }
      if (inside) { *result = order::sample(key); }
      if (--left_over == 0) { break; }
      warp.sync();  // brings the lanes together again
      walker.go_down(with_nan);
      result = gpuimg::detail::advance_bytes(result, destination.y_stride);
      centre += shape.pitch;
    }
  }

 private:
  GPUIMG_FUNCTION static constexpr key_type order_nan_key() noexcept {
    if constexpr (order::has_nan) {
      return order::nan_key;
    } else {
      return 0;
    }
  }

  /// Which rank is wanted of a window of which `numbers` samples are no NaN. @returns whether the result is no NaN
  GPUIMG_FUNCTION bool has_result(std::int32_t numbers, key_type centre, std::int32_t& wanted) const {
    if (numbers == frame.count) { return true; }
    if (numbers == 0 || policy == nan_policy::propagate ||
        (policy == nan_policy::preserve && centre == order_nan_key())) {
      return false;
    }
    wanted = static_cast<std::int32_t>((2 * std::int64_t{rank} + 1) * numbers / (2 * std::int64_t{frame.count}));
    return true;
  }

  /// Loads the region's keys, and lists their places; takes NaN off `numbers`. @returns the bits that vary
  template <class Block>
  GPUIMG_FUNCTION key_type load(Block& block, const region_shape& region, std::int64_t left, std::int64_t top,
                                std::int64_t band, key_type* keys, place_type* places, int& numbers) const {
    std::uint64_t ones = 0;   // bits that are set in some key
    std::uint64_t zeros = 0;  // bits that are not
    std::uint32_t nans = 0;
    const auto put = [&](int x, int y, T sample) {
      const key_type key = order::key(sample);
      if constexpr (order::has_nan) { nans += key == order::nan_key ? 1 : 0; }
      ones |= key;
      zeros |= static_cast<key_type>(~key);
      keys[y * region.pitch + x] = key;
      places[y * region.columns + x] = Places::place(x, y);
    };
    const int lane = block.rank() % simt::warp_size;
    const bool no_border = left >= 0 && left + region.columns <= source.cube.width;
    for (int y = block.warp_rank(); y < region.rows; y += threads / simt::warp_size) {
      const std::int64_t line = map_coordinate(source.mode, top + y, source.cube.height);
      if (no_border && line >= 0) {
        const T* from = &source.cube(left + lane, line, band);
        for (int x = lane; x < region.columns; x += simt::warp_size) {
          put(x, y, *from);
          from = gpuimg::detail::advance_bytes(from, simt::warp_size * source.cube.x_stride);
        }
      } else {
        for (int x = lane; x < region.columns; x += simt::warp_size) {
          const std::int64_t column = map_coordinate(source.mode, left + x, source.cube.width);
          put(x, y, line < 0 || column < 0 ? source.value : source.cube(column, line, band));
        }
      }
    }
    if constexpr (order::has_nan) { numbers -= static_cast<int>(block.reduce(nans, simt::plus{})); }
    return static_cast<key_type>(block.reduce(ones, simt::bit_or{}) & block.reduce(zeros, simt::bit_or{}));
  }

  GPUIMG_FUNCTION static void classify(int thread, const region_shape& region, const sorter& sorted, int numbers,
                                       std::uint16_t* classes) {
    using ordered = ordered_region<Places>;
    for (int i = thread; i < sorted.count; i += threads) {
      const place_type place = sorted.list[i];
      const std::uint32_t number = i < numbers ? static_cast<std::uint32_t>(i) / 4 : ordered::nan_class;
      classes[Places::y(place) * region.pitch + Places::x(place)] = static_cast<std::uint16_t>(ordered::above | number);
    }
    if (region.pitch != region.columns) {
      for (int y = thread; y < region.rows; y += threads) {
        classes[y * region.pitch + region.columns] = static_cast<std::uint16_t>(ordered::above);
      }
    }
    for (int i = sorted.count + thread; i < (sorted.count + 3) / 4 * 4; i += threads) {
      sorted.list[i] = Places::place(0, 0);
    }
  }
};

/// A block for each tile, its region of up to Cells cells in shared memory; the grid's z is the band.
template <ordered_sample T, class Places, int Wide, int Runs, int Rows, int Cells>
struct median_region_kernel : region_filter<T, Places, Wide, Runs, Rows> {
  using base = region_filter<T, Places, Wide, Runs, Rows>;

  struct shared_storage {
    alignas(16) unsigned char region[static_cast<std::size_t>(Cells) * base::cell_bytes];
    std::uint32_t counters[base::sorter::counter_words];
  };

  static constexpr bool fits(const window_frame& frame) noexcept { return base::fits(frame, Cells); }

  template <simt::block_group Block>
  GPUIMG_FUNCTION void operator()(Block& block, shared_storage& shared) const {
    const simt::grid_index at = block.index();
    this->filter_tile(block, shared.region, shared.counters, at.x * base::block_width, at.y * base::block_height, at.z);
  }
};

/// Blocks that go through the tiles, each with a region in `workspace`: for windows that shared memory is too small
/// for.
template <ordered_sample T, class Places, int Wide, int Runs, int Rows>
struct median_workspace_kernel : region_filter<T, Places, Wide, Runs, Rows> {
  using base = region_filter<T, Places, Wide, Runs, Rows>;

  static constexpr int min_blocks_per_sm = 1;  // registers enough for 64-bit addresses

  struct shared_storage {
    std::uint32_t counters[base::sorter::counter_words];
  };

  simt::grid_extent tiles;
  std::byte* workspace = nullptr;  ///< region_bytes() for each block

  /// Bytes of a block's region, a multiple of 16.
  GPUIMG_FUNCTION static constexpr std::int64_t region_bytes(const window_frame& frame) noexcept {
    return (std::int64_t{typename base::region_shape(frame).cells()} * base::cell_bytes + 15) / 16 * 16;
  }

  template <simt::block_group Block>
  GPUIMG_FUNCTION void operator()(Block& block, shared_storage& shared) const {
    auto* const region = reinterpret_cast<unsigned char*>(workspace) + block.index().x * region_bytes(this->frame);
    GPUIMG_NO_UNROLL
    for (std::int64_t tile = block.index().x; tile < tiles.size(); tile += block.grid().x) {
      const std::int64_t row = tile / tiles.x;
      this->filter_tile(block, region, shared.counters, tile % tiles.x * base::block_width,
                        row % tiles.y * base::block_height, row / tiles.y);
      block.sync();
    }
  }
};

}  // namespace gpuimg::filter::detail
