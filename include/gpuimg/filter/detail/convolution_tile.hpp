/// @file
/// How the kernels of a convolution read their source: a thread's window of a row in registers, from the picture itself
/// where it is whole and aligned, and from a copy in shared memory elsewhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "gpuimg/core/config.hpp"
#include "gpuimg/core/image_view.hpp"
#include "gpuimg/filter/border.hpp"
#include "gpuimg/filter/convolution_arithmetic.hpp"
#include "gpuimg/simt/group.hpp"

namespace gpuimg::filter::detail {

/// A source with its border; (x, y) of the output reads taps from (x + shift_x, y + shift_y) on.
template <class S>
struct tap_source {
  cube_view<const S> samples;
  border mode = border::reflect;
  S value{};
  int shift_x = 0;
  int shift_y = 0;

  /// The sample at any place, by coordinates that map_near has mapped.
  GPUIMG_FUNCTION S at_mapped(std::int64_t column, std::int64_t line, std::int64_t band) const noexcept {
    return column < 0 || line < 0 ? value : samples(column, line, band);
  }
};

/// `N` samples that are read or written at once.
template <class T, int N>
struct alignas(sizeof(T) * static_cast<std::size_t>(N)) sample_pack {
  T values[N];
};

template <class T, int N>
GPUIMG_FUNCTION inline sample_pack<T, N> load_pack(const T* from) noexcept {
  return *reinterpret_cast<const sample_pack<T, N>*>(from);
}

template <class T, int N>
GPUIMG_FUNCTION inline void store_pack(T* to, const sample_pack<T, N>& pack) noexcept {
  *reinterpret_cast<sample_pack<T, N>*>(to) = pack;
}

/// Which samples of a row a thread holds that computes `Outputs` neighbours with `Taps` taps.
///
/// Reading starts `before` samples left of the first output's own, so that groups are aligned when outputs are:
/// @code
///   . . t t t O O O O t t t . .      Taps = 7, Outputs = 4: before = 4, lead = 1, groups = 3
/// @endcode
template <int Outputs, int Taps, int Group = (Outputs < 4 ? Outputs : 4)>
struct row_layout {
  static constexpr int group = Group;  ///< samples that are read at once
  static constexpr int before = (Taps / 2 + group - 1) / group * group;
  static constexpr int lead = before - Taps / 2;  ///< samples before the first tap
  static constexpr int window = Outputs + Taps - 1;
  static constexpr int groups = (lead + window + group - 1) / group;
  static constexpr int span = groups * group;
};

/// The samples of a row that a thread reads, as they are in memory. Held in words where groups are whole words: small
/// samples of their own would be taken apart and put together again when a row moves on.
template <class S, class Layout>
class raw_row {
  static constexpr int group_bytes = Layout::group * static_cast<int>(sizeof(S));
  static constexpr bool in_words = group_bytes % 4 == 0;
  using unit = std::conditional_t<in_words, std::uint32_t, S>;
  static constexpr int units = Layout::span * static_cast<int>(sizeof(S)) / static_cast<int>(sizeof(unit));
  static constexpr int group_units = units / Layout::groups;

 public:
  /// `from` is aligned to a group.
  GPUIMG_FUNCTION void load(const S* from) noexcept {
    GPUIMG_UNROLL
    for (int g = 0; g < Layout::groups; ++g) {
      sample_pack<unit, group_units> pack;
#if defined(GPUIMG_DEVICE_PASS)
      pack = *reinterpret_cast<const sample_pack<unit, group_units>*>(from + g * Layout::group);
#else
      memcpy(&pack, from + g * Layout::group, sizeof(pack));
#endif
      GPUIMG_UNROLL
      for (int i = 0; i < group_units; ++i) { units_[g * group_units + i] = pack.values[i]; }
    }
  }
  /// The samples under the taps, in the type of the sum.
  template <class A>
  GPUIMG_FUNCTION void unpack(A (&window)[Layout::window]) const noexcept {
    GPUIMG_UNROLL
    for (int i = 0; i < Layout::window; ++i) { window[i] = sample<A>(i + Layout::lead); }
  }

