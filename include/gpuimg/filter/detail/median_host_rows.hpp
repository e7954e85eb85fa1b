/// @file
/// Order statistics of small windows on a host: rows of keys, of which row_selection takes a vector at once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "gpuimg/core/image_view.hpp"
#include "gpuimg/filter/border.hpp"
#include "gpuimg/filter/detail/host_isa.hpp"
#include "gpuimg/filter/detail/host_parts.hpp"
#include "gpuimg/filter/detail/median_host_selection.hpp"
#include "gpuimg/filter/detail/median_window.hpp"
#include "gpuimg/filter/median_key.hpp"
#include "gpuimg/filter/nan_policy.hpp"

namespace gpuimg::filter::detail {
inline namespace GPUIMG_KEY_WORDS {

/// The order of samples by the keys that vector units compare best: bytes without a sign, all others with one.
template <ordered_sample T>
struct row_order {
  using order = sample_order<T>;
  using unsigned_key = typename order::key_type;
  using key_type = std::conditional_t<sizeof(T) == 1, unsigned_key, std::make_signed_t<unsigned_key>>;
  static constexpr key_type most = std::numeric_limits<key_type>::max();

  /// Whether samples are floating-point numbers, of which negative ones are turned and NaN is `most`.
  static constexpr bool turned = order::has_nan;
  /// Key and bits of an integer differ by this.
  static constexpr key_type flip = [] {
    if constexpr (turned) {
      return key_type{0};
    } else {
      constexpr auto sign = static_cast<unsigned_key>(sizeof(T) == 1 ? 0 : unsigned_key{1} << (8 * sizeof(T) - 1));
      return static_cast<key_type>(static_cast<unsigned_key>(order::offset ^ sign));
    }
  }();
  /// The bits of infinity.
  static constexpr key_type infinity = [] {
    if constexpr (std::is_floating_point_v<T>) {
      return __builtin_bit_cast(key_type, std::numeric_limits<T>::infinity());
    } else {
      return key_type{0x7C00 >> (sizeof(T) == 1 ? 8 : 0)};
    }
  }();

  GPUIMG_ALWAYS_INLINE static key_type key(T sample) noexcept {
    const auto bits = __builtin_bit_cast(key_type, sample);
    if constexpr (turned) {
      const auto other = static_cast<key_type>(bits ^ ((bits >> (8 * sizeof(T) - 1)) & most));
      return (bits & most) > infinity ? most : other;
    } else {
      return static_cast<key_type>(bits ^ flip);
    }
  }
  static bool is_nan(key_type key) noexcept { return turned && key == most; }
};

/// The keys of samples side by side.
/// @return whether a NaN is among them
template <ordered_sample T, class Key = typename row_order<T>::key_type>
GPUIMG_ALWAYS_INLINE bool row_keys_here(const T* __restrict from, std::int64_t count, Key* __restrict to) noexcept {
  for (std::int64_t x = 0; x < count; ++x) { to[x] = row_order<T>::key(from[x]); }
  Key most = std::numeric_limits<Key>::min();
  if constexpr (row_order<T>::turned) {  // in a loop of its own, which compilers turn into vector code
    for (std::int64_t x = 0; x < count; ++x) { most = std::max(most, to[x]); }
  }
  return row_order<T>::is_nan(most);
}

#if GPUIMG_HAS_AVX2_TARGET
template <ordered_sample T, class Key = typename row_order<T>::key_type>
GPUIMG_TARGET_AVX2 bool row_keys_avx2(const T* from, std::int64_t count, Key* to) noexcept {
  bool nan = false;
  if constexpr (std::is_same_v<T, float>) {  // in one loop
    using word = avx2_word<Key>;
    typename word::storage seen = {};
    for (; count >= word::lanes; count -= word::lanes, from += word::lanes, to += word::lanes) {
      word bits;
      bits.load(reinterpret_cast<const Key*>(from));
      const auto is_nan = (bits.keys & row_order<T>::most) > row_order<T>::infinity;
      seen |= is_nan;
      bits = bits.template unordered<true>(0);
      bits.keys = is_nan ? row_order<T>::most - typename word::storage{} : bits.keys;
      bits.store(to);
    }
    for (int i = 0; i < word::lanes; ++i) { nan |= seen[i] != 0; }
  }
  return row_keys_here(from, count, to) || nan;
}
#endif

template <ordered_sample T, class Key = typename row_order<T>::key_type>
bool row_keys([[maybe_unused]] host_isa isa, const T* from, std::int64_t count, Key* to) noexcept {
#if GPUIMG_HAS_AVX2_TARGET
  if (isa == host_isa::avx2) { return row_keys_avx2(from, count, to); }
#endif
  return row_keys_here(from, count, to);
}

/// Rank `Rank` of windows of Width x Height samples.
template <ordered_sample T, int Width, int Height, int Rank>
class host_row_filter {
  using order = row_order<T>;
  using key_type = typename order::key_type;
  using selection = row_selection<Width, Height, Rank>;

 public:
  /// @param isa  which code is taken; has_isa(isa)
  host_row_filter(const bordered_bands<T>& source, const cube_view<T>& destination, const window_frame& frame,
                  nan_policy policy, host_isa isa = best_isa())
      : source_(source), destination_(destination), frame_(frame), policy_(policy), isa_(isa) {}

  void run(unsigned threads) const {
    std::vector<scratch> scratches(threads);
    for_each_part(threads, destination_, strip_width, part_rows, [&](const picture_part& p, unsigned thread) {
      scratches[thread].resize(room);
      part(p.x, p.width, p.y, p.y + p.height, p.band, scratches[thread].data()->keys);
    });
  }

 private:
  static constexpr std::int64_t part_rows = 64;
  static constexpr std::int64_t block = 64 / static_cast<std::int64_t>(sizeof(key_type));
  /// So many columns at once that all lines of a pair of rows stay in the first cache.
  static constexpr std::int64_t strip_width = 32 * block;
  static constexpr std::int64_t pitch = (strip_width + Width - 1 + block - 1) / block * block;
  static constexpr std::size_t room = static_cast<std::size_t>((selection::lines + selection::core) * (pitch / block) +
                                                               selection::rows * (strip_width / block));

  struct alignas(64) key_block {
    key_type keys[static_cast<std::size_t>(block)];
  };
  using scratch = std::vector<key_block>;
  /// Lines take turns; any of them may come first.
  struct ring {
    const key_type* keys[static_cast<std::size_t>(2 * selection::lines)];
    bool nan[static_cast<std::size_t>(2 * selection::lines)] = {};

    bool any_nan(std::int64_t first) const {
      return std::any_of(nan + first, nan + first + Height, [](bool one) { return one; });
    }
  };

  void part(std::int64_t left, std::int64_t count, std::int64_t top, std::int64_t end, std::int64_t band,
            key_type* lines) const {
    key_type* const sorted = lines + selection::lines * pitch;
    key_type* const aside = sorted + selection::core * pitch;
    const bool adjacent = destination_.x_stride == static_cast<std::int64_t>(sizeof(T));
    ring window;
    for (int i = 0; i < 2 * selection::lines; ++i) { window.keys[i] = lines + i % selection::lines * pitch; }
    std::int64_t filled = 0;
    for (std::int64_t y = top; y < end; y += selection::rows) {
      for (; filled < y - top + selection::lines; ++filled) {
        const std::int64_t at = filled % selection::lines;
        const bool nan =
            fill(left - frame_.left, count + Width - 1, top - frame_.top + filled, band, lines + at * pitch);
        window.nan[at] = window.nan[at + selection::lines] = nan;
      }
      key_type* results[static_cast<std::size_t>(selection::rows)];
      for (int row = 0; row < selection::rows; ++row) {
        results[row] = adjacent && y + row < end ? reinterpret_cast<key_type*>(&destination_(left, y + row, band))
                                                 : aside + row * strip_width;
      }
      const std::int64_t first = (y - top) % selection::lines;
      select_rows<Width, Height, Rank, order::turned>(
          isa_, row_lines<key_type>{window.keys + first, count, sorted, pitch, results, order::flip});
      for (int row = 0; row < std::min<std::int64_t>(selection::rows, end - y); ++row) {
        if (!adjacent) { scatter(results[row], left, count, y + row, band); }
        if (window.any_nan(first + row)) { mend(window.keys + first + row, left, count, y + row, band); }
      }
    }
  }

  /// @return whether a NaN is among them
  bool fill(std::int64_t x, std::int64_t columns, std::int64_t y, std::int64_t band, key_type* to) const {
    const std::int64_t line = map_coordinate(source_.mode, y, source_.cube.height);
    if (line < 0) {
      std::fill_n(to, columns, order::key(source_.value));
      return columns > 0 && order::is_nan(to[0]);
    }
    bool nan = false;
    const auto one_by_one = [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t i = first; i < last; ++i) {
        const std::int64_t column = map_coordinate(source_.mode, x + i, source_.cube.width);
        to[i] = order::key(column < 0 ? source_.value : source_.cube(column, line, band));
        nan |= order::is_nan(to[i]);
      }
    };
    const std::int64_t first = std::clamp<std::int64_t>(-x, 0, columns);
    const std::int64_t last = std::clamp<std::int64_t>(source_.cube.width - x, first, columns);
    one_by_one(0, first);
    if (source_.cube.x_stride != static_cast<std::int64_t>(sizeof(T))) {
      one_by_one(first, last);
    } else if (first < last) {
      nan |= row_keys(isa_, &source_.cube(x + first, line, band), last - first, to + first);
    }
    one_by_one(last, columns);
    return nan;
  }

  void scatter(const key_type* results, std::int64_t left, std::int64_t count, std::int64_t y,
               std::int64_t band) const {
    for (std::int64_t x = 0; x < count; ++x) { destination_(left + x, y, band) = __builtin_bit_cast(T, results[x]); }
  }

  /// The windows that see a NaN follow the policy.
  void mend(const key_type* const* keys, std::int64_t left, std::int64_t count, std::int64_t y,
            std::int64_t band) const {
    for (std::int64_t x = 0; x < count; ++x) {
      const bool sees_nan = std::any_of(keys, keys + Height, [x](const key_type* line) {
        return std::any_of(line + x, line + x + Width, order::is_nan);
      });
      if (sees_nan) {
        destination_(left + x, y, band) = window_rank(source_, frame_, Rank, policy_, left + x, y, band);
      }
    }
  }

  bordered_bands<T> source_;
  cube_view<T> destination_;
  window_frame frame_;
  nan_policy policy_;
  host_isa isa_;
};

/// Windows that host_row_filter is the quickest for: beyond these, sorting a column once pays less than halving tiles.
template <int Width, int Height>
inline constexpr bool few_in_row = Width <= 9 && Height <= 9;

}  // namespace GPUIMG_KEY_WORDS
}  // namespace gpuimg::filter::detail
