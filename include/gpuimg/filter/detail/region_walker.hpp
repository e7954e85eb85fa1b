/// @file
/// A thread's window as it goes down a region whose samples are in order.
#pragma once

#include <cstdint>

#include "gpuimg/core/config.hpp"
#include "gpuimg/filter/detail/region_places.hpp"
#include "gpuimg/filter/register_window.hpp"
#include "gpuimg/simt/bits.hpp"
#include "gpuimg/simt/group.hpp"

namespace gpuimg::filter::detail {

/// The samples of a region by their order: sample number n of it has class n / 4. A NaN has a class of its own, above.
template <class Places>
struct ordered_region {
  using four = typename Places::four;
  static constexpr std::uint32_t above = 0x8000;      ///< set in all classes, so that halves of words can be subtracted
  static constexpr std::uint32_t nan_class = 0x7FFF;  ///< greater than any other
  static constexpr int max_count = 4 * 0x7FFE;        ///< samples

  const std::uint32_t* classes;  ///< rows of `pitch` words, two classes each
  const four* places;            ///< those of class i in places[i]
  int pitch;
  int groups;  ///< classes
};

/// Keeps how many samples of its window are in classes below some class, its own: a row that leaves and one that comes
/// change that by comparisons alone. find() goes from class to class, testing which of the four places are in the
/// window, until the wanted sample is in its class.
template <class Places>
class region_walker {
 public:
  /// The window's first place is (column + lane, row); column is even and the same for the warp, as is row.
  GPUIMG_FUNCTION region_walker(const ordered_region<Places>& region, int column, int row, int lane, int width,
                                int height)
      : region_(region),
        rows_(region.classes + row * region.pitch + column / 2),
        width_(width),
        height_(height),
        lane_(static_cast<unsigned>(lane)),
        first_bytes_(lane % 2 == 0 ? 0xFFFFFFFFu : 0xFF00FF00u),
        last_bytes_(bytes_of(lane % 2 + width % 2)),
        window_(column + lane, row, width, height) {}

  /// Class and count of the first window, when rank `wanted` is sought. The warp's windows share a class for as long as
  /// that serves them all.
  /// @param column_counts  (width + warp_size) / 2 words of the warp's own
  template <class Warp>
  GPUIMG_FUNCTION void start(Warp&& warp, std::uint32_t* column_counts, std::int32_t wanted, bool with_nan) {
    constexpr std::uint32_t all = 0xFFFFFFFFu;
    constexpr int near = 8;  // classes that are sooner walked
    if (with_nan) { numbers_ = count_below(warp, column_counts, ordered_region<Places>::nan_class); }
    int low = 0;
    int high = region_.groups;
    while (true) {
      class_ = (low + high) / 2;
      below_ = count_below(warp, column_counts, static_cast<std::uint32_t>(class_));
      const std::uint32_t over = warp.ballot(below_ > wanted);
      if (high - low <= near || (over != 0 && over != all)) { break; }
      (over == 0 ? low : high) = class_;
    }
  }

  /// To the next row.
  GPUIMG_FUNCTION void go_down(bool with_nan) {
    below_ += change_below(static_cast<std::uint32_t>(class_));
    if (with_nan) { numbers_ += change_below(ordered_region<Places>::nan_class); }
    rows_ += region_.pitch;
    window_.go_down();
  }

  /// Number, in the order of all, of the window's rank `wanted`, which is less than its samples without NaN.
  GPUIMG_FUNCTION int find(std::int32_t wanted) {
    std::uint32_t inside = 0;
    bool here = false;
    GPUIMG_NO_UNROLL
    while (!here) {
      const bool down = below_ > wanted;
      class_ -= down ? 1 : 0;
      inside = window_.inside(region_.places[class_]);
      const int number = simt::popcount(inside);
      below_ -= down ? number : 0;
      const bool up = below_ + number <= wanted;
      here = !up && below_ <= wanted;
      below_ += up ? number : 0;
      class_ += up ? 1 : 0;
    }
    const int left = wanted - below_;
    GPUIMG_UNROLL
    for (int i = 0; i < 3; ++i) {
      if (left > i) { inside &= inside - 1; }
    }
    return 4 * class_ + (simt::lowest_bit(inside) >> 3);
  }

  /// Samples of the window that are no NaN; with_nan alone.
  GPUIMG_FUNCTION std::int32_t numbers() const { return numbers_; }

 private:
  /// Bytes by which half_signs() of a coming and a leaving word change the count below.
  static constexpr std::uint32_t weights = 0xFFFF0101u;

  GPUIMG_FUNCTION static std::uint32_t bytes_of(int samples) noexcept {
    return samples == 0 ? 0 : samples == 1 ? 0x00FF00FFu : 0xFFFFFFFFu;
  }
  /// The halves of a word that half_signs() makes the bytes of.
  GPUIMG_FUNCTION static std::uint32_t halves(std::uint32_t bytes) noexcept { return select_bytes(bytes, 0, 0x1100); }

  /// By how many samples below `limit` the next window has more.
  GPUIMG_FUNCTION std::int32_t change_below(std::uint32_t limit) const {
    const std::uint32_t* leaves = rows_ + lane_ / 2;
    const std::uint32_t* comes = leaves + height_ * region_.pitch;
    const std::uint32_t least = limit * 0x00010001u;
    const auto signs = [&](int i) { return half_signs(comes[i] - least, leaves[i] - least); };
    const int last = width_ / 2;
    std::int32_t change = add_byte_products(signs(0), weights & first_bytes_, 0);
    for (int i = 1; i < last; ++i) { change = add_byte_products(signs(i), weights, change); }
    return add_byte_products(signs(last), weights & last_bytes_, change);
  }

  /// Samples of the window in classes below `limit`, which is the same for the whole warp.
  template <class Warp>
  GPUIMG_FUNCTION std::int32_t count_below(Warp& warp, std::uint32_t* column_counts, std::uint32_t limit) const {
    const std::uint32_t least = limit * 0x00010001u;
    for (int i = static_cast<int>(lane_); i < (width_ + simt::warp_size) / 2; i += simt::warp_size) {
      std::uint32_t sums = 0;  // of samples at or above, two columns
      const std::uint32_t* at = rows_ + i;
      for (int y = 0; y < height_; ++y, at += region_.pitch) { sums += (*at - least) >> 15 & 0x00010001u; }
      column_counts[i] = sums;
    }
    warp.sync();
    const std::uint32_t* const from = column_counts + lane_ / 2;
    const auto add = [](std::uint32_t word) { return (word & 0xFFFFu) + (word >> 16); };
    const int last = width_ / 2;
    std::uint32_t sum = add(from[0] & halves(first_bytes_)) + add(from[last] & halves(last_bytes_));
    for (int i = 1; i < last; ++i) { sum += add(from[i]); }
    warp.sync();
    return width_ * height_ - static_cast<std::int32_t>(sum);
  }

  ordered_region<Places> region_;
  const std::uint32_t* rows_;  ///< the window's first row, from the warp's first column on
  int width_;
  int height_;
  unsigned lane_;
  std::uint32_t first_bytes_;  ///< those of the window's first word that are in it
  std::uint32_t last_bytes_;   ///< and of its last
  typename Places::window window_;
  int class_ = 0;
  std::int32_t below_ = 0;
  std::int32_t numbers_ = 0;
};

}  // namespace gpuimg::filter::detail