 private:
  template <class A>
  GPUIMG_FUNCTION A sample(int i) const noexcept {
    const int byte = i * static_cast<int>(sizeof(S));
#if defined(GPUIMG_DEVICE_PASS)
    if constexpr (in_words && std::is_same_v<A, float> && std::is_unsigned_v<S>) {
      // Placed into the low bits of 2^23 by a permutation of bytes: cheaper than a conversion.
      const unsigned low = static_cast<unsigned>(byte % 4);
      const unsigned selector = sizeof(S) == 1 ? 0x7650u + low : 0x7600u + (low + 1) * 16 + low;
      return __uint_as_float(__byte_perm(units_[byte / 4], 0x4B000000u, selector)) - 8388608.0f;
    }
#endif
    if constexpr (!in_words) {
      return static_cast<A>(units_[i]);
    } else if constexpr (sizeof(S) <= 4) {
      using bits = std::conditional_t<sizeof(S) == 1, std::uint8_t,
                                      std::conditional_t<sizeof(S) == 2, std::uint16_t, std::uint32_t>>;
      return static_cast<A>(__builtin_bit_cast(S, static_cast<bits>(units_[byte / 4] >> (8 * (byte % 4)))));
    } else {
      const std::uint64_t both = units_[byte / 4] | std::uint64_t{units_[byte / 4 + 1]} << 32;
      return static_cast<A>(__builtin_bit_cast(S, both));
    }
  }

  unit units_[units];
};

/// Samples one below the other in the frame, for a thread.
struct frame_column {
  std::int64_t x = 0;
  std::int64_t y = 0;
  int height = 0;
};

/// The part of a picture whose windows lie inside of the source and can be read in groups; `columns` threads of Outputs
/// samples to a row. The frame around it is cut into columns of up to frame_height samples.
struct inner_part {
  static constexpr int frame_height = 8;

  std::int64_t x = 0;
  std::int64_t y = 0;
  std::int64_t columns = 0;
  std::int64_t width = 0;  ///< columns * Outputs
  std::int64_t height = 0;

  /// Columns that the frame is cut into.
  GPUIMG_FUNCTION constexpr std::int64_t frame_size(std::int64_t outer_width,
                                                    std::int64_t outer_height) const noexcept {
    return layers(y) * outer_width + layers(outer_height - y - height) * outer_width +
           layers(height) * (outer_width - width);
  }

  /// Column number `i`: first those above this part, then below, then to the left and right. Of height 0 where `i` is
  /// not below frame_size().
  GPUIMG_FUNCTION constexpr frame_column frame_place(std::int64_t outer_width, std::int64_t outer_height,
                                                     std::int64_t i) const noexcept {
    const std::int64_t above = layers(y) * outer_width;
    const std::int64_t below = layers(outer_height - y - height) * outer_width;
    if (i < above) { return cut(i, outer_width, 0, y); }
    if (i < above + below) { return cut(i - above, outer_width, y + height, outer_height); }
    if (i >= frame_size(outer_width, outer_height)) { return {}; }
    frame_column at = cut(i - above - below, outer_width - width, y, y + height);
    if (at.x >= x) { at.x += width; }
    return at;
  }

 private:
  GPUIMG_FUNCTION static constexpr std::int64_t layers(std::int64_t rows) noexcept {
    return (rows + frame_height - 1) / frame_height;
  }
  /// Column number `i` of `across` to a layer, of the rows from `first` to `last`.
  GPUIMG_FUNCTION static constexpr frame_column cut(std::int64_t i, std::int64_t across, std::int64_t first,
                                                    std::int64_t last) noexcept {
    const std::int64_t top = first + i / across * frame_height;
    return {i % across, top, static_cast<int>(last - top < frame_height ? last - top : frame_height)};
  }
};

/// The largest such part. Empty where samples are not adjacent or rows differ in their alignment.
template <class Layout, int Outputs, int Height, class S>
inner_part find_inner_part(const tap_source<S>& source, std::int64_t width, std::int64_t height) noexcept {
  constexpr auto size = static_cast<std::int64_t>(sizeof(S));
  constexpr std::int64_t bytes = size * Layout::group;
  const auto& samples = source.samples;
  if (samples.x_stride != size || samples.y_stride % bytes != 0 ||
      (samples.bands > 1 && samples.band_stride % bytes != 0)) {
    return {};
  }
  inner_part part;
  const std::int64_t offset = source.shift_x - Layout::lead;  // from a thread's first output to what it reads first
  part.x = offset < 0 ? -offset : 0;
  const auto address = static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(samples.data));
  while ((address + (part.x + offset) * size) % bytes != 0) { ++part.x; }
  const std::int64_t room = samples.width - (part.x + offset) - Layout::span;  // right of the first thread's samples
  const std::int64_t outputs = width - part.x;
  if (room < 0 || outputs < Outputs) { return {}; }
  part.columns = (room < outputs - Outputs ? room : outputs - Outputs) / Outputs + 1;
  part.width = part.columns * Outputs;
  part.y = source.shift_y < 0 ? -source.shift_y : 0;
  const std::int64_t last = samples.height - source.shift_y - Height + 1;
  part.height = (last < height ? last : height) - part.y;
  return part.height > 0 ? part : inner_part{};
}

