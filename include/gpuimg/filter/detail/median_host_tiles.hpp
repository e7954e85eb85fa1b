/// @file
/// Medians by sorted columns on a host: the kernel's way, with a vector register where it has a packed word.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpuimg/core/config.hpp"
#include "gpuimg/core/image_view.hpp"
#include "gpuimg/core/parallel_for.hpp"
#include "gpuimg/filter/border.hpp"
#include "gpuimg/filter/compare_exchange.hpp"
#include "gpuimg/filter/detail/median_host_words.hpp"
#include "gpuimg/filter/detail/median_window.hpp"
#include "gpuimg/filter/median_key.hpp"
#include "gpuimg/filter/nan_policy.hpp"
#include "gpuimg/filter/sorted_columns.hpp"

namespace gpuimg::filter::detail {
inline namespace GPUIMG_KEY_WORDS {

/// Where each column of a row comes from, once for a picture.
inline std::vector<std::int64_t> column_map(border mode, std::int64_t first, std::int64_t count, std::int64_t width) {
  std::vector<std::int64_t> map(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) {
    map[static_cast<std::size_t>(i)] = map_coordinate(mode, first + i, width);
  }
  return map;
}

/// Order statistics of one band. Lane l of a word is for the tile l * lane_pitch pixels to the right.
template <ordered_sample T, class Shape, int Rank>
class host_tile_filter {
  using order = sample_order<T>;
  using key_type = typename order::key_type;
  using word = host_word<key_type>;
  static constexpr int lanes = 16 / static_cast<int>(sizeof(key_type));

 public:
  host_tile_filter(const bordered_bands<T>& source, const cube_view<T>& destination, const window_frame& frame,
                   nan_policy policy)
      : source_(source),
        destination_(destination),
        frame_(frame),
        policy_(policy),
        lane_pitch_((destination.width + lanes * Shape::tile_width - 1) / (lanes * Shape::tile_width) *
                    Shape::tile_width),
        columns_(lane_pitch_ + Shape::width - 1),
        map_(column_map(source.mode, -frame.left, lane_pitch_ * (lanes - 1) + columns_, source.cube.width)) {}

  void run(unsigned threads) const {
    const std::int64_t tile_rows = (destination_.height + Shape::tile_height - 1) / Shape::tile_height;
    std::vector<scratch> scratches(threads);
    parallel_for(threads, tile_rows * destination_.bands, [&](std::int64_t index, unsigned thread) {
      scratch& own = scratches[thread];
      own.pixels.resize(static_cast<std::size_t>(columns_) * Shape::rows);
      own.sorted.resize(static_cast<std::size_t>(columns_) * Shape::core_rows);
      own.results.resize(static_cast<std::size_t>(lane_pitch_) * Shape::tile_height);
      one_tile_row(index % tile_rows * Shape::tile_height, index / tile_rows, own);
    });
  }

 private:
  struct scratch {
    std::vector<word> pixels;
    std::vector<word> sorted;
    std::vector<word> results;
  };

  /// A tile, as tile_selection sees it.
  struct tile {
    const word* pixels;
    const word* sorted;
    word* results;
    std::int64_t columns;
    std::int64_t result_pitch;

    GPUIMG_FUNCTION word pixel(int x, int y) const { return pixels[y * columns + x]; }
    GPUIMG_FUNCTION word sorted_column(int x, int i) const { return sorted[i * columns + x]; }
    GPUIMG_FUNCTION void emit(int x, int y, const word& result) const { results[y * result_pitch + x] = result; }
    // A stack has room for all.
    GPUIMG_FUNCTION static void keep(int, const word&) {}
    GPUIMG_FUNCTION static word kept(int) { return {}; }
    GPUIMG_FUNCTION static void settle() {}
  };

  static key_type& key_in(std::vector<word>& words, std::int64_t index, int lane) {
    return reinterpret_cast<key_type*>(words.data() + index)[lane];
  }

  void one_tile_row(std::int64_t top, std::int64_t band, scratch& own) const {
    bool has_nan = false;
    for (int row = 0; row < Shape::rows; ++row) { has_nan |= fill(top, row, band, own.pixels); }
    const auto rows = std::min<std::int64_t>(Shape::tile_height, destination_.height - top);
    if (has_nan) {
      for (std::int64_t y = top; y < top + rows; ++y) {
        for (std::int64_t x = 0; x < destination_.width; ++x) {
          destination_(x, y, band) = window_rank(source_, frame_, Rank, policy_, x, y, band);
        }
      }
      return;
    }
    for (std::int64_t x = 0; x < columns_; ++x) {
      word keys[static_cast<std::size_t>(Shape::core_rows)];
      for (int i = 0; i < Shape::core_rows; ++i) {
        keys[i] = own.pixels[static_cast<std::size_t>((Shape::tile_height - 1 + i) * columns_ + x)];
      }
      sort<Shape::core_rows>(keys);
      for (int i = 0; i < Shape::core_rows; ++i) { own.sorted[static_cast<std::size_t>(i * columns_ + x)] = keys[i]; }
    }
    for (std::int64_t x = 0; x < lane_pitch_; x += Shape::tile_width) {
      tile here{own.pixels.data() + x, own.sorted.data() + x, own.results.data() + x, columns_, lane_pitch_};
      tile_selection<Shape, Rank>::template run<word>(here);
    }
    for (std::int64_t y = 0; y < rows; ++y) {
      for (int lane = 0; lane < lanes; ++lane) {
        const std::int64_t first = lane * lane_pitch_;
        const std::int64_t count = std::min(lane_pitch_, destination_.width - first);
        for (std::int64_t x = 0; x < count; ++x) {
          destination_(first + x, top + y, band) = order::sample(key_in(own.results, y * lane_pitch_ + x, lane));
        }
      }
    }
  }

  bool fill(std::int64_t top, int row, std::int64_t band, std::vector<word>& pixels) const {
    const std::int64_t line = map_coordinate(source_.mode, top - frame_.top + row, source_.cube.height);
    bool has_nan = false;
    for (int lane = 0; lane < lanes; ++lane) {
      const std::int64_t* const map = map_.data() + lane * lane_pitch_;
      const bool straight = line >= 0 && map[0] >= 0 && map[columns_ - 1] - map[0] == columns_ - 1 &&
                            source_.cube.x_stride == static_cast<std::int64_t>(sizeof(T)) && inside(lane);
      const T* const from = straight ? &source_.cube(map[0], line, band) : nullptr;
      for (std::int64_t x = 0; x < columns_; ++x) {
        const key_type key = order::key(straight                 ? from[x]
                                        : line < 0 || map[x] < 0 ? source_.value
                                                                 : source_.cube(map[x], line, band));
        if constexpr (order::has_nan) { has_nan |= key == order::nan_key; }
        key_in(pixels, row * columns_ + x, lane) = key;
      }
    }
    return has_nan;
  }

  /// Whether all columns of a lane are in the picture.
  bool inside(int lane) const {
    const std::int64_t first = lane * lane_pitch_ - frame_.left;
    return first >= 0 && first + columns_ <= source_.cube.width;
  }

  bordered_bands<T> source_;
  cube_view<T> destination_;
  window_frame frame_;
  nan_policy policy_;
  std::int64_t lane_pitch_;
  std::int64_t columns_;
  std::vector<std::int64_t> map_;
};

}  // namespace GPUIMG_KEY_WORDS
}  // namespace gpuimg::filter::detail
