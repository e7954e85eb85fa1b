/// @file
/// Rank filters of 8-bit samples on a host, for large windows, in a time that the window's size does not change.
/// After S. Perreault and P. Hébert, "Median filtering in constant time" (2007).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpuimg/core/image_view.hpp"
#include "gpuimg/filter/border.hpp"
#include "gpuimg/filter/detail/host_isa.hpp"
#include "gpuimg/filter/detail/host_parts.hpp"
#include "gpuimg/filter/detail/median_window.hpp"
#include "gpuimg/filter/median_key.hpp"

namespace gpuimg::filter::detail {

/// Sixteen counters, a vector or two of a host.
struct bin_group {
  std::uint16_t of[16];

  GPUIMG_ALWAYS_INLINE void add(const bin_group& more) noexcept {
    for (int i = 0; i < 16; ++i) { of[i] = static_cast<std::uint16_t>(of[i] + more.of[i]); }
  }
  GPUIMG_ALWAYS_INLINE void slide(const bin_group& comes, const bin_group& leaves) noexcept {
    for (int i = 0; i < 16; ++i) { of[i] = static_cast<std::uint16_t>(of[i] + comes.of[i] - leaves.of[i]); }
  }
  /// The bin that holds rank `left`, which becomes the rank within it. Without a branch: which one it is cannot be
  /// foretold.
  GPUIMG_ALWAYS_INLINE int find(std::int32_t& left) const noexcept {
    std::int32_t sums[17] = {};
    for (int i = 0; i < 16; ++i) { sums[i + 1] = sums[i] + of[i]; }
    int bin = 0;
    for (int i = 1; i < 16; ++i) { bin += sums[i] <= left ? 1 : 0; }
    left -= sums[bin];
    return bin;
  }
};

/// Goes down strips of columns with a histogram for each, and along each row with one of the window. Of that one the
/// coarse bins are always up to date, the fine ones when they are asked for.
template <ordered_sample T>
requires(sizeof(T) == 1) class host_histogram_filter {
 public:
  static constexpr std::int32_t max_count = 65535;  ///< samples of a window: what a counter holds

  host_histogram_filter(const bordered_bands<T>& source, const cube_view<T>& destination, const window_frame& frame,
                        std::int32_t rank, host_isa isa = best_isa())
      : source_(source), destination_(destination), frame_(frame), rank_(rank), isa_(isa) {}

  void run(unsigned threads) const {
    // Each part begins with the histograms of a whole window, so its height is some times the window's.
    const std::int64_t part_rows = std::max<std::int64_t>(128, 4 * std::int64_t{frame_.height});
    std::vector<scratch> scratches(threads);
    for_each_part(threads, destination_, strip_width, part_rows, [&](const picture_part& p, unsigned thread) {
      strip(p.x, p.y, p.y + p.height, p.band, scratches[thread]);
    });
  }

 private:
  static constexpr std::int64_t strip_width = 512;

  struct scratch {
    std::vector<bin_group> coarse;  // one a column
    std::vector<bin_group> fine;    // 16 groups, each of all columns
    std::vector<std::int64_t> map;
  };

  void change(scratch& own, std::int64_t columns, std::int64_t band, std::int64_t y, int by) const {
    const std::int64_t line = map_coordinate(source_.mode, y, source_.cube.height);
    for (std::int64_t i = 0; i < columns; ++i) {
      const std::int64_t column = own.map[static_cast<std::size_t>(i)];
      const int key = sample_order<T>::key(line < 0 || column < 0 ? source_.value : source_.cube(column, line, band));
      auto& coarse = own.coarse[static_cast<std::size_t>(i)].of[key >> 4];
      auto& fine = own.fine[static_cast<std::size_t>((key >> 4) * columns + i)].of[key & 15];
      coarse = static_cast<std::uint16_t>(coarse + by);
      fine = static_cast<std::uint16_t>(fine + by);
    }
  }

  void strip(std::int64_t left, std::int64_t top, std::int64_t end, std::int64_t band, scratch& own) const {
#if GPUIMG_HAS_AVX2_TARGET
    if (isa_ == host_isa::avx2) { return strip_avx2(left, top, end, band, own); }
#endif
    strip_here(left, top, end, band, own);
  }
#if GPUIMG_HAS_AVX2_TARGET
  GPUIMG_TARGET_AVX2 void strip_avx2(std::int64_t left, std::int64_t top, std::int64_t end, std::int64_t band,
                                     scratch& own) const {
    strip_here(left, top, end, band, own);
  }
#endif
  GPUIMG_ALWAYS_INLINE void strip_here(std::int64_t left, std::int64_t top, std::int64_t end, std::int64_t band,
                                       scratch& own) const {
    const std::int64_t width = std::min(strip_width, destination_.width - left);
    const std::int64_t columns = width + frame_.width - 1;
    own.coarse.assign(static_cast<std::size_t>(columns), {});
    own.fine.assign(static_cast<std::size_t>(16 * columns), {});
    own.map.resize(static_cast<std::size_t>(columns));
    for (std::int64_t i = 0; i < columns; ++i) {
      own.map[static_cast<std::size_t>(i)] = map_coordinate(source_.mode, left - frame_.left + i, source_.cube.width);
    }
    for (std::int64_t j = 0; j < frame_.height; ++j) { change(own, columns, band, top - frame_.top + j, 1); }
    for (std::int64_t y = top; y < end; ++y) {
      row(own, left, width, y, band);
      if (y + 1 < end) {
        change(own, columns, band, y - frame_.top, -1);
        change(own, columns, band, y - frame_.top + frame_.height, 1);
      }
    }
  }

  GPUIMG_ALWAYS_INLINE void row(const scratch& own, std::int64_t left, std::int64_t width, std::int64_t y,
                                std::int64_t band) const {
    const std::int64_t columns = width + frame_.width - 1;
    bin_group coarse{};
    bin_group fine[16];
    std::int64_t seen[16];  // the pixel that a group was last brought up to
    std::fill(std::begin(seen), std::end(seen), -2 * std::int64_t{frame_.width} - 1);
    for (std::int64_t i = 0; i < frame_.width; ++i) { coarse.add(own.coarse[static_cast<std::size_t>(i)]); }
    for (std::int64_t x = 0; x < width; ++x) {
      if (x > 0) {
        coarse.slide(own.coarse[static_cast<std::size_t>(x + frame_.width - 1)],
                     own.coarse[static_cast<std::size_t>(x - 1)]);
      }
      std::int32_t wanted = rank_;
      const int group = coarse.find(wanted);
      const bin_group* const from = own.fine.data() + group * columns;
      if (2 * (x - seen[group]) < frame_.width) {
        for (std::int64_t at = seen[group] + 1; at <= x; ++at) {
          fine[group].slide(from[at + frame_.width - 1], from[at - 1]);
        }
      } else {
        fine[group] = {};
        for (std::int64_t i = 0; i < frame_.width; ++i) { fine[group].add(from[x + i]); }
      }
      seen[group] = x;
      const int key = group * 16 + fine[group].find(wanted);
      destination_(left + x, y, band) = sample_order<T>::sample(static_cast<std::uint8_t>(key));
    }
  }

  bordered_bands<T> source_;
  cube_view<T> destination_;
  window_frame frame_;
  std::int32_t rank_;
  host_isa isa_;
};

}  // namespace gpuimg::filter::detail