/// Copies `rows` rows of `columns` samples from (x, y) of a band on to shared memory, `pitch` samples a row. All
/// threads of the block call it, and meet before they read the tile.
template <class S, simt::block_group Block>
GPUIMG_FUNCTION void stage_tile(const Block& block, const tap_source<S>& source, std::int64_t x, std::int64_t y,
                                std::int64_t band, int columns, int rows, S* tile, int pitch) {
  constexpr int warps = Block::size() / simt::warp_size;
  constexpr int batch = 4;  // loads on their way at once
  for (int c = block.rank() % simt::warp_size; c < columns; c += simt::warp_size) {
    const std::int64_t column = map_near(source.mode, x + c, source.samples.width);
    for (int first = block.warp_rank(); first < rows; first += batch * warps) {
      S values[batch];
      GPUIMG_UNROLL
      for (int i = 0; i < batch; ++i) {
        const int r = first + i * warps;
        const std::int64_t line = r < rows ? map_near(source.mode, y + r, source.samples.height) : no_sample;
        values[i] = source.at_mapped(column, line, band);
      }
      GPUIMG_UNROLL
      for (int i = 0; i < batch; ++i) {
        const int r = first + i * warps;
        if (r < rows) { tile[r * pitch + c] = values[i]; }
      }
    }
  }
}

/// to[i] = store(sums[i])
template <class A, class D, int Count, class Store>
GPUIMG_FUNCTION inline void store_all(const A (&sums)[Count], const Store& store, D (&to)[Count]) noexcept {
  constexpr int in_word = sizeof(D) <= 2 ? 4 / static_cast<int>(sizeof(D)) : 1;
  if constexpr (std::is_integral_v<D> && in_word > 1 && std::is_same_v<A, float> && Count % in_word == 0) {
    // Devices round, saturate and pack two at once.
    std::uint32_t words[Count / in_word];
    GPUIMG_UNROLL
    for (int i = 0; i < Count / in_word; ++i) {
      const A* of = sums + in_word * i;
      words[i] = pack_saturated<D>(store.rounded(of[in_word - 1]), store.rounded(of[in_word - 2]), 0);
      if constexpr (in_word == 4) {
        words[i] = pack_saturated<D>(store.rounded(of[1]), store.rounded(of[0]), words[i]);
      }
    }
    memcpy(to, words, sizeof(words));
  } else {
    GPUIMG_UNROLL
    for (int i = 0; i < Count; ++i) { to[i] = store(sums[i]); }
  }
}

/// Whether groups of Outputs samples of every row may be written at once, from column `x` on.
template <int Outputs, class D>
bool can_write_groups(const cube_view<D>& destination, std::int64_t x) noexcept {
  constexpr auto size = static_cast<std::int64_t>(sizeof(D));
  constexpr std::int64_t bytes = size * Outputs;
  const auto address = static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(destination.data)) + x * size;
  return destination.x_stride == size && address % bytes == 0 && destination.y_stride % bytes == 0 &&
         (destination.bands <= 1 || destination.band_stride % bytes == 0);
}

/// Where a thread writes `Outputs` neighbouring samples of each of its rows.
template <int Outputs, class D>
class row_writer {
 public:
  /// From (x, y) of a band on, as far as the picture goes. @param groups  see can_write_groups
  GPUIMG_FUNCTION row_writer(const cube_view<D>& destination, bool groups, std::int64_t x, std::int64_t y,
                             std::int64_t band, int rows) noexcept
      : to_(&destination(x, y, band)),
        pitch_(destination.y_stride),
        step_(destination.x_stride),
        count_(static_cast<int>(destination.width - x < Outputs ? destination.width - x : Outputs)),
        rows_(static_cast<int>(destination.height - y < rows ? destination.height - y : rows)),
        whole_(groups && count_ == Outputs) {}

  /// Writes a row's sums, if the picture has that row, and goes on to the next.
  template <class A, class Store>
  GPUIMG_FUNCTION void put(const A (&sums)[Outputs], const Store& store) noexcept {
    if (rows_ > 0) {
      sample_pack<D, Outputs> pack;
      store_all(sums, store, pack.values);
      if (whole_) {
        store_pack<D, Outputs>(to_, pack);
      } else {
        GPUIMG_UNROLL
        for (int i = 0; i < Outputs; ++i) {
          if (i < count_) { *gpuimg::detail::advance_bytes(to_, i * step_) = pack.values[i]; }
        }
      }
    }
    to_ = gpuimg::detail::advance_bytes(to_, pitch_);
    --rows_;
  }

 private:
  D* to_;
  std::int64_t pitch_;
  std::int64_t step_;
  int count_;
  int rows_;
  bool whole_;
};

}  // namespace gpuimg::filter::detail
